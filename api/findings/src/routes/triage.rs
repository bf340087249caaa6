//! `POST /findings/{finding_id}/triage`: automated triage.

use axum::extract;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use rest::actor::actor;
use rest::authenticate::Caller;
use rest::creation::{RepetitionHeader, once, response};
use rest::error::ApiError;
use rest::idempotency::Reply;
use rest::openapi::{Conflicts, NotFound, Refusals};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::FindingsWrite;
use serde::Serialize;
use utoipa::ToSchema;

use super::FindingPath;
use crate::Shared;
use crate::finding::Finding;

/// Reply to a request for triage.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingTriageAccepted)]
pub(crate) struct TriageAccepted {
    /// The finding.
    data: TriagedView,
}

/// A finding that is being triaged.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TriagedFinding)]
struct TriagedView {
    /// Its id.
    #[schema(format = Uuid)]
    id: String,
    /// `finding`.
    #[schema(example = "finding")]
    object: &'static str,
    /// Kind.
    #[schema(schema_with = crate::schema::kind)]
    kind: &'static str,
    /// `triaging`.
    #[schema(schema_with = crate::schema::triage_status)]
    triage_status: &'static str,
}

impl TriageAccepted {
    fn of(finding: &Finding) -> Self {
        Self {
            data: TriagedView {
                id: finding.id.to_string(),
                object: "finding",
                kind: finding.kind.as_str(),
                triage_status: finding.triage.status.as_str(),
            },
        }
    }
}

/// Request automated triage of a finding
///
/// Replays the finding and sends `finding.triage_completed`. One credit is reserved, and charged when the triage has a result;
/// a finding that no engine can replay is `unverifiable` and costs nothing. A finding that is being triaged or resolved is a
/// conflict.
#[utoipa::path(
    post,
    path = "/findings/{finding_id}/triage",
    operation_id = "triage_finding",
    tag = "Findings",
    params(("finding_id" = String, Path, format = Uuid, description = "The finding's id"), RepetitionHeader),
    responses(
        (status = 202, description = "The triage is queued", body = TriageAccepted),
        (status = 402, description = "The balance of credits is too low", body = rest::error::ErrorBody),
        NotFound,
        Conflicts,
        Refusals
    )
)]
pub(crate) async fn request(
    extract::State(app): extract::State<Shared>,
    caller: Caller<FindingsWrite>,
    Id(id): Id<FindingPath>,
    StrictQuery(()): StrictQuery<()>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (organization, acting) = (caller.organization(), actor(caller.grant()));
    let operation = format!("triage {id}");
    let (reply, origin) = once(&app.kit, &caller, &headers, (&operation, b""), async |request| {
        let request = request.unwrap_or_else(|| app.kit.directory.new_id());
        let change = (&acting, app.kit.clock.now());
        let parts = (app.jobs.as_ref(), &app.billing);
        let finding = app.findings.request_triage(parts, (organization, id), request, change).await?;
        Ok(Reply::new(StatusCode::ACCEPTED, reply::text(&TriageAccepted::of(&finding))?))
    })
    .await?;
    Ok(response(reply, origin))
}

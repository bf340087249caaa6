//! `PATCH` and `DELETE /findings/{finding_id}`: review and deletion.

use axum::extract;
use axum::response::Response;
use common::triage::{TriageResolution, TriageStatus};
use http::header::IF_MATCH;
use http::{HeaderMap, StatusCode};
use rest::actor::actor;
use rest::authenticate::Caller;
use rest::body::{StrictJson, not_null, nullable};
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::scope::FindingsWrite;
use serde::Deserialize;
use utoipa::ToSchema;

use super::FindingPath;
use super::show::detail;
use crate::Shared;
use crate::review::{IfMatch, Review};
use crate::views::detail::FindingDetailView;

/// Request body for reviewing a finding: at least one property.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FindingReview, example = json!({
    "triage_status": "resolved",
    "triage_resolution": "accepted_risk",
    "comment": "Only reachable from the office network."
}))]
pub(crate) struct ReviewBody {
    /// New status; `triaging` is set by automated triage only.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::review_status, required = false)]
    triage_status: Option<TriageStatus>,
    /// New resolution: required with `resolved`, and null or absent with any other status.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(schema_with = crate::schema::nullable_resolution, required = false)]
    triage_resolution: Option<Option<TriageResolution>>,
    /// Order on a board, ascending.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(value_type = u64, minimum = 0, maximum = 9007199254740991_i64, required = false)]
    board_position: Option<u64>,
    /// Person or team that works on it; null for nobody.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200, required = false)]
    assignee: Option<Option<String>>,
    /// Reason for the change, kept in the history.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(value_type = String, min_length = 1, max_length = 4000, required = false)]
    comment: Option<String>,
}

impl From<ReviewBody> for Review {
    fn from(body: ReviewBody) -> Self {
        Self {
            status: body.triage_status,
            resolution: body.triage_resolution,
            board_position: body.board_position,
            assignee: body.assignee,
            comment: body.comment,
        }
    }
}

/// Review a finding
///
/// Moving a finding off `resolved` clears its resolution. Without `If-Match` the last writer wins; with it, a finding that was
/// changed since is answered with 412. A finding whose weakness has a later finding cannot be opened again (409). Resolving a
/// finding as `accepted_risk` sends `finding.accepted`.
#[utoipa::path(
    patch,
    path = "/findings/{finding_id}",
    operation_id = "review_finding",
    tag = "Findings",
    params(
        ("finding_id" = String, Path, format = Uuid, description = "The finding's id"),
        ("If-Match" = Option<String>, Header, description = "Entity tag of the version that was read, or `*`", max_length = 1000)
    ),
    request_body = ReviewBody,
    responses(
        (
            status = 200,
            description = "The updated finding",
            body = FindingDetailView,
            headers(("ETag" = String, description = "Version of the finding"))
        ),
        (status = 412, description = "The finding was changed since it was read", body = rest::error::ErrorBody),
        NotFound,
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn review(
    extract::State(app): extract::State<Shared>,
    caller: Caller<FindingsWrite>,
    Id(id): Id<FindingPath>,
    StrictQuery(()): StrictQuery<()>,
    headers: HeaderMap,
    body: StrictJson<ReviewBody>,
) -> Result<Response, ApiError> {
    let if_match = if_match(&headers)?;
    let (organization, acting) = (caller.organization(), actor(caller.grant()));
    let at = app.kit.clock.now();
    let review = body.value.into();
    let finding = app.findings.review((organization, id), &review, &if_match, (&acting, at)).await?;
    detail(&app, finding).await
}

/// The versions of `If-Match` (RFC 9110 section 13.1.1). Weak tags match nothing; neither do tags that this service never gave.
fn if_match(headers: &HeaderMap) -> Result<IfMatch, ApiError> {
    let refusal = || ApiError::Invalid("If-Match: expected entity tags in quotes, or *".into());
    let mut versions: Option<Vec<u64>> = None;
    for value in headers.get_all(IF_MATCH) {
        let text = value.to_str().map_err(|_| refusal())?;
        if text.trim() == "*" {
            return Ok(None);
        }
        for tag in text.split(',').map(str::trim) {
            let quoted = |tag: &'_ str| tag.len() >= 2 && tag.starts_with('"') && tag.ends_with('"');
            let is_weak = tag.strip_prefix("W/").is_some_and(quoted);
            if !is_weak && !quoted(tag) {
                return Err(refusal());
            }
            let known = versions.get_or_insert_default();
            known.extend(tag.trim_matches('"').parse::<u64>().ok().filter(|_| !is_weak));
        }
    }
    Ok(versions)
}

/// Delete a finding
///
/// Permanent: detail and history are removed, and its automated triage is cancelled. When it is observed again it is a new
/// finding; to silence it, resolve it as `false_positive` instead.
#[utoipa::path(
    delete,
    path = "/findings/{finding_id}",
    operation_id = "delete_finding",
    tag = "Findings",
    params(("finding_id" = String, Path, format = Uuid, description = "The finding's id")),
    responses((status = 204, description = "Deleted"), NotFound, Refusals)
)]
pub(crate) async fn delete(
    extract::State(app): extract::State<Shared>,
    caller: Caller<FindingsWrite>,
    Id(id): Id<FindingPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    let organization = caller.organization();
    if let Some(triage) = app.findings.delete(organization, id).await?
        && let Err(error) = app.billing.credits.settle(organization, triage.0, 0).await
    {
        // The finding is deleted; the reservation has no record any more and is returned by the schedule.
        tracing::warn!(%error, %triage, "the credit of a cancelled triage is not returned yet");
    }
    Ok(StatusCode::NO_CONTENT)
}

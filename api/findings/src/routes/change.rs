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
use rest::openapi::{BodyRefusals, NotFound, Refusals};
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
    #[schema(schema_with = crate::schema::triage_status, required = false)]
    triage_status: Option<TriageStatus>,
    /// New resolution: required with `resolved`, and null or absent with any other status.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(schema_with = crate::schema::nullable_resolution, required = false)]
    triage_resolution: Option<Option<TriageResolution>>,
    /// Order on a board, ascending.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(minimum = 0, maximum = 9007199254740991_i64, required = false)]
    board_position: Option<u64>,
    /// Person or team that works on it; null for nobody.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200, required = false)]
    assignee: Option<Option<String>>,
    /// Reason for the change, kept in the history.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(max_length = 4000, required = false)]
    comment: Option<String>,
}

impl From<ReviewBody> for Review {
    fn from(body: ReviewBody) -> Self {
        Self {
            status: body.triage_status,
            resolution: body.triage_resolution,
            board_position: body.board_position,
            assignee: body.assignee,
            comment: body.comment.filter(|comment| !comment.is_empty()),
        }
    }
}

/// Review a finding
///
/// Moving a finding off `resolved` clears its resolution. Without `If-Match` the last writer wins; with it, a finding that was
/// changed since is answered with 412. Resolving a finding as `accepted_risk` sends `finding.accepted`.
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
        (status = 200, description = "The updated finding", body = FindingDetailView),
        (status = 412, description = "The finding was changed since it was read", body = rest::error::ErrorBody),
        NotFound,
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
    app.findings.review((organization, id), &body.value.into(), &if_match, (&acting, at)).await?;
    detail(&app, organization, id).await
}

/// The versions of `If-Match` (RFC 9110 section 13.1.1). Weak tags match nothing; so do tags that this service never gave.
fn if_match(headers: &HeaderMap) -> Result<IfMatch, ApiError> {
    let mut versions: Option<Vec<u64>> = None;
    for value in headers.get_all(IF_MATCH) {
        let text = value.to_str().map_err(|_| ApiError::Invalid("If-Match: expected entity tags".into()))?;
        if text.trim() == "*" {
            return Ok(None);
        }
        let tags = text.split(',').map(str::trim).filter_map(|tag| tag.strip_prefix('"')?.strip_suffix('"'));
        versions.get_or_insert_default().extend(tags.filter_map(|tag| tag.parse::<u64>().ok()));
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
    if let Some(triage) = app.findings.delete(organization, id).await? {
        app.billing.credits.settle(organization, triage.0, 0).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

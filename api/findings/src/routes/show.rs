//! `GET /findings/{finding_id}`: one finding with triage, remediation and history.

use axum::extract;
use axum::response::Response;
use http::header::ETAG;
use http::{HeaderValue, StatusCode};
use records::Entry;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::FindingsRead;

use super::FindingPath;
use crate::finding::Finding;
use crate::triage::result_of;
use crate::views::detail::{FindingDetailView, Parts};
use crate::views::target::TargetView;
use crate::{App, Shared};

/// Entries of the history in a detail, newest first.
const HISTORY: usize = 100;

/// Get a finding
///
/// Read from the ledger, not from the index. `ETag` is the version that `If-Match` of a review takes.
#[utoipa::path(
    get,
    path = "/findings/{finding_id}",
    operation_id = "get_finding",
    tag = "Findings",
    params(("finding_id" = String, Path, format = Uuid, description = "The finding's id")),
    responses(
        (
            status = 200,
            description = "The finding",
            body = FindingDetailView,
            headers(("ETag" = String, description = "Version of the finding"))
        ),
        NotFound,
        Refusals
    )
)]
pub(crate) async fn show(
    extract::State(app): extract::State<Shared>,
    caller: Caller<FindingsRead>,
    Id(id): Id<FindingPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let finding = rest::records::found(&app.kit, caller.organization(), id).await?;
    detail(&app, finding).await
}

/// The reply with a finding as it was read or written; detail, result and history may be later.
pub(crate) async fn detail(app: &App, mut finding: Finding) -> Result<Response, ApiError> {
    let (records, organization, id) = (&app.kit.records, finding.organization, finding.id);
    let detail = records.detail::<Finding>(organization, id).await?.unwrap_or_default();
    let triage = result_of(records, &finding).await?;
    let history = records.history::<Finding>(organization, id, None, HISTORY).await?;
    let target = TargetView::of(&app.kit, organization, &finding.target).await?;
    if let Some(previous) = finding.previous {
        finding.previous = records.get::<Finding>(organization, previous).await?.map(|found| found.id);
    }
    let etag = HeaderValue::from_str(&format!("\"{}\"", finding.version)).map_err(ApiError::internal)?;
    let history = history.into_iter().map(|Entry { entry, .. }| entry).collect();
    let view = FindingDetailView::new(Parts { finding, detail, triage, history, target });
    let mut response = reply::json(StatusCode::OK, &view)?;
    response.headers_mut().insert(ETAG, etag);
    Ok(response)
}

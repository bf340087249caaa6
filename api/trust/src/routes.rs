//! `/contributors` and `/contributor-trust-scans`.

use axum::extract::State;
use axum::response::Response;
use common::ids::{OrganizationId, RecordId};
use http::{HeaderMap, StatusCode};
use records::RecordError;
use rest::authenticate::Caller;
use rest::creation::{RepetitionHeader, once, response};
use rest::error::ApiError;
use rest::idempotency::Reply;
use rest::openapi::{Conflicts, NotFound, Refusals};
use rest::path::{Id, PathParameter};
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{ContributorsRead, ContributorsWrite};

use crate::artifact::Evidence;
use crate::confirm::{Confirmed, remove};
use crate::login::ContributorPath;
use crate::request::request;
use crate::scan::{Aggregate, Scan};
use crate::view::{ScanView, TrustView};
use crate::{App, Shared};

/// A scan in a path.
pub(crate) enum ScanPath {}

impl PathParameter for ScanPath {
    type Id = RecordId;
    const NAME: &'static str = "contributor trust scan";
}

/// Get the trust score of a contributor
///
/// The latest result of the login, whichever organization requested the scan. Results are made from public data of the code host only.
/// Evidence is shown if the code host confirms at the time of the reply that the repository is public, by an active installation of the
/// organization; evidence of a repository that is not public any more is deleted.
#[utoipa::path(
    get,
    path = "/contributors/{login}/trust",
    operation_id = "get_contributor_trust",
    tag = "Contributors",
    params(
        ("login" = String, Path, pattern = r"^[A-Za-z0-9-]{1,39}(\[bot\])?$", description = "Login at the code host, in any case")
    ),
    responses((status = 200, description = "The latest result", body = TrustView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<ContributorsRead>,
    Id(login): Id<ContributorPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let (records, id) = (app.jobs.records(), Aggregate::id_of(&login, app.kit.partitions));
    let found = records.get::<Aggregate>(OrganizationId::NONE, id).await?;
    let found = found.ok_or(ApiError::NotFound("result for this contributor"))?;
    let evidence = records.detail::<Aggregate>(OrganizationId::NONE, id).await?.unwrap_or_default();
    let (shown, now) = (app.confirmed(caller.organization(), evidence).await?, app.kit.clock.now());
    let touch = |one: &mut Aggregate| one.updated_at = now;
    removed(remove(records, (OrganizationId::NONE, id), &shown.gone, touch).await);
    reply::json(StatusCode::OK, &TrustView::new(found, shown))
}

/// Scan a contributor
///
/// Queues a scan of the public data of a login; its end is the event `contributor_trust.finished`. A result younger than ten minutes is
/// reused. Conflicts, in this order: the organization has no active code host installation; it has no enabled webhook subscribed to
/// `contributor_trust.finished`; its scan of the login is queued or in progress.
#[utoipa::path(
    post,
    path = "/contributors/{login}/trust-scans",
    operation_id = "scan_contributor",
    tag = "Contributors",
    params(
        ("login" = String, Path, pattern = r"^[A-Za-z0-9-]{1,39}(\[bot\])?$", description = "Login at the code host, in any case"),
        RepetitionHeader
    ),
    responses((status = 202, description = "The scan is queued", body = ScanView), Conflicts, Refusals)
)]
pub(crate) async fn start(
    State(app): State<Shared>,
    caller: Caller<ContributorsWrite>,
    Id(login): Id<ContributorPath>,
    StrictQuery(()): StrictQuery<()>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let operation = format!("scan contributor {}", login.key());
    let (reply, origin) = once(&app.kit, &caller, &headers, (&operation, b""), async |seed| {
        let seed = seed.unwrap_or_else(|| app.kit.directory.new_id());
        let scan = request(&app, caller.organization(), &login, seed).await?;
        let body = reply::text(&ScanView::new(&scan, Confirmed::default()))?;
        Ok(Reply::new(StatusCode::ACCEPTED, body))
    })
    .await?;
    Ok(response(reply, origin))
}

/// Get a scan of a contributor
///
/// Status and result of a scan that the organization requested. Evidence is shown as in the latest result.
#[utoipa::path(
    get,
    path = "/contributor-trust-scans/{scan_id}",
    operation_id = "get_contributor_trust_scan",
    tag = "Contributors",
    params(("scan_id" = String, Path, format = Uuid, description = "The scan's id")),
    responses((status = 200, description = "The scan", body = ScanView), NotFound, Refusals)
)]
pub(crate) async fn show_scan(
    State(app): State<Shared>,
    caller: Caller<ContributorsRead>,
    Id(id): Id<ScanPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let (records, organization) = (app.jobs.records(), caller.organization());
    let scan = records.get::<Scan>(organization, id).await?.ok_or(ApiError::NotFound(ScanPath::NAME))?;
    let evidence = records.detail::<Scan>(organization, id).await?.unwrap_or_default();
    let (shown, now) = (app.confirmed(organization, evidence).await?, app.kit.clock.now());
    let touch = |one: &mut Scan| one.updated_at = now;
    removed(remove(records, (organization, id), &shown.gone, touch).await);
    reply::json(StatusCode::OK, &ScanView::new(&scan, shown))
}

impl App {
    /// The evidence that is confirmed to be public now.
    async fn confirmed(
        &self,
        organization: OrganizationId,
        evidence: Vec<Evidence>,
    ) -> Result<Confirmed, ApiError> {
        Ok(self.confirmer.confirm(&self.kit.directory, organization, evidence).await?)
    }
}

/// The reply is right without the removal, which the next read repeats.
fn removed(outcome: Result<(), RecordError>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "evidence of a repository that is not public was not removed");
    }
}

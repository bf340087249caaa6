//! `/suppressions`: findings that an organization does not want, each with a reason. What is taken away is counted, not
//! forgotten.

mod view;

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use common::ids::SuppressionId;
use directory::{Asked, Directory, DocumentCheck, NewSuppression, Suppression};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::{App, Shared};
use crate::incidents::Reader;
use crate::incidents::covered::{self, CoveredIncidentView, Resolution};
use crate::path::SuppressionPath;
use crate::suspensions::Suspensions;
use crate::yaml_reply;
use rest::actor::acting;
use rest::authenticate::Caller;
use rest::body::{StrictJson, moment};
use rest::creation;
use rest::error::ApiError;
use rest::idempotency::Reply;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::request_id::RequestId;
use rest::scope::{IncidentsRead, IncidentsWrite, RulesRead, RulesWrite, Scope};
use rest::settings::{found, removed};
use view::{SuppressionView, view};

/// Suppressions whose counts are read at a time for one page.
const VIEWS_AT_ONCE: usize = 4;

/// List suppressions
///
/// Includes expired suppressions; newest first.
#[utoipa::path(
    get,
    path = "/suppressions",
    operation_id = "list_suppressions",
    tag = "Suppressions",
    params(PageQuery),
    responses((status = 200, description = "A page of suppressions", body = Page<SuppressionView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<RulesRead>,
    StrictQuery(page): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let (suppressions, total) =
        page.newest_first(app.kit.directory.suppressions(None).list(caller.organization()).await?);
    let suspensions = Suspensions::read(&app, caller.organization()).await?;
    let views = stream::iter(suppressions).map(|one| view(&app, one, &suspensions)).buffered(VIEWS_AT_ONCE);
    reply::json(StatusCode::OK, &Page::new(page, views.try_collect::<Vec<_>>().await?, total))
}

/// Request body for creating a suppression.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewSuppression, example = json!({
    "yaml": "title: The scanner of our own\nid: 7a1f0c52-6d0e-4f57-8f0e-1c1c3a5d9e02\nlogsource:\n  product: linux\n  service: sshd\nfilter:\n  rules:\n    - ssh_login_failed\n  selection:\n    client.address: 192.0.2.7\n  condition: selection\n",
    "reason": "Nightly scan by the platform team",
    "expires_at": "2027-01-01T00:00:00.000Z"
}))]
pub(crate) struct SuppressionBody {
    /// One Sigma filter, at most 65536 bytes. Its `rules` refer to rules by id or name, or are `any` for all rules of
    /// its log source.
    #[schema(min_length = 1, max_length = 65536)]
    yaml: String,
    /// Reason for the suppression.
    #[schema(min_length = 1, max_length = 1000)]
    reason: String,
    /// Expiry time; null or omitted for no expiry.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// Set to true if the condition of the filter is intended to match records that have none of its fields, as
    /// `condition: not selection` does: it then suppresses the findings of every such record. Otherwise such a filter
    /// is answered with 400.
    #[serde(default)]
    allow_match_without_fields: bool,
    /// Set to true to resolve the open incidents that it covers as false positives, each with a review that names the
    /// suppression. Needs the scope `incidents:write`. To undo it, set the status of an incident back.
    #[serde(default)]
    resolve_matching: bool,
}

/// Create a suppression
///
/// An invalid filter is answered with 400, with lines and causes, as is a filter whose condition matches a record
/// without any fields (unless `allow_match_without_fields` is set), and one with which the compiled rules and
/// suppressions of the organization would take more than 16 MiB of memory. The suppression applies to records accepted
/// from a few seconds later on, and changes no incident by itself. The response lists the open incidents that it
/// covers, that is, whose stored evidence it matches entirely. `resolve_matching` resolves them. At most 1,000
/// suppressions, and 8 MiB of YAML together with the detection rules; more is answered with 409. With an
/// `Idempotency-Key`, a retry within 24 hours is answered with the first response.
#[utoipa::path(
    post,
    path = "/suppressions",
    operation_id = "create_suppression",
    tag = "Suppressions",
    params(creation::RepetitionHeader),
    request_body = SuppressionBody,
    responses(
        (status = 201, description = "The suppression", body = SuppressionView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<RulesWrite>,
    headers: HeaderMap,
    Extension(request_id): Extension<RequestId>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<SuppressionBody>,
) -> Result<Response, ApiError> {
    if body.value.resolve_matching {
        caller.require::<IncidentsWrite>()?;
    }
    let request = ("create suppression", body.raw.as_ref());
    let create = async |id| {
        let suppression = create_once(&app, &caller, &body.value, id).await?;
        let matching = matching(&app, &caller, &request_id, &body.value, &suppression).await?;
        let view = SuppressionView::new(suppression, None, &Suspensions::default()).created(matching);
        Ok(Reply::new(StatusCode::CREATED, reply::text(&view)?))
    };
    let (mut reply, origin) = creation::once(&app.kit, &caller, &headers, request, create).await?;
    reply.body = yaml_reply::with(&reply.body, &body.value.yaml)?;
    Ok(creation::response(reply, origin))
}

async fn create_once(
    app: &App,
    caller: &Caller<RulesWrite>,
    body: &SuppressionBody,
    id: Option<Uuid>,
) -> Result<Suppression, ApiError> {
    let id = id.map(SuppressionId);
    if let Some(id) = id
        && let Some(made) = app.kit.directory.suppressions(None).get(caller.organization(), id).await?
    {
        return Ok(made);
    }
    let expires_at = body.expires_at.as_deref().map(|text| moment("expires_at", text)).transpose()?;
    let SuppressionBody { yaml, reason, allow_match_without_fields, .. } = body.clone();
    let checked = move |check: &dyn DocumentCheck, asked: Asked<'_>| {
        let described = check.suppression(asked, &yaml, allow_match_without_fields)?;
        Ok(NewSuppression { id, yaml: yaml.clone(), described, reason: reason.clone(), expires_at })
    };
    let (organization, actor) = (caller.organization(), acting(caller.grant()));
    let make = move |directory: Arc<Directory>, version, new| {
        let actor = actor.clone();
        async move { directory.create_suppression(organization, version, new, actor).await }
    };
    app.checking.change(&app.kit, organization, checked, make).await
}

/// The open incidents that a new suppression covers, resolved where the request asks for it.
async fn matching(
    app: &App,
    caller: &Caller<RulesWrite>,
    request_id: &RequestId,
    body: &SuppressionBody,
    suppression: &Suppression,
) -> Result<Option<Vec<CoveredIncidentView>>, ApiError> {
    if !caller.grant().allows(IncidentsRead::NAME) && !body.resolve_matching {
        return Ok(None);
    }
    let reader = Reader::of(app, caller.organization());
    let covered = covered::find(app, reader, &suppression.yaml).await?;
    if !body.resolve_matching {
        return Ok(Some(covered.into_iter().map(CoveredIncidentView::open).collect()));
    }
    let by = Resolution {
        title: suppression.title.clone(),
        reason: suppression.reason.clone(),
        actor: acting(caller.grant()),
        request_id: request_id.as_str().to_owned(),
    };
    covered::resolve(app, reader, covered, &by).await.map(Some)
}

/// Request body for previewing a suppression.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SuppressionPreviewRequest, example = json!({
    "yaml": "title: The scanner of our own\nid: 7a1f0c52-6d0e-4f57-8f0e-1c1c3a5d9e02\nlogsource:\n  product: linux\n  service: sshd\nfilter:\n  rules:\n    - ssh_login_failed\n  selection:\n    client.address: 192.0.2.7\n  condition: selection\n"
}))]
pub(crate) struct PreviewBody {
    /// One Sigma filter, as for a suppression.
    #[schema(min_length = 1, max_length = 65536)]
    yaml: String,
}

/// Open incidents that a suppression would cover.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SuppressionPreview)]
struct PreviewView {
    /// Open incidents whose stored evidence it covers entirely, among the 200 with the newest activity.
    matching_open_incidents: Vec<CoveredIncidentView>,
}

/// Preview a suppression
///
/// Lists the open incidents that a suppression with this filter would cover. Nothing is stored. Also needs
/// `incidents:read`.
#[utoipa::path(
    post,
    path = "/suppressions/preview",
    operation_id = "preview_suppression",
    tag = "Suppressions",
    request_body = PreviewBody,
    responses(
        (status = 200, description = "The incidents that the suppression would cover", body = PreviewView),
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn preview(
    State(app): State<Shared>,
    caller: Caller<RulesRead>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<PreviewBody>,
) -> Result<Response, ApiError> {
    caller.require::<IncidentsRead>()?;
    let reader = Reader::of(&app, caller.organization());
    let covered = covered::find(&app, reader, &body.value.yaml).await?;
    let matching_open_incidents = covered.into_iter().map(CoveredIncidentView::open).collect();
    reply::json(StatusCode::OK, &PreviewView { matching_open_incidents })
}

/// Get a suppression
#[utoipa::path(
    get,
    path = "/suppressions/{suppression_id}",
    operation_id = "get_suppression",
    tag = "Suppressions",
    params(("suppression_id" = String, Path, format = Uuid, description = "The suppression's id")),
    responses((status = 200, description = "The suppression", body = SuppressionView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<RulesRead>,
    Id(id): Id<SuppressionPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let suppression = found(app.kit.directory.suppressions(None), caller.organization(), id).await?;
    let suspensions = Suspensions::read(&app, caller.organization()).await?;
    reply::json(StatusCode::OK, &view(&app, suppression, &suspensions).await?)
}

/// Delete a suppression
///
/// Findings that it suppressed are not restored.
#[utoipa::path(
    delete,
    path = "/suppressions/{suppression_id}",
    operation_id = "delete_suppression",
    tag = "Suppressions",
    params(("suppression_id" = String, Path, format = Uuid, description = "The suppression's id")),
    responses((status = 204, description = "Deleted"), NotFound, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<RulesWrite>,
    Id(id): Id<SuppressionPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    removed(app.kit.directory.suppressions(None), caller.organization(), id).await
}

//! `/suppressions`: findings that an organization does not want, each with a reason. What is taken away is counted, not
//! forgotten.

mod view;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use common::ids::SuppressionId;
use directory::{Asked, Directory, DocumentCheck, NewSuppression, Suppression};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::actor::acting;
use crate::app::{App, Shared};
use crate::authenticate::Caller;
use crate::body::{StrictJson, moment};
use crate::creation;
use crate::error::ApiError;
use crate::idempotency::Reply;
use crate::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use crate::page::{Page, PageQuery};
use crate::path::Id;
use crate::query::StrictQuery;
use crate::reply;
use crate::scope::{RulesRead, RulesWrite};
use crate::suspensions::Suspensions;
use crate::yaml_reply;
use view::{SuppressionView, view};

/// Suppressions whose counts are read at a time for one page.
const VIEWS_AT_ONCE: usize = 4;

/// List suppressions
///
/// Expired ones too, newest first.
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
        page.newest_first(app.directory.suppressions(None).list(caller.organization()).await?);
    let suspensions = Suspensions::read(&app, caller.organization()).await?;
    let views = stream::iter(suppressions).map(|one| view(&app, one, &suspensions)).buffered(VIEWS_AT_ONCE);
    reply::json(StatusCode::OK, &Page::new(page, views.try_collect::<Vec<_>>().await?, total))
}

/// A suppression to be.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewSuppression, example = json!({
    "yaml": "title: The scanner of our own\nid: 7a1f0c52-6d0e-4f57-8f0e-1c1c3a5d9e02\nlogsource:\n  product: linux\n  service: sshd\nfilter:\n  rules:\n    - ssh_login_failed\n  selection:\n    client.address: 192.0.2.7\n  condition: selection\n",
    "reason": "Nightly scan by the platform team",
    "expires_at": "2027-01-01T00:00:00.000Z"
}))]
pub(crate) struct SuppressionBody {
    /// One Sigma filter, at most 65536 bytes. Its `rules` name rules by id or name, or are `any` for all rules of its
    /// log source.
    #[schema(min_length = 1, max_length = 65536)]
    yaml: String,
    /// Why these findings are not wanted.
    #[schema(min_length = 1, max_length = 1000)]
    reason: String,
    /// From when on it takes nothing away; null or left out for never.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// Set to true where the filter's condition is meant to hold for a record that has none of its fields, as
    /// `condition: not selection` does: it then takes away the findings of every record that lacks them. Otherwise such
    /// a filter is a 400.
    #[serde(default)]
    allow_match_without_fields: bool,
}

/// Create a suppression
///
/// A filter that cannot be used is a 400 that names lines and causes, as is one whose condition holds for a record
/// without any fields (unless `allow_match_without_fields`), and one with which the organization's rules and
/// suppressions would take more than 16 MiB of memory once they are compiled. It holds for what is accepted from a few seconds
/// later on. Open incidents lose the rules all of whose records it certainly takes away, with a revision that names it
/// (`suppressed_by`); where it takes away some of them, or that cannot be told, they stay as they are. When it ends,
/// nothing is given back. At most 1,000 suppressions, and 8 MiB of YAML together with the detection rules; more is a
/// 409. With an `Idempotency-Key`, a repeat within 24 hours is answered with the first reply.
#[utoipa::path(
    post,
    path = "/suppressions",
    operation_id = "create_suppression",
    tag = "Suppressions",
    params((
        "Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255,
        description = "The same key with another body is a 400, while the first request runs a 409"
    )),
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
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<SuppressionBody>,
) -> Result<Response, ApiError> {
    let request = ("create suppression", body.raw.as_ref());
    let create = async |id| create_once(&app, &caller, &body.value, id).await;
    let (mut reply, origin) = creation::once(&app, &caller, &headers, request, create).await?;
    reply.body = yaml_reply::with(&reply.body, &body.value.yaml)?;
    Ok(creation::response(reply, origin))
}

/// The reply lacks the YAML, which the request has: so what is remembered of it stays small.
async fn create_once(
    app: &App,
    caller: &Caller<RulesWrite>,
    body: &SuppressionBody,
    id: Option<Uuid>,
) -> Result<Reply, ApiError> {
    let id = id.map(SuppressionId);
    if let Some(id) = id
        && let Some(made) = app.directory.suppressions(None).get(caller.organization(), id).await?
    {
        return created(made);
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
    created(app.checking.change(app, organization, checked, make).await?)
}

fn created(suppression: Suppression) -> Result<Reply, ApiError> {
    let view = SuppressionView::new(suppression, None, &Suspensions::default()).without_yaml();
    Ok(Reply::new(StatusCode::CREATED, reply::text(&view)?))
}

/// Look at one suppression
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
    Id(id): Id<SuppressionId>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let suppression = found(app.directory.suppressions(None), caller.organization(), id).await?;
    let suspensions = Suspensions::read(&app, caller.organization()).await?;
    reply::json(StatusCode::OK, &view(&app, suppression, &suspensions).await?)
}

/// Delete a suppression
///
/// What it took away does not come back.
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
    Id(id): Id<SuppressionId>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    if app.directory.suppressions(None).delete(caller.organization(), id).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(ApiError::NotFound("suppression"))
}

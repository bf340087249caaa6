//! `/applications/{application_id}/inventory`.

use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::response::Response;
use common::ids::{ApplicationId, RecordId};
use directory::Application;
use futures_util::{StreamExt, TryStreamExt, stream};
use http::request::Parts;
use http::{Method, StatusCode};
use index::Part;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::{Id, PathParameter};
use rest::query::{FromQuery, Parameters, QueryError, StrictQuery};
use rest::reply;
use rest::scope::{ApplicationsRead, ApplicationsWrite};
use rest::settings::found;
use serde::Deserialize;
use utoipa::ToSchema;

use super::asset::{Asset, AssetScope, AssetState, AssetType, Ids};
use super::listed::{self, Filter};
use super::run::Inventory;
use super::view::{AssetView, InventoryPage, RequestedView, RunView};
use super::{runs, scope};
use crate::Shared;
use crate::routes::ApplicationPath;

/// Longest `q`, in characters, as for incidents.
const MAX_SEARCH: usize = 1_000;
/// Rows that are read at a time for a page.
const READS_AT_ONCE: usize = 16;

/// Properties that a list of assets can be filtered by.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AssetQuery {
    /// Assets of this type.
    #[param(rename = "type", schema_with = super::view::kind)]
    kind: Option<AssetType>,
    /// Assets with this scope status.
    #[param(schema_with = super::view::scope_status)]
    scope_status: Option<AssetScope>,
    /// Assets in this state.
    #[param(schema_with = super::view::state)]
    state: Option<AssetState>,
    /// Literal, case-insensitive text in the value. There are no wildcards.
    #[param(max_length = 1000)]
    q: Option<String>,
}

impl FromQuery for AssetQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self {
            kind: parameters.word("type")?,
            scope_status: parameters.word("scope_status")?,
            state: parameters.word("state")?,
            q: parameters.text("q", 0..=MAX_SEARCH)?,
        })
    }
}

/// List the inventory of an application
///
/// Assets, those found last first, and the latest discovery run. Runs of other processes are visible after at most 200 ms.
#[utoipa::path(
    get,
    path = "/applications/{application_id}/inventory",
    operation_id = "list_inventory",
    tag = "Applications",
    params(
        ("application_id" = String, Path, format = Uuid, description = "The application's id"),
        AssetQuery,
        PageQuery
    ),
    responses((status = 200, description = "A page of assets", body = InventoryPage), NotFound, Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<ApplicationsRead>,
    Id(id): Id<ApplicationPath>,
    StrictQuery((query, part)): StrictQuery<(AssetQuery, PageQuery)>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let _: Application = found(app.kit.directory.applications(), organization, id).await?;
    let records = app.jobs.records();
    let ids = Ids::new(records, organization, id);
    let filter = Filter {
        application: id,
        kind: query.kind,
        scope: query.scope_status,
        state: query.state,
        text: query.q.filter(|text| !text.is_empty()),
    };
    let opened = app.index.open(organization).await?;
    let (rows, total, truncated) = {
        let index = opened.read();
        let cut = Part { offset: part.offset as usize, limit: part.limit as usize };
        let (rows, total) = listed::list(&index, &filter, cut);
        (rows, total, index.is_truncated())
    };
    let read = |id: std::sync::Arc<RecordId>| async move { records.get::<Asset>(organization, *id).await };
    let assets: Vec<Option<Asset>> =
        stream::iter(rows).map(read).buffered(READS_AT_ONCE).try_collect().await?;
    let views: Vec<AssetView> = assets.into_iter().flatten().map(AssetView::from).collect();
    let Page { data, mut pagination } = Page::new(part, views, total as u64);
    pagination.index_truncated = truncated;
    let inventory = records.get::<Inventory>(organization, ids.inventory()).await?;
    let run = inventory.map(|inventory| RunView::from(inventory.run));
    reply::json(StatusCode::OK, &InventoryPage { data, pagination, run })
}

/// Discover the inventory of an application
///
/// Requests a run, or answers the active one. Only hosts whose scope status is `included` are sent requests.
#[utoipa::path(
    post,
    path = "/applications/{application_id}/inventory",
    operation_id = "discover_inventory",
    tag = "Applications",
    params(("application_id" = String, Path, format = Uuid, description = "The application's id")),
    responses((status = 202, description = "The run", body = RequestedView), NotFound, Refusals)
)]
pub(crate) async fn discover(
    State(app): State<Shared>,
    caller: Caller<ApplicationsWrite>,
    Id(id): Id<ApplicationPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let application = found(app.kit.directory.applications(), caller.organization(), id).await?;
    let ids = Ids::new(app.jobs.records(), caller.organization(), id);
    let run = runs::request(&app.jobs, &ids, (&application.url, app.kit.clock.now())).await?;
    reply::json(StatusCode::ACCEPTED, &RequestedView { run: run.into() })
}

/// Request body for changing an asset.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = InventoryAssetChange, example = json!({"scope_status": "excluded"}))]
pub(crate) struct AssetChangeBody {
    /// New scope status.
    #[schema(schema_with = super::view::scope_status)]
    scope_status: AssetScope,
}

/// The ids in the path of an asset.
pub(crate) struct AssetIds {
    application: ApplicationId,
    asset: RecordId,
}

impl<S: Send + Sync> FromRequestParts<S> for AssetIds {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let malformed = || ApplicationPath::malformed(&Method::PATCH);
        let parameters = RawPathParams::from_request_parts(parts, state).await.map_err(|_| malformed())?;
        let mut texts = parameters.iter().map(|(_, text)| text);
        let application = texts.next().and_then(|text| text.parse().ok()).ok_or_else(malformed)?;
        let text = texts.next().unwrap_or_default();
        let asset = text.parse().map_err(|_| {
            let found: String = text.chars().take(50).collect();
            ApiError::Invalid(format!("the asset's id must be a hyphenated UUID, found {found:?}").into())
        })?;
        Ok(Self { application, asset })
    }
}

/// Set the scope status of an asset
///
/// Hosts can have every status; an endpoint can be excluded, and otherwise has the status of its host. The status survives later
/// runs. A run that is active obeys it with its next batch of requests.
#[utoipa::path(
    patch,
    path = "/applications/{application_id}/inventory/{asset_id}",
    operation_id = "change_inventory_asset",
    tag = "Applications",
    params(
        ("application_id" = String, Path, format = Uuid, description = "The application's id"),
        ("asset_id" = String, Path, format = Uuid, description = "The asset's id")
    ),
    request_body = AssetChangeBody,
    responses((status = 200, description = "The updated asset", body = AssetView), NotFound, BodyRefusals, Refusals)
)]
pub(crate) async fn change(
    State(app): State<Shared>,
    caller: Caller<ApplicationsWrite>,
    AssetIds { application: id, asset }: AssetIds,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<AssetChangeBody>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let application = found(app.kit.directory.applications(), organization, id).await?;
    let records = app.jobs.records();
    let ids = Ids::new(records, organization, id);
    let (asset, written) =
        scope::set(records, (&ids, &application.url), asset, body.value.scope_status).await?;
    for (asset, seq) in &written {
        app.index.apply(asset, *seq);
    }
    reply::json(StatusCode::OK, &AssetView::from(asset))
}

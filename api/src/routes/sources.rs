//! `/infrastructure/sources`: where logs come from.

pub(crate) mod status;
mod view;

use axum::extract::State;
use axum::response::Response;
use common::ids::SourceId;
use directory::{DEFAULT_APPLICATION_GROUP, DEFAULT_ENVIRONMENT, DirectoryError, NewSource, Source};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use statistics::SourceKey;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::{App, Shared};
use crate::path::SourcePath;
use rest::authenticate::Caller;
use rest::body::{StrictJson, not_null};
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{SourcesRead, SourcesWrite};
use rest::settings::{Patch, changed, found, removed, set};
use view::{SourceView, view};

/// Activity rows read at a time for one page.
const ACTIVITIES_AT_ONCE: usize = 16;

/// List sources
///
/// Newest first.
#[utoipa::path(
    get,
    path = "/infrastructure/sources",
    operation_id = "list_sources",
    tag = "Infrastructure sources",
    params(PageQuery),
    responses((status = 200, description = "A page of sources", body = Page<SourceView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<SourcesRead>,
    StrictQuery(page): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let (sources, total) = page.newest_first(app.kit.directory.sources().list(caller.organization()).await?);
    let views = stream::iter(sources).map(|source| view(&app, source)).buffered(ACTIVITIES_AT_ONCE);
    reply::json(StatusCode::OK, &Page::new(page, views.try_collect::<Vec<_>>().await?, total))
}

/// Request body for creating a source.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewInfrastructureSource, example = json!({"name": "bastion hosts", "application_group": "checkout", "environment": "production"}))]
pub(crate) struct NewSourceBody {
    /// Display name. Need not be unique.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// Application group of the source.
    #[serde(default = "default_application_group")]
    #[schema(min_length = 1, max_length = 100)]
    application_group: String,
    /// Environment of the source.
    #[serde(default = "default_environment")]
    #[schema(min_length = 1, max_length = 50)]
    environment: String,
    /// Whether logs of the source are accepted.
    #[serde(default = "rest::body::enabled")]
    enabled: bool,
}

fn default_application_group() -> String {
    DEFAULT_APPLICATION_GROUP.to_owned()
}

fn default_environment() -> String {
    DEFAULT_ENVIRONMENT.to_owned()
}

/// Create a source
///
/// With an `Idempotency-Key`, a retry within 24 hours is answered with the first response.
#[utoipa::path(
    post,
    path = "/infrastructure/sources",
    operation_id = "create_source",
    tag = "Infrastructure sources",
    params(creation::RepetitionHeader),
    request_body = NewSourceBody,
    responses(
        (status = 201, description = "The source", body = SourceView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<SourcesWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<NewSourceBody>,
) -> Result<Response, ApiError> {
    let request = ("create source", body.raw.as_ref());
    let create = async |id| create_once(&app, &caller, body.value, id).await;
    creation::created(&app.kit, &caller, &headers, request, create).await
}

async fn create_once(
    app: &App,
    caller: &Caller<SourcesWrite>,
    body: NewSourceBody,
    id: Option<Uuid>,
) -> Result<SourceView, ApiError> {
    let new = NewSource {
        id: id.map(SourceId),
        name: body.name,
        application_group: body.application_group,
        environment: body.environment,
        enabled: body.enabled,
    };
    let source = app.kit.directory.create_source(caller.organization(), new).await?;
    view(app, source).await
}

/// Get a source
#[utoipa::path(
    get,
    path = "/infrastructure/sources/{source_id}",
    operation_id = "get_source",
    tag = "Infrastructure sources",
    params(("source_id" = String, Path, format = Uuid, description = "The source's id")),
    responses((status = 200, description = "The source", body = SourceView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<SourcesRead>,
    Id(id): Id<SourcePath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let source = found(app.kit.directory.sources(), caller.organization(), id).await?;
    reply::json(StatusCode::OK, &view(&app, source).await?)
}

/// Request body for changing a source: at least one property.
#[derive(Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = InfrastructureSourceChange, min_properties = 1, example = json!({"enabled": false}))]
pub(crate) struct SourceChangeBody {
    /// Display name.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Application group for batches accepted from now on.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, min_length = 1, max_length = 100)]
    application_group: Option<String>,
    /// Environment for batches accepted from now on.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, min_length = 1, max_length = 50)]
    environment: Option<String>,
    /// Whether logs of the source are accepted.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    enabled: Option<bool>,
}

impl Patch<Source> for SourceChangeBody {
    fn apply(&self, source: &mut Source) -> Result<(), DirectoryError> {
        set(&mut source.name, self.name.as_ref());
        set(&mut source.application_group, self.application_group.as_ref());
        set(&mut source.environment, self.environment.as_ref());
        set(&mut source.enabled, self.enabled.as_ref());
        Ok(())
    }
}

/// Change a source
///
/// Records already accepted are unchanged.
#[utoipa::path(
    patch,
    path = "/infrastructure/sources/{source_id}",
    operation_id = "change_source",
    tag = "Infrastructure sources",
    params(("source_id" = String, Path, format = Uuid, description = "The source's id")),
    request_body = SourceChangeBody,
    responses(
        (status = 200, description = "The updated source", body = SourceView),
        NotFound,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn change(
    State(app): State<Shared>,
    caller: Caller<SourcesWrite>,
    Id(id): Id<SourcePath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<SourceChangeBody>,
) -> Result<Response, ApiError> {
    let source = changed(app.kit.directory.sources(), caller.organization(), id, body.value).await?;
    reply::json(StatusCode::OK, &view(&app, source).await?)
}

/// Delete a source
///
/// Its batches are rejected from then on; its incidents remain.
#[utoipa::path(
    delete,
    path = "/infrastructure/sources/{source_id}",
    operation_id = "delete_source",
    tag = "Infrastructure sources",
    params(("source_id" = String, Path, format = Uuid, description = "The source's id")),
    responses((status = 204, description = "Deleted"), NotFound, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<SourcesWrite>,
    Id(id): Id<SourcePath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    let deleted = removed(app.kit.directory.sources(), caller.organization(), id).await?;
    let key = SourceKey { organization: caller.organization(), source: id };
    if let Err(error) = statistics::forget(app.kit.ledger.as_ref(), app.kit.partitions, key).await {
        // Nothing shows them any more.
        tracing::warn!(source = %id, %error, "the statistics of a deleted source could not be removed");
    }
    Ok(deleted)
}

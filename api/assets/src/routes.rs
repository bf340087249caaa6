//! `/applications`.

use axum::extract::State;
use axum::response::Response;
use code_host::check_repository;
use common::ids::ApplicationId;
use directory::{Application, NewApplication, seal_for_application};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, Method, StatusCode};
use red_team::{Target, check_target_url};
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::{Id, PathParameter};
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{ApplicationsRead, ApplicationsWrite};
use rest::settings::{Patch, found, missing, removed};
use uuid::Uuid;

use crate::body::{ApplicationChangeBody, NewApplicationBody};
use crate::inventory::asset::Ids;
use crate::inventory::remove::remove;
use crate::inventory::run::Inventory;
use crate::inventory::view::InventorySummary;
use crate::view::ApplicationView;
use crate::{App, Shared};

/// An application.
pub(crate) enum ApplicationPath {}

impl PathParameter for ApplicationPath {
    type Id = ApplicationId;
    const NAME: &'static str = "application";

    fn malformed(method: &Method) -> ApiError {
        // The specification's table gives 400 to the change alone.
        if *method == Method::PATCH {
            return ApiError::Invalid("the application's id must be a hyphenated UUID".into());
        }
        ApiError::NotFound(Self::NAME)
    }
}

/// Applications of a page whose rows beside the first are read at a time.
const VIEWS_AT_ONCE: usize = 16;

async fn view(app: &App, application: Application) -> Result<ApplicationView, ApiError> {
    let target = Target::Application(application.id);
    let schedule = app.schedules.show(application.organization, target, &application.red_team).await?;
    let records = app.jobs.records();
    let ids = Ids::new(records, application.organization, application.id);
    let inventory = records.get::<Inventory>(application.organization, ids.inventory()).await?;
    Ok(ApplicationView::new(application, InventorySummary::new(inventory), schedule))
}

/// List applications
///
/// Newest first.
#[utoipa::path(
    get,
    path = "/applications",
    operation_id = "list_applications",
    tag = "Applications",
    params(PageQuery),
    responses((status = 200, description = "A page of applications", body = Page<ApplicationView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<ApplicationsRead>,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let all = app.kit.directory.applications().list(caller.organization()).await?;
    let (applications, total) = query.newest_first(all);
    let views = stream::iter(applications).map(|application| view(&app, application));
    let views: Vec<ApplicationView> = views.buffered(VIEWS_AT_ONCE).try_collect().await?;
    reply::json(StatusCode::OK, &Page::new(query, views, total))
}

/// Create an application
///
/// A name or URL that another application of the organization has is answered with 409; so are more than 1,000 applications.
/// With an `Idempotency-Key`, a retry within 24 hours is answered with the first response.
#[utoipa::path(
    post,
    path = "/applications",
    operation_id = "create_application",
    tag = "Applications",
    params(creation::RepetitionHeader),
    request_body = NewApplicationBody,
    responses(
        (status = 201, description = "The application", body = ApplicationView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<ApplicationsWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<NewApplicationBody>,
) -> Result<Response, ApiError> {
    let request = ("create application", body.raw.as_ref());
    let create = async |id| create_once(&app, &caller, body.value, id).await;
    creation::created(&app.kit, &caller, &headers, request, create).await
}

async fn create_once(
    app: &App,
    caller: &Caller<ApplicationsWrite>,
    body: NewApplicationBody,
    id: Option<Uuid>,
) -> Result<ApplicationView, ApiError> {
    let repository = (body.repository_id.as_deref(), None);
    check_repository(&app.kit.directory, caller.organization(), "repository_id", repository).await?;
    let NewApplicationBody { name, url, repository_id } = body;
    check_target_url(&app.outbound, "url", &url, None)?;
    let new = NewApplication { id: id.map(ApplicationId), name, url, repository_id };
    view(app, app.kit.directory.create_application(caller.organization(), new).await?).await
}

/// Get an application
#[utoipa::path(
    get,
    path = "/applications/{application_id}",
    operation_id = "get_application",
    tag = "Applications",
    params(("application_id" = String, Path, format = Uuid, description = "The application's id")),
    responses((status = 200, description = "The application", body = ApplicationView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<ApplicationsRead>,
    Id(id): Id<ApplicationPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let application = found(app.kit.directory.applications(), caller.organization(), id).await?;
    reply::json(StatusCode::OK, &view(&app, application).await?)
}

/// Change an application
///
/// A URL of another origin removes the credentials and headers that the body does not set.
#[utoipa::path(
    patch,
    path = "/applications/{application_id}",
    operation_id = "change_application",
    tag = "Applications",
    params(("application_id" = String, Path, format = Uuid, description = "The application's id")),
    request_body = ApplicationChangeBody,
    responses(
        (status = 200, description = "The updated application", body = ApplicationView),
        NotFound,
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn change(
    State(app): State<Shared>,
    caller: Caller<ApplicationsWrite>,
    Id(id): Id<ApplicationPath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<ApplicationChangeBody>,
) -> Result<Response, ApiError> {
    let mut body = body.value.named()?;
    let (organization, table) = (caller.organization(), app.kit.directory.applications());
    // Nothing is sealed, and no data key made, for an application that does not exist.
    let stored: Application = found(table, organization, id).await?;
    let repository = body.repository_id.as_ref().and_then(Option::as_deref);
    let repository = (repository, stored.repository_id.as_deref());
    check_repository(&app.kit.directory, organization, "repository_id", repository).await?;
    if let Some(url) = &body.url {
        check_target_url(&app.outbound, "url", url, Some(&stored.url))?;
    }
    let credentials = seal_for_application(&app.vault, organization, id, body.credentials()).await?;
    let change = |application: &mut Application| body.apply_sealed(application, &credentials);
    let application = table.update(organization, id, change).await.map_err(missing(table.name()))?;
    app.schedules.settle(organization, Target::Application(id)).await?;
    reply::json(StatusCode::OK, &view(&app, application).await?)
}

/// Delete an application
///
/// Cancels its discovery run and removes its inventory. References to it in webhook targets stay and are shown as deleted.
#[utoipa::path(
    delete,
    path = "/applications/{application_id}",
    operation_id = "delete_application",
    tag = "Applications",
    params(("application_id" = String, Path, format = Uuid, description = "The application's id")),
    responses((status = 204, description = "Deleted"), NotFound, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<ApplicationsWrite>,
    Id(id): Id<ApplicationPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    let (organization, table) = (caller.organization(), app.kit.directory.applications());
    let ids = Ids::new(app.jobs.records(), organization, id);
    let _: Application = found(table, organization, id).await?;
    // Before the application, so that a repetition after a failure removes the remaining rows.
    remove(&app.jobs, &ids).await?;
    let deleted = removed(table, organization, id).await?;
    app.schedules.settle(organization, Target::Application(id)).await?;
    // And after it: a run may have been requested in between.
    remove(&app.jobs, &ids).await?;
    Ok(deleted)
}

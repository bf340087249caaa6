//! `/code-host/installations`.

use axum::extract::State;
use axum::response::Response;
use code_host::{disconnect, installations};
use http::{HeaderMap, StatusCode};
use rest::authenticate::Caller;
use rest::body::OptionalJson;
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{CodeHostRead, CodeHostWrite};
use rest::settings::{found, page};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::link::{LIFETIME, LINKS, Link, Progress};
use crate::path::InstallationPath;
use crate::view::InstallationView;
use crate::{Shared, host_failure};

/// Request body for connecting an account of the code host: no properties.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewCodeHostInstallation, example = json!({}))]
pub(crate) struct NoProperties {}

/// Page of the code host on which a user installs the service.
#[derive(Serialize, ToSchema)]
#[schema(as = CodeHostConnection)]
pub(crate) struct ConnectionView {
    /// URL to open in the browser of a user who may install apps in the account.
    install_url: String,
    /// When the URL expires.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// List installations
///
/// In descending order of their ids.
#[utoipa::path(
    get,
    path = "/code-host/installations",
    operation_id = "list_code_host_installations",
    tag = "Code host",
    params(PageQuery),
    responses((status = 200, description = "A page of installations", body = Page<InstallationView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<CodeHostRead>,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    page::<_, InstallationView>(installations(&app.kit.directory), caller.organization(), query).await
}

/// Connect an account
///
/// Returns the page of the code host on which a user chooses an account and its repositories. When the code host has sent the user
/// back and confirmed that the user administers all of the repositories, a page names account and organization, and the
/// installation is connected by its confirmation; one that another organization has connected is refused there. The link connects
/// one installation. `Idempotency-Key` is rejected here, because the URL is a secret that is stored as a hash only. Without a
/// configured code host, and at 100 links within ten minutes, the response is 409.
#[utoipa::path(
    post,
    path = "/code-host/installations",
    operation_id = "connect_code_host",
    tag = "Code host",
    request_body(content = Option<NoProperties>),
    responses(
        (status = 201, description = "The page, for ten minutes", body = ConnectionView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<CodeHostWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    _body: OptionalJson<NoProperties>,
) -> Result<Response, ApiError> {
    creation::refuse_key(&headers)?;
    let directory = &app.kit.directory;
    // Answers in the same way as every other endpoint where the ledger is out of reach.
    directory.get_organization(caller.organization()).await?;
    let host = app.host()?.client.app().await.map_err(host_failure)?;
    let (link, state) = Link::generate(&app.pepper, caller.organization());
    let expires_at = LINKS.create(directory, link.place(), LIFETIME, Progress::Requested).await?;
    let install_url = format!("{}?state={state}", host.install_url);
    reply::json(StatusCode::CREATED, &ConnectionView { install_url, expires_at: expires_at.to_iso() })
}

/// Disconnect an installation
///
/// Removes the installation and its repositories from the organization. The app stays installed at the code host. References
/// to its repositories in other resources stay.
#[utoipa::path(
    delete,
    path = "/code-host/installations/{installation_id}",
    operation_id = "disconnect_code_host",
    tag = "Code host",
    params(("installation_id" = String, Path, pattern = "^[1-9][0-9]{0,15}$", description = "The installation's id at the code host")),
    responses((status = 204, description = "Disconnected"), NotFound, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<CodeHostWrite>,
    Id(id): Id<InstallationPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    let (organization, directory) = (caller.organization(), &app.kit.directory);
    found(installations(directory), organization, id).await?;
    disconnect(directory, organization, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

//! `/repositories`.

use std::collections::HashMap;

use axum::extract::State;
use axum::response::Response;
use code_host::{InstallationId, InstallationState, Repository, installations, repositories};
use common::ids::OrganizationId;
use http::StatusCode;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{CodeHostRead, CodeHostWrite};
use rest::settings::{changed, found};

use crate::path::RepositoryPath;
use crate::updates::RepositoryChangeBody;
use crate::view::RepositoryView;
use crate::{App, Shared};

async fn states(
    app: &App,
    organization: OrganizationId,
) -> Result<HashMap<InstallationId, InstallationState>, ApiError> {
    let all = installations(&app.kit.directory).list(organization).await?;
    Ok(all.into_iter().map(|installation| (installation.id, installation.state)).collect())
}

async fn view(app: &App, repository: Repository) -> Result<RepositoryView, ApiError> {
    let states = states(app, repository.organization).await?;
    let state = states.get(&repository.installation).copied();
    Ok(RepositoryView::new(repository, state))
}

/// List repositories
///
/// Those of all connected installations, in descending order of their ids.
#[utoipa::path(
    get,
    path = "/repositories",
    operation_id = "list_repositories",
    tag = "Code host",
    params(PageQuery),
    responses((status = 200, description = "A page of repositories", body = Page<RepositoryView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<CodeHostRead>,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let all = repositories(&app.kit.directory).list(organization).await?;
    let states = states(&app, organization).await?;
    let (page, total) = query.newest_first(all);
    let view = |repository: Repository| {
        let state = states.get(&repository.installation).copied();
        RepositoryView::new(repository, state)
    };
    let data = page.into_iter().map(view).collect();
    reply::json(StatusCode::OK, &Page::new(query, data, total))
}

/// Get a repository
#[utoipa::path(
    get,
    path = "/repositories/{repository_id}",
    operation_id = "get_repository",
    tag = "Code host",
    params(("repository_id" = String, Path, pattern = "^[1-9][0-9]{0,15}$", description = "The repository's id at the code host")),
    responses((status = 200, description = "The repository", body = RepositoryView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<CodeHostRead>,
    Id(id): Id<RepositoryPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let repository = found(repositories(&app.kit.directory), caller.organization(), id).await?;
    reply::json(StatusCode::OK, &view(&app, repository).await?)
}

/// Change a repository
///
/// Settings of the service; those of the code host are changed there.
#[utoipa::path(
    patch,
    path = "/repositories/{repository_id}",
    operation_id = "change_repository",
    tag = "Code host",
    params(("repository_id" = String, Path, pattern = "^[1-9][0-9]{0,15}$", description = "The repository's id at the code host")),
    request_body = RepositoryChangeBody,
    responses(
        (status = 200, description = "The updated repository", body = RepositoryView),
        NotFound,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn change(
    State(app): State<Shared>,
    caller: Caller<CodeHostWrite>,
    Id(id): Id<RepositoryPath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<RepositoryChangeBody>,
) -> Result<Response, ApiError> {
    let table = repositories(&app.kit.directory);
    let repository = changed(table, caller.organization(), id, body.value).await?;
    reply::json(StatusCode::OK, &view(&app, repository).await?)
}

//! Applications as routes below `{base_url}`: web applications of the organization, with credentials for them and a schedule of
//! runs.
//!
//! Rows and their rules are in the crate `directory`, schedules in `red_team`; here are the bodies, the views and the handlers.

mod body;
mod routes;
mod view;

use std::sync::Arc;

use axum::Router;
use axum::routing::MethodRouter;
use red_team::Schedules;
use rest::family::Family;
use rest::kit::Kit;
use rest::openapi::mounted;
use secrets::Vault;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

/// Dependencies of the routes.
pub struct Dependencies {
    /// Stores, clock and limits.
    pub kit: Arc<Kit>,
    /// Seals credentials.
    pub vault: Arc<Vault>,
    /// Schedules of runs.
    pub schedules: Schedules,
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    vault: Arc<Vault>,
    schedules: Schedules,
}

pub(crate) type Shared = Arc<App>;

/// The routes, without a fallback: they stand beside the others of the family.
pub fn build(family: &Arc<Family>, dependencies: Dependencies) -> Router {
    let Dependencies { kit, vault, schedules } = dependencies;
    let (router, _) = mounted(routes(|route| family.guard(route))).split_for_parts();
    family.serve(router).with_state(Arc::new(App { kit, vault, schedules }))
}

/// The part of the interface description.
#[must_use]
pub fn openapi() -> OpenApi {
    mounted(routes(|route| route)).into_openapi()
}

fn routes(guard: impl Fn(MethodRouter<Shared>) -> MethodRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::default()
        .routes(routes!(routes::list, routes::create).map(&guard))
        .routes(routes!(routes::show, routes::change, routes::delete).map(&guard))
}

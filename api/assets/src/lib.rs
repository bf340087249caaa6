//! Applications as routes below `{base_url}`: web applications of the organization, with credentials for them, a schedule of
//! runs and an inventory.
//!
//! Rows of applications and their rules are in the crate `directory`, schedules in `red_team`; here are the bodies, the views and
//! the handlers. `inventory` is the inventory as records, `discovery` the job that finds it.

mod body;
mod config;
mod discovery;
mod inventory;
mod routes;
mod view;

use std::sync::Arc;

use axum::Router;
use axum::routing::MethodRouter;
use futures_util::future::BoxFuture;
use index::Index;
use jobs::Jobs;
use outbound::Outbound;
use red_team::Schedules;
use rest::family::Family;
use rest::kit::Kit;
use rest::openapi::mounted;
use secrets::Vault;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use inventory::asset::Asset;
use inventory::routes as inventory_routes;

pub use config::Config;
pub use discovery::{Network, ReplyReader, kind as discovery_kind};
pub use inventory::runs::ScheduledDiscovery;

/// Dependencies of the routes.
pub struct Dependencies {
    /// Stores, clock and limits.
    pub kit: Arc<Kit>,
    /// Seals credentials.
    pub vault: Arc<Vault>,
    /// Schedules of runs.
    pub schedules: Schedules,
    /// Jobs, with the kind of [`discovery_kind`] among them.
    pub jobs: Arc<Jobs>,
    /// Judges URLs when they are set.
    pub outbound: Arc<Outbound>,
}

/// The routes, ready to be served.
pub struct Routes {
    /// The routes, without a fallback: they stand beside the others of the family.
    pub router: Router,
    /// Keeps lists of assets fresh; runs while the routes are served.
    pub follow: BoxFuture<'static, ()>,
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    vault: Arc<Vault>,
    schedules: Schedules,
    jobs: Arc<Jobs>,
    outbound: Arc<Outbound>,
    index: Arc<Index<Asset>>,
}

pub(crate) type Shared = Arc<App>;

/// Builds the routes.
pub fn build(family: &Arc<Family>, dependencies: Dependencies) -> Routes {
    let Dependencies { kit, vault, schedules, jobs, outbound } = dependencies;
    let index = Index::new(Arc::clone(&kit.ledger), Arc::clone(&kit.clock), kit.partitions, config::INDEX);
    let index = Arc::new(index);
    let (router, _) = mounted(routes(|route| family.guard(route))).split_for_parts();
    let app = App { kit, vault, schedules, jobs, outbound, index: Arc::clone(&index) };
    Routes { router: family.serve(router).with_state(Arc::new(app)), follow: Box::pin(index.follow()) }
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
        .routes(routes!(inventory_routes::list, inventory_routes::discover).map(&guard))
        .routes(routes!(inventory_routes::change).map(&guard))
}

//! Agents as routes below `{base_url}`, and the pairing of their monitoring clients.
//!
//! Rows of agents and pairing codes, and their rules, are in the crate `directory`, schedules in `red_team`. Clients are rows
//! beside the records of their agent (`clients.rs`); `monitoring.rs` answers requests of clients, which carry no API key.

mod body;
mod client_routes;
mod clients;
mod monitoring;
mod organization_key;
mod pairing;
mod routes;
mod view;

use std::sync::Arc;

use axum::Router;
use axum::routing::MethodRouter;
use red_team::Schedules;
use rest::address_limit::AddressLimit;
use rest::family::Family;
use rest::kit::Kit;
use rest::openapi::mounted;
use secrets::Vault;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

pub use clients::{Client, ClientError, Clients};

/// Tries to pair a minute and client address: a person who mistypes a code needs a few.
const PAIRINGS_PER_MINUTE: u32 = 10;

/// Dependencies of the routes.
pub struct Dependencies {
    /// Stores, clock and limits.
    pub kit: Arc<Kit>,
    /// Clients of agents.
    pub clients: Arc<Clients>,
    /// Seals credentials and signing keys.
    pub vault: Arc<Vault>,
    /// Schedules of runs.
    pub schedules: Schedules,
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    clients: Arc<Clients>,
    vault: Arc<Vault>,
    schedules: Schedules,
    pairings: AddressLimit,
}

pub(crate) type Shared = Arc<App>;

/// The routes, without a fallback: they stand beside the others of the family.
pub fn build(family: &Arc<Family>, dependencies: Dependencies) -> Router {
    let Dependencies { kit, clients, vault, schedules } = dependencies;
    let pairings = AddressLimit::new(Arc::clone(&kit.clock), PAIRINGS_PER_MINUTE);
    let (router, _) = mounted(routes(|route| family.guard(route))).split_for_parts();
    family.serve(router).with_state(Arc::new(App { kit, clients, vault, schedules, pairings }))
}

/// The part of the interface description.
#[must_use]
pub fn openapi() -> OpenApi {
    mounted(routes(|route| route)).into_openapi()
}

/// All routes. `guard` stands before those that need an API key.
fn routes(guard: impl Fn(MethodRouter<Shared>) -> MethodRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::default()
        .routes(routes!(routes::list, routes::create).map(&guard))
        .routes(routes!(routes::show, routes::change, routes::delete).map(&guard))
        .routes(routes!(pairing::create).map(&guard))
        .routes(routes!(client_routes::list).map(&guard))
        .routes(routes!(client_routes::revoke).map(&guard))
        .routes(routes!(monitoring::pair))
}

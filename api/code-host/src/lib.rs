//! The code host as routes: installations and repositories below `{base_url}`, the page to which the host sends a user's browser
//! after an installation, and the receiver of its webhooks; and the job that makes rows equal to the host.
//!
//! Rows, their rules and the client of the host are in the crate `code_host`; here are the bodies, the views, the handlers and
//! the job.
//!
//! * **Connecting.** `POST /code-host/installations` → the host's page → `callback`, which asks for a confirmation only after the host
//!   has confirmed that the user administers all of the repositories → `confirm`, which binds the installation. `link` has the secrets
//!   and the stored progress of a connection, `refusal` the reasons against it.
//! * **Following.** `receive` queues `sync` for an event; so do a new connection and `sync::all`, every six hours. Events are
//!   hints: their payload names the installation and is used for nothing else.

mod callback;
mod confirm;
mod installations;
mod link;
mod path;
mod receive;
mod refusal;
mod repositories;
mod sync;
mod updates;
mod view;

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::routing::{MethodRouter, get, post};
use code_host::{CodeHost, HostError};
use common::pepper::Pepper;
use jobs::Jobs;
use rest::error::ApiError;
use rest::family::Family;
use rest::kit::Kit;
use rest::openapi::mounted;
use tokio::sync::Semaphore;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;
use zeroize::Zeroizing;

pub use sync::{kinds, request_sync, schedule_housekeeping};

/// The host as a deployment is registered with it.
#[derive(Clone)]
pub struct Host {
    /// Its client.
    pub client: Arc<dyn CodeHost>,
    /// Key of the signatures of its webhooks.
    pub webhook_secret: Arc<Zeroizing<Vec<u8>>>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Host(..)")
    }
}

/// Dependencies of the routes.
pub struct Dependencies {
    /// Stores, clock and limits.
    pub kit: Arc<Kit>,
    /// Jobs, with the kinds of [`kinds`] among them.
    pub jobs: Arc<Jobs>,
    /// Hashes the secrets of connections.
    pub pepper: Pepper,
    /// The host; `None` where the operator has configured none.
    pub host: Option<Host>,
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    jobs: Arc<Jobs>,
    pepper: Pepper,
    host: Option<Host>,
    /// Bodies of webhooks that are received at a time.
    bodies: Semaphore,
}

pub(crate) type Shared = Arc<App>;

/// Builds the routes, without a fallback: they stand beside the others of the family.
pub fn build(family: &Arc<Family>, dependencies: Dependencies) -> Router {
    let Dependencies { kit, jobs, pepper, host } = dependencies;
    let (router, _) = mounted(routes(|route| family.guard(route))).split_for_parts();
    let router = router
        .route(callback::PATH, get(callback::show).post(confirm::confirm))
        .route(receive::PATH, post(receive::receive));
    let app = App { kit, jobs, pepper, host, bodies: Semaphore::new(receive::AT_ONCE) };
    family.serve(router).with_state(Arc::new(app))
}

/// The part of the interface description.
#[must_use]
pub fn openapi() -> OpenApi {
    let described = mounted(routes(|route| route));
    described.merge(OpenApiRouter::default().routes(routes!(receive::receive))).into_openapi()
}

fn routes(guard: impl Fn(MethodRouter<Shared>) -> MethodRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::default()
        .routes(routes!(installations::list, installations::create).map(&guard))
        .routes(routes!(installations::delete).map(&guard))
        .routes(routes!(repositories::list).map(&guard))
        .routes(routes!(repositories::show, repositories::change).map(&guard))
}

impl App {
    /// The host, or a refusal where none is configured.
    fn host(&self) -> Result<&Host, ApiError> {
        let none = "this deployment is not connected to a code host: the operator sets code_host.github";
        self.host.as_ref().ok_or(ApiError::Conflict(none.into()))
    }
}

/// A failure of the host, for a client of the API.
fn host_failure(error: HostError) -> ApiError {
    match error {
        HostError::RateLimited { .. } | HostError::Unavailable(_) => ApiError::unavailable(error),
        other => ApiError::internal(other),
    }
}

//! Contributor trust: a score of a login of the code host, made from its public data, as routes below `{base_url}`.
//!
//! The path of a scan: `routes` → `request` (prerequisites; scan, job and claim in one commit) → `job` (recent aggregate or `gather`)
//! → `gather` (public data within 60 requests) → `review` (diffs to checks) → `score` (facts to a score, `weights.rs` has all points)
//! → `scan` (rows) and `event` (`contributor_trust.finished`, in the commit that ends the scan).
//!
//! * **Public.** Only repositories that the host has confirmed as public count. Stored are scores, and of reviewed pull requests
//!   repository, number, title, URL, names of files and verdict: no patches, no signals, no private names. `confirm` asks again before
//!   evidence is shown, and removes that of repositories which are not public any more.
//! * **Shared.** The result of a login is the same for all organizations and is stored once; a scan belongs to its organization.
//! * **Deterministic.** Equal facts give equal scores.

mod artifact;
mod confirm;
mod event;
mod facts;
mod gather;
mod job;
mod login;
mod request;
mod review;
mod routes;
mod scan;
mod score;
mod view;
mod weights;

use std::sync::Arc;

use axum::Router;
use axum::routing::MethodRouter;
use code_host::CodeHost;
use confirm::Confirmer;
use jobs::Jobs;
use rest::family::Family;
use rest::kit::Kit;
use rest::openapi::mounted;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

pub use job::{Scanner, scan_kind};

/// Dependencies of the routes.
pub struct Dependencies {
    /// Stores, clock and limits.
    pub kit: Arc<Kit>,
    /// Jobs, with the kind of [`scan_kind`] among them.
    pub jobs: Arc<Jobs>,
    /// The code host, which confirms evidence that is read; `None` where the operator has configured none. Its client should not
    /// wait for a rate limit.
    pub host: Option<Arc<dyn CodeHost>>,
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    jobs: Arc<Jobs>,
    confirmer: Confirmer,
}

pub(crate) type Shared = Arc<App>;

/// Builds the routes, without a fallback: they stand beside the others of the family.
pub fn build(family: &Arc<Family>, dependencies: Dependencies) -> Router {
    let Dependencies { kit, jobs, host } = dependencies;
    let confirmer = Confirmer::new(host, Arc::clone(&kit.clock));
    let (router, _) = mounted(all_routes(|route| family.guard(route))).split_for_parts();
    family.serve(router).with_state(Arc::new(App { kit, jobs, confirmer }))
}

/// The part of the interface description.
#[must_use]
pub fn openapi() -> OpenApi {
    mounted(all_routes(|route| route)).into_openapi()
}

fn all_routes(guard: impl Fn(MethodRouter<Shared>) -> MethodRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::default()
        .routes(routes!(routes::show).map(&guard))
        .routes(routes!(routes::start).map(&guard))
        .routes(routes!(routes::show_scan).map(&guard))
}

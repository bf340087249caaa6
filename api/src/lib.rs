//! The ledger as a REST API: incidents, their review, and the management of sources, rules, policies,
//! webhooks, telemetry endpoints and keys below `{base_url}`.
//! Nothing is opened, bound or spawned here; the caller hands in the stores, serves the router and runs the background
//! work.
//!
//! The way of a request up to its handler is that of the crate `rest`; handlers are in `routes`, and use `incident_index` for
//! lists, `incidents` and the directory for the rest.

mod app;
mod causes;
mod checking;
mod config;
mod console;
mod deliveries;
mod incident_index;
mod incidents;
mod openapi;
mod path;
mod reference;
mod routes;
mod schema;
mod suspensions;
mod tallies;
mod yaml_reply;

use std::sync::Arc;

use axum::Router;
use axum::routing::{MethodRouter, get};
use common::clock::SharedClock;
use common::timestamp::Timestamp;
use deliver::{DeliveryLog, Receivers};
use directory::{Authenticator, Directory, DocumentCheck};
use escalation::Escalation;
use futures_util::future::BoxFuture;
use ledger::Ledger;
use rest::error::{ApiError, Shape};
use rest::family::{Conventions, Family, Rate};
use rest::kit::Kit;
use utoipa::openapi::OpenApi;

pub use config::Config;

use app::{App, Pages, Shared};
use checking::Checking;
use incident_index::IncidentIndex;

/// Dependencies of the API.
pub struct Dependencies {
    /// Storage of all state.
    pub ledger: Arc<dyn Ledger>,
    /// Organizations, keys and sources, in the same ledger.
    pub directory: Arc<Directory>,
    /// Authentication of API keys.
    pub authenticator: Arc<Authenticator>,
    /// Escalation of incidents.
    pub escalation: Arc<Escalation>,
    /// Changes and tests of webhook targets and telemetry endpoints.
    pub receivers: Receivers,
    /// Their deliveries.
    pub deliveries: DeliveryLog,
    /// Validation of rules and suppressions.
    pub document_check: Arc<dyn DocumentCheck>,
    /// Reads an event as a log drain sends it, and masks its secrets, as ingestion does.
    pub read_event: ReadEvent,
    /// The clock.
    pub clock: SharedClock,
    /// Where clients reach the API, without a trailing slash: the specification's `{base_url}`, so it ends in
    /// `/api/v1`. Printed in `logs_url`.
    pub base_url: String,
    /// Number of partitions of the log, at least 1, the same in all processes of a deployment.
    pub partitions: u16,
    /// Interface descriptions of routes that are served beside these.
    pub described: Vec<OpenApi>,
}

/// Reads the text of a JSON object, at a time, as an OTLP logs export in protobuf; or says what is wrong with it.
pub type ReadEvent = Arc<dyn Fn(&[u8], Timestamp) -> Result<Vec<u8>, String> + Send + Sync>;

/// The API, ready to be served.
pub struct Api {
    /// Answers everything below `/api/v1`, and with pages for people at `/`, `/docs` and below `/console`; any other
    /// path is a 404 in the API's error shape.
    pub router: Router,
    /// Stores, clock and limits, for routes that are served beside these.
    pub kit: Arc<Kit>,
    /// Conventions and request rate, for routes of the organization API that other crates serve beside these.
    pub family: Arc<Family>,
    /// Tasks that must run while it is served.
    pub background: Vec<Background>,
}

/// A piece of background work. Runs until it is dropped, which is safe at any time.
pub struct Background {
    /// Its name, for supervision.
    pub name: &'static str,
    /// The work.
    pub future: BoxFuture<'static, ()>,
}

/// Builds the API.
#[must_use]
pub fn build(config: Config, dependencies: Dependencies) -> Api {
    let Dependencies {
        ledger,
        directory,
        authenticator,
        escalation,
        receivers,
        deliveries,
        document_check,
        read_event,
        clock,
        base_url,
        partitions,
        described,
    } = dependencies;
    let checking = Checking::new(document_check);
    let document = openapi::text(base_url.strip_suffix(openapi::BASE_PATH), described);
    let pages = pages(&document, &base_url);
    let kit = Kit::new(ledger, (directory, authenticator), clock, (base_url, partitions), config.limits());
    let kit = Arc::new(kit);
    let index = IncidentIndex::new(Arc::clone(&kit), &config.index);
    let follow = index.follow();
    let app = App {
        kit: Arc::clone(&kit),
        escalation,
        receivers,
        deliveries,
        checking,
        read_event,
        index,
        document: document.into(),
        pages,
    };
    let family = family(&kit);
    Api {
        router: router(Arc::new(app), &family),
        kit,
        family,
        background: vec![Background { name: "api index", future: Box::pin(follow) }],
    }
}

/// The interface description of every deployment, OpenAPI 3.1 in JSON, with the parts of routes that are served beside these; a
/// deployment serves it with its own address.
#[must_use]
pub fn openapi_document(described: Vec<OpenApi>) -> String {
    openapi::text(None, described)
}

fn pages(document: &str, base_url: &str) -> Pages {
    // Our own text, which is JSON.
    let document = serde_json::from_str(document).unwrap_or_default();
    Pages {
        start: routes::pages::start_page(base_url).into(),
        reference: reference::page(&document, openapi::BASE_PATH).into(),
    }
}

/// The family of the organization API: keys in `Authorization` only, error bodies with a code.
fn family(kit: &Arc<Kit>) -> Arc<Family> {
    let rate = Rate {
        of_key: kit.limits.requests_per_minute,
        of_organization: kit.limits.organization_requests_per_minute,
    };
    Family::new(Arc::clone(kit), Conventions { shape: Shape::Object, key_headers: &[], rate })
}

fn router(app: Shared, family: &Arc<Family>) -> Router {
    let guard = |route: MethodRouter<Shared>| family.guard(route);
    let (router, _) = openapi::mount(routes::all(guard)).split_for_parts();
    let router = router
        .route("/", get(routes::pages::start))
        .route("/docs", get(routes::pages::reference))
        .route("/console", get(console::start))
        .route("/console/", get(console::start))
        .route("/console/{*path}", get(console::show));
    let router = router.fallback(async || ApiError::NotFound("path"));
    family.serve(router).with_state(app)
}

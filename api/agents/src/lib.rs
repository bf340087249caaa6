//! Agents as routes below `{base_url}`, and the monitoring of their actions by clients.
//!
//! Rows of agents and pairing codes, and their rules, are in the crate `directory`, schedules in `red_team`. Clients are rows
//! beside the records of their agent. In the order of an action: `monitoring.rs` pairs a client, `monitored.rs` recognises its
//! token, `rule_book.rs`, `signed_rules.rs` and `rule_routes.rs` give it the rules, `action.rs` checks the actions that it
//! reports, `progress.rs` recognises replays, `detections.rs` records each action with finding, alert and event in one commit,
//! and `status.rs` takes the state of the client.

mod action;
mod alert_routes;
mod alerts;
mod body;
mod client_routes;
mod clients;
mod detection_routes;
mod detections;
mod monitored;
mod monitoring;
mod observed;
mod organization_key;
mod pairing;
mod progress;
mod routes;
mod rule_book;
mod rule_routes;
mod signed_rules;
mod status;
mod view;

use std::sync::Arc;

use axum::Router;
use axum::routing::MethodRouter;
use findings::Findings;
use outbound::Outbound;
use records::Records;
use red_team::Schedules;
use redact::Redactor;
use rest::address_limit::AddressLimit;
use rest::family::Family;
use rest::kit::Kit;
use rest::openapi::{BASE_PATH, mounted};
use rest::record_limit::RecordLimit;
use rest::turns::Turns;
use secrets::Vault;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use alerts::Alerts;
use detections::Detections;
use rule_book::RuleBooks;

pub use agent_rules::PackError;
pub use clients::{Client, ClientError, Clients};
pub use rule_book::OperatorRules;

/// Attempts to pair from one address: the burst, and the number in each minute after it. A person who mistypes a code needs a few.
const PAIRINGS_PER_MINUTE: u32 = 10;

/// Requests of a client: the burst, and the number in each minute after it. It synchronises every five minutes, and sends a spool
/// of 16 MiB in one go.
const CLIENT_REQUESTS_PER_MINUTE: u32 = 120;

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
    /// Findings, which actions become part of.
    pub findings: Arc<Findings>,
    /// Rows of clients, alerts and findings.
    pub records: Arc<Records>,
    /// Masks secrets in excerpts.
    pub redactor: Arc<Redactor>,
    /// Rules of destinations, to refuse targets to which nothing would ever be sent.
    pub outbound: Arc<Outbound>,
    /// Rules of the operator, which are read again while the process runs.
    pub operator_rules: OperatorRules,
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    clients: Arc<Clients>,
    vault: Arc<Vault>,
    schedules: Schedules,
    pairings: AddressLimit,
    requests: RecordLimit,
    rules: RuleBooks,
    alerts: Arc<Alerts>,
    detections: Detections,
    redactor: Arc<Redactor>,
    outbound: Arc<Outbound>,
    turns: Turns,
}

pub(crate) type Shared = Arc<App>;

/// The routes, without a fallback: they stand beside the others of the family.
///
/// # Errors
/// [`PackError`] when the built-in rules cannot be used.
pub fn build(family: &Arc<Family>, dependencies: Dependencies) -> Result<Router, PackError> {
    let (router, _) = mounted(routes(|route| family.guard(route))).split_for_parts();
    Ok(family.serve(router).with_state(Arc::new(App::new(dependencies)?)))
}

impl App {
    fn new(dependencies: Dependencies) -> Result<Self, PackError> {
        let Dependencies {
            kit,
            clients,
            vault,
            schedules,
            findings,
            records,
            redactor,
            operator_rules,
            outbound,
        } = dependencies;
        let alerts = Arc::new(Alerts::new(Arc::clone(&records), Arc::clone(&clients)));
        let site_url = kit.base_url.strip_suffix(BASE_PATH).unwrap_or(&kit.base_url).to_owned();
        let detections = Detections {
            records,
            findings,
            clients: Arc::clone(&clients),
            alerts: Arc::clone(&alerts),
            clock: Arc::clone(&kit.clock),
            site_url,
        };
        Ok(Self {
            pairings: AddressLimit::new(Arc::clone(&kit.clock), PAIRINGS_PER_MINUTE),
            requests: RecordLimit::new(Arc::clone(&kit.clock), CLIENT_REQUESTS_PER_MINUTE),
            rules: RuleBooks::new(Arc::clone(&kit.directory), operator_rules)?,
            turns: detection_routes::turns(),
            kit,
            clients,
            vault,
            schedules,
            alerts,
            detections,
            redactor,
            outbound,
        })
    }
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
        .routes(routes!(alert_routes::list).map(&guard))
        .routes(routes!(monitoring::pair))
        .routes(routes!(rule_routes::rules))
        .routes(routes!(detection_routes::report))
        .routes(routes!(status::report))
}

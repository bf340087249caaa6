//! Failures that no request causes: an organization that no longer exists, a damaged row, an engine that panics.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use credits::Plan;
use directory::{Authenticator, Directory, NewKey};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use ledger::memory::MemoryLedger;
use ledger::{Kind, Ledger, LedgerId, Op, Range};
use outbound::{Outbound, SystemResolver};
use redact::{Policy, Redactor};
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::kit::{Kit, Limits};
use rest::reply;
use rest::scope::GuardUse;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::charge::charged;
use crate::engines::Engines;
use crate::room::Analysed;
use crate::{Config, Dependencies, Service, Shared, errors};

/// Each endpoint with a body that it accepts, and its message with the status 500.
fn endpoints() -> [(&'static str, Value, &'static str); 3] {
    let text = "Which trains go to Porto?";
    let sources = json!([{"content": "The bridge was opened in 1931."}]);
    [
        (errors::GUARD, json!({"text": text}), "Failed to analyze prompt"),
        (errors::REDACT, json!({"text": text}), "Failed to redact text"),
        (
            errors::VERIFY,
            json!({"text": "The bridge was opened in 1931.", "sources": sources}),
            "Failed to verify text",
        ),
    ]
}

/// The service over a ledger in memory, with an organization and its key.
struct World {
    ledger: Arc<MemoryLedger>,
    kit: Arc<Kit>,
    service: Service,
    organization: OrganizationId,
    key: String,
}

impl World {
    async fn new(price: u64) -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_780_000_000_000)));
        let ledger = Arc::new(MemoryLedger::default());
        let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), Pepper::new([7; 32])));
        let authenticator = Arc::new(Authenticator::new(Arc::clone(&directory), clock.clone()));
        let organization = directory.create_organization("acme").await.unwrap().id;
        let key = NewKey { name: "whole".to_owned(), ..NewKey::default() };
        let (_, key) = directory.create_key(organization, key).await.unwrap();
        let limits = Limits {
            requests_per_minute: 100,
            organization_requests_per_minute: 100,
            idempotency_keys_per_organization: 1,
            idempotency_keys_per_api_key: 1,
        };
        let site = ("http://127.0.0.1:8080/api/v1".to_owned(), 1);
        let kit = Arc::new(Kit::new(ledger.clone(), (directory, authenticator), clock.clone(), site, limits));
        let config = outbound::Config::default();
        let resolver = SystemResolver::new(&config, clock.clone()).unwrap();
        let dependencies = Dependencies {
            kit: Arc::clone(&kit),
            outbound: Arc::new(Outbound::new(&config, Arc::new(resolver), clock).unwrap()),
            redactor: Arc::new(Redactor::new(&Policy::default()).unwrap()),
            threads: 1,
        };
        let service = Service::start(&Config { price, ..Config::default() }, dependencies).unwrap();
        Self { ledger, kit, service, organization, key: key.to_string() }
    }

    async fn ask(&self, router: &Router, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = Request::post(path)
            .header("authorization", format!("Bearer {}", self.key))
            .header("content-type", "application/json");
        let request = request.body(Body::from(body.to_string())).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap())
    }

    /// The statuses of all endpoints must be this one, with these messages.
    async fn expect(&self, status: StatusCode, message: impl Fn(&'static str) -> &'static str) {
        let router = self.service.routes();
        for (path, body, failure) in endpoints() {
            let expected = (status, json!({"error": message(failure)}));
            assert_eq!(self.ask(&router, path, &body).await, expected, "{path}");
        }
    }

    /// Changes the row of the organization behind the back of the service, as an operator may.
    async fn change_organization(&self, change: impl FnOnce(Bytes) -> Op) {
        let prefix = Range { prefix: b"organization/", ..Range::default() };
        let rows = self.ledger.scan(LedgerId::Platform, Kind::Head, prefix, 2).await.unwrap();
        assert_eq!(rows.len(), 1, "one organization");
        let seq = self.ledger.seq(LedgerId::Platform).await.unwrap();
        let ops = vec![change(rows[0].key.clone())];
        self.ledger.commit(LedgerId::Platform, seq, ops).await.unwrap();
    }

    async fn balance(&self) -> Option<u64> {
        self.kit.credits.account(self.organization).await.unwrap().balance()
    }
}

#[tokio::test]
async fn a_key_that_outlives_its_organization_gets_404() {
    let world = World::new(0).await;
    let router = world.service.routes();
    for (path, body, _) in endpoints() {
        assert_eq!(world.ask(&router, path, &body).await.0, StatusCode::OK, "{path}");
    }
    world.change_organization(|key| Op::Delete { kind: Kind::Head, key }).await;
    world.expect(StatusCode::NOT_FOUND, |_| "Team not found").await;
}

#[tokio::test]
async fn a_damaged_row_of_the_ledger_is_a_failure_of_the_service() {
    let world = World::new(0).await;
    let body = Bytes::from_static(b"no organization");
    world.change_organization(|key| Op::Put { kind: Kind::Head, key, body }).await;
    world.expect(StatusCode::INTERNAL_SERVER_ERROR, |failure| failure).await;
}

/// A handler whose engine panics.
async fn panics(State(app): State<Shared>, caller: Caller<GuardUse>) -> Result<Response, ApiError> {
    let id = app.kit.directory.new_id();
    let analysis = |_: &Engines| -> Result<(), ApiError> { panic!("an engine panics") };
    charged(&app, (caller.organization(), id), Analysed::default(), analysis).await?;
    reply::json(StatusCode::OK, &())
}

#[tokio::test]
async fn an_engine_that_panics_is_a_failure_of_the_service_and_costs_nothing() {
    let world = World::new(1).await;
    world.kit.credits.set_plan(world.organization, Plan::Limited(3)).await.unwrap();
    let routes = endpoints()
        .into_iter()
        .fold(Router::new(), |routes, (path, ..)| routes.route(path, world.service.admit(post(panics))));
    let router = world.service.serve(routes);
    for (path, body, message) in endpoints() {
        let expected = (StatusCode::INTERNAL_SERVER_ERROR, json!({"error": message}));
        assert_eq!(world.ask(&router, path, &body).await, expected, "{path}");
        assert_eq!(world.balance().await, Some(3), "{path}");
    }
    // The only thread of the analysis goes on.
    let router = world.service.routes();
    for (path, body, _) in endpoints() {
        assert_eq!(world.ask(&router, path, &body).await.0, StatusCode::OK, "{path}");
    }
    assert_eq!(world.balance().await, Some(0));
}

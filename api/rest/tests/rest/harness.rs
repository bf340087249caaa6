//! A family of routes with one handler that does as the body says, mounted in one of the shapes of errors.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use credits::Credits;
use directory::{Authenticator, Directory, NewKey};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use ledger::memory::MemoryLedger;
use rest::admission::Admission;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::error::{ApiError, Failure, Shape};
use rest::family::{self, Conventions, Rate};
use rest::kit::{Kit, Limits};
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{GuardUse, Scope};
use serde::Deserialize;
use serde_json::Value;
use tower::ServiceExt;

/// Requests of one key in a minute.
pub(crate) const PER_MINUTE: u32 = 20;

/// The shape of one message.
pub(crate) const MESSAGE: Shape =
    Shape::Message(&[Failure { path: "/api/guard", message: "Failed to analyze prompt" }]);
/// Headers that carry a key beside `Authorization`.
const KEY_HEADERS: [&str; 2] = ["x-api-key", "x-service-api-key"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Analysis {
    text: String,
}

/// Answers with the text, or fails as it says.
async fn analyse(
    State(_kit): State<Arc<Kit>>,
    _caller: Caller<GuardUse>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<Analysis>,
) -> Result<Response, ApiError> {
    let cause = || std::io::Error::other("a cause that no client may see");
    match body.value.text.as_str() {
        "unpaid" => Err(ApiError::PaymentRequired("the balance is 0".into())),
        "no team" => Err(ApiError::NotFound("organization")),
        "busy" => Err(ApiError::unavailable(cause())),
        "broken" => Err(ApiError::internal(cause())),
        "panic" => panic!("a handler panics"),
        text => reply::json(StatusCode::OK, &text),
    }
}

/// The family, and keys for it.
pub(crate) struct Family {
    router: Router,
    pub(crate) key: String,
    /// A key that lacks the scope.
    pub(crate) narrowed: String,
    pub(crate) organization: OrganizationId,
    pub(crate) credits: Credits,
}

/// The response.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Family {
    pub(crate) async fn mounted(shape: Shape) -> Self {
        Self::priced(shape, 0).await
    }

    /// The same with a price for each request.
    pub(crate) async fn priced(shape: Shape, price: u64) -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_780_000_000_000)));
        let ledger = Arc::new(MemoryLedger::default());
        let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), Pepper::new([7; 32])));
        let authenticator = Arc::new(Authenticator::new(Arc::clone(&directory), clock.clone()));
        let organization = directory.create_organization("acme").await.unwrap().id;
        let key = NewKey { name: "whole".to_owned(), ..NewKey::default() };
        let narrowed = NewKey {
            name: "narrowed".to_owned(),
            scopes: Some(vec!["incidents:read".to_owned()]),
            ..NewKey::default()
        };
        let (_, key) = directory.create_key(organization, key).await.unwrap();
        let (_, narrowed) = directory.create_key(organization, narrowed).await.unwrap();
        let limits = Limits {
            requests_per_minute: PER_MINUTE,
            organization_requests_per_minute: 10 * PER_MINUTE,
            idempotency_keys_per_organization: 100,
            idempotency_keys_per_api_key: 10,
        };
        let site = ("http://127.0.0.1:8080/api/v1".to_owned(), 4);
        let kit = Arc::new(Kit::new(ledger, (directory, authenticator), clock, site, limits));
        let rate = Rate { of_key: PER_MINUTE, of_organization: 10 * PER_MINUTE };
        let conventions = Conventions { shape, key_headers: &KEY_HEADERS, rate };
        let family = family::Family::new(Arc::clone(&kit), conventions);
        let admission = Admission { scope: GuardUse::NAME, price };
        let routes = Router::new().route("/api/guard", family.admit(post(analyse), admission));
        let routes = routes.fallback(async || ApiError::NotFound("path"));
        let credits = kit.credits.clone();
        let router = family.serve(routes).with_state(kit);
        Self { router, key: key.to_string(), narrowed: narrowed.to_string(), organization, credits }
    }

    /// Sends a request, with the key if there is one.
    pub(crate) async fn ask(&self, method: Method, path: &str, key: Option<&str>, body: Body) -> Reply {
        let mut request =
            Request::builder().method(method).uri(path).header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        self.send(request.body(body).unwrap()).await
    }

    /// Asks for the analysis of a text.
    pub(crate) async fn analysis(&self, text: &str) -> Reply {
        let body = serde_json::json!({ "text": text }).to_string();
        self.ask(Method::POST, "/api/guard", Some(&self.key), body.into()).await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Reply { status: parts.status, headers: parts.headers, body }
    }
}

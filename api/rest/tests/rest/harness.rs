//! A family of routes with one handler that does as the body says, mounted in one of the shapes of errors.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use common::clock::ManualClock;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::{Authenticator, Directory, NewKey};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use ledger::memory::MemoryLedger;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::error::{ApiError, Shape};
use rest::kit::{Kit, Limits};
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::Scope;
use serde::Deserialize;
use serde_json::Value;
use tower::ServiceExt;

/// Requests of one key in a minute.
pub(crate) const PER_MINUTE: u32 = 20;

/// Scope of the family.
enum GuardUse {}

impl Scope for GuardUse {
    const NAME: &'static str = "guard:use";
}

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
        "unpaid" => Err(ApiError::PaymentRequired("No subscription found".into())),
        "no team" => Err(ApiError::NotFound("team")),
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
}

/// The response.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Family {
    pub(crate) async fn mounted(shape: Shape) -> Self {
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
        let routes = Router::new().route("/api/guard", kit.guard(post(analyse)));
        let router = kit.serve(routes, shape).with_state(Arc::clone(&kit));
        Self { router, key: key.to_string(), narrowed: narrowed.to_string() }
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

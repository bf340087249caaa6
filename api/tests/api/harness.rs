//! A world with an API in it, and requests to that API.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use api::{Api, Config, Dependencies};
use axum::Router;
use axum::body::Body;
use common::clock::ManualClock;
use common::ids::{KeyId, OrganizationId};
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::{Authenticator, Directory, NewKey, NewSource, Source};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::stage::Stage;

/// Partitions of the log in every test.
pub const PARTITIONS: u16 = 4;

/// When every test begins.
pub fn start() -> Timestamp {
    Timestamp::parse_rfc3339("2026-07-08T09:00:00Z").unwrap()
}

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&api::openapi_document()).unwrap());

/// Everything a test needs.
pub struct World {
    pub ledger: Arc<Stage>,
    pub clock: Arc<ManualClock>,
    pub directory: Arc<Directory>,
    router: Router,
    background: JoinSet<()>,
}

/// An organization with a key that may do everything.
pub struct Tenant {
    pub organization: OrganizationId,
    pub key_id: KeyId,
    pub key: String,
}

/// What the API answered.
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl World {
    pub fn new() -> Self {
        Self::with(Config::default())
    }

    pub fn with(config: Config) -> Self {
        let ledger = Arc::new(Stage::default());
        let clock = Arc::new(ManualClock::new(start()));
        Self::over(config, ledger, clock)
    }

    fn over(config: Config, ledger: Arc<Stage>, clock: Arc<ManualClock>) -> Self {
        let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), Pepper::new([7; 32])));
        let authenticator = Arc::new(Authenticator::new(Arc::clone(&directory), clock.clone()));
        let dependencies = Dependencies {
            ledger: ledger.clone(),
            directory: Arc::clone(&directory),
            authenticator,
            clock: clock.clone(),
            partitions: PARTITIONS,
        };
        let Api { router, background } = api::build(config, dependencies);
        let mut tasks = JoinSet::new();
        for work in background {
            tasks.spawn(work.future);
        }
        Self { ledger, clock, directory, router, background: tasks }
    }

    /// Another process over the same ledger.
    pub fn neighbour(&self) -> Self {
        Self::over(Config::default(), Arc::clone(&self.ledger), Arc::clone(&self.clock))
    }

    pub async fn tenant(&self, name: &str) -> Tenant {
        let organization = self.directory.create_organization(name).await.unwrap().id;
        let new = NewKey { name: format!("{name}'s key"), ..NewKey::default() };
        let (key, text) = self.directory.create_key(organization, new).await.unwrap();
        Tenant { organization, key_id: key.id, key: text.to_string() }
    }

    /// A key of the tenant that may only do so much.
    pub async fn narrowed(&self, tenant: &Tenant, scopes: &[&str]) -> String {
        let scopes = Some(scopes.iter().map(|scope| (*scope).to_owned()).collect());
        let new = NewKey { name: "narrowed".to_owned(), scopes, ..NewKey::default() };
        self.directory.create_key(tenant.organization, new).await.unwrap().1.to_string()
    }

    pub async fn source(&self, tenant: &Tenant, name: &str) -> Source {
        self.directory.create_source(tenant.organization, NewSource::named(name)).await.unwrap()
    }

    /// Lets the background work see what was committed: one poll passes, in virtual time.
    pub async fn one_poll_later(&self) {
        assert!(!self.background.is_empty());
        tokio::time::sleep(Duration::from_millis(250)).await;
    }

    pub async fn get(&self, key: &str, path: &str) -> Reply {
        self.send(request(Method::GET, path, Some(key), None)).await
    }

    pub async fn post(&self, key: &str, path: &str, body: Value) -> Reply {
        self.send(request(Method::POST, path, Some(key), Some(body))).await
    }

    pub async fn patch(&self, key: &str, path: &str, body: Value) -> Reply {
        self.send(request(Method::PATCH, path, Some(key), Some(body))).await
    }

    pub async fn delete(&self, key: &str, path: &str) -> Reply {
        self.send(request(Method::DELETE, path, Some(key), None)).await
    }

    /// Sends a request and checks of the reply what holds for every reply.
    pub async fn send(&self, request: Request<Body>) -> Reply {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        let reply = Reply { status: parts.status, headers: parts.headers, body };
        reply.check_shape();
        check_documented(&method, &path, reply.status);
        reply
    }
}

/// A request to a path below the base path.
pub fn request(method: Method, path: &str, key: Option<&str>, body: Option<Value>) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(format!("/api/v1{path}"));
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    match body {
        Some(body) => {
            request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap()
        }
        None => request.body(Body::empty()).unwrap(),
    }
}

impl Reply {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The body of a reply that must be a success.
    #[track_caller]
    pub fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        self.json()
    }

    /// The message of a reply that must be this refusal.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.json()["error"]["code"], code);
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no header {name}")).to_str().unwrap()
    }

    #[track_caller]
    fn check_shape(&self) {
        let id = self.header("x-request-id");
        assert_eq!(self.header("cache-control"), "no-store");
        if self.status.as_u16() >= 400 {
            let error = &self.json()["error"];
            assert!(error["code"].is_string() && error["message"].is_string(), "{error}");
            assert_eq!(error["request_id"], id);
            assert_eq!(self.header("content-type"), "application/json");
        }
    }
}

/// A status that an endpoint answers must stand in its description.
fn check_documented(method: &Method, path: &str, status: StatusCode) {
    let Some(operations) = operations_at(path) else { return };
    let Some(operation) = operations.get(method.as_str().to_lowercase()) else { return };
    let documented = operation["responses"].as_object().unwrap();
    assert!(documented.contains_key(status.as_str()), "{method} {path} answered {status}");
}

/// The description of a path, if it has one.
fn operations_at(path: &str) -> Option<&'static Value> {
    let templates = DOCUMENT["paths"].as_object().unwrap();
    let fits = |template: &str| {
        let (mut segments, mut given) = (template.split('/'), path.split('/'));
        loop {
            match (segments.next(), given.next()) {
                (None, None) => return true,
                (Some(segment), Some(given)) if segment == given || segment.starts_with('{') => {}
                _ => return false,
            }
        }
    };
    templates.iter().find(|(template, _)| fits(template)).map(|(_, operations)| operations)
}

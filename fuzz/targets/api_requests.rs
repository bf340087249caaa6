//! Requests to the API: any query, path and body gets an answer that the interface description knows,
//! in the shape it states; a refused request changes nothing, and a created resource is found again.
//!
//! The input is requests with lines `===` between them: method and path below `/api/v1`, headers one a
//! line, an empty line, the body. `{id}` stands for the id of the last created resource, at first that of
//! an incident, `{source}` for that of the source it belongs to.

#![no_main]

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use analyzer::documents::Documents;
use api::{Config, Dependencies};
use axum::Router;
use axum::body::Body;
use common::clock::ManualClock;
use common::ids::{IncidentId, OrganizationId, SourceId};
use common::incident::{IncidentDetail, IncidentHead, Revision};
use common::partition::Partition;
use common::pepper::Pepper;
use common::row;
use common::timestamp::Timestamp;
use deliver::{DeliveryLog, Receivers};
use directory::{Authenticator, Directory, NewKey, NewSource};
use escalation::Escalation;
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use ledger::memory::MemoryLedger;
use ledger::{Commit, Kind, Ledger, LedgerId, Op, Seq};
use libfuzzer_sys::fuzz_target;
use outbound::{Outbound, SystemResolver};
use secrets::{KeyEncryptionKey, KeyEncryptionKeys, Vault};
use serde_json::Value;
use sigma::Placeholders;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

#[path = "../../api/tests/api/conformance.rs"]
mod conformance;

const PARTITIONS: u16 = 2;
/// Requests of one input that are sent.
const MOST_REQUESTS: usize = 6;
/// Inputs before everything is forgotten, each with an organization of its own.
const MOST_ORGANIZATIONS: usize = 500;

/// Rows of an incident, as the seeds of `row_body` have them behind the byte that chooses.
const HEAD: &[u8] = include_bytes!("../seeds/row_body/row_0");
const DETAIL: &[u8] = include_bytes!("../seeds/row_body/row_1");
const REVISION: &[u8] = include_bytes!("../seeds/row_body/row_2");

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread().enable_time().max_blocking_threads(1).build().expect("a runtime")
});

static DOCUMENTS: LazyLock<Arc<Documents>> = LazyLock::new(|| {
    let shared_rules = analyzer::pack::built_in().expect("the pack compiles");
    Arc::new(Documents::new(Arc::new(shared_rules), Placeholders::default()))
});

static WORLD: Mutex<Option<World>> = Mutex::new(None);

struct World {
    ledger: Arc<MemoryLedger>,
    directory: Arc<Directory>,
    router: Router,
    organizations: usize,
}

/// The caller and the values of the placeholders.
struct Tenant {
    organization: OrganizationId,
    authorization: String,
    source: SourceId,
    last: String,
}

fuzz_target!(|input: &[u8]| {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let mut held = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    let mut world =
        held.take().filter(|world| world.organizations < MOST_ORGANIZATIONS).unwrap_or_else(World::new);
    world.organizations += 1;
    RUNTIME.block_on(async {
        let mut tenant = world.tenant().await;
        for text in input.split("\n===\n").take(MOST_REQUESTS) {
            world.exchange(&mut tenant, text).await;
        }
    });
    *held = Some(world);
});

impl World {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp(1_783_512_000_000_000_000)));
        let ledger = Arc::new(MemoryLedger::new());
        let (pepper, base_url) = (Pepper::new([7; 32]), "http://127.0.0.1:8080/api/v1".to_owned());
        let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), pepper.clone()));
        let keys = KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([9; 32])]).expect("one key");
        let vault = Arc::new(Vault::new(ledger.clone(), keys));
        let config = outbound::Config::default();
        let resolver = SystemResolver::new(&config, clock.clone()).expect("the default settings");
        let outbound = Outbound::new(&config, Arc::new(resolver), clock.clone());
        let outbound = Arc::new(outbound.expect("the default settings"));
        let dependencies = Dependencies {
            receivers: Receivers::new(Arc::clone(&directory), vault, outbound, clock.clone()),
            deliveries: DeliveryLog::new(ledger.clone(), clock.clone(), PARTITIONS),
            ledger: ledger.clone(),
            directory: Arc::clone(&directory),
            authenticator: Arc::new(Authenticator::new(Arc::clone(&directory), clock.clone())),
            escalation: Arc::new(Escalation::new(Arc::clone(&directory), pepper, base_url.clone())),
            document_check: DOCUMENTS.clone(),
            read_event: Arc::new(|event, _| Ok(event.to_vec())),
            clock,
            base_url,
            partitions: PARTITIONS,
            described: Vec::new(),
        };
        let router = api::build(Config::default(), dependencies).router;
        Self { ledger, directory, router, organizations: 0 }
    }

    /// An organization with a source and an incident.
    async fn tenant(&self) -> Tenant {
        let organization = self.directory.create_organization("ours").await.expect("an organization").id;
        let source = self.directory.create_source(organization, NewSource::named("web")).await;
        let source = source.expect("a source").id;
        let new = NewKey { name: "fuzz".to_owned(), ..NewKey::default() };
        let key = self.directory.create_key(organization, new).await.expect("a key").1;
        let partition = Partition::of_source(source, PARTITIONS);
        let mut hash = [0; 32];
        hash[..16].copy_from_slice(organization.as_bytes());
        let id = IncidentId::new(partition, &hash);
        let head = IncidentHead { id, organization, source, ..read(HEAD) };
        let key_of_it = row::incident_key(organization, id);
        let ops = vec![
            put(Kind::Head, key_of_it.clone(), &head),
            put(Kind::Detail, key_of_it, &read::<IncidentDetail>(DETAIL)),
            put(Kind::History, row::revision_key(organization, id, 1), &read::<Revision>(REVISION)),
        ];
        let ledger = LedgerId::Partition(partition);
        let at = self.ledger.seq(ledger).await.expect("memory is there");
        let outcome = self.ledger.commit(ledger, at, ops).await.expect("memory is there");
        assert!(matches!(outcome, Commit::Done(_)));
        let authorization = format!("Bearer {}", key.expose());
        Tenant { organization, authorization, source, last: id.to_string() }
    }

    async fn exchange(&self, tenant: &mut Tenant, text: &str) {
        let text = text.replace("{id}", &tenant.last).replace("{source}", &tenant.source.to_string());
        let Some(request) = request(tenant, &text) else { return };
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        // The key's row is written before the result of the request is known.
        let is_remembered = request.headers().contains_key("idempotency-key");
        let before = self.seqs(tenant).await;
        let (status, body) = self.answer(request).await;
        // Methods are distinguished by case, which the description does not do.
        if !method.as_str().contains(|letter: char| letter.is_ascii_lowercase()) {
            conformance::check(&method, &path, status, &body);
        }
        assert!(!status.is_server_error(), "{method} {path} answered {status}");
        if status.is_client_error() && !is_remembered {
            assert_eq!(self.seqs(tenant).await, before, "{method} {path} answered {status} and wrote");
        }
        if status == StatusCode::CREATED {
            let created: Value = serde_json::from_slice(&body).expect("what was created is JSON");
            tenant.last = created["id"].as_str().expect("what was created has an id").to_owned();
            self.show(tenant, &path, &created).await;
        }
    }

    /// A created resource is shown as it was when it was created, if there is a way to show it.
    async fn show(&self, tenant: &Tenant, path: &str, created: &Value) {
        let shown = Request::get(format!("{path}/{}", tenant.last));
        let shown = shown.header("authorization", &tenant.authorization).body(Body::empty());
        let (status, body) = self.answer(shown.expect("the head is well formed")).await;
        match status {
            StatusCode::OK => assert_eq!(serde_json::from_slice::<Value>(&body).ok().as_ref(), Some(created)),
            StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND if path.contains("/api-keys") => {}
            other => panic!("{path}: what was created is shown with {other}"),
        }
    }

    async fn answer(&self, request: Request<Body>) -> (StatusCode, Vec<u8>) {
        let is_head = request.method() == Method::HEAD;
        let Ok(response) = self.router.clone().oneshot(request).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("the body is in memory").to_bytes().to_vec();
        let id = parts.headers.get("x-request-id").expect("every answer has an id");
        if parts.status.is_client_error() && !is_head {
            let error: Value = serde_json::from_slice(&body).expect("a refusal is JSON");
            assert_eq!(error["error"]["request_id"].as_str(), id.to_str().ok());
            assert!(error["error"]["code"].is_string() && error["error"]["message"].is_string(), "{error}");
        }
        (parts.status, body)
    }

    /// Number of writes to the organization.
    async fn seqs(&self, tenant: &Tenant) -> Vec<Seq> {
        let partitions = (0..PARTITIONS).map(|number| LedgerId::Partition(Partition(number)));
        let others = [LedgerId::Platform, LedgerId::Organization(tenant.organization)];
        let mut seqs = Vec::new();
        for ledger in partitions.chain(others) {
            seqs.push(self.ledger.seq(ledger).await.expect("memory is there"));
        }
        seqs
    }
}

/// A request, unless HTTP cannot carry it.
fn request(tenant: &Tenant, text: &str) -> Option<Request<Body>> {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let (method, path) = lines.next()?.split_once(' ')?;
    // Webhook targets and collectors are spoken to when they are tested, and nothing may leave from here.
    if path.contains("webhook") || path.contains("telemetry") {
        return None;
    }
    let mut request = Request::builder()
        .method(Method::from_bytes(method.as_bytes()).ok()?)
        .uri(format!("/api/v1{path}"))
        .header("authorization", &tenant.authorization);
    if !head.contains("content-type: ") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        request = request.header(name, value);
    }
    request.body(Body::from(body.to_owned())).ok()
}

fn read<T: serde::de::DeserializeOwned>(seed: &[u8]) -> T {
    row::decode(&seed[1..]).expect("the seed is of today's format")
}

fn put<T: serde::Serialize>(kind: Kind, key: Vec<u8>, value: &T) -> Op {
    Op::Put { kind, key: key.into(), body: row::encode(value).expect("a row can be written").into() }
}

/// The interface description that replies are compared with.
fn document() -> String {
    api::openapi_document(Vec::new())
}

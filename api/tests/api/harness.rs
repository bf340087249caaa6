//! A world with an API in it, and requests to that API.

mod services;

use std::sync::Arc;
use std::time::Duration;

use api::{Api, Config, Dependencies};
use axum::Router;
use axum::body::Body;
use code_host::InstallationId;
use code_host::memory::MemoryHost;
use common::clock::ManualClock;
use common::ids::{KeyId, OrganizationId};
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use deliver::{Deliverer, DeliveryLog, Parts, Receivers};
use directory::{Authenticator, Directory, NewKey, NewSource, Source};
use escalation::Escalation;
use findings::{Billing, Findings};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use jobs::{Jobs, Worker};
use outbound::{Outbound, SystemResolver};
use ownership::Share;
use redact::Redactor;
use rest::kit::Kit;
use secrets::{KeyEncryptionKey, KeyEncryptionKeys, Vault};
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::checker::Checker;
use crate::conformance;
use crate::stage::Stage;
use services::{Unsandboxed, code_host_routes, connected, contributors, jobs, scanner, scans, targets};

/// Partitions of the log in every test.
pub(crate) const PARTITIONS: u16 = 4;

/// Key of the signatures of webhooks of the code host.
pub(crate) const WEBHOOK_SECRET: &str = "a secret of the code host";

/// An address where nothing listens.
pub(crate) const NOWHERE: &str = "http://127.0.0.1:9";

/// When every test begins.
pub(crate) fn start() -> Timestamp {
    Timestamp::parse_rfc3339("2026-07-08T09:00:00Z").unwrap()
}

/// Everything a test needs.
pub(crate) struct World {
    pub(crate) ledger: Arc<Stage>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) directory: Arc<Directory>,
    pub(crate) checker: Arc<Checker>,
    pub(crate) kit: Arc<Kit>,
    vault: Arc<Vault>,
    outbound: Arc<Outbound>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) code_host: Arc<MemoryHost>,
    router: Router,
    background: JoinSet<()>,
}

/// An organization with a key that may do everything.
pub(crate) struct Tenant {
    pub(crate) organization: OrganizationId,
    pub(crate) key_id: KeyId,
    pub(crate) key: String,
}

/// A response of the API.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Config::default())
    }

    pub(crate) fn with(config: Config) -> Self {
        let ledger = Arc::new(Stage::default());
        let clock = Arc::new(ManualClock::new(start()));
        Self::over((config, NOWHERE), ledger, clock)
    }

    /// A world whose package registries are all at one address.
    pub(crate) fn with_registries(url: &str) -> Self {
        let (ledger, clock) = (Arc::new(Stage::default()), Arc::new(ManualClock::new(start())));
        Self::over((Config::default(), url), ledger, clock)
    }

    fn over((config, registries): (Config, &str), ledger: Arc<Stage>, clock: Arc<ManualClock>) -> Self {
        let (pepper, base_url) = (Pepper::new([7; 32]), "http://127.0.0.1:8080/api/v1".to_owned());
        let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), pepper.clone()));
        let escalation = Arc::new(Escalation::new(Arc::clone(&directory), pepper, base_url.clone()));
        let authenticator = Arc::new(Authenticator::new(Arc::clone(&directory), clock.clone()));
        let checker = Arc::new(Checker::default());
        let keys = KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([9; 32])]).unwrap();
        let vault = Arc::new(Vault::new(ledger.clone(), keys));
        let outbound = Arc::new(way_out(clock.clone()));
        let receivers =
            Receivers::new(Arc::clone(&directory), Arc::clone(&vault), Arc::clone(&outbound), clock.clone());
        let dependencies = Dependencies {
            described: crate::described(),
            ledger: ledger.clone(),
            directory: Arc::clone(&directory),
            authenticator,
            escalation,
            receivers,
            deliveries: DeliveryLog::new(ledger.clone(), clock.clone(), PARTITIONS),
            document_check: checker.clone(),
            read_event: Arc::new(|event, _| match event {
                [b'{', ..] => Ok(event.to_vec()),
                _ => Err("expected an object".to_owned()),
            }),
            clock: clock.clone(),
            base_url,
            partitions: PARTITIONS,
        };
        let Api { router, background, kit, family } = api::build(config, dependencies);
        let (reader, outbound, vault) = (Arc::new(Unsandboxed), Arc::clone(&outbound), Arc::clone(&vault));
        let network = assets::Network { outbound: Arc::clone(&outbound), vault: Arc::clone(&vault), reader };
        let code_host = Arc::new(MemoryHost::default());
        let host = connected(&code_host);
        let hosted =
            context::Repositories::new(code_host.clone(), Arc::clone(&directory), "github.com".to_owned());
        let scanner = scanner(&outbound, &clock, registries).with_repositories(Some(hosted));
        let jobs = Arc::new(jobs(&kit, network, &host, scanner.clone()));
        let parts = findings::Dependencies {
            kit: Arc::clone(&kit),
            family: Arc::clone(&family),
            jobs: Arc::clone(&jobs),
            redactor: Arc::new(Redactor::new(&redact::Policy::default()).unwrap()),
        };
        let findings = findings::build(&findings::Config::default(), parts).unwrap();
        let mut tasks = JoinSet::new();
        for work in background {
            tasks.spawn(work.future);
        }
        tasks.spawn(findings.follow);
        let (applications, agents) = targets(&family, &kit, (&vault, &outbound), (&jobs, &findings.findings));
        tasks.spawn(applications.follow);
        let connected = code_host_routes(&family, &kit, &jobs, host);
        let contributors = contributors(&family, &kit, &jobs, &code_host);
        let context = scans(&family, &kit, (&outbound, &jobs), scanner);
        tasks.spawn(context.follow);
        let router = router.merge(findings.router).merge(applications.router).merge(agents).merge(connected);
        let router = router.merge(context.router).merge(contributors);
        Self {
            ledger,
            clock,
            directory,
            checker,
            kit,
            jobs,
            code_host,
            vault,
            outbound,
            router,
            background: tasks,
        }
    }

    /// Delivers events beside the API until the test is over.
    pub(crate) fn deliver(&mut self) {
        let deliverer = Deliverer::new(Parts {
            config: deliver::Config { poll_milliseconds: 2, ..deliver::Config::default() },
            ledger: self.ledger.clone(),
            directory: Arc::clone(&self.directory),
            vault: Arc::clone(&self.vault),
            outbound: Arc::clone(&self.outbound),
            clock: self.clock.clone(),
            partitions: PARTITIONS,
            chance: Arc::new(|| 0.5),
        });
        self.background.spawn(async move {
            let (_stop, stopped) = watch::channel(false);
            deliverer.run(Share::all(PARTITIONS), stopped).await;
        });
    }

    /// Accounts, with the price of a triage.
    pub(crate) fn billing(&self) -> Billing {
        Billing { credits: self.kit.credits.clone(), price: 1 }
    }

    /// Findings, as an engine in a worker process records them.
    pub(crate) fn findings(&self) -> Findings {
        let records = Arc::clone(self.jobs.records());
        Findings::new(self.ledger.clone(), records, self.kit.base_url.clone())
    }

    /// Runs the jobs that are due: a job is queued in one look, started in the next, and done in a few more.
    pub(crate) async fn work(&self) {
        let (stop, stopped) = watch::channel(false);
        let config = jobs::Config { poll_milliseconds: 1, ..jobs::Config::default() };
        let worker = Worker::new(Arc::clone(&self.jobs), config);
        let mut working = JoinSet::new();
        working.spawn(worker.run(Share::all(PARTITIONS), stopped));
        for _ in 0..20 {
            self.clock.advance(Duration::from_millis(1));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        stop.send_replace(true);
        working.join_all().await;
    }

    /// Runs jobs until something has come about, at most for the time of the slowest test.
    pub(crate) async fn work_until(&self, mut has_come: impl AsyncFnMut() -> bool) {
        let (stop, stopped) = watch::channel(false);
        let config = jobs::Config { poll_milliseconds: 1, ..jobs::Config::default() };
        let worker = Worker::new(Arc::clone(&self.jobs), config);
        let mut working = JoinSet::new();
        working.spawn(worker.run(Share::all(PARTITIONS), stopped));
        let mut turns = 0;
        while !has_come().await {
            assert!(turns < 5_000, "waited in vain");
            turns += 1;
            self.clock.advance(Duration::from_millis(2));
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        stop.send_replace(true);
        working.join_all().await;
    }

    /// Connects repositories of the code host to a tenant.
    pub(crate) async fn repositories(&self, tenant: &Tenant, repositories: &[(u64, &str)]) {
        let installation = installation_of(tenant.organization);
        let hosted = |(id, full_name): &(u64, &str)| {
            let id = id.to_string().parse().unwrap();
            code_host::memory::repository(id, full_name.parse().unwrap())
        };
        self.code_host.put(installation, repositories.iter().map(hosted).collect());
        let (directory, organization, now) = (&self.directory, tenant.organization, self.kit.clock.now());
        code_host::connect(directory, organization, (installation, "acme"), None, now).await.unwrap();
        let (clock, host) = (self.clock.as_ref(), self.code_host.as_ref());
        code_host::sync(directory, clock, host, organization, installation).await.unwrap();
    }

    /// Another process over the same ledger.
    pub(crate) fn neighbour(&self) -> Self {
        Self::over((Config::default(), NOWHERE), Arc::clone(&self.ledger), Arc::clone(&self.clock))
    }

    pub(crate) async fn tenant(&self, name: &str) -> Tenant {
        let organization = self.directory.create_organization(name).await.unwrap().id;
        let new = NewKey { name: format!("{name}'s key"), ..NewKey::default() };
        let (key, text) = self.directory.create_key(organization, new).await.unwrap();
        Tenant { organization, key_id: key.id, key: text.to_string() }
    }

    /// A key of the tenant that may only do so much.
    pub(crate) async fn narrowed(&self, tenant: &Tenant, scopes: &[&str]) -> String {
        let scopes = Some(scopes.iter().map(|scope| (*scope).to_owned()).collect());
        let new = NewKey { name: "narrowed".to_owned(), scopes, ..NewKey::default() };
        self.directory.create_key(tenant.organization, new).await.unwrap().1.to_string()
    }

    pub(crate) async fn source(&self, tenant: &Tenant, name: &str) -> Source {
        self.directory.create_source(tenant.organization, NewSource::named(name)).await.unwrap()
    }

    /// Lets the background work see what was committed: one poll passes, in virtual time.
    pub(crate) async fn one_poll_later(&self) {
        assert!(!self.background.is_empty());
        tokio::time::sleep(Duration::from_millis(250)).await;
    }

    pub(crate) async fn get(&self, key: &str, path: &str) -> Reply {
        self.send(request(Method::GET, path, Some(key), None)).await
    }

    pub(crate) async fn post(&self, key: &str, path: &str, body: Value) -> Reply {
        self.send(request(Method::POST, path, Some(key), Some(body))).await
    }

    pub(crate) async fn patch(&self, key: &str, path: &str, body: Value) -> Reply {
        self.send(request(Method::PATCH, path, Some(key), Some(body))).await
    }

    pub(crate) async fn delete(&self, key: &str, path: &str) -> Reply {
        self.send(request(Method::DELETE, path, Some(key), None)).await
    }

    /// Asks for a page outside of the API, whose errors have no body in the API's shape.
    pub(crate) async fn page(&self, method: Method, path: &str) -> Reply {
        self.send_unchecked(Request::builder().method(method).uri(path).body(Body::empty()).unwrap()).await
    }

    /// Sends a request, for measurements.
    pub(crate) async fn send_unchecked(&self, request: Request<Body>) -> Reply {
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Reply { status: parts.status, headers: parts.headers, body }
    }

    /// Sends a request and checks of the reply what holds for every reply.
    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let reply = self.send_unchecked(request).await;
        reply.check_shape();
        conformance::check(&method, &path, reply.status, &reply.body);
        reply
    }
}

/// The installation of an organization: another one for each.
pub(crate) fn installation_of(organization: OrganizationId) -> InstallationId {
    let tail = organization.as_bytes().last_chunk::<4>().unwrap();
    (u64::from(u32::from_be_bytes(*tail)) + 1).to_string().parse().unwrap()
}

/// A way out that leads to the loopback as well.
fn way_out(clock: Arc<ManualClock>) -> Outbound {
    let config = outbound::Config {
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..outbound::Config::default()
    };
    let resolver = SystemResolver::new(&config, clock.clone()).unwrap();
    Outbound::new(&config, Arc::new(resolver), clock).unwrap()
}

/// A request to a path below the base path.
pub(crate) fn request(method: Method, path: &str, key: Option<&str>, body: Option<Value>) -> Request<Body> {
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
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The body of a reply that must be a success.
    #[track_caller]
    pub(crate) fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        self.json()
    }

    /// The message of a reply that must be this refusal.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.json()["error"]["code"], code);
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
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

//! One ingestion endpoint behind a listener, with keys and sources of every kind.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::clock::ManualClock;
use common::ids::SourceId;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::{Authenticator, Directory, NewKey, NewSource, Source, SourceLookup};
use http::Request;
use hyper::body::Incoming;
use ingest::{Dependencies, Ingest, IngestConfig};
use ledger::memory::MemoryLedger;
use process::listen::{Bound, Drained, ListenConfig, TlsConfig};
use process::shutdown::Shutdown;
use tokio::task::JoinSet;

use statistics::Statistics;

use crate::client::Post;
use crate::log::ScriptedLog;

/// Time of all events in these tests.
pub(crate) const NOW: Timestamp = Timestamp(1_700_000_000_000_000_000);

pub(crate) struct Front {
    pub(crate) address: SocketAddr,
    pub(crate) log: Arc<ScriptedLog>,
    pub(crate) ledger: Arc<MemoryLedger>,
    pub(crate) clock: Arc<ManualClock>,
    /// A key with all permissions.
    pub(crate) key: String,
    /// A key of the same organization that may not send logs.
    pub(crate) narrow_key: String,
    /// A key of another organization.
    pub(crate) foreign_key: String,
    pub(crate) source: Source,
    /// A source of that other organization.
    pub(crate) foreign_source: Source,
    pub(crate) disabled_source: SourceId,
    pub(crate) statistics: Arc<Statistics>,
    served: JoinSet<Drained>,
}

impl Front {
    pub(crate) async fn start() -> Self {
        Self::start_with(IngestConfig::default(), None).await
    }

    pub(crate) async fn start_with(config: IngestConfig, tls: Option<TlsConfig>) -> Self {
        let ledger = Arc::new(MemoryLedger::new());
        let clock = Arc::new(ManualClock::new(NOW));
        let pepper = Pepper::new([7; 32]);
        let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), pepper.clone()));
        let ours = directory.create_organization("ours").await.unwrap().id;
        let theirs = directory.create_organization("theirs").await.unwrap().id;
        let key = async |organization, scopes| {
            let new = NewKey { name: "test".to_owned(), scopes, ..NewKey::default() };
            directory.create_key(organization, new).await.unwrap().1.expose().to_owned()
        };
        let narrow = Some(vec!["incidents:read".to_owned()]);
        let shop = NewSource {
            application_group: "shop".to_owned(),
            environment: "staging".to_owned(),
            ..NewSource::named("web")
        };
        let off = NewSource { enabled: false, ..NewSource::named("off") };
        let (all_key, narrow_key, foreign_key) =
            (key(ours, None).await, key(ours, narrow).await, key(theirs, None).await);
        let source = directory.create_source(ours, shop).await.unwrap();
        let foreign_source = directory.create_source(theirs, NewSource::named("api")).await.unwrap();
        let disabled_source = directory.create_source(ours, off).await.unwrap().id;

        let log = Arc::new(ScriptedLog::new());
        let statistics = Arc::new(Statistics::default());
        let ingest = Ingest::build(
            config,
            Dependencies {
                log: log.clone(),
                authenticator: Arc::new(Authenticator::new(directory.clone(), clock.clone())),
                sources: Arc::new(SourceLookup::new(directory)),
                redactor: Arc::new(redact::Redactor::new(&redact::Policy::default()).unwrap()),
                pepper,
                clock: clock.clone(),
                random: counting(),
                statistics: statistics.clone(),
            },
        )
        .unwrap();
        let listen = ListenConfig { tls, ..ListenConfig::at(SocketAddr::from(([127, 0, 0, 1], 0))) };
        let bound = Bound::bind(&listen).await.unwrap().with_plain(ingest.clone());
        let address = bound.address();
        let handler = move |request: Request<Incoming>, _peer| {
            let ingest = ingest.clone();
            async move {
                assert!(Ingest::matches(request.uri().path()), "not ingestion's path");
                ingest.handle(request).await
            }
        };
        let mut served = JoinSet::new();
        served.spawn(bound.serve(handler, Shutdown::new(), Duration::ZERO));
        Self {
            address,
            log,
            ledger,
            clock,
            key: all_key,
            narrow_key,
            foreign_key,
            source,
            foreign_source,
            disabled_source,
            statistics,
            served,
        }
    }

    pub(crate) fn path(&self) -> String {
        path_of(&self.source.id.to_string())
    }

    /// A post to the source with the key, and a body of the type.
    pub(crate) fn post(&self, content_type: &str, body: impl Into<Vec<u8>>) -> Post {
        Post::to(self.address, &self.path())
            .header("authorization", &format!("Bearer {}", self.key))
            .header("content-type", content_type)
            .body(body)
    }

    /// A post of the other organization to its own source.
    pub(crate) fn foreign_post(&self, content_type: &str, body: impl Into<Vec<u8>>) -> Post {
        self.post(content_type, body)
            .path(&path_of(&self.foreign_source.id.to_string()))
            .header("authorization", &format!("Bearer {}", self.foreign_key))
    }

    /// One drain record.
    pub(crate) fn post_one(&self) -> Post {
        self.post("application/x-ndjson", "{\"message\":\"one\"}\n")
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.served.abort_all();
    }
}

/// Randomness that yields consecutive numbers.
fn counting() -> ingest::Random {
    let next = AtomicU64::new(0);
    Arc::new(move || next.fetch_add(1, Ordering::Relaxed))
}

pub(crate) fn path_of(source: &str) -> String {
    format!("/api/v1/infrastructure/sources/{source}/v1/logs")
}

/// An OTLP request with this many records.
pub(crate) fn otlp(records: usize) -> Vec<u8> {
    use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
    use opentelemetry_proto::tonic::common::v1::{AnyValue, any_value::Value};
    use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
    use prost::Message;

    let record = |number: usize| LogRecord {
        time_unix_nano: NOW.0.unsigned_abs(),
        body: Some(AnyValue {
            value: Some(Value::StringValue(format!("the record with the number {number}"))),
        }),
        ..LogRecord::default()
    };
    let scope = ScopeLogs { log_records: (0..records).map(record).collect(), ..ScopeLogs::default() };
    let resource = ResourceLogs { scope_logs: vec![scope], ..ResourceLogs::default() };
    ExportLogsServiceRequest { resource_logs: vec![resource] }.encode_to_vec()
}

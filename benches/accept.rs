//! The accept path in process: from a request's head and body to its acknowledgement, through every
//! stage of ingestion. Sockets, HTTP parsing and TLS are not part of it.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::cell::LazyCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use benches::bodies::{Form, gzip};
use benches::records::records;
use bytes::Bytes;
use common::clock::{SharedClock, SystemClock};
use common::partition::Partition;
use common::pepper::Pepper;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use directory::{Authenticator, Directory, NewKey, NewSource, SourceLookup};
use durable_log::memory::MemoryLog;
use durable_log::{DurableLog, embedded};
use futures_util::future::join_all;
use http::{Request, StatusCode};
use http_body_util::Full;
use ingest::limits::Limits;
use ingest::{Dependencies, Ingest, IngestConfig};
use ledger::memory::MemoryLedger;
use redact::{Policy, Redactor};
use tokio::runtime::Runtime;

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// One partition, so that appended batches can be released by their last offset.
const PARTITION: Partition = Partition(0);

/// A batch size: how many records, how many different bodies take turns, and how many requests are under
/// way at a time where the log has to sync: as many as share a group commit, few enough to be admitted.
const SIZES: [Size; 3] = [
    Size { records: 10, bodies: 64, at_once: 64 },
    Size { records: 1_000, bodies: 8, at_once: 8 },
    Size { records: 10_000, bodies: 2, at_once: 2 },
];

#[derive(Clone, Copy)]
struct Size {
    records: usize,
    bodies: u64,
    at_once: usize,
}

/// Ingestion over a log, with one key and one source.
struct Endpoint {
    ingest: Arc<Ingest>,
    log: Arc<dyn DurableLog>,
    uri: String,
    authorization: String,
}

/// Bodies, sent in turn.
struct Load {
    form: Form,
    is_gzip: bool,
    bodies: Vec<Bytes>,
    next: AtomicUsize,
}

impl Endpoint {
    async fn over(log: Arc<dyn DurableLog>, clock: SharedClock) -> Self {
        let pepper = Pepper::new([7; 32]);
        let directory =
            Arc::new(Directory::new(Arc::new(MemoryLedger::new()), clock.clone(), pepper.clone()));
        let organization = directory.create_organization("bench").await.unwrap().id;
        let new_key = NewKey { name: "bench".to_owned(), ..NewKey::default() };
        let (_, key) = directory.create_key(organization, new_key).await.unwrap();
        let source = directory.create_source(organization, NewSource::named("bench")).await.unwrap();
        let dependencies = Dependencies {
            log: Arc::clone(&log),
            authenticator: Arc::new(Authenticator::new(directory.clone(), clock.clone())),
            sources: Arc::new(SourceLookup::new(directory)),
            redactor: Arc::new(Redactor::new(&Policy::default()).unwrap()),
            pepper,
            clock,
            random: Arc::new(|| 0),
            statistics: Arc::default(),
        };
        // Ten thousand records of this size do not fit the wire without gzip: here they may.
        let limits = Limits { wire_bytes: Limits::default().inflated_bytes, ..Limits::default() };
        Self {
            ingest: Ingest::build(IngestConfig { limits, ..IngestConfig::default() }, dependencies).unwrap(),
            log,
            uri: format!("/api/v1/infrastructure/sources/{}/v1/logs", source.id),
            authorization: format!("Bearer {}", key.expose()),
        }
    }

    async fn post(&self, load: &Load) {
        let mut request = Request::post(&self.uri)
            .header("authorization", &self.authorization)
            .header("content-type", load.form.media_type());
        if load.is_gzip {
            request = request.header("content-encoding", "gzip");
        }
        let response = self.ingest.handle(request.body(Full::new(load.next())).unwrap()).await;
        assert_eq!(response.status(), StatusCode::OK);
    }

    /// Sends so many requests at a time, and lets the log forget them.
    async fn accept(&self, load: &Load, at_once: usize) {
        if at_once == 1 {
            self.post(load).await;
        } else {
            join_all((0..at_once).map(|_| self.post(load))).await;
        }
        self.log.release(PARTITION, self.log.end(PARTITION).await.unwrap());
    }
}

impl Load {
    fn new(form: Form, is_gzip: bool, size: Size) -> Self {
        let body = |seed| {
            let body = form.body(&records(size.records, seed));
            Bytes::from(if is_gzip { gzip(&body) } else { body })
        };
        Self { form, is_gzip, bodies: (0..size.bodies).map(body).collect(), next: AtomicUsize::new(0) }
    }

    fn next(&self) -> Bytes {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        self.bodies[turn % self.bodies.len()].clone()
    }
}

/// Every form and size over one log.
fn accept(criterion: &mut Criterion, runtime: &Runtime, name: &str, endpoint: &Endpoint, syncs: bool) {
    for form in Form::ALL {
        for is_gzip in [false, true] {
            let encoding = if is_gzip { "gzip" } else { "plain" };
            let mut group = criterion.benchmark_group(format!("accept/{name}/{}/{encoding}", form.name()));
            group.sampling_mode(SamplingMode::Flat);
            for size in SIZES {
                // Made on demand, not for benchmarks that the command line leaves out.
                let load = LazyCell::new(|| Load::new(form, is_gzip, size));
                let at_once = if syncs { size.at_once } else { 1 };
                group.throughput(Throughput::Elements((size.records * at_once) as u64));
                group.bench_function(BenchmarkId::from_parameter(size.records), |bencher| {
                    let load = &*load;
                    bencher.iter(|| runtime.block_on(endpoint.accept(load, at_once)));
                });
            }
            group.finish();
        }
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let clock: SharedClock = Arc::new(SystemClock::new());

    let in_memory = Arc::new(MemoryLog::new(1));
    let endpoint = runtime.block_on(Endpoint::over(in_memory, clock.clone()));
    accept(&mut criterion, &runtime, "memory", &endpoint, false);

    // Beside the build, not in /tmp, which often is memory and syncs nothing.
    let directory = tempfile::tempdir_in(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let config = embedded::Config { partitions: 1, ..embedded::Config::default() };
    let on_disk = Arc::new(embedded::open(directory.path(), &config, clock.clone()).unwrap());
    let endpoint = runtime.block_on(Endpoint::over(on_disk, clock));
    accept(&mut criterion, &runtime, "embedded", &endpoint, true);

    criterion.final_summary();
}

//! The accept path as a whole process: the server's cost of a record, sockets, kernel and disk included.
//! A server is started, senders over loopback keep it busy, and the CPU time that the operating system
//! counted for it is divided by the records accepted.
//!
//! Without arguments the server is ingestion alone in a process of its own: listener, ingestion, embedded
//! log and metrics, with everything released at once as analysis would do. `--binary FILE` measures
//! `palisade serve --role ingest` instead, where nothing is released and every segment is a new file. With
//! `--server-core N` the server has that core for itself: `taskset -c 1 … --server-core 0` keeps the senders off it.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use benches::binary;
use benches::bodies::Form;
use benches::process_cpu::cpu_time;
use benches::senders::{Load, Senders, Target};
use common::clock::{SharedClock, SystemClock};
use common::partition::Partition;
use common::pepper::Pepper;
use directory::{Authenticator, Directory, NewKey, NewSource, SourceLookup};
use durable_log::{DurableLog, embedded};
use http::Request;
use hyper::body::Incoming;
use ingest::{Dependencies, Ingest, IngestConfig};
use ledger::memory::MemoryLedger;
use process::listen::{Bound, ListenConfig};
use process::shutdown::Shutdown;
use process::telemetry::{BuildInfo, Telemetry, TelemetryConfig};
use redact::{Policy, Redactor};

/// The allocator of the binary that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Time for caches, buffers and files to settle.
const WARM_UP: Duration = Duration::from_secs(1);
/// Says to this program that it is the server; the directory follows.
const AS_SERVER: &str = "--as-server";
/// Without redaction: the cost of the rest.
const UNREDACTED: &str = "--unredacted";

struct Options {
    seconds: u64,
    binary: Option<PathBuf>,
    server_core: Option<String>,
    unredacted: bool,
    /// Only forms whose name contains this.
    only: String,
    only_small: bool,
}

impl Options {
    /// Starts a program, on a core of its own where that is wanted.
    fn command(&self, program: &Path) -> Command {
        let Some(core) = &self.server_core else { return Command::new(program) };
        let mut command = Command::new("taskset");
        command.args(["-c", core]).arg(program);
        command
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let unredacted = arguments.iter().any(|argument| argument == UNREDACTED);
    if let Some(directory) = after(AS_SERVER) {
        return serve(Path::new(&directory), unredacted);
    }
    let options = Options {
        seconds: after("--seconds").map_or(4, |text| text.parse().unwrap()),
        binary: after("--binary").map(PathBuf::from),
        server_core: after("--server-core"),
        unredacted,
        only: after("--only").unwrap_or_default(),
        only_small: arguments.iter().any(|argument| argument == "--small"),
    };
    for form in Form::ALL {
        for is_gzip in [false, true] {
            let name = format!("{}{}", form.name(), if is_gzip { "_gzip" } else { "" });
            if !name.contains(&options.only) {
                continue;
            }
            let (records, bodies, connections) =
                if options.only_small { (10, 512, 64) } else { (1_000, 16, 16) };
            let load = Load { form, is_gzip, records, bodies, connections };
            measure(&name, &load, &options);
        }
    }
    if !options.only_small && options.only.is_empty() {
        let load =
            Load { form: Form::OtlpProtobuf, is_gzip: false, records: 10, bodies: 512, connections: 64 };
        measure("otlp_protobuf", &load, &options);
    }
}

fn measure(name: &str, load: &Load, options: &Options) {
    // Beside the build, not in /tmp, which often is memory and syncs nothing.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (mut server, target) = match &options.binary {
        Some(binary) => {
            let (server, started) = binary::start(options.command(binary), directory.path(), "ingest");
            let path = format!("/api/v1/infrastructure/sources/{}/v1/logs", started.source);
            (server, started.target(path))
        }
        None => {
            start_self(options.command(&env::current_exe().unwrap()), directory.path(), options.unredacted)
        }
    };
    let senders = Senders::start(load.requests(&target), load.connections, target.address);
    thread::sleep(WARM_UP);
    let (before, accepted) = (cpu_time(server.id()).unwrap(), senders.accepted());
    thread::sleep(Duration::from_secs(options.seconds));
    let (cpu, accepted) = (cpu_time(server.id()).unwrap() - before, senders.accepted() - accepted);
    let ended = senders.stop();
    server.kill().unwrap();
    server.wait().unwrap();
    ended.unwrap();
    let records = accepted * load.records as u64;
    println!(
        "{name:<20} batches of {:>5}, {:>3} connections: {:>9.0} records a CPU second, {:>7.2} us a request, {:>5.2} us a record, {:>9.0} records a second, {:.2} cores",
        load.records,
        load.connections,
        records as f64 / cpu.as_secs_f64(),
        cpu.as_secs_f64() * 1e6 / accepted as f64,
        cpu.as_secs_f64() * 1e6 / records as f64,
        records as f64 / options.seconds as f64,
        cpu.as_secs_f64() / options.seconds as f64,
    );
}

/// This program as the server; it prints its address.
fn start_self(mut command: Command, directory: &Path, unredacted: bool) -> (Child, Target) {
    command.arg(AS_SERVER).arg(directory).stdout(Stdio::piped());
    if unredacted {
        command.arg(UNREDACTED);
    }
    let mut server = command.spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut line = || lines.next().unwrap();
    let target = Target { address: line().parse().unwrap(), path: line(), key: line() };
    (server, target)
}

/// The server: ingestion and its dependencies, until it is killed.
fn serve(directory: &Path, unredacted: bool) {
    let build = BuildInfo { version: "benchmark", revision: "unknown" };
    let telemetry = Telemetry::install(&TelemetryConfig::default(), build).unwrap();
    ingest::describe_metrics();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let clock: SharedClock = Arc::new(SystemClock::new());
        let log: Arc<dyn DurableLog> =
            Arc::new(embedded::open(directory, &embedded::Config::default(), clock.clone()).unwrap());
        let (ingest, path, key) = ingestion(Arc::clone(&log), clock, unredacted).await;
        let listen = ListenConfig::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let bound = Bound::bind(&listen).await.unwrap().with_plain(ingest.clone());
        println!("{}\n{path}\n{key}", bound.address());
        let handler = move |request: Request<Incoming>, _: SocketAddr| {
            let ingest = Arc::clone(&ingest);
            async move { ingest.handle(request).await }
        };
        let shutdown = Shutdown::new();
        tokio::join!(
            bound.serve(handler, shutdown.clone(), Duration::ZERO),
            telemetry.upkeep(shutdown),
            release(log),
        );
    });
}

async fn ingestion(
    log: Arc<dyn DurableLog>,
    clock: SharedClock,
    unredacted: bool,
) -> (Arc<Ingest>, String, String) {
    let pepper = Pepper::new([7; 32]);
    let directory = Arc::new(Directory::new(Arc::new(MemoryLedger::new()), clock.clone(), pepper.clone()));
    let organization = directory.create_organization("bench").await.unwrap().id;
    let new_key = NewKey { name: "bench".to_owned(), ..NewKey::default() };
    let (_, key) = directory.create_key(organization, new_key).await.unwrap();
    let source = directory.create_source(organization, NewSource::named("bench")).await.unwrap();
    let policy = if unredacted {
        Policy { entities: BTreeSet::new(), ..Policy::default() }
    } else {
        Policy::default()
    };
    let dependencies = Dependencies {
        log,
        authenticator: Arc::new(Authenticator::new(directory.clone(), clock.clone())),
        sources: Arc::new(SourceLookup::new(directory)),
        redactor: Arc::new(Redactor::new(&policy).unwrap()),
        pepper,
        clock,
        random: Arc::new(|| 0),
        statistics: Arc::default(),
    };
    let path = format!("/api/v1/infrastructure/sources/{}/v1/logs", source.id);
    (Ingest::build(IngestConfig::default(), dependencies).unwrap(), path, key.expose().to_owned())
}

/// Releases durable batches, ten times a second, as analysis that keeps up would: so that segments are
/// used again.
async fn release(log: Arc<dyn DurableLog>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    loop {
        ticks.tick().await;
        for partition in (0..log.partitions()).map(Partition) {
            log.release(partition, log.end(partition).await.unwrap());
        }
    }
}

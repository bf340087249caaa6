//! Throughput: many events to many targets, some of them dead, on the embedded ledger. Measures and prints; run it
//! alone, in release: `cargo test -p deliver --release --test deliver -- --ignored --nocapture load`.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use common::clock::{Clock, SharedClock, SystemClock};
use common::event::{Event, EventId, EventKind, EventSource, SourceGroup, outbox_key};
use common::ids::OrganizationId;
use common::pepper::Pepper;
use common::row::encode;
use common::timestamp::Timestamp;
use deliver::{Config, Deliverer, NewTarget, Parts, Receivers};
use directory::{Directory, SourceFilter};
use http::Response;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use ledger::{Commit, Kind, Ledger, LedgerId, Op};
use outbound::{Outbound, SystemResolver};
use ownership::Share;
use secrets::{KeyEncryptionKey, KeyEncryptionKeys, Vault};
use serde_json::{Value, json};
use tokio::net::TcpSocket;
use tokio::sync::{mpsc, watch};

use crate::house::PARTITION;

/// Behaviour of a target.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Well,
    Hangs,
    Refuses,
    Fails,
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Listens on a port of its own and tells how old events are when they come.
async fn receiver(manner: Manner, clock: SharedClock, ages: mpsc::Sender<Duration>) -> u16 {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = socket.local_addr().unwrap().port();
    if manner == Manner::Refuses {
        // Bound, but no one listens there.
        tokio::spawn(async move {
            let _socket = socket;
            std::future::pending::<()>().await;
        });
        return port;
    }
    let listener = socket.listen(1_024).unwrap();
    tokio::spawn(async move {
        let mut hanging = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            if manner == Manner::Hangs {
                hanging.push(stream);
                continue;
            }
            let (clock, ages) = (clock.clone(), ages.clone());
            let answer = service_fn(move |request| answer(manner, clock.clone(), ages.clone(), request));
            let connection = hyper::server::conn::http1::Builder::new();
            tokio::spawn(connection.serve_connection(TokioIo::new(stream), answer));
        }
    });
    port
}

async fn answer(
    manner: Manner,
    clock: SharedClock,
    ages: mpsc::Sender<Duration>,
    request: http::Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let body: Value = serde_json::from_slice(&request.collect().await.unwrap().to_bytes()).unwrap();
    if manner == Manner::Well {
        let sent = Timestamp(body["data"]["object"]["at"].as_i64().unwrap());
        ages.send(clock.now().since(sent)).await.unwrap();
    }
    let status = if manner == Manner::Fails { 503 } else { 200 };
    Ok(Response::builder().status(status).body(Full::new(Bytes::new())).unwrap())
}

/// Resident memory of this process, MiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1_024
}

async fn publish(ledger: &dyn Ledger, clock: &dyn Clock, organization: OrganizationId, count: u64) {
    for number in 0..count {
        let now = clock.now();
        let event = Event {
            id: EventId::of_cause(&[b"load", &number.to_be_bytes(), &now.0.to_be_bytes()]),
            kind: EventKind::InfrastructureIncidentEscalated,
            organization,
            source: Some(EventSource { group: SourceGroup::Infrastructure, id: None }),
            created_at: now,
            object: json!({ "object": "incident", "at": now.0, "summary": "x".repeat(1_000) }),
            incident: None,
        };
        let body: Bytes = encode(&event).unwrap().into();
        loop {
            let seq = ledger.seq(LedgerId::Partition(PARTITION)).await.unwrap();
            let key = outbox_key(seq.0 + 1, 0).into();
            let op = Op::Put { kind: Kind::Outbox, key, body: body.clone() };
            if let Ok(Commit::Done(_)) = ledger.commit(LedgerId::Partition(PARTITION), seq, vec![op]).await {
                break;
            }
        }
    }
}

/// Ages by the millisecond, of a size that does not grow with their number: what is measured here is also memory.
struct Ages {
    counts: Vec<u64>,
    total: u64,
    greatest: Duration,
}

impl Ages {
    /// Up to a minute; what is older is counted as that.
    fn new() -> Self {
        Self { counts: vec![0; 60_001], total: 0, greatest: Duration::ZERO }
    }

    fn record(&mut self, age: Duration) {
        let at = usize::try_from(age.as_millis()).unwrap().min(self.counts.len() - 1);
        self.counts[at] += 1;
        self.total += 1;
        self.greatest = self.greatest.max(age);
    }

    /// The age, to the millisecond, that so many percent of all do not exceed.
    fn percentile(&self, percent: u64) -> Duration {
        let mut seen = 0;
        let at = self.counts.iter().position(|count| {
            seen += count;
            seen * 100 >= self.total * percent
        });
        Duration::from_millis(at.unwrap_or_default() as u64)
    }
}

/// A deliverer with its targets.
struct Site {
    ledger: Arc<dyn Ledger>,
    clock: SharedClock,
    organization: OrganizationId,
    parts: Parts,
}

/// Targets of which the first `dead` hang, refuse or fail.
async fn site(files: &Path, targets: u64, dead: u64, ages: &mpsc::Sender<Duration>) -> Site {
    let ledger: Arc<dyn Ledger> =
        Arc::new(ledger::embedded::open(files, &ledger::embedded::Config::default()).unwrap());
    let clock: SharedClock = Arc::new(SystemClock::new());
    let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), Pepper::new([1; 32])));
    let keys = KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([2; 32])]).unwrap();
    let vault = Arc::new(Vault::new(ledger.clone(), keys));
    let allow_networks = vec!["127.0.0.0/8".parse().unwrap()];
    let config = outbound::Config { allow_networks, ..outbound::Config::default() };
    let resolver = SystemResolver::new(&config, clock.clone()).unwrap();
    let outbound = Arc::new(Outbound::new(&config, Arc::new(resolver), clock.clone()).unwrap());
    let receivers = Receivers::new(directory.clone(), vault.clone(), outbound.clone(), clock.clone());
    let organization = directory.create_organization("acme").await.unwrap().id;
    for number in 0..targets {
        let manner = match number {
            number if number >= dead => Manner::Well,
            number if number % 4 < 2 => Manner::Hangs,
            number if number % 4 == 2 => Manner::Refuses,
            _ => Manner::Fails,
        };
        let port = receiver(manner, clock.clone(), ages.clone()).await;
        let new = NewTarget {
            name: Some("target".to_owned()),
            url: format!("http://127.0.0.1:{port}/"),
            headers: BTreeMap::new(),
            events: Some(EventKind::ALL.iter().copied().collect()),
            sources: SourceFilter::default(),
            enabled: true,
        };
        receivers.create_webhook(organization, new).await.unwrap();
    }
    let parts = Parts {
        config: Config::default(),
        ledger: ledger.clone(),
        directory,
        vault,
        outbound,
        clock: clock.clone(),
        partitions: 1,
        chance: Arc::new(rand::random),
    };
    Site { ledger, clock, organization, parts }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for as long as it is told to"]
async fn load() {
    tracing_subscriber::fmt().init();
    let (seconds, rate) = (number("LOAD_SECONDS", 20), number("LOAD_EVENTS", 50));
    let (targets, dead) = (number("LOAD_TARGETS", 200), number("LOAD_DEAD", 20));
    let files = tempfile::tempdir().unwrap();
    let (ages, mut aged) = mpsc::channel(100_000);
    let Site { ledger, clock, organization, parts } = site(files.path(), targets, dead, &ages).await;
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(Deliverer::new(parts).run(Share::all(1), stopped));
    let done = Arc::new(AtomicBool::new(false));
    let finished = done.clone();
    let collecting = tokio::spawn(async move {
        let mut all = Ages::new();
        loop {
            match tokio::time::timeout(Duration::from_secs(2), aged.recv()).await {
                Ok(Some(age)) => all.record(age),
                _ if finished.load(Ordering::SeqCst) => return all,
                _ => {}
            }
        }
    });
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    for second in 0..seconds {
        ticks.tick().await;
        publish(ledger.as_ref(), clock.as_ref(), organization, rate).await;
        if second % 10 == 0 {
            println!("{second:>4} s: {} MiB resident", resident());
        }
    }
    done.store(true, Ordering::SeqCst);
    let all = collecting.await.unwrap();
    println!("{seconds:>4} s: {} MiB resident", resident());
    stop.send_replace(true);
    running.await.unwrap();
    let expected = seconds * rate * (targets - dead);
    println!(
        "{rate} events/s to {targets} targets, {dead} of them dead: {} of {expected} arrived",
        all.total
    );
    println!("p50 {:?}, p99 {:?}, max {:?}", all.percentile(50), all.percentile(99), all.greatest);
    let sizes = std::fs::read_dir(files.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
    println!("{} MiB of files", sizes.sum::<u64>() / 1_048_576);
    assert_eq!(all.total, expected);
}

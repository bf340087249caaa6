//! A measurement: how fast jobs start and end on one machine.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::{Clock as _, SystemClock};
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use ledger::embedded;
use ownership::Share;
use records::{Draft, Home, RecordError, Records};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::{Class, Config, Ending, Handler, Job, JobKind, Jobs, NewJob, Run, Stop, Worker};

const SHARDS: u16 = 4;
const ORGANIZATIONS: u8 = 10;
const JOBS: u32 = 1_000;

/// Between two jobs that are queued one after the other.
const PAUSE: Duration = Duration::from_millis(5);

/// Long enough to queue all jobs before their common due time.
const QUEUEING: Duration = Duration::from_secs(5);

/// Does nothing, and notes how long after its due time it began.
#[derive(Default)]
struct Nothing(Mutex<Vec<Duration>>);

#[async_trait]
impl Handler for Nothing {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        self.0.lock().unwrap().push(run.clock().now().since(run.job().due));
        Ok(())
    }

    async fn fail(&self, _: &Records, _: &Job, _: &Ending, _: &mut Draft) -> Result<(), RecordError> {
        Ok(())
    }
}

/// Queues a job every few milliseconds, or all with one due time, in turns over organizations. Returns the latencies from the due
/// time to the start, sorted, and the duration from the first due time until the last job had begun.
async fn measure(paced: bool) -> (Vec<Duration>, Duration) {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Arc::new(embedded::open(directory.path(), &embedded::Config::default()).unwrap());
    let records = Arc::new(Records::new(ledger, SHARDS, RecordId::from_bytes([1; 16]).0));
    let nothing = Arc::new(Nothing::default());
    let handler = Arc::clone(&nothing) as Arc<dyn Handler>;
    // With the usual bounds of an organization, so that 20 jobs of the ten organizations run at once.
    let kind = JobKind::new("nothing", Class::Light, Duration::from_secs(60), handler);
    let jobs = Arc::new(Jobs::new(records, vec![kind], Arc::new(SystemClock::new())));
    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    tasks.spawn(Worker::new(Arc::clone(&jobs), Config::default()).run(Share::all(SHARDS), stopped));
    let clock = SystemClock::new();
    let began = if paced { clock.now() } else { clock.now().plus(QUEUEING) };
    queue(&jobs, if paced { None } else { Some(began) }).await;
    assert!(paced || clock.now() < began, "queueing takes longer than the time until the jobs are due");
    while nothing.0.lock().unwrap().len() < JOBS as usize {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let took = clock.now().since(began);
    stop.send_replace(true);
    tasks.join_all().await;
    let mut latencies = nothing.0.lock().unwrap().clone();
    latencies.sort();
    (latencies, took)
}

/// Queues all jobs for one due time, or each due at once, with a pause between them.
async fn queue(jobs: &Jobs, due: Option<Timestamp>) {
    for number in 0..JOBS {
        let organization = u8::try_from(number % u32::from(ORGANIZATIONS)).unwrap();
        let organization = OrganizationId::from_bytes([organization; 16]);
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_be_bytes());
        let target = RecordId::new(Shard(u16::try_from(number % u32::from(SHARDS)).unwrap()), &hash);
        let mut attempts = jobs.records.attempts(Home::Records, target.shard());
        while let Some(mut draft) = attempts.next().await.unwrap() {
            let new = NewJob { due, ..NewJob::new("nothing", organization, target) };
            jobs.enqueue(&mut draft, new).await.unwrap();
            if attempts.commit(draft).await.unwrap() {
                break;
            }
        }
        if due.is_none() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn load() {
    for paced in [true, false] {
        let (latencies, took) = measure(paced).await;
        let at = |percent: usize| latencies[(latencies.len() - 1) * percent / 100];
        println!(
            "paced {paced}: p50 {:?}, p99 {:?}, max {:?}; {JOBS} jobs in {took:?}",
            at(50),
            at(99),
            at(100)
        );
        assert!(at(99) < Duration::from_secs(1), "dispatch takes too long");
    }
}

//! A process that runs jobs is killed; the process after it finishes them from their checkpoints, and nothing has an effect
//! twice. The process is this test binary, started once more.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::print_stdout, reason = "the killed process reports its commits on its standard output")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::{Clock, SystemClock};
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use jobs::{
    Class, Config, Ending, FinishedJob, Handler, Job, JobKind, Jobs, Listed, NewJob, Outcome, Run, Step,
    Stop, Worker,
};
use ledger::embedded;
use ownership::Share;
use records::{Draft, Home, RecordError, Records, Table};
use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, watch};

/// Names the directory of the ledger to the process that is killed.
const DIRECTORY: &str = "JOBS_KILL_TEST_DIRECTORY";
/// Number of the process, from 0.
const PROCESS: &str = "JOBS_KILL_TEST_PROCESS";
/// Steps that the process takes before it waits to be killed: a kill comes late on a busy machine.
const ALLOWED_STEPS: &str = "JOBS_KILL_TEST_ALLOWED_STEPS";
/// The clock of each process is so much ahead of the one before, so that no attempt waits for its pause after a failure.
const AHEAD: Duration = Duration::from_secs(600);
const SHARDS: u16 = 2;
const ORGANIZATIONS: u8 = 3;
/// More than an organization may have running.
const JOBS_OF_EACH: u8 = 4;
const STEPS: u64 = 20;
const COUNTERS: Table = Table::new("kill-counter");

/// The effects of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counter {
    steps: u64,
    finished: u64,
    failed: u64,
}

/// Counts its steps in the commits that write its checkpoints, and its end in the commit that ends it.
struct Count {
    allowed_steps: Semaphore,
}

impl Count {
    /// One commit, reported once it is durable.
    async fn commit(
        run: &mut Run,
        change: impl Fn(&mut Counter),
        step: Step,
        name: &str,
    ) -> Result<(), Stop> {
        let (records, resource) = (Arc::clone(run.records()), run.job().resource);
        let mut steps = run.steps();
        loop {
            let mut draft = steps.next().await?;
            let mut counter = read(&records, resource).await;
            change(&mut counter);
            draft.put_row(COUNTERS, resource.as_bytes(), &counter)?;
            if steps.commit(draft, step.clone()).await? {
                println!("\ntold {name}");
                return Ok(());
            }
        }
    }
}

#[async_trait]
impl Handler for Count {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let done = run.checkpoint::<u64>().await?.unwrap_or(0);
        for step in done..STEPS {
            self.allowed_steps.acquire().await.unwrap().forget();
            let checkpoint = Step::Checkpoint((step + 1).into());
            Self::commit(run, |counter| counter.steps += 1, checkpoint, "step").await?;
        }
        Self::commit(run, |counter| counter.finished += 1, Step::Finish, "finished").await
    }

    async fn fail(
        &self,
        records: &Records,
        job: &Job,
        _: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError> {
        let mut counter = read(records, job.resource).await;
        counter.failed += 1;
        draft.put_row(COUNTERS, job.resource.as_bytes(), &counter)
    }
}

async fn read(records: &Records, resource: RecordId) -> Counter {
    let place = (Home::Records, resource.shard());
    records.row(place, COUNTERS, resource.as_bytes()).await.unwrap().unwrap_or_default()
}

/// The machine's clock, ahead.
struct Ahead(SystemClock, Duration);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        self.0.now().plus(self.1)
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }
}

fn open(directory: &Path, process: u32) -> (Arc<Records>, Arc<Jobs>) {
    let ledger = Arc::new(embedded::open(directory, &embedded::Config::default()).unwrap());
    let records = Arc::new(Records::new(ledger, SHARDS, uuid::Uuid::new_v4()));
    let allowed_steps =
        std::env::var(ALLOWED_STEPS).map_or(Semaphore::MAX_PERMITS, |steps| steps.parse().unwrap());
    let count = Count { allowed_steps: Semaphore::new(allowed_steps) };
    let kind = JobKind::new("count", Class::Light, Duration::from_secs(3_600), Arc::new(count));
    let clock = Arc::new(Ahead(SystemClock::new(), AHEAD * process));
    (Arc::clone(&records), Arc::new(Jobs::new(records, vec![kind], clock)))
}

/// Not a test by itself: runs jobs until it is killed.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by the test below"]
async fn work_until_killed() {
    let directory = std::env::var(DIRECTORY).unwrap();
    let process = std::env::var(PROCESS).unwrap().parse().unwrap();
    let (_, jobs) = open(Path::new(&directory), process);
    let (_stop, stopped) = watch::channel(false);
    Worker::new(jobs, Config::default()).run(Share::all(SHARDS), stopped).await;
}

#[tokio::test]
async fn jobs_of_a_killed_process_are_finished_by_the_next_without_an_effect_twice() {
    let directory = tempfile::tempdir().unwrap();
    let (records, jobs) = open(directory.path(), 0);
    let mut targets = Vec::new();
    for number in 0..ORGANIZATIONS * JOBS_OF_EACH {
        let target = RecordId::new(Shard(u16::from(number) % SHARDS), &[number; 32]);
        let organization = OrganizationId::from_bytes([number % ORGANIZATIONS; 16]);
        let mut attempts = records.attempts(Home::Records, target.shard());
        let mut draft = attempts.next().await.unwrap().unwrap();
        jobs.enqueue(&mut draft, NewJob::new("count", organization, target)).await.unwrap();
        assert!(attempts.commit(draft).await.unwrap());
        targets.push(target);
    }
    drop((records, jobs));
    let everything = targets.len();
    // Some jobs are running and others queued at both kills: a job that is interrupted three times has failed.
    kill_after(directory.path(), 0, Some(15), |_, steps| steps == 15);
    kill_after(directory.path(), 1, Some(60), |_, steps| steps == 60);
    let (records, jobs) = open(directory.path(), 0);
    let ended = finished(&jobs).await;
    drop((records, jobs));
    kill_after(directory.path(), 2, None, |finished, _| finished + ended.len() == everything);
    let (records, jobs) = open(directory.path(), 0);
    for target in targets {
        let counter = read(&records, target).await;
        assert_eq!(counter, Counter { steps: STEPS, finished: 1, failed: 0 }, "{target}");
    }
    let finished = finished(&jobs).await;
    assert_eq!(finished.len(), everything);
    assert!(finished.iter().all(|one| one.outcome == Outcome::Succeeded), "{finished:?}");
    let attempts = |wanted: fn(u32) -> bool| finished.iter().filter(|one| wanted(one.job.attempt)).count();
    assert!(attempts(|attempt| attempt > 1) > 0, "some were running at a kill");
    assert!(attempts(|attempt| attempt == 1) > 0, "some were queued at both");
}

/// Runs a process and kills it once its reported numbers of ends and steps are enough.
fn kill_after(
    directory: &Path,
    process: u32,
    allowed_steps: Option<u32>,
    enough: impl Fn(usize, usize) -> bool,
) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    if let Some(steps) = allowed_steps {
        child.env(ALLOWED_STEPS, steps.to_string());
    }
    let mut child = child
        .args(["--exact", "work_until_killed", "--ignored", "--nocapture"])
        .env(DIRECTORY, directory)
        .env(PROCESS, process.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut finished, mut steps) = (0, 0);
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        match line.unwrap().as_str() {
            "told step" => steps += 1,
            "told finished" => finished += 1,
            _ => continue,
        }
        if enough(finished, steps) {
            // It may end further jobs before its own end, but takes no further step.
            child.kill().unwrap();
            break;
        }
    }
    child.wait().unwrap();
    assert!(enough(finished, steps), "the process ended by itself");
}

async fn finished(jobs: &Jobs) -> Vec<FinishedJob> {
    let listed = jobs.list(None, 1_000).await.unwrap();
    let finished = listed.into_iter().filter_map(|one| match one {
        Listed::Finished(finished) => Some(finished),
        Listed::Unfinished(_) => None,
    });
    finished.collect()
}

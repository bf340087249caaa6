//! Many short lives of a deployment, each from a seed: jobs are queued and cancelled, shards go from process to process,
//! processes die in the middle of a commit, are paused and wake up again, answers of commits are lost, time passes. Whatever
//! happens: every job ends exactly once, and no effect of it takes place twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use common::ids::RecordId;
use common::partition::{Partition, Shard};
use ledger::memory::{MemoryLedger, UnknownOutcome};
use ledger::wrapped::Wrapper;
use ledger::{Changes, Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq};
use records::{Home, Record, Records};
use tokio::sync::{Notify, watch};
use tokio::task::{AbortHandle, JoinSet};

use crate::conformance::stage::{End, SHARDS, Script, Stage, Target, all};
use crate::tables::{CLAIMS, COUNTS};
use crate::transitions::read;
use crate::{Exclusive, JobState, Jobs, Listed, Outcome, Scope, Worker};

/// Number of simulated lives: `PALISADE_JOB_HISTORIES`, or these.
const HISTORIES: u64 = 150;
/// Events of one life.
const STEPS: u64 = 80;
/// Processes of a deployment.
const PROCESSES: usize = 3;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Events met on the way, so that no kind of trouble goes untested unnoticed.
#[derive(Debug, Default)]
struct Met {
    jobs: AtomicU64,
    deaths: AtomicU64,
    pauses: AtomicU64,
    take_overs: AtomicU64,
    lost_answers: AtomicU64,
    cancelled: AtomicU64,
    succeeded: AtomicU64,
    failed: AtomicU64,
    further_attempts: AtomicU64,
    claims: AtomicU64,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::SeqCst);
}

/// The ledger as one process reaches it.
struct Link {
    ledger: Arc<MemoryLedger>,
    random: Arc<Mutex<Random>>,
    met: Arc<Met>,
    /// Of a hundred commits so many lose their answer.
    lost_answers: u64,
    paused: watch::Sender<bool>,
    /// Commits that it may still make; it dies at the next.
    left: AtomicU64,
    died: Notify,
}

impl Link {
    fn new(ledger: &Arc<MemoryLedger>, random: &Arc<Mutex<Random>>, met: &Arc<Met>) -> Self {
        Self {
            ledger: Arc::clone(ledger),
            random: Arc::clone(random),
            met: Arc::clone(met),
            lost_answers: 8,
            paused: watch::Sender::new(false),
            left: AtomicU64::new(u64::MAX),
            died: Notify::new(),
        }
    }

    fn below(&self, bound: u64) -> u64 {
        self.random.lock().unwrap().below(bound)
    }

    /// Takes some time, and waits while the process is paused.
    async fn pass(&self) {
        let milliseconds = self.below(3);
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        let _ = self.paused.subscribe().wait_for(|paused| !*paused).await;
        if self.left.load(Ordering::SeqCst) == 0 {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Wrapper for Link {
    fn inner(&self) -> &dyn Ledger {
        self.ledger.as_ref()
    }

    async fn on_seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        self.pass().await;
        self.ledger.seq(ledger).await
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        self.pass().await;
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            if self.below(2) == 0 {
                self.ledger.commit(ledger, at, ops).await?;
            }
            self.died.notify_one();
            return std::future::pending().await;
        }
        if self.below(100) < self.lost_answers {
            count(&self.met.lost_answers);
            let took = self.below(2) == 0;
            let outcome = if took { UnknownOutcome::TookEffect } else { UnknownOutcome::WasLost };
            self.ledger.make_next_commit_unknown(outcome);
        }
        let answer = self.ledger.commit(ledger, at, ops).await;
        // The answer may come late.
        self.pass().await;
        answer
    }

    async fn on_get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        self.pass().await;
        self.ledger.get(ledger, kind, key).await
    }

    async fn on_scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        self.pass().await;
        self.ledger.scan(ledger, kind, range, limit).await
    }

    async fn on_changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
        self.pass().await;
        self.ledger.changes(ledger, after).await
    }
}

/// A process with a worker that makes a round at every tick.
struct Process {
    link: Arc<Link>,
    wanted: watch::Sender<BTreeSet<Partition>>,
    tick: Arc<Notify>,
    task: AbortHandle,
}

struct History {
    random: Arc<Mutex<Random>>,
    met: Arc<Met>,
    memory: Arc<MemoryLedger>,
    /// Reads without delay.
    observer: Records,
    stage: Stage,
    lives: u8,
    tasks: JoinSet<()>,
    processes: Vec<Process>,
    queued: Vec<(Target, RecordId, Script)>,
}

impl History {
    fn new(seed: u64, met: &Arc<Met>) -> Self {
        let random = Arc::new(Mutex::new(Random(seed)));
        let memory = Arc::new(MemoryLedger::new());
        // Operations of users meet lost answers, too.
        let link: Arc<dyn Ledger> = Arc::new(Link::new(&memory, &random, met));
        let mut history = Self {
            random,
            met: Arc::clone(met),
            observer: Records::new(memory.clone(), SHARDS, RecordId::from_bytes([99; 16]).0),
            memory,
            stage: Stage::new(&link, 1),
            lives: 0,
            tasks: JoinSet::new(),
            processes: Vec::new(),
            queued: Vec::new(),
        };
        for _ in 0..PROCESSES {
            let process = history.start();
            history.processes.push(process);
        }
        history
    }

    fn below(&self, bound: u64) -> u64 {
        self.random.lock().unwrap().below(bound)
    }

    fn start(&mut self) -> Process {
        self.lives += 1;
        let link = Arc::new(Link::new(&self.memory, &self.random, &self.met));
        let mut worker = self.worker_on(link.clone(), self.lives);
        let (wanted, tick) = (watch::Sender::new(BTreeSet::new()), Arc::new(Notify::new()));
        let (wants, ticks, dies) = (wanted.subscribe(), Arc::clone(&tick), Arc::clone(&link));
        let task = self.tasks.spawn(async move {
            let working = async {
                loop {
                    ticks.notified().await;
                    let wanted = wants.borrow().clone();
                    worker.round(&wanted, Duration::ZERO).await;
                }
            };
            tokio::select! {
                () = working => {}
                () = dies.died.notified() => {}
            }
        });
        Process { link, wanted, tick, task }
    }

    fn worker_on(&self, ledger: Arc<dyn Ledger>, life: u8) -> Worker {
        let records = Arc::new(Records::new(ledger, SHARDS, RecordId::from_bytes([100 + life; 16]).0));
        let kinds = self.stage.jobs.kinds.values().cloned().collect();
        let jobs = Arc::new(Jobs::new(records, kinds, self.stage.clock.clone()));
        Worker::new(jobs, crate::Config { poll_milliseconds: 1, heavy_slots: 1, light_slots: 4 })
    }

    async fn live(&mut self) {
        for _ in 0..STEPS {
            let process = usize::try_from(self.below(PROCESSES as u64)).unwrap();
            match self.below(20) {
                0..=2 => self.queue().await,
                3 => self.cancel().await,
                4 => self.reassign(),
                5 => self.kill(process).await,
                6 | 7 => self.pause(process),
                8 | 9 => self.stage.advance(self.below(150)),
                _ => self.processes[process].tick.notify_one(),
            }
            for _ in 0..self.below(8) {
                tokio::time::sleep(Duration::from_millis(1)).await;
                self.check_claims().await;
            }
        }
    }

    /// Of the jobs with one key, one at most is running: what is read here is of one moment.
    async fn check_claims(&self) {
        let claiming = self.stage.scripted.claiming.lock().unwrap().clone();
        let mut holders: BTreeMap<String, Vec<RecordId>> = BTreeMap::new();
        for (key, id, attempt) in claiming {
            let job = read(&self.observer, (Home::Records, id.shard()), id).await.unwrap();
            if job.is_some_and(|job| job.state == JobState::Running && job.attempt == attempt) {
                holders.entry(key).or_default().push(id);
                count(&self.met.claims);
            }
        }
        assert!(holders.values().all(|holders| holders.len() == 1), "{holders:?}");
    }

    async fn queue(&mut self) {
        let number = u8::try_from(self.queued.len()).unwrap();
        let shard = u16::try_from(self.below(SHARDS.into())).unwrap();
        let target = self.stage.target_at(self.stage.organization, shard, number);
        let end = match self.below(8) {
            0..=2 => End::Finish,
            3 => End::Return,
            4 | 5 => End::Retry,
            6 => End::Fatal,
            _ => End::Defer(5),
        };
        let script = Script { steps: self.below(12), end };
        let mut new = self.stage.new_job(&target, script.steps, end);
        let scope = if self.below(2) == 0 { Scope::Unfinished } else { Scope::Running };
        if self.below(3) == 0 {
            // Of running jobs in every shard; of unfinished ones in one.
            let key = if scope == Scope::Running { "running".to_owned() } else { format!("{shard}") };
            new.exclusive = Some(Exclusive { key, scope });
        }
        match self.stage.queue(&target, new).await {
            Ok(id) => self.queued.push((target, id, script)),
            Err(crate::EnqueueError::Busy { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        count(&self.met.jobs);
    }

    async fn cancel(&mut self) {
        let jobs = u64::try_from(self.queued.len()).unwrap();
        if jobs > 0 {
            let (_, id, _) = &self.queued[usize::try_from(self.below(jobs)).unwrap()];
            self.stage.jobs.cancel(*id).await.unwrap();
        }
    }

    /// Leases go to other processes; a process may not hear of it for a while.
    fn reassign(&mut self) {
        count(&self.met.take_overs);
        let owners: Vec<u64> = (0..SHARDS).map(|_| self.below(PROCESSES as u64)).collect();
        for (number, process) in self.processes.iter().enumerate() {
            if self.random.lock().unwrap().below(4) == 0 {
                continue;
            }
            process.tick.notify_one();
            let own = (0..SHARDS).filter(|shard| owners[usize::from(*shard)] == number as u64).map(Partition);
            process.wanted.send_replace(own.collect());
        }
    }

    /// A process dies: at once, or in the middle of one of its next commits. Another comes in its place.
    async fn kill(&mut self, number: usize) {
        count(&self.met.deaths);
        let process = &self.processes[number];
        process.link.left.store(1 + self.below(4), Ordering::SeqCst);
        for _ in 0..6 {
            process.tick.notify_one();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        process.task.abort();
        let wanted = process.wanted.borrow().clone();
        let next = self.start();
        next.wanted.send_replace(wanted);
        self.processes[number] = next;
    }

    fn pause(&mut self, number: usize) {
        count(&self.met.pauses);
        self.processes[number].link.paused.send_modify(|paused| *paused = !*paused);
    }

    /// Everybody is gone; one process works on until everything has ended.
    async fn conclude(&mut self) {
        let mut worker = self.worker_on(self.memory.clone(), 0);
        worker.round(&all(), Duration::ZERO).await;
        for round in 0..12 {
            // Those that were paused wake up and try to go on: before, while and after others do the same.
            self.wake_some(round == 4);
            worker.settle(&all()).await;
            self.stage.advance(121);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        self.tasks.shutdown().await;
        worker.settle(&all()).await;
    }

    fn wake_some(&mut self, all: bool) {
        for number in 0..self.processes.len() {
            if !all && self.below(3) > 0 {
                continue;
            }
            let (link, later) =
                (Arc::clone(&self.processes[number].link), Duration::from_millis(self.below(60)));
            self.tasks.spawn(async move {
                tokio::time::sleep(later).await;
                link.paused.send_replace(false);
            });
        }
    }

    async fn judge(&self) {
        let listed = self.stage.jobs.list(None, 10_000).await.unwrap();
        let finished: Vec<_> = listed
            .into_iter()
            .map(|one| match one {
                Listed::Finished(finished) => finished,
                Listed::Unfinished(job) => panic!("a job never ended: {job:?}"),
            })
            .collect();
        assert_eq!(finished.len(), self.queued.len(), "every job ends once");
        for (target, id, script) in &self.queued {
            let found = finished.iter().find(|one| one.job.id == *id).expect("it has ended");
            let left = self.stage.read(target).await;
            let ending = match (&found.outcome, script.end) {
                (Outcome::Succeeded, End::Return) => None,
                (Outcome::Succeeded, End::Retry | End::Fatal) => panic!("it cannot succeed: {found:?}"),
                (Outcome::Succeeded, _) => Some("finished"),
                (Outcome::Ended(crate::Ending::Cancelled), _) => Some("cancelled"),
                (Outcome::Ended(crate::Ending::Failed { .. }), _) => Some("failed"),
                (outcome, _) => panic!("{outcome:?}"),
            };
            let own = |name| u64::from(ending == Some(name));
            assert_eq!((left.finished, left.failed), (own("finished"), own("cancelled") + own("failed")));
            let is_whole = found.outcome == Outcome::Succeeded;
            assert!(
                left.steps == script.steps || (!is_whole && left.steps < script.steps),
                "{left:?} {script:?}"
            );
            let steps = (0..left.steps).map(|step| format!("step {step}"));
            let expected = ["started".to_owned()].into_iter().chain(steps).chain(ending.map(str::to_owned));
            assert_eq!(self.stage.events(target).await, expected.collect::<Vec<_>>(), "no effect twice");
            let history = self
                .stage
                .records
                .history::<Target>(target.organization(), target.id(), None, 100)
                .await
                .unwrap();
            assert_eq!(history.len() as u64, left.steps + u64::from(ending.is_some()));
            self.note(&found.outcome, found.job.attempt);
        }
        for shard in (0..SHARDS).map(Shard) {
            for table in [COUNTS, CLAIMS] {
                let place = (Home::Records, shard);
                let rows =
                    self.stage.records.rows::<serde_json::Value>(place, table, b"", None, 10).await.unwrap();
                assert_eq!(rows, [], "nothing is left behind");
            }
        }
    }

    fn note(&self, outcome: &Outcome, attempt: u32) {
        match outcome {
            Outcome::Succeeded => count(&self.met.succeeded),
            Outcome::Ended(crate::Ending::Cancelled) => count(&self.met.cancelled),
            _ => count(&self.met.failed),
        }
        if attempt > 1 {
            count(&self.met.further_attempts);
        }
    }
}

#[test]
fn every_job_ends_once_and_no_effect_takes_place_twice() {
    let histories = std::env::var("PALISADE_JOB_HISTORIES").map_or(HISTORIES, |text| text.parse().unwrap());
    let met = Arc::new(Met::default());
    for seed in 0..histories {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let lived = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            runtime.block_on(async {
                let mut history = History::new(seed, &met);
                history.reassign();
                history.live().await;
                history.conclude().await;
                history.judge().await;
            });
        }));
        assert!(lived.is_ok(), "history {seed}");
    }
    let counters = [
        &met.jobs,
        &met.deaths,
        &met.pauses,
        &met.take_overs,
        &met.lost_answers,
        &met.cancelled,
        &met.succeeded,
        &met.failed,
        &met.further_attempts,
        &met.claims,
    ];
    assert!(counters.iter().all(|counter| counter.load(Ordering::SeqCst) > 0), "{met:?}");
}

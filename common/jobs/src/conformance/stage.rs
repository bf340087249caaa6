//! Jobs whose payload says what they do, and everything they need.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use common::clock::{Clock, ManualClock};
use common::event::{Event, EventId, EventKind};
use common::ids::{OrganizationId, RecordId};
use common::partition::Partition;
use common::timestamp::Timestamp;
use ledger::{Kind, Ledger, Range};
use records::{Change, Draft, Home, Record, RecordError, Records};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::{
    Class, Config, Ending, EnqueueError, Handler, Job, JobKind, Jobs, NewJob, Run, Step, Stop, Worker,
};

/// Shards of the store under test.
pub(crate) const SHARDS: u16 = 2;
/// Longest time of an attempt by the clock.
pub(crate) const DEADLINE: Duration = Duration::from_secs(3_600);

/// Behaviour of a job.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Script {
    /// Steps with a checkpoint each.
    pub(crate) steps: u64,
    /// What comes then.
    pub(crate) end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum End {
    Finish,
    /// Returns and leaves the end to the worker.
    Return,
    Retry,
    Fatal,
    /// Fails, and so does its failure handler.
    FatalTwice,
    /// Fails, and its failure handler never returns.
    FatalHang,
    /// Waits for so many seconds once.
    Defer(u64),
    /// Waits until the gate is open.
    Hold,
    Panic,
}

/// The record that jobs work on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) id: Option<RecordId>,
    pub(crate) organization: Option<OrganizationId>,
    pub(crate) steps: u64,
    pub(crate) finished: u64,
    pub(crate) failed: u64,
}

impl Record for Target {
    const NAME: &'static str = "job-target";
    type Detail = ();
    type History = String;

    fn id(&self) -> RecordId {
        self.id.expect("every target has an id")
    }

    fn organization(&self) -> OrganizationId {
        self.organization.expect("every target has an organization")
    }
}

/// Runs scripts.
pub(crate) struct Scripted {
    gate: watch::Receiver<bool>,
    /// Attempts that wait at the gate, or have.
    pub(crate) held: AtomicUsize,
    /// Attempts with the claim of a running job that have begun and not returned: key, job, attempt.
    pub(crate) claiming: Mutex<Vec<(String, RecordId, u32)>>,
}

/// Changes the target in a draft, with a history entry and an event that name the change.
async fn change(
    records: &Records,
    job: &Job,
    draft: &mut Draft,
    name: &str,
    change: impl FnOnce(&mut Target),
) -> Result<(), RecordError> {
    let Some(mut target) = records.get::<Target>(job.organization, job.resource).await? else {
        return Ok(());
    };
    change(&mut target);
    let event = event(job.organization, job.resource, name);
    draft.add(Change::put(target).history(name.to_owned()).event(event))
}

pub(crate) fn event(organization: OrganizationId, target: RecordId, name: &str) -> Event {
    Event {
        id: EventId::of_cause(&[target.as_bytes(), name.as_bytes()]),
        kind: EventKind::ReportFinished,
        organization,
        source: None,
        created_at: Timestamp(0),
        object: serde_json::Value::String(name.to_owned()),
        incident: None,
    }
}

impl Scripted {
    async fn play(&self, run: &mut Run) -> Result<(), Stop> {
        let (records, job) = (Arc::clone(run.records()), run.job().clone());
        let script: Script = serde_json::from_value(job.payload.clone()).expect("the payload is a script");
        let done = run.checkpoint::<u64>().await?.unwrap_or(0);
        for step in done..script.steps {
            let mut steps = run.steps();
            loop {
                let mut draft = steps.next().await?;
                change(&records, &job, &mut draft, &format!("step {step}"), |target| target.steps += 1)
                    .await?;
                if steps.commit(draft, Step::Checkpoint((step + 1).into())).await? {
                    break;
                }
            }
        }
        match script.end {
            End::Return => return Ok(()),
            End::Retry => return Err(Stop::Retry("again".to_owned())),
            End::Fatal | End::FatalTwice | End::FatalHang => return Err(Stop::Fatal("never".to_owned())),
            End::Panic => panic!("as the script says"),
            End::Defer(seconds) if done <= script.steps => {
                run.save(&(script.steps + 1)).await?;
                let until = run.clock().now().plus(Duration::from_secs(seconds));
                return run.defer(until).await;
            }
            End::Hold => {
                self.held.fetch_add(1, Ordering::SeqCst);
                let _ = self.gate.clone().wait_for(|open| *open).await;
            }
            End::Finish | End::Defer(_) => {}
        }
        Self::finish(run).await
    }

    async fn finish(run: &mut Run) -> Result<(), Stop> {
        let (records, job) = (Arc::clone(run.records()), run.job().clone());
        let mut steps = run.steps();
        loop {
            let mut draft = steps.next().await?;
            change(&records, &job, &mut draft, "finished", |target| target.finished += 1).await?;
            if steps.commit(draft, Step::Finish).await? {
                return Ok(());
            }
        }
    }
}

#[async_trait]
impl Handler for Scripted {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let claiming = || self.claiming.lock().unwrap_or_else(PoisonError::into_inner);
        let (id, attempt) = (run.job().id, run.job().attempt);
        if let Some((_, key)) = crate::claims::needed(run.job()) {
            claiming().push((key.to_owned(), id, attempt));
        }
        let ended = self.play(run).await;
        claiming().retain(|one| (one.1, one.2) != (id, attempt));
        ended
    }

    async fn fail(
        &self,
        records: &Records,
        job: &Job,
        ending: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError> {
        let script: Script = serde_json::from_value(job.payload.clone()).expect("the payload is a script");
        if script.end == End::FatalTwice {
            return Err(RecordError::Conflict);
        }
        if script.end == End::FatalHang {
            std::future::pending::<()>().await;
        }
        let name = match ending {
            Ending::Cancelled => "cancelled",
            Ending::DeadlineExceeded => "late",
            Ending::Failed { .. } => "failed",
        };
        change(records, job, draft, name, |target| target.failed += 1).await
    }
}

/// See the module.
pub(crate) struct Stage {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) records: Arc<Records>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) scripted: Arc<Scripted>,
    pub(crate) gate: watch::Sender<bool>,
    pub(crate) organization: OrganizationId,
    number: u8,
    names: [&'static str; 2],
}

impl Stage {
    pub(crate) fn new(ledger: &Arc<dyn Ledger>, number: u8) -> Self {
        // Far apart, so that what one clause leaves behind is not due in another.
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(
            1_800_000_000_000 - i64::from(number) * 40 * 86_400_000,
        )));
        // Kinds of its own, so that no other clause runs its jobs. The names live as long as the test.
        let names = ["light", "heavy"].map(|class| &*format!("{class}-{number}").leak());
        let (gate, opened) = watch::channel(false);
        let scripted =
            Arc::new(Scripted { gate: opened, held: AtomicUsize::new(0), claiming: Mutex::default() });
        let (records, jobs) = Self::process(ledger, &clock, &scripted, number, names, 0);
        let organization = OrganizationId::from_bytes([number; 16]);
        Self { ledger: Arc::clone(ledger), clock, records, jobs, scripted, gate, organization, number, names }
    }

    fn process(
        ledger: &Arc<dyn Ledger>,
        clock: &Arc<ManualClock>,
        scripted: &Arc<Scripted>,
        number: u8,
        names: [&'static str; 2],
        process: u8,
    ) -> (Arc<Records>, Arc<Jobs>) {
        let mut nonce = [number; 16];
        nonce[0] = process;
        let nonce = RecordId::from_bytes(nonce).0;
        let records = Arc::new(Records::new(Arc::clone(ledger), SHARDS, nonce));
        let handler = || Arc::clone(scripted) as Arc<dyn Handler>;
        let kinds = vec![
            JobKind::new(names[0], Class::Light, DEADLINE, handler()),
            JobKind::new(names[1], Class::Heavy, DEADLINE, handler()),
        ];
        (Arc::clone(&records), Arc::new(Jobs::new(records, kinds, clock.clone())))
    }

    /// The kind of light jobs: of this clause alone, so that no other runs them.
    pub(crate) fn light(&self) -> &'static str {
        self.names[0]
    }

    pub(crate) fn heavy(&self) -> &'static str {
        self.names[1]
    }

    /// A worker of this process.
    pub(crate) fn worker(&self) -> Worker {
        Worker::new(Arc::clone(&self.jobs), Config { poll_milliseconds: 1, heavy_slots: 1, light_slots: 8 })
    }

    /// A worker of another process.
    pub(crate) fn other_worker(&self, process: u8) -> Worker {
        let (_, jobs) =
            Self::process(&self.ledger, &self.clock, &self.scripted, self.number, self.names, process);
        Worker::new(jobs, Config { poll_milliseconds: 1, heavy_slots: 1, light_slots: 8 })
    }

    pub(crate) fn target_at(&self, organization: OrganizationId, shard: u16, number: u8) -> Target {
        let id = RecordId::new(common::partition::Shard(shard), &[number; 32]);
        Target { id: Some(id), organization: Some(organization), ..Target::default() }
    }

    pub(crate) fn new_job(&self, target: &Target, steps: u64, end: End) -> NewJob {
        let mut new = NewJob::new(self.light(), target.organization(), target.id());
        new.payload = serde_json::to_value(Script { steps, end }).expect("a script is JSON");
        new
    }

    /// Writes a target and queues its job, in one commit with an event.
    pub(crate) async fn queue(&self, target: &Target, new: NewJob) -> Result<RecordId, EnqueueError> {
        let mut attempts = self.records.attempts(Home::Records, target.id().shard());
        while let Some(mut draft) = attempts.next().await? {
            let started = event(target.organization(), target.id(), "started");
            draft.add(Change::put(target.clone()).event(started))?;
            let id = self.jobs.enqueue(&mut draft, new.clone()).await?;
            if attempts.commit(draft).await? {
                return Ok(id);
            }
        }
        Err(RecordError::Conflict.into())
    }

    /// A target in the first shard with a job.
    pub(crate) async fn queued(&self, number: u8, steps: u64, end: End) -> (Target, RecordId) {
        let target = self.target_at(self.organization, 0, number);
        let id = self.queue(&target, self.new_job(&target, steps, end)).await.expect("there is room");
        (target, id)
    }

    pub(crate) async fn read(&self, target: &Target) -> Target {
        let read = self.records.get::<Target>(target.organization(), target.id()).await;
        read.expect("it can be read").expect("it is there")
    }

    /// Events of a target in the order of the outbox.
    pub(crate) async fn events(&self, target: &Target) -> Vec<String> {
        let id = Home::Records.ledger(target.id().shard());
        let rows =
            self.ledger.scan(id, Kind::Outbox, Range::default(), 10_000).await.expect("rows can be read");
        let events = rows.iter().map(|row| common::row::decode::<Event>(&row.body).expect("it is an event"));
        let of = |name: &str| event(target.organization(), target.id(), name).id;
        let own = events.filter(|one| one.organization == target.organization());
        let own = own.filter(|one| one.object.as_str().is_some_and(|name| one.id == of(name)));
        own.map(|one| one.object.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until so many attempts have come to the gate.
    pub(crate) async fn held(&self, worker: &mut Worker, count: usize) {
        while self.scripted.held.load(Ordering::SeqCst) < count {
            worker.round(&all(), Duration::ZERO).await;
            tokio::task::yield_now().await;
        }
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// All shards.
pub(crate) fn all() -> BTreeSet<Partition> {
    (0..SHARDS).map(Partition).collect()
}

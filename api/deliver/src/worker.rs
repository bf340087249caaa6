//! One partition's deliveries: takes the partition over, then reads the outboxes, attempts what is due and writes down what
//! came of it, many outcomes in one commit, until it is told to stop. Whatever goes wrong with the ledger, everything is
//! read from it again. What an outcome does to the rows lies in `outcomes`; what is forgotten, in `retention`.

mod health;
mod measure;
mod outcomes;
mod restore;
mod retention;
mod start;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use common::clock::SharedClock;
use common::partition::Partition;
use common::timestamp::Timestamp;
use directory::Directory;
use ledger::{Ledger, LedgerError, LedgerId};
use outbound::Outbound;
use thiserror::Error;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;

use crate::attempt::{Attempting, Finished};
use crate::config::Config;
use crate::endpoint::EndpointCache;
use crate::fan_out::{FanOut, Fresh, PAGE};
use crate::health::Health;
use crate::journal::{Batch, DeliveryJournal, JournalError};
use crate::open_events::OpenEvents;
use crate::payload_store::{Outgoing, PayloadStore, StoreError};
use crate::queue::{Bounds, Job, Queue};
use crate::rows::{EventNumber, Outbox};
use crate::target::TargetId;

pub(crate) use measure::describe;

/// Time that the end of the work waits for requests in progress. What has not ended then is sent again by whoever
/// works next.
const DRAIN: Duration = Duration::from_secs(5);
/// State that the workers of a process share.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) directory: Arc<Directory>,
    pub(crate) outbound: Arc<Outbound>,
    pub(crate) endpoints: Arc<EndpointCache>,
    pub(crate) clock: SharedClock,
    /// Number of partitions: each has its own health record of every target.
    pub(crate) partitions: u16,
    /// A number from 0 to 1.
    pub(crate) chance: Arc<dyn Fn() -> f64 + Send + Sync>,
    /// Room for requests to targets that work.
    pub(crate) healthy: Arc<Semaphore>,
    /// Room for requests to targets that fail: however many they are, they leave room for the others.
    pub(crate) failing: Arc<Semaphore>,
}

/// See the module.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    partition: Partition,
    journal: DeliveryJournal,
    /// One for each outbox, that which is read next in front.
    fan_outs: [FanOut; Outbox::ALL.len()],
    open: OpenEvents,
    queue: Queue,
    /// Deliveries that have a row as one that waits.
    waiting_rows: BTreeSet<(EventNumber, TargetId)>,
    /// Deliveries there was no room for, to be written down as failed.
    refused: VecDeque<(EventNumber, TargetId, Arc<Outgoing>)>,
    health: HashMap<TargetId, Health>,
    attempting: Arc<Attempting>,
    attempts: JoinSet<Finished>,
    /// Events that attempts had no room for.
    left: mpsc::Receiver<Vec<Job>>,
    finished: VecDeque<Finished>,
    looked_at: Option<Instant>,
    swept_at: Option<Duration>,
    overdue_at: Option<Duration>,
    trimmed_at: Option<Duration>,
}

/// Reason why everything has to be read again.
#[derive(Debug, Error)]
pub(crate) enum WorkerError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a delivery attempt terminated abnormally")]
    Broken(#[from] JoinError),
    #[error("a row cannot be read or written")]
    Body(#[from] common::row::BodyError),
}

impl Worker {
    /// Takes a partition over and reads what waits in it.
    pub(crate) async fn take_over(shared: Arc<Shared>, partition: Partition) -> Result<Self, WorkerError> {
        let journal = DeliveryJournal::take_over(Arc::clone(&shared.ledger), partition).await?;
        let id = LedgerId::Deliveries(partition);
        // One for each request that can be under way: hardly ever does one wait to give back.
        let (leaving, left) = mpsc::channel(shared.config.concurrency.max(1));
        let attempting = Attempting {
            store: PayloadStore::new(Arc::clone(&shared.ledger), id),
            ledger: Arc::clone(&shared.ledger),
            id,
            endpoints: Arc::clone(&shared.endpoints),
            outbound: Arc::clone(&shared.outbound),
            clock: Arc::clone(&shared.clock),
            left: leaving,
        };
        let bounds = Bounds {
            concurrency: shared.config.target_concurrency,
            target_backlog: shared.config.target_backlog,
            backlog: shared.config.backlog,
        };
        let fan_outs = Outbox::ALL.map(|outbox| {
            FanOut::new(Arc::clone(&shared.ledger), outbox, partition, Arc::clone(&shared.endpoints))
        });
        let mut worker = Self {
            shared,
            partition,
            journal,
            fan_outs,
            open: OpenEvents::default(),
            queue: Queue::new(bounds),
            waiting_rows: BTreeSet::new(),
            refused: VecDeque::new(),
            health: HashMap::new(),
            attempting: Arc::new(attempting),
            attempts: JoinSet::new(),
            left,
            finished: VecDeque::new(),
            looked_at: None,
            swept_at: None,
            overdue_at: None,
            trimmed_at: None,
        };
        worker.restore().await?;
        Ok(worker)
    }

    /// Works until `stop` is true.
    pub(crate) async fn work(mut self, stop: &mut watch::Receiver<bool>) -> Result<(), WorkerError> {
        while !*stop.borrow() {
            if self.step().await? {
                tokio::task::yield_now().await;
                continue;
            }
            let pause = self.pause();
            tokio::select! {
                Some(finished) = self.attempts.join_next() => self.finished.push_back(finished?),
                Some(jobs) = self.left.recv() => self.queue.give_back(jobs),
                () = tokio::time::sleep(pause) => {}
                // An error means that the sender is dropped, which is a stop as well.
                _ = stop.wait_for(|stop| *stop) => break,
            }
        }
        self.drain().await
    }

    /// One round; whether there may be more to do at once.
    pub(crate) async fn step(&mut self) -> Result<bool, WorkerError> {
        let now = self.shared.clock.now();
        let looks = self.is_time_to_look();
        let mut batch = Batch::default();
        let recorded = self.record_finished(&mut batch, now).await?;
        self.record_refused(&mut batch)?;
        self.record_overdue(&mut batch, now)?;
        let fresh = if looks || self.fan_outs.iter().any(FanOut::has_more) {
            self.read_outboxes(&mut batch, now).await?
        } else {
            Vec::new()
        };
        self.sweep(&mut batch, now).await?;
        self.commit(batch).await?;
        for event in fresh.iter() {
            self.admit(event, now);
        }
        if looks {
            self.adopt_written_by_others(now).await?;
            self.trim_outboxes().await;
            self.measure();
        }
        while let Ok(jobs) = self.left.try_recv() {
            self.queue.give_back(jobs);
        }
        self.start_attempts(now);
        Ok(recorded || !fresh.is_empty() || !self.finished.is_empty())
    }

    async fn read_outboxes(&mut self, batch: &mut Batch, now: Timestamp) -> Result<Vec<Fresh>, WorkerError> {
        if !self.open.has_room() || self.queue.is_congested(now) {
            return Ok(Vec::new());
        }
        // In turns, so that none that fills every commit keeps the others waiting.
        self.fan_outs.rotate_left(1);
        let mut fresh = Vec::new();
        for fan_out in &mut self.fan_outs {
            let most = PAGE.saturating_sub(fresh.len());
            fresh.extend(fan_out.read(&mut self.journal.cursor, batch, most, now).await?);
        }
        for Fresh { number, outgoing } in &fresh {
            let left = outgoing.event.targets.iter().copied().collect();
            self.open.insert(*number, Arc::clone(outgoing), left, now);
            self.attempting.store.keep(*number, Arc::clone(outgoing));
        }
        Ok(fresh)
    }

    /// Queues an event for its targets.
    fn admit(&mut self, event: &Fresh, now: Timestamp) {
        for target in event.outgoing.event.targets.iter().copied() {
            let job = Job::fresh(event.number, event.outgoing.event.organization, target, now);
            if !self.queue.admit(job, now) {
                self.refused.push_back((event.number, target, Arc::clone(&event.outgoing)));
            }
        }
    }

    /// Waits for what is under way, within a bound, and writes it down.
    async fn drain(&mut self) -> Result<(), WorkerError> {
        // A request can end even when the events that did not fit into it are not taken back.
        self.left.close();
        let ended = tokio::time::timeout(DRAIN, async {
            while let Some(finished) = self.attempts.join_next().await {
                self.finished.push_back(finished?);
            }
            Ok::<_, JoinError>(())
        });
        // Requests that take longer are sent again by the next worker.
        if let Ok(ended) = ended.await {
            ended?;
        }
        let now = self.shared.clock.now();
        while !self.finished.is_empty() {
            let mut batch = Batch::default();
            self.record_finished(&mut batch, now).await?;
            self.commit(batch).await?;
        }
        Ok(())
    }

    /// Writes a batch, with a cursor that says what a successor has to look through.
    async fn commit(&mut self, batch: Batch) -> Result<(), WorkerError> {
        let cursor = &mut self.journal.cursor;
        cursor.settled = self.open.settled(cursor.last);
        cursor.oldest_waiting =
            self.waiting_rows.first().map_or(EventNumber(cursor.last.0 + 1), |(number, _)| *number);
        if self.journal.is_due(&batch) {
            self.journal.commit(batch).await?;
        }
        Ok(())
    }

    /// Longest time without work.
    fn pause(&self) -> Duration {
        let poll = self.shared.config.poll();
        self.queue.next_due().map_or(poll, |due| due.since(self.shared.clock.now()).min(poll))
    }

    /// The interval of these reads concerns the load, not the time of day: hence the runtime's timer.
    fn is_time_to_look(&mut self) -> bool {
        let now = Instant::now();
        let is_time = self.looked_at.is_none_or(|last| now - last >= self.shared.config.poll());
        if is_time {
            self.looked_at = Some(now);
        }
        is_time
    }

    fn is_time(&mut self, last: impl FnOnce(&mut Self) -> &mut Option<Duration>, every: Duration) -> bool {
        let now = self.shared.clock.monotonic();
        let last = last(self);
        let is_time = last.is_none_or(|last| now.saturating_sub(last) >= every);
        if is_time {
            *last = Some(now);
        }
        is_time
    }
}

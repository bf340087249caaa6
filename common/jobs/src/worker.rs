//! The worker of a process: owns the ledgers of its shards, starts attempts as far as there are slots, and ends them when a
//! shard goes to another process. How it takes over and follows its ledgers lies in `follow`, and which
//! jobs start, in `slots`.

mod ends;
mod follow;
mod look;
mod slots;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use common::ids::{OrganizationId, RecordId};
use common::partition::Partition;
use ownership::Share;
use records::Home;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use crate::attempt::Ended;
use crate::due::{self, Calendar};
use crate::kind::Jobs;
use crate::measure;
use crate::owner::Owned;
use crate::tables::Place;
use crate::waiting::{Ticket, Waiting};

/// Jobs of one ledger that are taken or ended by one commit.
const MOST_TAKEN: usize = 64;
/// Pause of a replaced owner of a ledger, should it still believe that the shard is its own: longer than a
/// lease.
const LOST_PAUSE: Duration = Duration::from_secs(15);
/// Due schedules of one round: the rest comes in the next, so that jobs start in between.
const MOST_SCHEDULED: usize = 64;

/// The shards that are wanted now; none once the worker is to stop.
type Wants<'w> = &'w (dyn Fn() -> BTreeSet<Partition> + Send + Sync);

/// Settings of the worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Milliseconds between two looks for new jobs. Default 200: one small read for each shard.
    pub poll_milliseconds: u64,
    /// Jobs that use a processor and run at once in this process. Default half of the processors, at least 1.
    pub heavy_slots: usize,
    /// Jobs that wait for the network and run at once in this process. Default 64.
    pub light_slots: usize,
}

impl Default for Config {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { poll_milliseconds: 200, heavy_slots: (cores / 2).max(1), light_slots: 64 }
    }
}

/// An attempt under way.
#[derive(Debug)]
struct Running {
    ticket: Ticket,
    attempt: u32,
    since: Duration,
    task: AbortHandle,
}

/// Pause after a failure of a ledger.
#[derive(Clone, Copy, Debug)]
struct Failing {
    until: Duration,
    pause: Duration,
}

/// See the module.
pub struct Worker {
    jobs: Arc<Jobs>,
    config: Config,
    owned: BTreeMap<Place, Owned>,
    /// Ledgers that another worker has taken over, and when that was found.
    lost: BTreeMap<Place, Duration>,
    /// Ledgers that cannot be read or written: logged once per change.
    failing: BTreeMap<Place, Failing>,
    waiting: Waiting,
    calendar: Calendar,
    running: HashMap<RecordId, Running>,
    /// Keys of running jobs elsewhere, and when they were asked for.
    refused: HashMap<(OrganizationId, String), Duration>,
    tasks: JoinSet<Ended>,
    /// Attempts under way whose handlers have returned.
    returned: BTreeSet<RecordId>,
    looked_at: Option<Duration>,
    swept_at: Option<Duration>,
}

impl Worker {
    /// A worker that does nothing before it runs.
    #[must_use]
    pub fn new(jobs: Arc<Jobs>, config: Config) -> Self {
        Self {
            jobs,
            config,
            owned: BTreeMap::new(),
            lost: BTreeMap::new(),
            failing: BTreeMap::new(),
            waiting: Waiting::default(),
            calendar: Calendar::default(),
            running: HashMap::new(),
            refused: HashMap::new(),
            tasks: JoinSet::new(),
            returned: BTreeSet::new(),
            looked_at: None,
            swept_at: None,
        }
    }

    /// Follows a share of the shards until `stop` becomes true; then gives the jobs under way back.
    pub async fn run(mut self, mut share: Share, mut stop: watch::Receiver<bool>) {
        let poll = Duration::from_millis(self.config.poll_milliseconds.max(1));
        let mut stopping = *stop.borrow();
        loop {
            {
                let wants = || if stopping || *stop.borrow() { BTreeSet::new() } else { share.wanted() };
                // Named before any step of it, so that no other worker takes it until it is no longer named.
                share.report(self.worked_on().union(&wants()).copied().collect());
                self.round_while(&wants, poll).await;
                share.report(self.worked_on());
            }
            if stopping {
                return;
            }
            tokio::select! {
                Some(ended) = self.tasks.join_next_with_id() => self.end(ended),
                () = tokio::time::sleep(poll) => {}
                () = share.changed() => self.looked_at = None,
                // An error means that the sender is dropped, which is a stop as well.
                _ = stop.wait_for(|stop| *stop) => (stopping, self.looked_at) = (true, None),
            }
        }
    }

    /// A round with a share that stays as it is: for tests.
    #[cfg(any(test, feature = "conformance"))]
    pub(crate) async fn round(&mut self, wanted: &BTreeSet<Partition>, poll: Duration) {
        self.round_while(&|| wanted.clone(), poll).await;
    }

    /// One round: what has ended, what is new in the ledgers once `poll` has passed since the last look, what can start. It
    /// is cut short when nothing is wanted any more.
    async fn round_while(&mut self, wants: Wants<'_>, poll: Duration) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.end(ended);
        }
        self.finish_returned().await;
        let now = self.jobs.clock.monotonic();
        if self.looked_at.is_none_or(|looked| now.saturating_sub(looked) >= poll) {
            self.looked_at = Some(now);
            self.give_up(&wants()).await;
            self.follow(wants).await;
            self.queue_scheduled(wants).await;
            self.measure();
        }
        if !wants().is_empty() {
            self.start().await;
        }
    }

    /// Ends the attempts of shards that are not wanted any more, and gives their jobs back.
    async fn give_up(&mut self, wanted: &BTreeSet<Partition>) {
        self.lost.retain(|(_, shard), _| wanted.contains(&Partition(shard.0)));
        self.failing.retain(|(_, shard), _| wanted.contains(&Partition(shard.0)));
        let places: Vec<Place> =
            self.owned.keys().copied().filter(|(_, shard)| !wanted.contains(&Partition(shard.0))).collect();
        for place in places {
            let ended = self.abort(place).await;
            let Some(owned) = self.owned.get(&place).copied() else { continue };
            if let Err(error) = owned.give_back(&self.jobs, &ended, self.jobs.clock.now()).await {
                tracing::warn!(?place, %error, "jobs were not given back: their next owner counts a failure");
            }
            self.forget(place);
        }
    }

    fn forget(&mut self, place: Place) {
        self.owned.remove(&place);
        self.waiting.remove_place(place);
        self.calendar.remove_place(place);
    }

    async fn queue_scheduled(&mut self, wants: Wants<'_>) {
        let now = self.jobs.clock.now();
        for _ in 0..MOST_SCHEDULED {
            if wants().is_empty() {
                return;
            }
            let Some((place, id)) = self.calendar.pop(now) else { return };
            // A ledger that failed is read again as a whole, with its schedules.
            let Some(owned) = self.owned.get(&place).copied().filter(|_| !self.is_paused(place)) else {
                continue;
            };
            match due::run(&self.jobs, &owned, id, now).await {
                Ok(true) => {}
                Ok(false) => self.lose(place).await,
                Err(error) => self.mistrust(place, &error),
            }
        }
    }

    /// Rounds until nothing runs and nothing can start: for tests.
    #[cfg(any(test, feature = "conformance"))]
    pub(crate) async fn settle(&mut self, wanted: &BTreeSet<Partition>) {
        loop {
            self.round(wanted, Duration::ZERO).await;
            let Some(ended) = self.tasks.join_next_with_id().await else { return };
            self.end(ended);
        }
    }

    /// Waits for the attempts under way, and does nothing else: for tests.
    #[cfg(any(test, feature = "conformance"))]
    pub(crate) async fn drain(&mut self) {
        while let Some(ended) = self.tasks.join_next_with_id().await {
            self.end(ended);
        }
    }

    /// Attempts under way: for tests.
    #[cfg(any(test, feature = "conformance"))]
    pub(crate) fn running(&self) -> usize {
        self.running.len()
    }

    /// Ledgers that are worked on, as shards.
    fn worked_on(&self) -> BTreeSet<Partition> {
        let running = self.running.values().map(|one| one.ticket.place);
        self.owned.keys().copied().chain(running).map(|(_, shard)| Partition(shard.0)).collect()
    }

    fn measure(&self) {
        let now = self.jobs.clock.now();
        let oldest = self.waiting.oldest_ready().map(|due| now.since(due)).unwrap_or_default();
        measure::depths(self.waiting.len(), self.running.len(), oldest);
    }

    fn places(wanted: &BTreeSet<Partition>) -> Vec<Place> {
        let of_shard =
            |partition: &Partition| Home::ALL.map(|home| (home, common::partition::Shard(partition.0)));
        wanted.iter().flat_map(of_shard).collect()
    }
}

//! The deliveries of a partition that wait, in memory: which target's turn it is, and what is due later. Pure: no clock,
//! no ledger. Bounded for each target and altogether, so that targets that are dead cost a known amount.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;

use crate::fan_out::PAGE;
use crate::rows::{EventNumber, Waiting};
use crate::target::TargetId;

/// Failures in a row after which a target gets one request at a time: enough that a hiccup is none.
const FAILING_AFTER: u32 = 3;
/// Requests under way at once to a target of which nothing is known. Every acknowledgement doubles it up to the bound, every
/// failure halves it: many targets that hang from the start cannot take the room of those that work.
const FIRST_ROOM: usize = 2;
/// Time that deliveries to a working target may hold up later ones, so that a burst is no reason to refuse any. What
/// has waited longer is too slow for what it subscribed to.
const BURST: Duration = Duration::from_secs(10);
/// Deliveries that may wait for a target even when the partition is full: enough for a target that works.
const FAIR: usize = 20;
/// Targets that are remembered while nothing waits for them. When there are more, those are forgotten: whether they
/// failed last is learned again.
const MOST_IDLE: usize = 10_000;
/// Events that one request tells a telemetry endpoint of, at most: what one commit can write the outcomes of beside
/// others. None waits for others to come: what is there when there is room for a request goes with it, which is what one
/// look into the outbox has brought, and what has come while earlier requests were under way.
pub(crate) const MOST_TOGETHER: usize = 100;

/// A delivery that is to be attempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) number: EventNumber,
    pub(crate) target: TargetId,
    pub(crate) waiting: Waiting,
    /// Whether there may be a row with earlier attempts.
    pub(crate) has_row: bool,
    /// Most events in one request with it.
    pub(crate) together: usize,
}

/// Outcome of an attempt, as far as the target's turn is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Acknowledged,
    Failed,
    /// The target was not asked, or its answer says nothing of it.
    Skipped,
    /// The target was not asked, and is not to be until the first of its deliveries that were put off is due.
    PutOff,
}

/// Bounds of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Requests under way to one target.
    pub(crate) concurrency: usize,
    /// Deliveries waiting for one target.
    pub(crate) target_backlog: usize,
    /// Deliveries waiting for all targets.
    pub(crate) backlog: usize,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Queue {
    bounds: Bounds,
    lanes: HashMap<TargetId, Lane>,
    /// Targets with something to send and room to send it, in turn.
    healthy: VecDeque<TargetId>,
    /// The same of those that fail.
    failing: VecDeque<TargetId>,
    later: BTreeMap<(Timestamp, EventNumber, TargetId), Job>,
    /// Targets that have hardly room for more.
    crowded: HashSet<TargetId>,
    /// All that wait or are under way.
    pending: usize,
}

/// Deliveries that wait for one target.
#[derive(Debug)]
struct Lane {
    ready: VecDeque<Job>,
    under_way: usize,
    /// Most that may be in progress.
    room: usize,
    /// Ready, due later, and under way.
    pending: usize,
    failures: u32,
    listed: bool,
    /// Whether nothing is started before a delivery becomes due that was put off.
    resting: bool,
}

impl Lane {
    fn new() -> Self {
        Self {
            ready: VecDeque::new(),
            under_way: 0,
            room: FIRST_ROOM,
            pending: 0,
            failures: 0,
            listed: false,
            resting: false,
        }
    }

    fn is_failing(&self) -> bool {
        self.failures >= FAILING_AFTER
    }
}

impl Queue {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            lanes: HashMap::new(),
            healthy: VecDeque::new(),
            failing: VecDeque::new(),
            later: BTreeMap::new(),
            crowded: HashSet::new(),
            pending: 0,
        }
    }

    /// Deliveries that wait or are under way: to webhook targets, and to telemetry endpoints.
    pub(crate) fn depths(&self) -> (usize, usize) {
        let is_telemetry = |target: &TargetId| matches!(target, TargetId::Telemetry(_));
        let lanes = self.lanes.iter().filter(|(target, _)| is_telemetry(target));
        let telemetry = lanes.map(|(_, lane)| lane.pending).sum();
        (self.pending.saturating_sub(telemetry), telemetry)
    }

    /// Takes a new delivery in; `false` when too many wait already.
    pub(crate) fn admit(&mut self, job: Job, now: Timestamp) -> bool {
        let waiting = self.lanes.get(&job.target).map_or(0, |lane| lane.pending);
        let is_full =
            waiting >= self.bounds.target_backlog || (self.pending >= self.bounds.backlog && waiting >= FAIR);
        if !is_full {
            self.restore(job, now);
        }
        !is_full
    }

    /// Whether more had better wait: a target that works has hardly room for it, and not for long.
    pub(crate) fn is_congested(&self, now: Timestamp) -> bool {
        let lanes = self.crowded.iter().filter_map(|target| self.lanes.get(target));
        lanes
            .filter(|lane| !lane.is_failing())
            .any(|lane| lane.ready.front().is_some_and(|oldest| now.since(oldest.waiting.since) < BURST))
    }

    /// Whether a target's last attempts failed.
    pub(crate) fn is_failing(&self, target: TargetId) -> bool {
        self.lanes.get(&target).is_some_and(Lane::is_failing)
    }

    /// Takes in what was admitted earlier, whatever the bounds.
    pub(crate) fn restore(&mut self, job: Job, now: Timestamp) {
        self.pending += 1;
        self.forget_idle();
        let lane = self.lanes.entry(job.target).or_insert_with(Lane::new);
        lane.pending += 1;
        if lane.pending + PAGE > self.bounds.target_backlog {
            self.crowded.insert(job.target);
        }
        self.place(job, now);
    }

    /// Makes ready what is due.
    pub(crate) fn release(&mut self, now: Timestamp) {
        while let Some(entry) = self.later.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let job = entry.remove();
            if let Some(lane) = self.lanes.get_mut(&job.target) {
                lane.resting = false;
            }
            self.place(job, now);
        }
    }

    /// The next deliveries to attempt, all in one request; of a target that fails only where `failing` is true.
    pub(crate) fn start(&mut self, failing: bool) -> Option<Vec<Job>> {
        loop {
            let list = if failing { &mut self.failing } else { &mut self.healthy };
            let target = list.pop_front()?;
            let Some(lane) = self.lanes.get_mut(&target) else { continue };
            lane.listed = false;
            if lane.is_failing() != failing {
                self.list(target);
                continue;
            }
            let Some(first) = lane.ready.front().filter(|_| !lane.resting) else { continue };
            let most = match target {
                TargetId::Webhook(_) => 1,
                TargetId::Telemetry(_) => first.together,
            };
            // Events that were refused together are sent with their like: no event that was not refused joins them.
            let alike = lane.ready.iter().take(most).take_while(|job| job.together == first.together).count();
            let jobs: Vec<Job> = lane.ready.drain(..alike).collect();
            lane.under_way += 1;
            self.list(target);
            return Some(jobs);
        }
    }

    /// Takes back, in their place, what there was no room for in the request that they were started for.
    pub(crate) fn give_back(&mut self, jobs: Vec<Job>) {
        let Some(target) = jobs.first().map(|job| job.target) else { return };
        let Some(lane) = self.lanes.get_mut(&target) else { return };
        for job in jobs.into_iter().rev() {
            lane.ready.push_front(job);
        }
        self.list(target);
    }

    /// A request that told of `told` events has ended, and with it their deliveries but those to be attempted `again`: now,
    /// before all others, or when they are due.
    pub(crate) fn end(&mut self, target: TargetId, turn: Turn, told: usize, again: Vec<Job>, now: Timestamp) {
        let Some(lane) = self.lanes.get_mut(&target) else { return };
        lane.under_way = lane.under_way.saturating_sub(1);
        match turn {
            Turn::Acknowledged => (lane.failures, lane.room) = (0, lane.room.saturating_mul(2)),
            Turn::Failed => {
                (lane.failures, lane.room) = (lane.failures.saturating_add(1), (lane.room / 2).max(1));
            }
            Turn::Skipped => {}
            Turn::PutOff => lane.resting = true,
        }
        lane.room = lane.room.min(self.bounds.concurrency.max(1));
        let ended = told.saturating_sub(again.len());
        lane.pending = lane.pending.saturating_sub(ended);
        if lane.pending + PAGE <= self.bounds.target_backlog {
            self.crowded.remove(&target);
        }
        self.pending = self.pending.saturating_sub(ended);
        let (later, at_once): (Vec<Job>, Vec<Job>) = again.into_iter().partition(|job| job.waiting.due > now);
        for job in later {
            self.place(job, now);
        }
        self.give_back(at_once);
        self.list(target);
    }

    /// When the next delivery is due that is not yet.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.later.first_key_value().map(|((due, ..), _)| *due)
    }

    fn place(&mut self, job: Job, now: Timestamp) {
        if job.waiting.due > now {
            self.later.insert((job.waiting.due, job.number, job.target), job);
            return;
        }
        if let Some(lane) = self.lanes.get_mut(&job.target) {
            lane.ready.push_back(job);
        }
        self.list(job.target);
    }

    /// Gives a target a turn if it has something to send and room to send it.
    fn list(&mut self, target: TargetId) {
        let Some(lane) = self.lanes.get_mut(&target) else { return };
        let room = if lane.is_failing() { 1 } else { lane.room.min(self.bounds.concurrency.max(1)) };
        if lane.listed || lane.resting || lane.ready.is_empty() || lane.under_way >= room {
            return;
        }
        lane.listed = true;
        if lane.is_failing() { self.failing.push_back(target) } else { self.healthy.push_back(target) }
    }

    fn forget_idle(&mut self) {
        if self.lanes.len() > MOST_IDLE && self.lanes.len() > self.pending.saturating_mul(2) {
            self.lanes.retain(|_, lane| lane.pending > 0);
            self.crowded.retain(|target| self.lanes.contains_key(target));
        }
    }
}

impl Job {
    /// A delivery that was not attempted.
    pub(crate) fn fresh(
        number: EventNumber,
        organization: OrganizationId,
        target: TargetId,
        now: Timestamp,
    ) -> Self {
        let waiting = Waiting { organization, attempts: 0, since: now, due: now };
        Self { number, target, waiting, has_row: false, together: MOST_TOGETHER }
    }
}

#[cfg(test)]
mod tests;

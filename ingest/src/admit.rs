//! Admission: whether a request is let in, decided by its head. Every byte it makes us hold is paid for
//! from one budget before it is held, and paid back when the batch is durable or refused; what it makes us
//! do goes to the end of a queue that is kept short. What does not fit is refused at once, so that senders
//! keep what we cannot. Both are shared between organizations, so that none can starve another.

mod delay;
mod memory;
mod permit;
mod queue;
mod rooms;
mod shares;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::OrganizationId;
use durable_log::{AppendError, Usage};
use metrics::Gauge;
use process::settings::seconds;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use self::memory::budget_for;
pub(crate) use self::permit::Permit;

use self::delay::{DelayLimit, Seen};
use self::memory::Memory;
use self::queue::Queue;
use self::rooms::Room;
use crate::measure;

/// What a body of unknown length is charged at first, and by how much the charge grows.
const STEP_BYTES: usize = 256 * 1024;
/// What the smallest request weighs in the queue: head, answer and wake-ups cost what some kilobytes of
/// records do.
const LEAST_WEIGHT: usize = 4 * 1024;
/// The part of the budget that may wait, as long as nobody has waited too long: a twentieth of a second of work on
/// one core, by default. Faster machines are given more as soon as they turn somebody away for no good.
const USUAL_PART: usize = 8;
/// How often one request measures how long a connection waits for its turn.
const ROUND_EVERY: Duration = Duration::from_millis(10);

/// How much all requests together may hold, and how long they may wait.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdmissionConfig {
    /// Maximum number of bytes of all bodies from arrival to durability, default 256 MiB: a quarter of the memory of
    /// the smallest supported machine, enough for several of the largest bodies or for hundreds of batches of a
    /// thousand records. Each copy of a body counts: as sent, inflated, transcoded. One sixteenth is reserved for
    /// small requests. Rejected if the largest gzip JSON body within the limits, which may grow fivefold in
    /// transcoding, does not fit into the rest.
    pub in_flight_bytes: usize,
    /// Target queueing delay in seconds, default 0.07: if the expected delay is longer, new requests are rejected
    /// before their body is read. A lower value rejects short bursts; with a higher one, senders with a timeout of a
    /// quarter of a second retry accepted batches, since one in a hundred requests waits more than three times as long
    /// under overload. The first bytes of a body must arrive within the same time, or its request loses its slot.
    #[serde(rename = "queue_seconds", with = "seconds")]
    pub queue: Duration,
}

impl Default for AdmissionConfig {
    fn default() -> Self {
        Self { in_flight_bytes: 256 << 20, queue: Duration::from_millis(70) }
    }
}

/// Why a request is not admitted now.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum AdmitError {
    #[error("too many bytes are in flight")]
    BytesInFlight,
    #[error("too many requests are queued")]
    QueueTooLong,
    #[error("too many batches are waiting to become durable")]
    LogQueueFull,
    #[error("too many batches are waiting to be analysed")]
    LogFull,
    #[error("the disk is nearly full")]
    DiskLow,
    #[error("the durable log accepts no batches")]
    NotWritable,
}

impl AdmitError {
    /// What a refusal by the log itself is; `None` where it means that something is wrong with it.
    pub(crate) fn of_append(error: &AppendError) -> Option<Self> {
        match error {
            AppendError::QueueFull { .. } => Some(Self::LogQueueFull),
            AppendError::Full { .. } | AppendError::Behind { .. } => Some(Self::LogFull),
            AppendError::DiskLow { .. } => Some(Self::DiskLow),
            AppendError::Closed | AppendError::Poisoned { .. } => Some(Self::NotWritable),
            AppendError::Unknown { .. }
            | AppendError::TooLarge { .. }
            | AppendError::NoSuchPartition { .. } => None,
        }
    }
}

/// What a request asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) organization: OrganizationId,
    /// Bytes of the body on the wire, if that is known.
    pub(crate) declared: Option<usize>,
    /// How many times as much work it is likely to be as a body that comes as it is.
    pub(crate) times: usize,
}

/// What all requests share.
pub(crate) struct Admission {
    shared: Arc<Shared>,
    target: Duration,
    /// How long the queue usually is.
    usual: usize,
}

struct Shared {
    state: Mutex<State>,
    clock: SharedClock,
    held: Gauge,
}

struct State {
    /// Bytes held.
    memory: Memory,
    /// Bytes whose turn has not come, as they weigh.
    queue: Queue,
    delay: DelayLimit,
    /// When a round was last measured.
    round_at: Duration,
    /// What was last told to the metrics.
    shown: Seen,
}

impl Admission {
    pub(crate) fn new(config: &AdmissionConfig, clock: SharedClock) -> Self {
        let capacity = config.in_flight_bytes;
        measure::queue_capacity(capacity);
        let usual = capacity / USUAL_PART;
        measure::waiting_limit(usual);
        let state = State {
            memory: Memory::new(capacity),
            queue: Queue::new(usual),
            delay: DelayLimit::new(config.queue, usual, capacity),
            round_at: clock.monotonic(),
            shown: Seen::default(),
        };
        let shared = Shared { state: Mutex::new(state), clock, held: measure::queue_bytes() };
        Self { shared: Arc::new(shared), target: config.queue, usual }
    }

    /// Admits a request, by what the log says of itself and by what others hold.
    pub(crate) fn admit(&self, usage: Usage, demand: Demand) -> Result<Permit, AdmitError> {
        let Demand { organization, declared, times } = demand;
        let wire = declared.unwrap_or(STEP_BYTES);
        check_log(usage, wire, declared.unwrap_or_default().saturating_mul(times))?;
        let weight = wire.max(LEAST_WEIGHT).saturating_mul(times);
        let room = Room::of(weight, self.usual);
        let mut permit = Permit::empty(Arc::clone(&self.shared), organization, weight, room, self.target);
        permit.hold_wire(wire)?;
        permit.queue_up()?;
        Ok(permit)
    }

    /// How many times as much is asked of us as we can do, 1 at least.
    pub(crate) fn pressure(&self) -> f64 {
        self.shared.lock().delay.pressure()
    }

    /// Waits for a round of the runtime, now and then, and counts how long it took: the same time that every
    /// request whose head has arrived waits before anybody looks at it.
    pub(crate) async fn measure_round(&self) {
        let begun = self.shared.clock.monotonic();
        {
            let mut state = self.shared.lock();
            if begun.saturating_sub(state.round_at) < ROUND_EVERY {
                return;
            }
            state.round_at = begun;
        }
        tokio::task::yield_now().await;
        let took = self.shared.clock.monotonic().saturating_sub(begun);
        self.shared.lock().delay.note_round(took);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Lets the queue be as long as the delay allows.
    fn follow_delay(&mut self) {
        let limit = self.delay.bytes();
        if limit != self.queue.capacity() {
            self.queue.set_capacity(limit);
            measure::waiting_limit(limit);
        }
        let seen = self.delay.seen();
        if seen != self.shown {
            self.shown = seen;
            measure::waited(seen.round, seen.wait);
        }
    }
}

/// Looks at the log before a body is read in vain. The log itself decides when the batch arrives.
fn check_log(usage: Usage, wire: usize, likely: usize) -> Result<(), AdmitError> {
    if !usage.writable {
        return Err(AdmitError::NotWritable);
    }
    if usage.disk_low {
        return Err(AdmitError::DiskLow);
    }
    // By the size that it is likely to have in the log: what fits as it is on the wire only would be prepared in vain.
    // Half of the log's room says nothing of whether one batch fits: there the log decides.
    if !usage.has_room((likely as u64).min(usage.capacity_bytes / 2)) {
        return Err(AdmitError::LogFull);
    }
    // The log takes any batch when nothing waits, however small its queue is.
    let queued = usage.queued_bytes;
    if queued > 0 && queued.saturating_add(wire as u64) > usage.queue_capacity_bytes {
        return Err(AdmitError::LogQueueFull);
    }
    Ok(())
}

#[cfg(test)]
mod tests;

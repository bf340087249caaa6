//! Admission: whether a request is accepted, decided by its head. Every byte that it makes us hold is
//! charged to one budget before it is held, and returned when the batch is durable or refused; its work
//! goes to the end of a queue that is kept short. Requests that do not fit are refused at once, so that
//! senders keep the excess. Both are shared between organizations, so that none can starve another.

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

/// Initial charge for a body of unknown length, and increment of the charge.
const STEP_BYTES: usize = 256 * 1024;
/// Weight of the smallest request in the queue: head, response and wake-ups cost as much as some
/// kilobytes of records.
const LEAST_WEIGHT: usize = 4 * 1024;
/// The part of the budget that may wait, as long as nobody has waited too long: a twentieth of a second of work on
/// one core, by default. Faster machines get more as soon as they refuse a request needlessly.
const USUAL_PART: usize = 8;
/// Interval between requests that measure how long a connection waits for its turn.
const ROUND_EVERY: Duration = Duration::from_millis(10);

/// Bounds of all requests together: the memory held, and the time waited.
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

/// Reason why a request is not admitted now.
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
    /// A refusal by the log as a refusal of admission; `None` where it means a fault of the log.
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

/// Demand of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) organization: OrganizationId,
    /// Bytes of the body on the wire, if known.
    pub(crate) declared: Option<usize>,
    /// Expected work, as a multiple of that for an uncompressed body.
    pub(crate) times: usize,
}

/// State that all requests share.
pub(crate) struct Admission {
    shared: Arc<Shared>,
    target: Duration,
    /// Usual length of the queue.
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
    /// Weight of the requests in the queue.
    queue: Queue,
    delay: DelayLimit,
    /// When a round was last measured.
    round_at: Duration,
    /// Values last reported to the metrics.
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

    /// Admits a request, by the state of the log and the holdings of others.
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

    /// Ratio of demand to capacity, 1 at least.
    pub(crate) fn pressure(&self) -> f64 {
        self.shared.lock().delay.pressure()
    }

    /// Waits for a round of the runtime, at intervals, and records its duration: every request whose head
    /// has arrived waits as long before it is handled.
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
    /// Sets the length of the queue that the delay allows.
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

/// Checks the log before a body is read in vain. The log itself decides when the batch arrives.
fn check_log(usage: Usage, wire: usize, likely: usize) -> Result<(), AdmitError> {
    if !usage.writable {
        return Err(AdmitError::NotWritable);
    }
    if usage.disk_low {
        return Err(AdmitError::DiskLow);
    }
    // By the size that it is likely to have in the log: a body that fits only in its size on the wire would be
    // prepared in vain. With half of the log's room a single batch cannot be predicted: there the log decides.
    if !usage.has_room((likely as u64).min(usage.capacity_bytes / 2)) {
        return Err(AdmitError::LogFull);
    }
    // The log accepts any batch when nothing waits, however small its queue is.
    let queued = usage.queued_bytes;
    if queued > 0 && queued.saturating_add(wire as u64) > usage.queue_capacity_bytes {
        return Err(AdmitError::LogQueueFull);
    }
    Ok(())
}

#[cfg(test)]
mod tests;

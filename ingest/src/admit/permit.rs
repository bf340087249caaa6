//! Holdings of an admitted request: bytes of the budget, and a place in the queue. Both are returned when it is
//! finished, whatever the outcome; `memory`, `queue` and `delay` decide whether it gets them.

use std::sync::Arc;
use std::time::Duration;

use common::ids::OrganizationId;
use process::listen::READ_BUFFER_BYTES;

use super::delay::Done;
use super::memory::Reservation;
use super::rooms::Room;
use super::{AdmitError, STEP_BYTES, Shared};
use crate::validate::GROWTH;

/// Pace below which a sender is waited for outside the queue: 8 Mbit/s. Where a body arrives faster, its place
/// counts in the queue from the beginning: otherwise bodies that arrive slowly because the machine is busy would
/// make room for more of them, and all of them slower.
const LEAST_BYTES_PER_SECOND: f64 = 1024.0 * 1024.0;

/// The bytes one request may hold, and its place in the queue. Returned when dropped.
pub(crate) struct Permit {
    shared: Arc<Shared>,
    organization: OrganizationId,
    held: Reservation,
    wire: usize,
    inflated: usize,
    transcoded: usize,
    place: QueueSlot,
}

/// A place in the queue.
struct QueueSlot {
    weight: usize,
    room: Room,
    /// Time that the first byte of the body may take while it keeps its place.
    prompt: Duration,
    /// Weight of all that went first when it queued up, its own included.
    ahead: usize,
    /// Whether it counts at present.
    is_counted: bool,
    /// When it queued up, and when the body was there.
    queued: Duration,
    arrived: Option<Duration>,
    /// Processing time so far, and start of the current processing.
    worked: Duration,
    work_began: Option<Duration>,
}

impl Permit {
    /// No memory and no place yet. The weight determines the room in which it first looks for memory.
    pub(super) fn empty(
        shared: Arc<Shared>,
        organization: OrganizationId,
        weight: usize,
        memory: Room,
        prompt: Duration,
    ) -> Self {
        let place = QueueSlot {
            weight,
            room: Room::Common,
            prompt,
            ahead: weight,
            is_counted: false,
            queued: Duration::ZERO,
            arrived: None,
            worked: Duration::ZERO,
            work_began: None,
        };
        let held = Reservation::nothing(memory);
        Self { shared, organization, held, wire: 0, inflated: 0, transcoded: 0, place }
    }

    /// Room for `bytes` of the body as sent.
    pub(crate) fn hold_wire(&mut self, bytes: usize) -> Result<(), AdmitError> {
        if bytes > self.wire {
            // A body of unknown length arrives in many small frames: not a charge for each.
            self.wire = if self.wire == 0 { bytes } else { bytes.max(self.wire + STEP_BYTES) };
            self.settle()?;
        }
        Ok(())
    }

    /// Room for `bytes` of the body after gzip.
    pub(crate) fn hold_inflated(&mut self, bytes: usize) -> Result<(), AdmitError> {
        self.inflated = bytes;
        self.settle()
    }

    /// Room for the protobuf that becomes of `bytes` of JSON, at worst.
    pub(crate) fn hold_transcoded(&mut self, bytes: usize) -> Result<(), AdmitError> {
        self.transcoded = bytes.saturating_mul(GROWTH);
        self.settle()
    }

    /// Returns all but `bytes`: the rest of the request once the batch is prepared.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let spare = self.held.bytes.saturating_sub(bytes);
        self.shared.held.decrement(spare as f64);
        self.shared.lock().memory.give_back(self.organization, &mut self.held, spare);
    }

    /// Weight of the whole request. A connection of hyper's holds a copy of received data in its read buffer.
    fn charge(&self) -> usize {
        let buffered = self.wire.min(READ_BUFFER_BYTES);
        [buffered, self.wire, self.inflated, self.transcoded].into_iter().fold(0, usize::saturating_add)
    }

    /// Charges the bytes held now.
    fn settle(&mut self) -> Result<(), AdmitError> {
        let more = self.charge().saturating_sub(self.held.bytes);
        if !self.shared.lock().memory.take(self.organization, &mut self.held, more) {
            return Err(AdmitError::BytesInFlight);
        }
        self.shared.held.increment(more as f64);
        Ok(())
    }

    /// Joins the end of the queue, if that is not too far away.
    pub(super) fn queue_up(&mut self) -> Result<(), AdmitError> {
        let Self { shared, organization, place, .. } = self;
        let now = shared.clock.monotonic();
        let mut state = shared.lock();
        let room = state.queue.enter(*organization, place.weight);
        state.delay.note_asked(now, room.is_some());
        if let Some(room) = room {
            place.room = room;
            place.ahead = state.queue.ahead(room);
            place.queued = now;
            place.is_counted = true;
        }
        state.follow_delay();
        room.map(|_| ()).ok_or(AdmitError::QueueTooLong)
    }

    /// It turned out not to be short work, contrary to its head: its place and its memory move to those of large
    /// requests, if there is space, and it weighs as much as the least of them. Otherwise many that appear small
    /// and are not would take the room of small ones.
    pub(crate) fn join_large(&mut self, least_weight: usize) -> Result<(), AdmitError> {
        let Self { shared, organization, held, place, .. } = self;
        let now = shared.clock.monotonic();
        let mut state = shared.lock();
        if !state.memory.join_large(*organization, held) {
            return Err(AdmitError::BytesInFlight);
        }
        if place.room != Room::Little {
            return Ok(());
        }
        if std::mem::take(&mut place.is_counted) {
            state.queue.leave(*organization, place.weight, place.room);
        }
        let weight = place.weight.max(least_weight);
        if !state.queue.enter_common(*organization, weight) {
            state.delay.note_asked(now, false);
            return Err(AdmitError::QueueTooLong);
        }
        (place.weight, place.room, place.is_counted) = (weight, Room::Common, true);
        place.ahead = state.queue.ahead(place.room);
        if place.arrived.is_some() {
            state.delay.note_arrived(now, place.room);
        }
        Ok(())
    }

    /// Time that the body may have taken, when `received` bytes of it have arrived, before it has
    /// to [`step_aside`](Self::step_aside).
    pub(crate) fn prompt(&self, received: usize) -> Duration {
        self.place.prompt + Duration::from_secs_f64(received as f64 / LEAST_BYTES_PER_SECOND)
    }

    /// The body is slow: until it arrives it waits outside the queue, and its place is free. So is the memory of the bytes
    /// not yet received: many that declare much and send little would leave none to others. Returns the bytes of the body
    /// that may still be held.
    pub(crate) fn step_aside(&mut self, received: usize) -> usize {
        self.wire = self.wire.min(received.saturating_add(STEP_BYTES));
        self.shrink_to(self.charge());
        if std::mem::take(&mut self.place.is_counted) {
            self.shared.lock().queue.leave(self.organization, self.place.weight, self.place.room);
        }
        self.wire
    }

    /// The body is there: from now on it waits for us.
    pub(crate) fn arrive(&mut self) {
        let Self { shared, organization, place, .. } = self;
        let now = shared.clock.monotonic();
        place.arrived = Some(now);
        let mut state = shared.lock();
        if !std::mem::replace(&mut place.is_counted, true) {
            state.queue.enter_again(*organization, place.weight, place.room);
            place.ahead = state.queue.ahead(place.room);
            place.queued = now;
        }
        state.delay.note_arrived(now, place.room);
    }

    /// Its turn has begun: from now on its time is processing, not waiting.
    pub(crate) fn begin_work(&mut self) {
        self.place.work_began = Some(self.shared.clock.monotonic());
    }

    /// Waiting continues.
    pub(crate) fn end_work(&mut self) {
        let now = self.shared.clock.monotonic();
        if let Some(began) = self.place.work_began.take() {
            self.place.worked += now.saturating_sub(began);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.end_work();
        let Self { shared, organization, held, place, .. } = self;
        shared.held.decrement(held.bytes as f64);
        let now = shared.clock.monotonic();
        let mut state = shared.lock();
        let bytes = held.bytes;
        state.memory.give_back(*organization, held, bytes);
        if place.is_counted {
            state.queue.leave(*organization, place.weight, place.room);
        }
        if let Some(arrived) = place.arrived {
            let waited = now.saturating_sub(arrived).saturating_sub(place.worked);
            let took = now.saturating_sub(place.queued).saturating_sub(place.worked);
            state.delay.note_done(now, Done { room: place.room, waited, took, ahead: place.ahead });
            state.follow_delay();
        }
    }
}

//! The memory that all requests share: the common part, and a small one that only small requests may take, both
//! within the budget. `permit` decides how much a request holds, and when.

use common::ids::OrganizationId;

use super::rooms::{Room, Rooms};

/// The part of the budget for small requests: four times the weight of those that fit the queue's room for them, by
/// default. Those on connections of hyper's are in memory twice, as sent and in the connection's buffer, and those
/// after gzip weigh about as much as they hold; the few that are just being transcoded hold more.
const LITTLE_PART: usize = 16;

/// The least budget that leaves this many bytes to requests that are not small.
pub(crate) fn budget_for(common: usize) -> usize {
    common.saturating_add(common.saturating_sub(1) / (LITTLE_PART - 1))
}

/// Bytes in memory, shared between organizations.
#[derive(Debug)]
pub(super) struct Memory {
    rooms: Rooms,
}

/// Memory of one request, all of it in one room.
#[derive(Debug)]
pub(super) struct Reservation {
    pub(super) bytes: usize,
    room: Room,
}

impl Reservation {
    /// No memory, and the room tried first.
    pub(super) fn nothing(room: Room) -> Self {
        Self { bytes: 0, room }
    }
}

impl Memory {
    pub(super) fn new(budget: usize) -> Self {
        let little = budget / LITTLE_PART;
        Self { rooms: Rooms::new(budget - little, little) }
    }

    /// Allocates more for a request, if available. A small one takes it in the room of its own, and in the common
    /// one only where that is full.
    pub(super) fn take(&mut self, who: OrganizationId, held: &mut Reservation, more: usize) -> bool {
        let took = match held.room {
            _ if more == 0 => return true,
            Room::Common => self.rooms.common.take(who, more),
            Room::Little if self.rooms.little.take_sparing(who, more) => true,
            Room::Little => return self.take_among_all(who, held, more),
        };
        held.bytes += if took { more } else { 0 };
        took
    }

    /// It is not small: its memory is moved to the common room, if that has space for it.
    pub(super) fn join_large(&mut self, who: OrganizationId, held: &mut Reservation) -> bool {
        held.room == Room::Common || self.take_among_all(who, held, 0)
    }

    fn take_among_all(&mut self, who: OrganizationId, held: &mut Reservation, more: usize) -> bool {
        let bytes = held.bytes.saturating_add(more);
        if !self.rooms.common.take(who, bytes) {
            return false;
        }
        self.rooms.little.give_back(who, held.bytes);
        *held = Reservation { bytes, room: Room::Common };
        true
    }

    /// Returns some of a request's memory.
    pub(super) fn give_back(&mut self, who: OrganizationId, held: &mut Reservation, bytes: usize) {
        self.rooms.of(held.room).give_back(who, bytes);
        held.bytes = held.bytes.saturating_sub(bytes);
    }
}

#[cfg(test)]
impl Memory {
    pub(super) fn capacity(&self) -> usize {
        self.rooms.common.capacity() + self.rooms.little.capacity()
    }

    pub(super) fn held(&self) -> usize {
        self.rooms.held()
    }

    pub(super) fn held_by_little(&self) -> usize {
        self.rooms.little.held()
    }
}

#[cfg(test)]
mod tests;

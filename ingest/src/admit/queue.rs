//! The queue of all waiting requests: the common one, and room beside it that only small ones may take. `delay`
//! determines the waiting times.

use common::ids::OrganizationId;

use super::rooms::{Room, Rooms};

/// The room of small requests is this part of the common one: it makes the wait at most an eighth longer, and
/// is processed in an eighth of the maximum waiting time.
const LITTLE_ROOM: usize = 8;
/// The room of small ones is never less than that of a queue of this part of the usual: it is only a few hundred
/// requests, which then make the wait a quarter longer at most.
const LEAST_OF_LITTLE: usize = 2;

/// Places by weight, bytes, shared between organizations.
#[derive(Debug)]
pub(super) struct Queue {
    rooms: Rooms,
    usual: usize,
}

impl Queue {
    /// A queue of this usual length.
    pub(super) fn new(usual: usize) -> Self {
        Self { rooms: Rooms::new(usual, usual / LITTLE_ROOM), usual }
    }

    /// The length of the common queue.
    pub(super) fn capacity(&self) -> usize {
        self.rooms.common.capacity()
    }

    /// Changes the length. Requests with a place keep it.
    pub(super) fn set_capacity(&mut self, capacity: usize) {
        self.rooms.common.set_capacity(capacity);
        self.rooms.little.set_capacity(capacity.max(self.usual / LEAST_OF_LITTLE) / LITTLE_ROOM);
    }

    /// A place at the end, if there is one. A small one takes it in the room of its own, and in the common one
    /// only where that is full.
    pub(super) fn enter(&mut self, who: OrganizationId, weight: usize) -> Option<Room> {
        if Room::of(weight, self.usual) == Room::Little && self.rooms.little.take_sparing(who, weight) {
            return Some(Room::Little);
        }
        self.enter_common(who, weight).then_some(Room::Common)
    }

    /// A place in the common room. An organization without any is admitted: every one gets its turn, however short the queue.
    pub(super) fn enter_common(&mut self, who: OrganizationId, weight: usize) -> bool {
        if self.rooms.common.has_none(who) {
            self.rooms.common.take_anyway(who, weight);
            return true;
        }
        self.rooms.common.take_sparing(who, weight)
    }

    /// A place for a request that was admitted before and stepped aside meanwhile.
    pub(super) fn enter_again(&mut self, who: OrganizationId, weight: usize, room: Room) {
        self.rooms.of(room).take_anyway(who, weight);
    }

    /// Returns a place.
    pub(super) fn leave(&mut self, who: OrganizationId, weight: usize, room: Room) {
        self.rooms.of(room).give_back(who, weight);
    }

    /// The weight in front of the last one in a room.
    pub(super) fn ahead(&self, room: Room) -> usize {
        match room {
            Room::Little => self.rooms.little.held(),
            Room::Common => self.rooms.held(),
        }
    }
}

#[cfg(test)]
mod tests;

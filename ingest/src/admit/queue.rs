//! The queue of all requests that wait for us: the common one, and room beside it that only little ones may take.
//! Who waits how long is `delay`'s.

use common::ids::OrganizationId;

use super::rooms::{Room, Rooms};

/// The room of little ones is this part of the common one: what makes the wait at most an eighth longer, and is
/// worked off in an eighth of the time that anybody may wait.
const LITTLE_ROOM: usize = 8;
/// The room of little ones is never less than that of a queue of this part of the usual: it is only a few hundred
/// requests, which then make the wait a quarter longer at most.
const LEAST_OF_LITTLE: usize = 2;

/// Places by weight, bytes, shared between organizations.
#[derive(Debug)]
pub(super) struct Queue {
    rooms: Rooms,
    usual: usize,
}

impl Queue {
    /// One that usually is so long.
    pub(super) fn new(usual: usize) -> Self {
        Self { rooms: Rooms::new(usual, usual / LITTLE_ROOM), usual }
    }

    /// The length of the common queue.
    pub(super) fn capacity(&self) -> usize {
        self.rooms.common.capacity()
    }

    /// Changes the length. Who has a place keeps it.
    pub(super) fn set_capacity(&mut self, capacity: usize) {
        self.rooms.common.set_capacity(capacity);
        self.rooms.little.set_capacity(capacity.max(self.usual / LEAST_OF_LITTLE) / LITTLE_ROOM);
    }

    /// A place at the end, if there is one. A little one takes it in the room of its own, and only where that is
    /// full among all.
    pub(super) fn enter(&mut self, who: OrganizationId, weight: usize) -> Option<Room> {
        if Room::of(weight, self.usual) == Room::Little && self.rooms.little.take_sparing(who, weight) {
            return Some(Room::Little);
        }
        self.enter_common(who, weight).then_some(Room::Common)
    }

    /// A place among all. Who has none there is let in: however short the queue has to be, everybody's turn comes.
    pub(super) fn enter_common(&mut self, who: OrganizationId, weight: usize) -> bool {
        if self.rooms.common.has_none(who) {
            self.rooms.common.take_anyway(who, weight);
            return true;
        }
        self.rooms.common.take_sparing(who, weight)
    }

    /// A place for who was let in before and stepped aside meanwhile.
    pub(super) fn enter_again(&mut self, who: OrganizationId, weight: usize, room: Room) {
        self.rooms.of(room).take_anyway(who, weight);
    }

    /// Gives a place back.
    pub(super) fn leave(&mut self, who: OrganizationId, weight: usize, room: Room) {
        self.rooms.of(room).give_back(who, weight);
    }

    /// The weight of what goes first, for the last one in a room.
    pub(super) fn ahead(&self, room: Room) -> usize {
        match room {
            Room::Little => self.rooms.little.held(),
            Room::Common => self.rooms.held(),
        }
    }
}

#[cfg(test)]
mod tests;

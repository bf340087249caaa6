//! The queue of all requests that wait for us: the common one, and room beside it that only little ones may take.
//! Little ones are worked on where they were received and overtake the large ones, which take turns on threads of
//! their own; so what large ones hold is no reason to turn a little one away. Who waits how long is `delay`'s.

use common::ids::OrganizationId;

use super::shares::Shares;

/// The room of little ones is this part of the common one: what makes the wait at most an eighth longer, and is
/// worked off in an eighth of the time that anybody may wait.
const LITTLE_ROOM: usize = 8;
/// What weighs this part of the usual queue or less is little, 128 KiB by default: about what is worked on where it
/// was received.
const LITTLE: usize = 256;

/// Where a request has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Among all.
    Common,
    /// Among little ones only.
    Little,
}

/// Places by weight, bytes, shared between organizations.
#[derive(Debug)]
pub(super) struct Queue {
    common: Shares,
    little: Shares,
    /// The most that a little one weighs.
    little_weight: usize,
}

impl Queue {
    /// One that usually is so long.
    pub(super) fn new(usual: usize) -> Self {
        let (common, little) = (Shares::new(usual), Shares::new(usual / LITTLE_ROOM));
        Self { common, little, little_weight: usual / LITTLE }
    }

    /// The length of the common queue.
    pub(super) fn capacity(&self) -> usize {
        self.common.capacity()
    }

    /// Changes the length. Who has a place keeps it.
    pub(super) fn set_capacity(&mut self, capacity: usize) {
        self.common.set_capacity(capacity);
        self.little.set_capacity(capacity / LITTLE_ROOM);
    }

    /// A place at the end, if there is one. A little one takes it in the room of its own, and only where that is
    /// full among all.
    pub(super) fn enter(&mut self, who: OrganizationId, weight: usize) -> Option<Room> {
        if self.is_little(weight) && self.little.take_sparing(who, weight) {
            return Some(Room::Little);
        }
        self.enter_common(who, weight).then_some(Room::Common)
    }

    /// A place among all. Who has none there is let in: however short the queue has to be, everybody's turn comes.
    pub(super) fn enter_common(&mut self, who: OrganizationId, weight: usize) -> bool {
        if self.common.has_none(who) {
            self.common.take_anyway(who, weight);
            return true;
        }
        self.common.take_sparing(who, weight)
    }

    /// A place for who was let in before and stepped aside meanwhile.
    pub(super) fn enter_again(&mut self, who: OrganizationId, weight: usize, room: Room) {
        self.shares(room).take_anyway(who, weight);
    }

    /// Gives a place back.
    pub(super) fn leave(&mut self, who: OrganizationId, weight: usize, room: Room) {
        self.shares(room).give_back(who, weight);
    }

    /// The weight of what goes first, for the last one in a room.
    pub(super) fn ahead(&self, room: Room) -> usize {
        match room {
            Room::Little => self.little.held(),
            Room::Common => self.little.held().saturating_add(self.common.held()),
        }
    }

    fn is_little(&self, weight: usize) -> bool {
        weight <= self.little_weight
    }

    fn shares(&mut self, room: Room) -> &mut Shares {
        match room {
            Room::Common => &mut self.common,
            Room::Little => &mut self.little,
        }
    }
}

#[cfg(test)]
mod tests;

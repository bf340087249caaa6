//! One quantity in two rooms, each shared fairly between organizations: the common one, and one that only little
//! requests may take. What the quantity is, and how large the rooms are, is `queue`'s and `memory`'s.
//!
//! Little requests are worked on where they were received and overtake the large ones, which take turns on threads
//! of their own; so what large ones hold is no reason to turn a little one away.

use super::shares::Shares;

/// What weighs this part of the usual queue or less is little, 128 KiB by default: about what is worked on where it
/// was received.
const LITTLE: usize = 256;

/// Where a request has its place, or its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Among all.
    Common,
    /// Among little ones only.
    Little,
}

impl Room {
    /// Where a request of this weight looks first, if the queue is usually so long.
    pub(super) fn of(weight: usize, usual: usize) -> Self {
        if weight <= usual / LITTLE { Self::Little } else { Self::Common }
    }
}

/// Both of them.
#[derive(Debug)]
pub(super) struct Rooms {
    pub(super) common: Shares,
    pub(super) little: Shares,
}

impl Rooms {
    pub(super) fn new(common: usize, little: usize) -> Self {
        Self { common: Shares::new(common), little: Shares::new(little) }
    }

    pub(super) fn of(&mut self, room: Room) -> &mut Shares {
        match room {
            Room::Common => &mut self.common,
            Room::Little => &mut self.little,
        }
    }

    /// How much all hold, in both.
    pub(super) fn held(&self) -> usize {
        self.little.held().saturating_add(self.common.held())
    }
}

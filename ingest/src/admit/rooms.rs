//! One quantity in two rooms, each shared fairly between organizations: the common one, and one that only small
//! requests may take. `queue` and `memory` define the quantity, and the size of the rooms.
//!
//! Small requests are processed on the receiving thread and overtake the large ones, which take turns on threads
//! of their own; so the holdings of large ones are no reason to refuse a small one.

use super::shares::Shares;

/// Requests that weigh this part of the usual queue or less are small, 128 KiB by default: about as much as is
/// processed on the receiving thread.
const LITTLE: usize = 256;

/// Room of a request's place, or of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Among all.
    Common,
    /// Among small ones only.
    Little,
}

impl Room {
    /// Room that a request of this weight tries first, for a queue of this usual length.
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

    /// Total held, in both.
    pub(super) fn held(&self) -> usize {
        self.little.held().saturating_add(self.common.held())
    }
}

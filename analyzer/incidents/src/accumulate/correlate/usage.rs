//! Memory of the windows of a partition by organization, and the room that is left to one of them.

use common::ids::OrganizationId;

use super::group::{MemoryUse, Room};
use crate::accumulate::shares::Shares;

/// Bytes that windows of one partition keep of events below their threshold, of which each organization has a share.
/// Beyond, events are counted as before, but shown without an excerpt if they become members.
const MOST_NOTE_BYTES: usize = 64 * 1024 * 1024;
/// The same with fields carried for outer correlations: they are dropped last, because without them less is counted.
const MOST_CARRYING_BYTES: usize = 2 * MOST_NOTE_BYTES;

/// Memory of all windows.
#[derive(Debug, Default)]
pub(super) struct WindowUsage {
    /// Bytes of windows with their events.
    pub(super) windows: Shares,
    notes: Shares,
    kept: Shares,
}

impl WindowUsage {
    /// A window of an organization takes something else than before.
    pub(super) fn change(&mut self, who: OrganizationId, before: MemoryUse, after: MemoryUse) {
        self.windows.change(who, before.windows, after.windows);
        self.notes.change(who, before.notes, after.notes);
        self.kept.change(who, before.kept, after.kept);
    }

    /// Bytes that a window may keep, including those it takes already.
    pub(super) fn room_for(&self, who: OrganizationId, already: MemoryUse) -> Room {
        Room {
            excerpts: already.notes + self.notes.room_for(who, MOST_NOTE_BYTES),
            carrying: already.kept + self.kept.room_for(who, MOST_CARRYING_BYTES),
        }
    }
}

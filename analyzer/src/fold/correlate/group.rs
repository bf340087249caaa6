//! One window and what it is a window of: whose it is, what it keeps, and its row in the ledger.

use std::sync::Arc;

use common::ids::{OrganizationId, SourceId};
use common::row::BodyError;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::window::{Arrival, Growth, Window, WindowSpec};

use super::kept::{Kept, KeptRow};
use super::once::Once;
use crate::catalogue::Catalogue;
use crate::fold::finding::Owner;
use crate::identity::RecordId;
use crate::plan::{CorrelationPlan, Subject};

/// Bytes that one window, which is one row of the ledger, keeps of its events: room for a few hundred
/// usual lines. Beyond, events are shown without an excerpt if they become members.
const MOST_WINDOW_BYTES: usize = 64 * 1024;
/// The same with what is carried for outer correlations. Beyond, the oldest events carry nothing any more,
/// which are the least likely to become points; a row of a full window stays below what a commit takes.
const MOST_CARRYING_BYTES: usize = 96 * 1024;

/// Memory that a window takes with its place among the others, bytes: half of it holds none or a handful of events.
const WINDOW_BYTES: usize = 512;
/// The same of one of its events, without what is kept of it.
const EVENT_BYTES: usize = 100;

/// One window.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) correlation: usize,
    pub(super) owner: Arc<Owner>,
    pub(super) values: Vec<String>,
    /// The log's time when an event last arrived, or the window was last closed.
    pub(super) touched_at: Timestamp,
    pub(super) window: Window<RecordId, Kept>,
    /// Whether it takes in what found no group of its own.
    pub(super) is_coarse: bool,
    /// Bytes of notes, and of those and what is carried.
    note_bytes: usize,
    kept_bytes: usize,
    /// Where it stands among those that wait for their end.
    pub(super) waits: Option<(i64, i64)>,
}

/// A window as it is kept in the ledger.
#[derive(Serialize, Deserialize)]
pub(super) struct GroupRow {
    pub(super) correlation: String,
    pub(super) content_hash: String,
    pub(super) organization: OrganizationId,
    source: SourceId,
    application_group: String,
    environment: String,
    values: Vec<String>,
    touched_at: Timestamp,
    window: Window<RecordId, KeptRow>,
    is_coarse: bool,
}

/// How many bytes of memory windows take, if each held for itself what it keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeptBytes {
    /// By themselves, and with their events.
    pub(super) windows: usize,
    /// With excerpts.
    pub(super) notes: usize,
    /// With excerpts, and what is carried.
    pub(super) kept: usize,
}

/// How many bytes a window may keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// With excerpts.
    pub(super) excerpts: usize,
    /// With excerpts, and what is carried.
    pub(super) carrying: usize,
}

impl Group {
    /// A window without events.
    pub(super) fn new(
        correlation: usize,
        values: Vec<String>,
        owner: Arc<Owner>,
        log_time: Timestamp,
    ) -> Self {
        Self {
            correlation,
            owner,
            values,
            touched_at: log_time,
            window: Window::default(),
            is_coarse: false,
            note_bytes: 0,
            kept_bytes: 0,
            waits: None,
        }
    }

    /// A window read back.
    pub(super) fn restored(correlation: usize, row: GroupRow, once: &mut Once) -> Self {
        let owner = once.owner(Owner {
            organization: row.organization,
            source: row.source,
            application_group: row.application_group,
            environment: row.environment,
        });
        let window = row.window.with_notes(|kept| Kept::restored(kept, once));
        let mut group = Self {
            window,
            is_coarse: row.is_coarse,
            ..Self::new(correlation, row.values, owner, row.touched_at)
        };
        group.count_kept();
        group
    }

    /// What follows from its correlation.
    pub(super) fn plan<'c>(&self, catalogue: &'c Catalogue) -> &'c CorrelationPlan {
        catalogue.plan(self.owner.organization).correlation(self.correlation)
    }

    /// Adds an event that arrived at the log's time `received`, and keeps of it what there is room for.
    pub(super) fn insert(
        &mut self,
        spec: &WindowSpec,
        arrival: Arrival<RecordId, Kept>,
        received: i64,
        room: Room,
    ) -> Growth<RecordId, Kept> {
        let record = arrival.id;
        let growth = self.window.insert_received(spec, arrival, received);
        self.count_kept();
        if self.kept_bytes > MOST_WINDOW_BYTES || self.note_bytes > room.excerpts {
            let own = self.window.notes_mut().filter(|(id, _)| *id == record);
            own.for_each(|(_, kept)| *kept = kept.take().and_then(|kept| Kept { note: None, ..kept }.some()));
            self.count_kept();
        }
        if self.kept_bytes > MOST_CARRYING_BYTES.min(room.carrying) {
            self.carry_less();
        }
        growth
    }

    /// Closes the window that is due at the log's time. Closing touches: what was closed must be known for as
    /// long as somebody may send it late.
    pub(super) fn close(&mut self, spec: &WindowSpec, log_time: Timestamp) -> Growth<RecordId, Kept> {
        self.touched_at = log_time;
        let growth = self.window.close_next(spec, log_time.0).unwrap_or_default();
        self.count_kept();
        growth
    }

    /// Lets the older half of the events that carry something carry nothing any more.
    fn carry_less(&mut self) {
        let carrying = |kept: &Kept| kept.carried.is_some();
        let count = self.window.notes().filter(|kept| carrying(kept)).count();
        let notes = self.window.notes_mut().map(|(_, kept)| kept);
        let carrying = notes.filter(|kept| kept.as_ref().is_some_and(carrying));
        for kept in carrying.take(count.div_ceil(2)) {
            *kept = kept.take().and_then(|kept| Kept { carried: None, ..kept }.some());
        }
        self.count_kept();
    }

    /// What it keeps.
    pub(super) fn bytes(&self) -> KeptBytes {
        let values: usize = self.values.iter().map(String::len).sum();
        let windows = WINDOW_BYTES + 2 * values + self.window.len() * EVENT_BYTES;
        KeptBytes { windows, notes: self.note_bytes, kept: self.kept_bytes }
    }

    /// Counts what it keeps of its events.
    fn count_kept(&mut self) {
        let costs = self.window.notes().map(|kept| (kept.note_cost(), kept.cost()));
        (self.note_bytes, self.kept_bytes) =
            costs.fold((0, 0), |(notes, all), (note, kept)| (notes + note, all + kept));
    }

    /// About how many bytes its row takes.
    pub(super) fn cost(&self) -> usize {
        let values: usize = self.values.iter().map(String::len).sum();
        // A window that waits for its end holds when each event arrived, and its number.
        let event = if self.waits.is_some() { 112 } else { 96 };
        512 + 2 * values + self.window.len() * event + self.kept_bytes
    }

    /// Its row.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(super) fn row(&self, subject: &Subject) -> Result<Vec<u8>, BodyError> {
        common::row::encode(&GroupRow {
            correlation: subject.matched.id.clone(),
            content_hash: subject.content_hash.clone(),
            organization: self.owner.organization,
            source: self.owner.source,
            application_group: self.owner.application_group.clone(),
            environment: self.owner.environment.clone(),
            values: self.values.clone(),
            touched_at: self.touched_at,
            window: self.window.with_notes(Kept::row),
            is_coarse: self.is_coarse,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_read_as_it_is_written() {
        let written = r#"{"correlation": "a", "content_hash": "b",
            "organization": "00000000-0000-0000-0000-000000000001",
            "source": "00000000-0000-0000-0000-000000000002", "application_group": "shop",
            "environment": "production", "values": ["root"], "touched_at": 7, "is_coarse": false,
            "window": {"newest": 5, "satisfied": [], "thinned_to": 0, "held": [
                [5, "00000000000000000000000000000003", 0, 9, 0, {"event_time": 5, "time_inferred": false,
                    "received_at": 6, "message": "hello", "fields": {}}, 0],
                [6, "00000000000000000000000000000004", 0, 9, 0, null, 0]]}}"#;
        let group = Group::restored(0, serde_json::from_str(written).unwrap(), &mut Once::default());
        assert_eq!((group.window.len(), group.values.as_slice()), (2, &["root".to_owned()][..]));
        let notes: Vec<_> = group.window.notes().filter_map(|kept| kept.note.clone()).collect();
        assert_eq!((notes.len(), notes[0].message()), (1, "hello"));
        assert_eq!((group.owner.application_group.as_str(), group.kept_bytes > 0), ("shop", true));
    }
}

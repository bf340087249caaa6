//! One window and what it is a window of: whose it is, what it keeps, and its row in the ledger.

use std::sync::Arc;

use common::ids::{OrganizationId, SourceId};
use common::row::BodyError;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::window::{Arrival, Growth, Window, WindowSpec};

use super::kept::{Kept, KeptGround};
use crate::catalogue::Catalogue;
use crate::fold::finding::{Owner, Place};
use crate::fold::ground::FirstGround;
use crate::identity::RecordId;
use crate::plan::{CorrelationPlan, Subject};

/// Bytes that one window, which is one row of the ledger, keeps of its events: room for a few hundred
/// usual lines. Beyond, events are shown without an excerpt if they become members.
const MOST_WINDOW_BYTES: usize = 64 * 1024;
/// The same with what is carried for outer correlations. Beyond, the oldest events carry nothing any more,
/// which are the least likely to become points; a row of a full window stays below what a commit takes.
const MOST_CARRYING_BYTES: usize = 96 * 1024;
/// Bytes kept of its events for filters that are added later, beside those: thresholds of a few hundred usual lines.
const MOST_GROUND_BYTES: usize = 64 * 1024;

/// One window.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) correlation: usize,
    pub(super) owner: Owner,
    pub(super) values: Vec<String>,
    /// The log's time when an event last arrived, or the window was last closed.
    pub(super) touched_at: Timestamp,
    pub(super) window: Window<RecordId, Kept>,
    kept_bytes: usize,
    first_ground: FirstGround,
    ground_bytes: usize,
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
    // Absent where a window was written before any of them waited for its end.
    #[serde(default)]
    application_group: String,
    #[serde(default)]
    environment: String,
    values: Vec<String>,
    touched_at: Timestamp,
    window: Window<RecordId, Kept>,
    #[serde(default, skip_serializing_if = "FirstGround::is_unused")]
    first_ground: FirstGround,
}

/// How many bytes windows keep of their events.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeptBytes {
    /// With excerpts, and what is carried.
    pub(super) kept: usize,
    /// For filters that are added later.
    pub(super) grounds: usize,
}

/// How many bytes all windows of a partition may still keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// With excerpts.
    pub(super) excerpts: usize,
    /// With what is carried.
    pub(super) carrying: usize,
    /// For filters that are added later.
    pub(super) grounds: usize,
}

impl KeptBytes {
    /// What it is when a part of it changes.
    pub(super) fn changed(self, before: Self, after: Self) -> Self {
        Self {
            kept: self.kept - before.kept + after.kept,
            grounds: self.grounds - before.grounds + after.grounds,
        }
    }
}

impl Group {
    /// A window without events.
    pub(super) fn new(correlation: usize, values: Vec<String>, place: &Place<'_>) -> Self {
        Self {
            correlation,
            owner: Owner::of(place.headers),
            values,
            touched_at: place.log_time,
            window: Window::default(),
            kept_bytes: 0,
            first_ground: FirstGround::default(),
            ground_bytes: 0,
            waits: None,
        }
    }

    /// A window read back.
    pub(super) fn restored(correlation: usize, row: GroupRow) -> Self {
        let mut group = Self {
            correlation,
            owner: Owner {
                organization: row.organization,
                source: row.source,
                application_group: row.application_group,
                environment: row.environment,
            },
            values: row.values,
            touched_at: row.touched_at,
            window: row.window,
            kept_bytes: 0,
            first_ground: row.first_ground,
            ground_bytes: 0,
            waits: None,
        };
        group.kept_bytes = group.held_bytes();
        group.ground_bytes = group.held_ground_bytes();
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
        let mut growth = self.window.insert_received(spec, arrival, received);
        self.complete_grounds(&mut growth);
        self.hold_ground(record, room.grounds);
        self.kept_bytes = self.held_bytes();
        if self.kept_bytes > MOST_WINDOW_BYTES.min(room.excerpts) {
            let own = self.window.notes_mut().filter(|(id, _)| *id == record);
            own.for_each(|(_, kept)| *kept = kept.take().and_then(|kept| Kept { note: None, ..kept }.some()));
            self.kept_bytes = self.held_bytes();
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
        let mut growth = self.window.close_next(spec, log_time.0).unwrap_or_default();
        self.complete_grounds(&mut growth);
        self.settle_grounds(usize::MAX);
        self.kept_bytes = self.held_bytes();
        growth
    }

    /// Gives what leaves the window its ground as a whole.
    fn complete_grounds(&self, growth: &mut Growth<RecordId, Kept>) {
        let leaving = growth.joined.iter_mut().chain(&mut growth.points);
        for kept in leaving.filter_map(|joined| joined.note.as_mut()) {
            if let Some(KeptGround::Held(held)) = &kept.ground {
                kept.ground = self.first_ground.whole(held).map(KeptGround::Whole);
            }
        }
    }

    /// Holds the ground of the event that arrived, if it stays.
    fn hold_ground(&mut self, record: RecordId, room: usize) {
        let own = self.window.notes_mut().filter(|(id, _)| *id == record);
        for kept in own.filter_map(|(_, kept)| kept.as_mut()) {
            if let Some(KeptGround::Whole(ground)) = &kept.ground {
                kept.ground = self.first_ground.hold(ground).map(|held| KeptGround::Held(Arc::new(held)));
            }
        }
        self.settle_grounds(room);
    }

    /// Gives all grounds up when they are too much, and begins anew when none is left.
    fn settle_grounds(&mut self, room: usize) {
        if self.first_ground.is_unused() {
            return;
        }
        self.ground_bytes = self.held_ground_bytes();
        if self.ground_bytes > MOST_GROUND_BYTES.min(room) {
            self.first_ground.give_up();
            for (_, kept) in self.window.notes_mut() {
                *kept = kept.take().and_then(|kept| Kept { ground: None, ..kept }.some());
            }
            self.ground_bytes = 0;
        } else if !self.window.notes().any(|kept| kept.ground.is_some()) && self.ground_bytes > 0 {
            self.first_ground = FirstGround::default();
            self.ground_bytes = 0;
        }
    }

    /// Bytes of what it holds for filters that are added later.
    fn held_ground_bytes(&self) -> usize {
        self.first_ground.cost() + self.window.notes().map(Kept::ground_cost).sum::<usize>()
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
        self.kept_bytes = self.held_bytes();
    }

    /// What it keeps.
    pub(super) fn bytes(&self) -> KeptBytes {
        KeptBytes { kept: self.kept_bytes, grounds: self.ground_bytes }
    }

    /// Bytes of what the window keeps of its events.
    fn held_bytes(&self) -> usize {
        self.window.notes().map(Kept::cost).sum()
    }

    /// About how many bytes its row takes.
    pub(super) fn cost(&self) -> usize {
        let values: usize = self.values.iter().map(String::len).sum();
        // A window that waits for its end holds when each event arrived, and its number.
        let event = if self.waits.is_some() { 112 } else { 96 };
        512 + 2 * values + self.window.len() * event + self.kept_bytes + self.ground_bytes
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
            window: self.window.clone(),
            first_ground: self.first_ground.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_written_before_any_waited_for_its_end_is_read() {
        let written = r#"{"correlation": "a", "content_hash": "b",
            "organization": "00000000-0000-0000-0000-000000000001",
            "source": "00000000-0000-0000-0000-000000000002", "values": ["root"], "touched_at": 7,
            "window": {"newest": 5, "satisfied": [], "thinned_to": 0, "held": [
                [5, "00000000000000000000000000000003", 0, 9, 0, {"event_time": 5, "time_inferred": false,
                    "received_at": 6, "message": "hello", "fields": {}}],
                [6, "00000000000000000000000000000004", 0, 9, 0, null, 0]]}}"#;
        let group = Group::restored(0, serde_json::from_str(written).unwrap());
        assert_eq!((group.window.len(), group.values.as_slice()), (2, &["root".to_owned()][..]));
        let notes: Vec<_> = group.window.notes().filter_map(|kept| kept.note.clone()).collect();
        assert_eq!((notes.len(), notes[0].message.as_str()), (1, "hello"));
        assert_eq!((group.owner.application_group.as_str(), group.kept_bytes > 0), ("", true));
    }
}

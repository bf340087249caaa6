//! One window with its correlation, owner and group, the data that it keeps, and its row in the ledger.

use std::sync::Arc;

use common::ids::{OrganizationId, SourceId};
use common::row::BodyError;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::window::{Arrival, Growth, Window};

use super::event_data::EventData;
use super::interner::Interner;
use crate::finding::Owner;
use crate::identity::RecordId;
use crate::plan::CorrelationPlan;

/// Bytes that one window, which is one row of the ledger, keeps of its events: room for a few hundred
/// usual lines. Beyond, events are shown without an excerpt if they become members.
const MOST_WINDOW_BYTES: usize = 64 * 1024;
/// The same with fields carried for outer correlations. Beyond, the oldest events carry nothing any more,
/// which are the least likely to become points; a row of a full window stays below the limit of a commit.
const MOST_CARRYING_BYTES: usize = 96 * 1024;

/// Memory that a window takes with its place among the others, bytes: half of it holds none or a handful of events.
const WINDOW_BYTES: usize = 512;
/// The same of one of its events, without its data.
const EVENT_BYTES: usize = 100;

/// One window.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) correlation: usize,
    pub(super) plan: Arc<CorrelationPlan>,
    pub(super) owner: Arc<Owner>,
    pub(super) values: Vec<String>,
    /// The log's time when an event last arrived, or the window was last closed.
    pub(super) touched_at: Timestamp,
    pub(super) window: Window<RecordId, EventData>,
    /// Whether it counts events that found no group of their own.
    pub(super) is_coarse: bool,
    /// Bytes of notes, and of notes and carried fields.
    note_bytes: usize,
    kept_bytes: usize,
    /// Its key among the windows that wait for their end.
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
    window: Window<RecordId, EventData>,
    is_coarse: bool,
}

/// Bytes of memory that windows take, if none shared its data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemoryUse {
    /// By themselves, and with their events.
    pub(super) windows: usize,
    /// With excerpts.
    pub(super) notes: usize,
    /// With excerpts and carried fields.
    pub(super) kept: usize,
}

/// Most bytes that a window may keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// With excerpts.
    pub(super) excerpts: usize,
    /// With excerpts and carried fields.
    pub(super) carrying: usize,
}

impl Group {
    /// A window without events.
    pub(super) fn new(
        correlation: usize,
        plan: &Arc<CorrelationPlan>,
        values: Vec<String>,
        owner: Arc<Owner>,
        log_time: Timestamp,
    ) -> Self {
        Self {
            correlation,
            plan: Arc::clone(plan),
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
    pub(super) fn restored(
        correlation: usize,
        plan: &Arc<CorrelationPlan>,
        row: GroupRow,
        interner: &mut Interner,
    ) -> Self {
        let owner = interner.owner(Owner {
            organization: row.organization,
            source: row.source,
            application_group: row.application_group,
            environment: row.environment,
        });
        let window = row.window.with_notes(|data| Some(data.interned(interner)));
        let mut group = Self {
            window,
            is_coarse: row.is_coarse,
            ..Self::new(correlation, plan, row.values, owner, row.touched_at)
        };
        group.count_kept();
        group
    }

    /// Adds an event that arrived at the log's time `received`, and keeps its data as far as there is room.
    pub(super) fn insert(
        &mut self,
        arrival: Arrival<RecordId, EventData>,
        received: i64,
        room: Room,
    ) -> Growth<RecordId, EventData> {
        let record = arrival.id;
        let growth = self.window.insert_received(&self.plan.spec, arrival, received);
        self.count_kept();
        if self.kept_bytes > MOST_WINDOW_BYTES || self.note_bytes > room.excerpts {
            let own = self.window.notes_mut().filter(|(id, _)| *id == record);
            own.for_each(|(_, kept)| {
                *kept = kept.take().and_then(|kept| EventData { note: None, ..kept }.some())
            });
            self.count_kept();
        }
        if self.kept_bytes > MOST_CARRYING_BYTES.min(room.carrying) {
            self.carry_less();
        }
        growth
    }

    /// Closes the window that is due at the log's time. Closing touches: a closed window must be known for as
    /// long as its events may be sent late.
    pub(super) fn close(&mut self, log_time: Timestamp) -> Growth<RecordId, EventData> {
        self.touched_at = log_time;
        let growth = self.window.close_next(&self.plan.spec, log_time.0).unwrap_or_default();
        self.count_kept();
        growth
    }

    /// Lets the older half of the events that carry something carry nothing any more.
    fn carry_less(&mut self) {
        let carrying = |kept: &EventData| kept.carried.is_some();
        let count = self.window.notes().filter(|kept| carrying(kept)).count();
        let notes = self.window.notes_mut().map(|(_, kept)| kept);
        let carrying = notes.filter(|kept| kept.as_ref().is_some_and(carrying));
        for kept in carrying.take(count.div_ceil(2)) {
            *kept = kept.take().and_then(|kept| EventData { carried: None, ..kept }.some());
        }
        self.count_kept();
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> MemoryUse {
        let values: usize = self.values.iter().map(String::len).sum();
        let windows = WINDOW_BYTES + 2 * values + self.window.len() * EVENT_BYTES;
        MemoryUse { windows, notes: self.note_bytes, kept: self.kept_bytes }
    }

    /// Counts the bytes of its events' data.
    fn count_kept(&mut self) {
        let costs = self.window.notes().map(|kept| (kept.note_cost(), kept.cost()));
        (self.note_bytes, self.kept_bytes) =
            costs.fold((0, 0), |(notes, all), (note, kept)| (notes + note, all + kept));
    }

    /// Bytes of its row, about.
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
    pub(super) fn row(&self) -> Result<Vec<u8>, BodyError> {
        let subject = &self.plan.subject;
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
            is_coarse: self.is_coarse,
        })
    }
}

//! Widespread rules: a rule that matches for many entities of a source within a day, as with scripts of device
//! management or an inventory that queries every host.
//!
//! Each rule of a source has a window over the entities it matched for, so whether it is widespread depends on the set
//! of matches only, not on their order. Earlier incidents about single entities keep their records.

use std::sync::Arc;
use std::time::Duration;

use common::incident::Entity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::window::{Arrival, Condition, Joined, Window, WindowSpec};

use crate::finding::{Member, RecordContext};
use crate::identity::{RecordId, value_hash};
use crate::note::Note;
use crate::plan::Subject;

/// Entities of a source up to which the matches of a rule are assessed one by one; with one more the rule is widespread.
const MOST_ENTITIES: u64 = 10;
/// The span over which entities are counted: management and inventory come round daily.
const SPAN: Duration = Duration::from_secs(24 * 60 * 60);
/// Bytes of notes kept for one rule of a source: one row of the ledger. Beyond, matches are counted as before, but
/// shown without an excerpt.
const MOST_NOTE_BYTES: usize = 32 * 1024;

/// The entities that one rule matched for in one source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RuleMatches {
    /// The log's time when it last matched.
    touched_at: Timestamp,
    window: Window<RecordId, EntityMatch>,
}

/// A match, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct EntityMatch {
    entity: Entity,
    note: Option<Arc<Note>>,
}

impl RuleMatches {
    /// No matches yet.
    pub(super) fn new(log_time: Timestamp) -> Self {
        Self { touched_at: log_time, window: Window::default() }
    }

    /// Adds a match for an entity, with its note if there is room for it. Returns the matches that became part of the
    /// widespread rule by it, each with its entity.
    pub(super) fn add(
        &mut self,
        context: &RecordContext<'_>,
        entity: &Entity,
        member: &Member,
        note_room: usize,
    ) -> Vec<(Entity, Member)> {
        self.touched_at = context.log_time;
        let room = MOST_NOTE_BYTES.min(note_room).saturating_sub(self.note_bytes());
        let note = member.note.clone().filter(|note| note.cost() <= room);
        let arrival = Arrival {
            time: member.event_time.0,
            id: member.record,
            step: 0,
            value: value_hash(&entity.value),
            note: Some(EntityMatch { entity: entity.clone(), note }),
        };
        let joined = self.window.insert(&spec(), arrival).joined;
        // The match itself is at hand, whatever there was room for.
        let joined = joined.into_iter().map(|joined| match joined.id == member.record {
            true => (entity.clone(), member.clone()),
            false => self.earlier(joined, &member.subject, entity),
        });
        joined.collect()
    }

    fn earlier(
        &self,
        joined: Joined<RecordId, EntityMatch>,
        subject: &Arc<Subject>,
        otherwise: &Entity,
    ) -> (Entity, Member) {
        let kept = joined.note.unwrap_or_else(|| EntityMatch { entity: otherwise.clone(), note: None });
        let member = Member {
            record: joined.id,
            event_time: Timestamp(joined.time),
            note: kept.note,
            subject: Arc::clone(subject),
        };
        (kept.entity, member)
    }

    /// Whether the rule is widespread at a time.
    pub(super) fn is_widespread(&self, time: Timestamp) -> bool {
        self.window.covers(time.0)
    }

    /// Whether it has not matched for longer than its matches can matter.
    pub(super) fn is_over(&self, log_time: Timestamp) -> bool {
        self.touched_at.0.saturating_add(spec().kept()) < log_time.0
    }

    /// Bytes of the notes it keeps.
    pub(super) fn note_bytes(&self) -> usize {
        self.window.notes().filter_map(|kept| kept.note.as_ref()).map(|note| note.cost()).sum()
    }

    /// Bytes of its row, about.
    pub(super) fn cost(&self) -> usize {
        let entities: usize = self.window.notes().map(|kept| kept.entity.value.len() + 64).sum();
        512 + self.window.len() * 96 + entities + self.note_bytes()
    }
}

fn spec() -> WindowSpec {
    let timespan = i64::try_from(SPAN.as_nanos()).unwrap_or(i64::MAX);
    WindowSpec { condition: Condition::Values { at_least: MOST_ENTITIES + 1 }, timespan, patience: 0 }
}

/// Key of a rule of a source.
pub(super) fn key(context: &RecordContext<'_>, subject: &Subject) -> [u8; 16] {
    context.state_key([subject.matched.id.as_bytes(), subject.content_hash.as_bytes()])
}

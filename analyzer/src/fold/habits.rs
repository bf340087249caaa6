//! What one rule finds in the same way for many entities of a source is a habit of that source: device management
//! that runs its scripts, an inventory that asks every machine who it is. Such matches are one incident about the
//! rule, and no risk of anybody.
//!
//! Each rule of a source has a window over the entities it matched for, so that what is a habit depends on the set
//! of matches only. What entities had come to before there were enough of them stays as it is.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use common::incident::Entity;
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::window::{Arrival, Condition, Joined, Window, WindowSpec};

use super::finding::{Member, Place};
use super::rows::{self, Gone};
use super::state_table::StateTable;
use crate::identity::{RecordId, digest, short, value_hash};
use crate::note::Note;
use crate::plan::Subject;

/// Entities of a source for which a rule may match and each of them be looked at; one more is a habit.
const MOST_ENTITIES: u64 = 10;
/// The span over which entities are counted: management and inventory come round daily.
const SPAN: Duration = Duration::from_secs(24 * 60 * 60);
/// Rules of sources that are watched in one partition. Beyond, matches are judged one by one.
const MOST_HABITS: usize = 20_000;
/// Bytes of notes kept for one rule of a source: one row of the ledger. Beyond, matches are counted as before, but
/// shown without an excerpt.
const MOST_NOTE_BYTES: usize = 32 * 1024;
/// Bytes of notes for all of a partition.
const MOST_NOTE_BYTES_OF_ALL: usize = 32 * 1024 * 1024;

/// Name of a rule of a source among the state rows.
pub(crate) type HabitKey = [u8; 16];

/// The rules of a partition's sources that match now and then.
#[derive(Debug)]
pub(crate) struct Habits {
    rules: StateTable<HabitKey, Habit>,
    note_bytes: usize,
}

impl Default for Habits {
    fn default() -> Self {
        Self { rules: StateTable::new(rows::HABIT), note_bytes: 0 }
    }
}

/// For whom one rule matched in one source.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Habit {
    /// The log's time when it last matched.
    touched_at: Timestamp,
    window: Window<RecordId, Sight>,
}

/// What is kept of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sight {
    entity: Entity,
    note: Option<Arc<Note>>,
}

/// What a match comes to.
#[derive(Debug, Default)]
pub(crate) struct Sighted {
    /// Whether it is part of a habit, and so nothing about its entity.
    pub is_habit: bool,
    /// What became part of the habit by it, earlier matches among them, with whom each is about.
    pub members: Vec<(Entity, Member)>,
}

impl Habits {
    /// Adds a rule's match for an entity.
    pub(crate) fn sight(&mut self, place: &Place<'_>, entity: &Entity, member: &Member) -> Sighted {
        let key = habit_key(place, &member.subject);
        if self.rules.len() >= MOST_HABITS && !self.rules.contains(&key) {
            return Sighted::default();
        }
        let habit = self.rules.get_or_insert_with(key, || Habit::new(place.log_time));
        habit.touched_at = place.log_time;
        let others = self.note_bytes - habit.note_bytes();
        let members = habit.add(entity, member, MOST_NOTE_BYTES_OF_ALL.saturating_sub(others));
        self.note_bytes = others + habit.note_bytes();
        let (cost, is_habit) = (habit.cost(), habit.window.covers(member.event_time.0));
        self.rules.mark(key, cost);
        Sighted { is_habit, members }
    }

    /// Whether a match of a rule at some time is part of a habit.
    pub(crate) fn covers(&self, place: &Place<'_>, subject: &Subject, time: Timestamp) -> bool {
        self.rules.get(&habit_key(place, subject)).is_some_and(|habit| habit.window.covers(time.0))
    }

    /// Drops what has not matched for longer than it can matter.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, gone: &mut Gone) {
        let kept = spec().kept();
        let is_over = |habit: &Habit| habit.touched_at.0.saturating_add(kept) < log_time.0;
        for habit in self.rules.remove_if(|_, habit| is_over(habit), gone) {
            self.note_bytes -= habit.note_bytes();
        }
    }

    /// About how many rows and bytes the changes since the last [`Self::take_changes`] take.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        self.rules.pending_cost()
    }

    /// Rows to write since the last call.
    ///
    /// # Errors
    /// When a row cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        self.rules.take_changes(|_, habit| row::encode(habit))
    }

    /// Reads a rule's matches back.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(&mut self, key: HabitKey, body: &[u8]) -> Result<(), BodyError> {
        let habit: Habit = row::decode(body)?;
        self.note_bytes += habit.note_bytes();
        self.rules.restore(key, habit);
        Ok(())
    }
}

impl Habit {
    fn new(log_time: Timestamp) -> Self {
        Self { touched_at: log_time, window: Window::default() }
    }

    fn add(&mut self, entity: &Entity, member: &Member, note_room: usize) -> Vec<(Entity, Member)> {
        let room = MOST_NOTE_BYTES.min(note_room).saturating_sub(self.note_bytes());
        let note = member.note.clone().filter(|note| note.cost() <= room);
        let arrival = Arrival {
            time: member.event_time.0,
            id: member.record,
            step: 0,
            value: value_hash(&entity.value),
            note: Some(Sight { entity: entity.clone(), note }),
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
        joined: Joined<RecordId, Sight>,
        subject: &Arc<Subject>,
        otherwise: &Entity,
    ) -> (Entity, Member) {
        let sight = joined.note.unwrap_or_else(|| Sight { entity: otherwise.clone(), note: None });
        let member = Member {
            record: joined.id,
            event_time: Timestamp(joined.time),
            note: sight.note,
            subject: Arc::clone(subject),
        };
        (sight.entity, member)
    }

    fn note_bytes(&self) -> usize {
        self.window.notes().filter_map(|sight| sight.note.as_ref()).map(|note| note.cost()).sum()
    }

    /// About how many bytes its row takes.
    fn cost(&self) -> usize {
        let entities: usize = self.window.notes().map(|sight| sight.entity.value.len() + 64).sum();
        512 + self.window.len() * 96 + entities + self.note_bytes()
    }
}

fn spec() -> WindowSpec {
    let timespan = i64::try_from(SPAN.as_nanos()).unwrap_or(i64::MAX);
    WindowSpec { condition: Condition::Values { at_least: MOST_ENTITIES + 1 }, timespan, patience: 0 }
}

fn habit_key(place: &Place<'_>, subject: &Subject) -> HabitKey {
    short(&digest(&[
        place.headers.organization.as_bytes(),
        place.headers.source.as_bytes(),
        place.headers.application_group.as_bytes(),
        place.headers.environment.as_bytes(),
        subject.matched.id.as_bytes(),
        subject.content_hash.as_bytes(),
    ]))
}

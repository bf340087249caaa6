//! Widespread rules: a rule that matches for many entities of a source within a day, as with scripts of device management
//! or an inventory that queries every host. Such matches make one incident about the rule, and add no risk to entities.
//!
//! Each rule of a source has a window over the entities it matched for, so whether it is widespread depends on the set of
//! matches only, not on their order. Earlier incidents about single entities keep their records.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use common::incident::Entity;
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::window::{Arrival, Condition, Joined, Window, WindowSpec};

use super::finding::{Member, RecordContext};
use super::rows::{self, PendingDeletes};
use super::state_table::StateTable;
use crate::identity::{RecordId, digest, short, value_hash};
use crate::note::Note;
use crate::plan::Subject;

/// Entities of a source up to which the matches of a rule are assessed one by one; with one more the rule is widespread.
const MOST_ENTITIES: u64 = 10;
/// The span over which entities are counted: management and inventory come round daily.
const SPAN: Duration = Duration::from_secs(24 * 60 * 60);
/// Rules of sources that are watched in one partition. Beyond, matches are judged one by one.
const MOST_RULES: usize = 20_000;
/// Bytes of notes kept for one rule of a source: one row of the ledger. Beyond, matches are counted as before, but
/// shown without an excerpt.
const MOST_NOTE_BYTES: usize = 32 * 1024;
/// Bytes of notes for all of a partition.
const MOST_NOTE_BYTES_OF_ALL: usize = 32 * 1024 * 1024;

/// Name of a rule of a source among the state rows.
pub(crate) type RuleKey = [u8; 16];

/// Recent matches of the rules of a partition's sources, by rule and source.
#[derive(Debug)]
pub(crate) struct WidespreadRules {
    rules: StateTable<RuleKey, RuleMatches>,
    note_bytes: usize,
}

impl Default for WidespreadRules {
    fn default() -> Self {
        Self { rules: StateTable::new(rows::WIDESPREAD), note_bytes: 0 }
    }
}

/// The entities that one rule matched for in one source.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RuleMatches {
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
    /// Whether its rule is widespread at its time, so that it is not assessed for its entity.
    pub is_widespread: bool,
    /// Matches that it made part of the widespread rule, earlier ones included, each with its entity.
    pub members: Vec<(Entity, Member)>,
}

impl WidespreadRules {
    /// Adds a rule's match for an entity.
    pub(crate) fn sight(&mut self, context: &RecordContext<'_>, entity: &Entity, member: &Member) -> Sighted {
        let key = rule_key(context, &member.subject);
        if self.rules.len() >= MOST_RULES && !self.rules.contains(&key) {
            return Sighted::default();
        }
        let matches = self.rules.get_or_insert_with(key, || RuleMatches::new(context.log_time));
        matches.touched_at = context.log_time;
        let others = self.note_bytes - matches.note_bytes();
        let members = matches.add(entity, member, MOST_NOTE_BYTES_OF_ALL.saturating_sub(others));
        self.note_bytes = others + matches.note_bytes();
        let (cost, is_widespread) = (matches.cost(), matches.window.covers(member.event_time.0));
        self.rules.mark(key, cost);
        Sighted { is_widespread, members }
    }

    /// Whether a rule is widespread at a time.
    pub(crate) fn covers(&self, context: &RecordContext<'_>, subject: &Subject, time: Timestamp) -> bool {
        self.rules.get(&rule_key(context, subject)).is_some_and(|matches| matches.window.covers(time.0))
    }

    /// Drops what has not matched for longer than it can matter.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, pending_deletes: &mut PendingDeletes) {
        let kept = spec().kept();
        let is_over = |matches: &RuleMatches| matches.touched_at.0.saturating_add(kept) < log_time.0;
        for matches in self.rules.remove_if(|_, matches| is_over(matches), pending_deletes) {
            self.note_bytes -= matches.note_bytes();
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
        self.rules.take_changes(|_, matches| row::encode(matches))
    }

    /// Reads a rule's matches back.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(&mut self, key: RuleKey, body: &[u8]) -> Result<(), BodyError> {
        let matches: RuleMatches = row::decode(body)?;
        self.note_bytes += matches.note_bytes();
        self.rules.restore(key, matches);
        Ok(())
    }
}

impl RuleMatches {
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

fn rule_key(context: &RecordContext<'_>, subject: &Subject) -> RuleKey {
    short(&digest(&[
        context.headers.organization.as_bytes(),
        context.headers.source.as_bytes(),
        context.headers.application_group.as_bytes(),
        context.headers.environment.as_bytes(),
        subject.matched.id.as_bytes(),
        subject.content_hash.as_bytes(),
    ]))
}

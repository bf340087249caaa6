//! The risk of one entity: its signs, when they add up, and which are let go when there are many.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use common::incident::Entity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use crate::fold::finding::Member;
use crate::identity::RecordId;
use crate::note::Note;
use crate::plan::{Plan, Subject};

/// Points at which an entity qualifies.
const QUALIFYING_POINTS: u32 = 100;
/// The span over which points are summed.
const POINTS_SPAN: Duration = Duration::from_secs(24 * 60 * 60);
/// Tactics and rules at which an entity qualifies.
const QUALIFYING_TACTICS: usize = 3;
/// See [`QUALIFYING_TACTICS`].
const QUALIFYING_RULES: usize = 4;
/// The span over which tactics are counted.
pub(super) const TACTICS_SPAN: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// A rule adds its points once, and its repetitions once more.
const COUNTED_PER_RULE: usize = 2;
/// Rules remembered per entity; the built-in pack has fewer.
const MOST_RULES: usize = 256;
/// Signs of one entity below which each is kept: so many are members for certain once it qualifies.
/// Above, repetitions that add nothing to any day are let go.
const THIN_ABOVE: usize = 256;
/// Most signs of one entity, whatever they add: one row of the ledger.
const MOST_SIGNS: usize = 1_024;
/// Bytes of notes kept of one entity's signs. Beyond, they count as before, but are shown without an
/// excerpt if they become members.
const MOST_ENTITY_NOTE_BYTES: usize = 32 * 1024;

/// What an entity has been part of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Risk {
    pub(super) entity: Entity,
    newest: Timestamp,
    /// The log's time when a sign last arrived.
    pub(super) touched_at: Timestamp,
    by_rule: BTreeMap<String, Vec<Contribution>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Contribution {
    event_time: Timestamp,
    record: RecordId,
    joined: bool,
    note: Option<Arc<Note>>,
}

impl Risk {
    /// An entity that nothing is known of yet.
    pub(super) fn new(entity: Entity, log_time: Timestamp) -> Self {
        Self { entity, newest: Timestamp(i64::MIN), touched_at: log_time, by_rule: BTreeMap::new() }
    }

    /// Adds a sign; returns what became a member by it. `note_room` bounds the bytes of notes.
    pub(super) fn add(&mut self, plan: &Plan, member: Member, note_room: usize) -> Vec<Member> {
        let rule = member.subject.matched.id.clone();
        self.newest = self.newest.max(member.event_time);
        self.forget_before(self.newest.minus(TACTICS_SPAN));
        let too_old = member.event_time < self.newest.minus(TACTICS_SPAN);
        let one_too_many = self.by_rule.len() >= MOST_RULES && !self.by_rule.contains_key(&rule);
        if too_old || one_too_many {
            return Vec::new();
        }
        let contributions = self.by_rule.entry(rule.clone()).or_default();
        let order = (member.event_time, member.record);
        let place = contributions.partition_point(|other| (other.event_time, other.record) < order);
        if contributions.get(place).is_some_and(|other| other.record == member.record) {
            return Vec::new();
        }
        let contribution = Contribution {
            event_time: member.event_time,
            record: member.record,
            joined: false,
            note: member.note,
        };
        contributions.insert(place, contribution);
        let members = self.newly_qualified(plan, member.event_time);
        if self.note_bytes() > MOST_ENTITY_NOTE_BYTES.min(note_room) {
            self.drop_note(&rule, member.record);
        }
        self.make_room();
        members
    }

    /// Forgets what a rule said at some times and did not make known yet; tells whether there was anything.
    pub(super) fn withdraw(&mut self, rule: &str, is_none: impl Fn(Timestamp) -> bool) -> bool {
        let Some(contributions) = self.by_rule.get_mut(rule) else { return false };
        let before = contributions.len();
        contributions.retain(|contribution| contribution.joined || !is_none(contribution.event_time));
        let is_changed = contributions.len() < before;
        self.by_rule.retain(|_, contributions| !contributions.is_empty());
        is_changed
    }

    /// Bytes of the notes it keeps.
    pub(super) fn note_bytes(&self) -> usize {
        let notes = self.by_rule.values().flatten().filter_map(|contribution| contribution.note.as_ref());
        notes.map(|note| note.cost()).sum()
    }

    fn drop_note(&mut self, rule: &str, record: RecordId) {
        let contributions = self.by_rule.get_mut(rule).into_iter().flatten();
        for contribution in contributions.filter(|contribution| contribution.record == record) {
            contribution.note = None;
        }
    }

    fn signs(&self) -> usize {
        self.by_rule.values().map(Vec::len).sum()
    }

    /// About how many bytes its row takes.
    pub(super) fn cost(&self) -> usize {
        let rules: usize = self.by_rule.keys().map(|rule| rule.len() + 8).sum();
        512 + rules + self.signs() * 112 + self.note_bytes()
    }

    fn make_room(&mut self) {
        if self.signs() > THIN_ABOVE {
            self.by_rule.values_mut().for_each(thin);
        }
        while self.signs() > MOST_SIGNS {
            let longest = self.by_rule.values_mut().max_by_key(|contributions| contributions.len());
            if let Some(contributions) = longest {
                contributions.remove(0);
            }
        }
    }

    /// Marks what lies in a qualifying span as members, and returns what was none before. Only spans
    /// that a sign at `time` lies in can have come to qualify by it.
    fn newly_qualified(&mut self, plan: &Plan, time: Timestamp) -> Vec<Member> {
        let starts: BTreeSet<Timestamp> = self
            .by_rule
            .values()
            .flatten()
            .map(|contribution| contribution.event_time)
            .filter(|start| *start <= time && time <= start.plus(TACTICS_SPAN))
            .collect();
        let mut spans = Vec::new();
        for start in starts {
            let day = (start, start.plus(POINTS_SPAN));
            let week = (start, start.plus(TACTICS_SPAN));
            let in_day = time <= day.1;
            spans.extend(
                [day].into_iter().filter(|span| in_day && self.points(plan, *span) >= QUALIFYING_POINTS),
            );
            spans.extend([week].into_iter().filter(|span| self.has_many_tactics(plan, *span)));
        }
        if spans.is_empty() {
            return Vec::new();
        }
        let mut members = Vec::new();
        for (rule, contributions) in &mut self.by_rule {
            let Some(subject) = plan.find_subject(rule) else { continue };
            for contribution in contributions.iter_mut().filter(|contribution| !contribution.joined) {
                let time = contribution.event_time;
                if !spans.iter().any(|(start, end)| *start <= time && time <= *end) {
                    continue;
                }
                contribution.joined = true;
                members.push(Member {
                    record: contribution.record,
                    event_time: time,
                    note: contribution.note.take(),
                    subject: Arc::clone(subject),
                });
            }
        }
        members.sort_by_key(|member| (member.event_time, member.record));
        members
    }

    fn points(&self, plan: &Plan, span: (Timestamp, Timestamp)) -> u32 {
        self.subjects_in(plan, span)
            .map(|(subject, count)| {
                // What crossed one threshold together is one finding.
                let most = if subject.matched.correlation { 1 } else { COUNTED_PER_RULE };
                subject.risk * u32::try_from(count.min(most)).unwrap_or(0)
            })
            .sum()
    }

    fn has_many_tactics(&self, plan: &Plan, span: (Timestamp, Timestamp)) -> bool {
        let mut rules = 0;
        let mut tactics = BTreeSet::new();
        for (subject, _) in self.subjects_in(plan, span) {
            rules += 1;
            tactics.extend(subject.tactics.iter());
        }
        rules >= QUALIFYING_RULES && tactics.len() >= QUALIFYING_TACTICS
    }

    fn subjects_in<'p>(
        &self,
        plan: &'p Plan,
        (start, end): (Timestamp, Timestamp),
    ) -> impl Iterator<Item = (&'p Arc<Subject>, usize)> {
        self.by_rule.iter().filter_map(move |(rule, contributions)| {
            let before = contributions.partition_point(|other| other.event_time < start);
            let count = contributions.partition_point(|other| other.event_time <= end).saturating_sub(before);
            if count == 0 {
                return None;
            }
            Some((plan.find_subject(rule)?, count))
        })
    }

    fn forget_before(&mut self, oldest: Timestamp) {
        for contributions in self.by_rule.values_mut() {
            contributions.retain(|contribution| contribution.event_time >= oldest);
        }
        self.by_rule.retain(|_, contributions| !contributions.is_empty());
    }
}

/// Drops repetitions that add nothing to any day: those with two others of the rule on both sides
/// that lie within one day of each other.
fn thin(contributions: &mut Vec<Contribution>) {
    let mut index = COUNTED_PER_RULE;
    while index + COUNTED_PER_RULE < contributions.len() {
        let before = contributions[index - COUNTED_PER_RULE].event_time;
        let after = contributions[index + COUNTED_PER_RULE].event_time;
        if after.since(before) <= POINTS_SPAN {
            contributions.remove(index);
        } else {
            index += 1;
        }
    }
}

//! The risk of one entity: its signs, when they add up, and which are let go when there are many.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use common::incident::Entity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::spans::{COUNTED_PER_RULE, Counting, POINTS_SPAN, TACTICS_SPAN, lies_in, qualifying_spans};
use crate::fold::finding::Member;
use crate::identity::RecordId;
use crate::note::Note;
use crate::plan::{Plan, Subject};

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

    /// Forgets what a rule said at some times; `None` where it said nothing then. Returns the families of what had
    /// been made known and does not add up any more without it.
    pub(super) fn withdraw(
        &mut self,
        plan: &Plan,
        rule: &str,
        is_none: impl Fn(Timestamp) -> bool,
    ) -> Option<BTreeSet<String>> {
        let is_known = self.by_rule.values().flatten().any(|contribution| contribution.joined);
        let contributions = self.by_rule.get_mut(rule)?;
        let before = contributions.len();
        contributions.retain(|contribution| !is_none(contribution.event_time));
        if contributions.len() == before {
            return None;
        }
        self.by_rule.retain(|_, contributions| !contributions.is_empty());
        if !is_known {
            return Some(BTreeSet::new());
        }
        let mut families = BTreeSet::from_iter(plan.find_subject(rule).map(|own| own.risk_family.clone()));
        let counting = self.counting(plan);
        let times = self.by_rule.values().flatten().map(|contribution| contribution.event_time);
        let spans = qualifying_spans(&counting, times.collect(), None);
        for (rule, contributions) in &mut self.by_rule {
            let Some(subject) = plan.find_subject(rule) else { continue };
            for contribution in contributions.iter_mut().filter(|contribution| contribution.joined) {
                if lies_in(&spans, contribution.event_time) {
                    families.clear();
                    return Some(families);
                }
                contribution.joined = false;
                families.insert(subject.risk_family.clone());
            }
        }
        Some(families)
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
        let counting = self.counting(plan);
        let times = self.by_rule.values().flatten().map(|contribution| contribution.event_time);
        let starts = times.filter(|start| *start <= time && time <= start.plus(TACTICS_SPAN)).collect();
        let spans = qualifying_spans(&counting, starts, Some(time));
        if spans.is_empty() {
            return Vec::new();
        }
        let mut members = Vec::new();
        for (rule, contributions) in &mut self.by_rule {
            let Some(subject) = plan.find_subject(rule) else { continue };
            for contribution in contributions.iter_mut().filter(|contribution| !contribution.joined) {
                let time = contribution.event_time;
                if !lies_in(&spans, time) {
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

    /// What counts of each rule: of several rules that match the same record the one that says most, as they are
    /// different words for one thing.
    fn counting<'p>(&self, plan: &'p Plan) -> Vec<Counting<'p>> {
        let rules: Vec<_> = self
            .by_rule
            .iter()
            .filter_map(|(rule, contributions)| Some((plan.find_subject(rule)?, contributions)))
            .collect();
        let mut best: HashMap<RecordId, (u32, usize)> = HashMap::new();
        for (index, (subject, contributions)) in rules.iter().enumerate() {
            for contribution in *contributions {
                let held = best.entry(contribution.record).or_insert((subject.risk, index));
                if subject.risk > held.0 {
                    *held = (subject.risk, index);
                }
            }
        }
        let counts = |index: usize, contribution: &Contribution| {
            best.get(&contribution.record).is_some_and(|(_, own)| *own == index)
        };
        let times = |(index, (subject, contributions)): (usize, &(&'p Arc<Subject>, &Vec<Contribution>))| {
            let own = contributions.iter().filter(|contribution| counts(index, contribution));
            Counting { subject, times: own.map(|contribution| contribution.event_time).collect() }
        };
        rules.iter().enumerate().map(times).collect()
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

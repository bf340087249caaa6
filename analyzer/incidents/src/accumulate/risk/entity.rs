//! The risk of one entity: its signs, their sum, and the selection of those that are dropped when there are many.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use common::incident::Entity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::spans::{
    COUNTED_PER_RULE, Counting, POINTS_SPAN, REMEMBERED_SPAN, TACTICS_SPAN, lies_in, qualifying_spans,
};
use crate::finding::{Member, Owner, RecordContext};
use crate::identity::RecordId;
use crate::note::Note;
use crate::plan::{Plan, Subject};

/// Rules remembered per entity; the built-in pack has fewer.
const MOST_RULES: usize = 256;
/// Number of signs of one entity up to which each is kept, so that all are members once it qualifies. Above, repetitions that
/// add nothing to any day are dropped.
const THIN_ABOVE: usize = 256;
/// Most signs of one entity, whatever they add: one row of the ledger.
const MOST_SIGNS: usize = 1_024;
/// Bytes of notes kept of one entity's signs. Beyond, they count as before, but are shown without an
/// excerpt if they become members.
const MOST_ENTITY_NOTE_BYTES: usize = 32 * 1024;

/// The risk of one entity.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Risk {
    pub(super) entity: Entity,
    newest: Timestamp,
    /// The log's time when a sign last arrived.
    pub(super) touched_at: Timestamp,
    pub(super) by_rule: BTreeMap<String, Vec<Contribution>>,
    pub(super) owner: Owner,
    /// Whether it counts entities that found no room of their own.
    pub(super) is_coarse: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Contribution {
    pub(super) event_time: Timestamp,
    record: RecordId,
    pub(super) joined: bool,
    note: Option<Arc<Note>>,
}

impl Risk {
    /// An entity that nothing is known of yet.
    pub(super) fn new(entity: Entity, context: &RecordContext<'_>) -> Self {
        Self {
            entity,
            newest: Timestamp(i64::MIN),
            touched_at: context.log_time,
            by_rule: BTreeMap::new(),
            owner: Owner::of(context.headers),
            is_coarse: false,
        }
    }

    /// Adds signs, then returns the signs that became members by them. Matches of one record are added at once: between
    /// two of them the record would count for a rule that it does not count for in the end. `note_room` bounds the
    /// bytes that it keeps with notes.
    pub(super) fn add(&mut self, plan: &Plan, members: Vec<Member>, note_room: usize) -> Vec<Member> {
        let held: Vec<_> = members.into_iter().filter_map(|member| self.hold(member)).collect();
        let times: BTreeSet<Timestamp> = held.iter().map(|(.., time)| *time).collect();
        let members = times.into_iter().flat_map(|time| self.newly_qualified(plan, time)).collect();
        for (rule, record, _) in &held {
            if self.note_bytes() > MOST_ENTITY_NOTE_BYTES.min(note_room) {
                self.drop_note(rule, *record);
            }
        }
        self.make_room();
        members
    }

    /// Holds a sign; returns its rule, record and time, or `None` where it is known, too old or of one rule too many.
    fn hold(&mut self, member: Member) -> Option<(String, RecordId, Timestamp)> {
        let Member { record, event_time, note, subject } = member;
        let rule = subject.matched.id.clone();
        self.newest = self.newest.max(event_time);
        self.forget_before(self.remembered_since());
        let too_old = event_time < self.remembered_since();
        let one_too_many = self.by_rule.len() >= MOST_RULES && !self.by_rule.contains_key(&rule);
        if too_old || one_too_many {
            return None;
        }
        let contributions = self.by_rule.entry(rule.clone()).or_default();
        let order = (event_time, record);
        let index = contributions.partition_point(|other| (other.event_time, other.record) < order);
        if contributions.get(index).is_some_and(|other| other.record == record) {
            return None;
        }
        contributions.insert(index, Contribution { event_time, record, joined: false, note });
        Some((rule, record, event_time))
    }

    /// Signs of an earlier time are forgotten.
    pub(super) fn remembered_since(&self) -> Timestamp {
        self.newest.minus(REMEMBERED_SPAN)
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

    /// Bytes of its row, about.
    pub(super) fn cost(&self) -> usize {
        let rules: usize = self.by_rule.keys().map(|rule| rule.len() + 8).sum();
        512 + rules + self.signs() * 112 + self.note_bytes()
    }

    /// Lets go of signs when there are too many.
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

    /// Marks the signs in qualifying spans as members, and returns those that were none before. Only spans that contain a sign
    /// at `time` can have become qualifying by it.
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

    /// The signs of each rule that count. Of several rules that match the same record the one with most points counts, as they
    /// describe one activity. A correlation that its records complete later takes nothing from their points, and adds to them
    /// only where it has more: so no sign lowers a sum, and the order of arrival does not matter.
    pub(super) fn counting<'p>(&self, plan: &'p Plan) -> Vec<Counting<'p>> {
        let rules: Vec<_> = self
            .by_rule
            .iter()
            .filter_map(|(rule, contributions)| Some((plan.find_subject(rule)?, contributions)))
            .collect();
        let mut best: HashMap<RecordId, (u32, usize)> = HashMap::new();
        let single = rules.iter().enumerate().filter(|(_, (subject, _))| !subject.matched.correlation);
        for (index, (subject, contributions)) in single {
            for contribution in *contributions {
                let held = best.entry(contribution.record).or_insert((subject.risk, index));
                if subject.risk > held.0 {
                    *held = (subject.risk, index);
                }
            }
        }
        let counts = |index: usize, subject: &Subject, contribution: &Contribution| {
            let best = best.get(&contribution.record);
            best.is_none_or(|(risk, own)| {
                *own == index || (subject.matched.correlation && subject.risk > *risk)
            })
        };
        let times = |(index, (subject, contributions)): (usize, &(&'p Arc<Subject>, &Vec<Contribution>))| {
            let own = contributions.iter().filter(|contribution| counts(index, subject, contribution));
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

//! The risk of entities: what weak findings add up to. Qualified when the points of a day reach 100,
//! or when within a week three tactics come from four rules (incident model, Qualification 4). A rule
//! counts twice at most. As with windows, the answer depends on the set of findings only.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use common::incident::Entity;
use common::row::BodyError;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::coarsen;
use super::finding::{Member, Place};
use super::rows::Changed;
use crate::identity::{RecordId, digest, short};
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
const TACTICS_SPAN: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// A rule adds its points once, and its repetitions once more.
const COUNTED_PER_RULE: usize = 2;
/// Rules remembered per entity; the built-in pack has fewer.
const MOST_RULES: usize = 256;

/// Name of an entity's risk among the state rows.
pub(crate) type RiskKey = [u8; 16];

/// The risk of all entities of a partition.
#[derive(Debug, Default)]
pub(crate) struct Risks {
    entities: HashMap<RiskKey, Risk>,
    changed: BTreeSet<RiskKey>,
}

/// What an entity has been part of.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Risk {
    entity: Entity,
    newest: Timestamp,
    touched_at: Timestamp,
    by_rule: BTreeMap<String, Vec<Contribution>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Contribution {
    event_time: Timestamp,
    record: RecordId,
    joined: bool,
    note: Option<Arc<Note>>,
}

/// A weak finding.
#[derive(Debug)]
pub(crate) struct Sign {
    /// Who it is about.
    pub entity: Entity,
    /// The record.
    pub member: Member,
}

impl Risks {
    /// Adds a finding to its entity's risk. Returns who it was counted for and what became a member:
    /// nothing while the risk is too low, everything that led to it when it is reached.
    pub(crate) fn add(
        &mut self,
        plan: &Plan,
        place: &Place<'_>,
        sign: Sign,
    ) -> Option<(Entity, Vec<Member>)> {
        let (key, entity) = self.entity_of(place, &sign.entity);
        self.changed.insert(key);
        let risk = self.entities.entry(key).or_insert_with(|| Risk {
            entity,
            newest: sign.member.event_time,
            touched_at: place.received_at(),
            by_rule: BTreeMap::new(),
        });
        risk.touched_at = risk.touched_at.max(place.received_at());
        risk.newest = risk.newest.max(sign.member.event_time);
        risk.forget_before(risk.newest.minus(TACTICS_SPAN));
        let members = risk.add(plan, sign.member);
        (!members.is_empty()).then(|| (risk.entity.clone(), members))
    }

    fn entity_of(&self, place: &Place<'_>, entity: &Entity) -> (RiskKey, Entity) {
        let key = risk_key(place, entity);
        if self.entities.contains_key(&key) || self.entities.len() < coarsen::MOST_GROUPS {
            return (key, entity.clone());
        }
        let value = coarsen::group(std::slice::from_ref(&entity.value), self.entities.len()).concat();
        let coarse = Entity { kind: entity.kind.clone(), value };
        (risk_key(place, &coarse), coarse)
    }

    /// Drops entities that nothing was found of for longer than it can matter.
    pub(crate) fn forget_before(&mut self, received_through: Timestamp) {
        let oldest = received_through.minus(TACTICS_SPAN);
        let changed = &mut self.changed;
        self.entities.retain(|key, risk| {
            let kept = risk.touched_at >= oldest;
            if !kept {
                changed.insert(*key);
            }
            kept
        });
    }

    /// How many entities changed since the last [`Self::take_changes`].
    pub(crate) fn changed(&self) -> usize {
        self.changed.len()
    }

    /// Rows to write (or, without a body, to delete) since the last call.
    ///
    /// # Errors
    /// When a risk cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Changed<RiskKey>, BodyError> {
        let mut rows = Vec::with_capacity(self.changed.len());
        for key in std::mem::take(&mut self.changed) {
            rows.push((key, self.entities.get(&key).map(common::row::encode).transpose()?));
        }
        Ok(rows)
    }

    /// Reads an entity's risk back.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(&mut self, key: RiskKey, body: &[u8]) -> Result<(), BodyError> {
        self.entities.insert(key, common::row::decode(body)?);
        Ok(())
    }
}

impl Risk {
    fn add(&mut self, plan: &Plan, member: Member) -> Vec<Member> {
        let rule = member.subject.matched.id.clone();
        if self.by_rule.len() >= MOST_RULES && !self.by_rule.contains_key(&rule) {
            return Vec::new();
        }
        let contributions = self.by_rule.entry(rule).or_default();
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
        let members = self.newly_qualified(plan);
        for contributions in self.by_rule.values_mut() {
            thin(contributions);
        }
        members
    }

    /// Marks what lies in a qualifying span as members, and returns what was none before.
    fn newly_qualified(&mut self, plan: &Plan) -> Vec<Member> {
        let starts: BTreeSet<Timestamp> =
            self.by_rule.values().flatten().map(|contribution| contribution.event_time).collect();
        let mut spans = Vec::new();
        for start in starts {
            let day = (start, start.plus(POINTS_SPAN));
            let week = (start, start.plus(TACTICS_SPAN));
            spans.extend([day].into_iter().filter(|span| self.points(plan, *span) >= QUALIFYING_POINTS));
            spans.extend([week].into_iter().filter(|span| self.has_many_tactics(plan, *span)));
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
            .map(|(subject, count)| subject.risk * u32::try_from(count.min(COUNTED_PER_RULE)).unwrap_or(0))
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
            let inside =
                contributions.iter().filter(|other| start <= other.event_time && other.event_time <= end);
            let count = inside.count();
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

fn risk_key(place: &Place<'_>, entity: &Entity) -> RiskKey {
    short(&digest(&[
        place.headers.organization.as_bytes(),
        place.headers.source.as_bytes(),
        place.headers.application_group.as_bytes(),
        place.headers.environment.as_bytes(),
        entity.kind.as_bytes(),
        entity.value.as_bytes(),
    ]))
}

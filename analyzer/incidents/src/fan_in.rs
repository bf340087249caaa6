//! The fan-in guard: where one rule, or one family of incidents, concerns too many entities of a source, its findings
//! join one incident about many entities instead of one incident for each.
//!
//! A *rule* is widespread once it matched for more than ten entities within a day. That is decided by the set of
//! matches (`rule`), so it does not depend on their order, and earlier incidents about single entities are superseded.
//! A *family* opens at most 200 incidents in an hour (`family`), in log order; those that are open stay. The first
//! limit removes repetition that is normal for the source, the second bounds the number of incidents that one source
//! can open whatever it sends.

mod family;
mod rule;

use bytes::Bytes;
use common::incident::{Entity, IncidentHead, Qualification};
use common::timestamp::Timestamp;

use self::family::FamilyHour;
use self::rule::RuleMatches;
use crate::finding::{Finding, Member, RecordContext};
use crate::plan::Subject;
use crate::rows::{self, PendingDeletes};
use crate::state_table::StateTable;

/// Rules of sources that are watched in one partition. Beyond, matches are assessed one by one.
const MOST_RULES: usize = 20_000;
/// Bytes of notes for all rules of a partition.
const MOST_NOTE_BYTES: usize = 32 * 1024 * 1024;
/// Kind of the entity of an incident about many entities.
const MANY_ENTITIES: &str = "many_entities";

/// The fan-in guard of a partition.
#[derive(Debug)]
pub struct FanInGuard {
    pub(crate) rules: StateTable<[u8; 16], RuleMatches>,
    pub(crate) families: StateTable<Bytes, FamilyHour>,
    note_bytes: usize,
}

impl Default for FanInGuard {
    fn default() -> Self {
        let rules = StateTable::new(rows::FAN_IN_RULE);
        Self { rules, families: StateTable::new(rows::FAN_IN_FAMILY), note_bytes: 0 }
    }
}

impl FanInGuard {
    /// Adds a rule's match for an entity. Returns the matches that it made part of the widespread rule, earlier ones
    /// included, each with its entity; `None` if the rule is not widespread at the time of the match.
    pub(crate) fn joined(
        &mut self,
        context: &RecordContext<'_>,
        entity: &Entity,
        member: &Member,
    ) -> Option<Vec<(Entity, Member)>> {
        let key = rule::key(context, &member.subject);
        if self.rules.count() >= MOST_RULES && !self.rules.contains(&key) {
            return None;
        }
        let matches = self.rules.get_or_insert_with(key, || RuleMatches::new(context.log_time));
        let others = self.note_bytes - matches.note_bytes();
        let joined = matches.add(context, entity, member, MOST_NOTE_BYTES.saturating_sub(others));
        self.note_bytes = others + matches.note_bytes();
        let (cost, is_widespread) = (matches.cost(), matches.is_widespread(member.event_time));
        self.rules.mark(key, cost);
        is_widespread.then_some(joined)
    }

    /// The times at which a rule is widespread.
    pub(crate) fn widespread_times(
        &self,
        context: &RecordContext<'_>,
        subject: &Subject,
    ) -> impl Fn(Timestamp) -> bool {
        let matches = self.rules.get(&rule::key(context, subject));
        move |time| matches.is_some_and(|matches| matches.is_widespread(time))
    }

    /// Whether a finding may open one more incident.
    pub(crate) fn may_open(&self, context: &RecordContext<'_>, finding: &Finding) -> bool {
        let key = family::key(context.headers.source, &finding.family);
        self.families.get(&key).is_none_or(|family| family.may_open(context.log_time))
    }

    /// Counts an incident that a finding opened; one about many entities in its place is not counted.
    pub(crate) fn opened(&mut self, context: &RecordContext<'_>, finding: &Finding) {
        let key = family::key(context.headers.source, &finding.family);
        self.families.get_or_insert_with(key.clone(), FamilyHour::default).open(context.log_time);
        self.families.mark(key, family::ROW_BYTES);
    }

    /// Whether one more incident of its severity may be escalated; counts it if so. An incident about many entities always may,
    /// since it represents the others.
    pub(crate) fn may_escalate(&mut self, head: &IncidentHead, log_time: Timestamp) -> bool {
        if head.entity.kind == MANY_ENTITIES {
            return true;
        }
        let key = family::key(head.source, &head.family);
        let family = self.families.get_or_insert_with(key.clone(), FamilyHour::default);
        let may_escalate = family.may_escalate(head.analysis.severity, log_time);
        if may_escalate {
            self.families.mark(key, family::ROW_BYTES);
        }
        may_escalate
    }

    /// Forgets matches and hours that are too old to matter.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, pending_deletes: &mut PendingDeletes) {
        for matches in self.rules.remove_if(|_, matches| matches.is_over(log_time), pending_deletes) {
            self.note_bytes -= matches.note_bytes();
        }
        self.families.remove_if(|_, family| family.is_over(log_time), pending_deletes);
    }

    /// Sums up the tables, after all their rows were read back.
    pub(crate) fn restored(&mut self) {
        self.note_bytes = self.rules.iter().map(|(_, matches)| matches.note_bytes()).sum();
    }
}

/// The entity of the incident that a finding joins: its own unless the finding is about many entities.
pub(crate) fn target(finding: &Finding) -> Entity {
    match finding.qualification {
        Qualification::ManyEntities => Entity { kind: MANY_ENTITIES.to_owned(), value: "*".to_owned() },
        _ => finding.entity.clone(),
    }
}

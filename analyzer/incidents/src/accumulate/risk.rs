//! The risk of entities: the sum of weak findings. It qualifies when the points of a day reach 100,
//! or when within a week three tactics come from four rules (incident model, Qualification 4). A rule
//! counts twice at most. As with windows, the answer depends on the set of findings only.

mod entity;
mod spans;
mod withdrawn;

use std::collections::BTreeSet;

use common::incident::Entity;
use common::timestamp::Timestamp;

use self::entity::Risk;
use self::spans::REMEMBERED_SPAN;
use super::coarsen::Groups;
use super::shares::Shares;
use crate::finding::{Member, RecordContext};
use crate::plan::Plan;
use crate::rows::{self, PendingDeletes};
use crate::state_table::StateTable;

/// Bytes of notes kept of the signs of all entities of a partition, beside the bound of each. Each
/// organization has a share.
const MOST_NOTE_BYTES: usize = 64 * 1024 * 1024;

/// Name of an entity's risk among the state rows.
pub(crate) type RiskKey = [u8; 16];

/// The risk of all entities of a partition.
#[derive(Debug)]
pub(crate) struct Risks {
    pub(crate) entities: StateTable<RiskKey, Risk>,
    counts: Groups,
    /// Bytes of the notes of each organization.
    notes: Shares,
    most_entities: usize,
}

impl Risks {
    /// No entities; about `most_entities` at most.
    pub(crate) fn new(most_entities: usize) -> Self {
        Self {
            entities: StateTable::new(rows::RISK),
            counts: Groups::default(),
            notes: Shares::default(),
            most_entities,
        }
    }

    /// Adds weak findings to the risk of the entity they are about. Returns the entity that they were counted for and the
    /// new members: none while the risk is too low, everything that led to it when it is reached.
    pub(crate) fn add(
        &mut self,
        plan: &Plan,
        context: &RecordContext<'_>,
        about: &Entity,
        signs: Vec<Member>,
    ) -> Option<(Entity, Vec<Member>)> {
        let (key, entity) = self.entity_of(context, about);
        let risk = self.entities.get_or_insert_with(key, || {
            let is_coarse = entity.value != about.value;
            let mut risk = Risk::new(entity, context);
            risk.is_coarse = is_coarse;
            self.counts.add(risk.owner.organization, is_coarse);
            risk
        });
        risk.touched_at = context.log_time;
        let before = risk.note_bytes();
        let room = before + self.notes.room_for(risk.owner.organization, MOST_NOTE_BYTES);
        let members = risk.add(plan, signs, room);
        let known = (!members.is_empty()).then(|| (risk.entity.clone(), members));
        self.settle(key, before);
        known
    }

    /// Withdraws the matches of a rule at some times from the risk of an entity. Returns the entity that they were counted for,
    /// and the families whose incidents were opened by signs that no longer reach the threshold.
    pub(crate) fn withdraw(
        &mut self,
        plan: &Plan,
        context: &RecordContext<'_>,
        entity: &Entity,
        rule: &str,
        is_none: impl Fn(Timestamp) -> bool,
    ) -> (Entity, BTreeSet<String>) {
        let (key, entity) = self.entity_of(context, entity);
        let Some(risk) = self.entities.get_mut(&key) else { return (entity, BTreeSet::new()) };
        let before = risk.note_bytes();
        let Some(families) = risk.withdraw(plan, rule, is_none) else { return (entity, BTreeSet::new()) };
        self.settle(key, before);
        (entity, families)
    }

    /// Accounts for a changed risk; `before` is the size of its notes before the change, in bytes.
    fn settle(&mut self, key: RiskKey, before: usize) {
        let Some(risk) = self.entities.get(&key) else { return };
        self.notes.change(risk.owner.organization, before, risk.note_bytes());
        let cost = risk.cost();
        self.entities.mark(key, cost);
    }

    fn entity_of(&self, context: &RecordContext<'_>, entity: &Entity) -> (RiskKey, Entity) {
        let key_of = |entity: &Entity| context.state_key([entity.kind.as_bytes(), entity.value.as_bytes()]);
        let key = key_of(entity);
        if self.entities.contains(&key) {
            return (key, entity.clone());
        }
        let value = std::slice::from_ref(&entity.value);
        let value = self.counts.group(context.headers.organization, value, self.most_entities).concat();
        let coarse = Entity { kind: entity.kind.clone(), value };
        (key_of(&coarse), coarse)
    }

    /// Drops entities that nothing was found of for longer than it can matter.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, pending_deletes: &mut PendingDeletes) {
        let oldest = log_time.minus(REMEMBERED_SPAN);
        for risk in self.entities.remove_if(|_, risk| risk.touched_at < oldest, pending_deletes) {
            let who = risk.owner.organization;
            self.counts.remove(who, risk.is_coarse);
            self.notes.change(who, risk.note_bytes(), 0);
        }
    }

    /// Sums up the entities, after all their rows were read back.
    pub(crate) fn restored(&mut self) {
        for (_, risk) in self.entities.iter() {
            let who = risk.owner.organization;
            self.counts.add(who, risk.is_coarse);
            self.notes.change(who, 0, risk.note_bytes());
        }
    }
}

//! The risk of entities: what weak findings add up to. Qualified when the points of a day reach 100,
//! or when within a week three tactics come from four rules (incident model, Qualification 4). A rule
//! counts twice at most. As with windows, the answer depends on the set of findings only.

mod entity;
mod spans;
mod withdrawn;

use std::collections::BTreeSet;

use bytes::Bytes;
use common::ids::OrganizationId;
use common::incident::Entity;
use common::row::BodyError;
use common::timestamp::Timestamp;

use self::entity::Risk;
use self::spans::REMEMBERED_SPAN;
use super::coarsen;
use super::finding::{Member, RecordContext};
use super::rows::{self, PendingDeletes};
use super::shares::Shares;
use super::state_table::StateTable;
use crate::identity::{digest, short};
use crate::plan::Plan;

/// Bytes of notes kept of the signs of all entities of a partition, beside the bound of each. Each
/// organization has a share.
const MOST_NOTE_BYTES: usize = 64 * 1024 * 1024;

/// Name of an entity's risk among the state rows.
pub(crate) type RiskKey = [u8; 16];

/// The risk of all entities of a partition.
#[derive(Debug)]
pub(crate) struct Risks {
    entities: StateTable<RiskKey, Risk>,
    held: Held,
    most_entities: usize,
}

/// What the entities of each organization take.
#[derive(Debug, Default)]
struct Held {
    fine: Shares,
    coarse: Shares,
    notes: Shares,
}

/// What one entity takes, and of whose share.
#[derive(Clone, Copy, Debug)]
struct Part {
    who: OrganizationId,
    fine: usize,
    coarse: usize,
    notes: usize,
}

impl Risks {
    /// No entities; about `most_entities` at most.
    pub(crate) fn new(most_entities: usize) -> Self {
        Self { entities: StateTable::new(rows::RISK), held: Held::default(), most_entities }
    }

    /// Adds weak findings to the risk of the entity they are about. Returns who they were counted for and what became
    /// members: nothing while the risk is too low, everything that led to it when it is reached.
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
            self.held.add(Part::of(&risk));
            risk
        });
        risk.touched_at = context.log_time;
        let before = Part::of(risk);
        let room = self.held.room_for(before);
        let members = risk.add(plan, signs, room);
        let known = (!members.is_empty()).then(|| (risk.entity.clone(), members));
        self.settle(key, before);
        known
    }

    /// Takes back what a rule said of an entity at some times and is no risk of it after all. Returns whom it was
    /// counted for, and the families whose incidents had become known by signs that do not add up any more.
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
        let before = Part::of(risk);
        let Some(families) = risk.withdraw(plan, rule, is_none) else { return (entity, BTreeSet::new()) };
        self.settle(key, before);
        (entity, families)
    }

    /// After an entity's risk has changed that took so much before.
    fn settle(&mut self, key: RiskKey, before: Part) {
        let Some(risk) = self.entities.get(&key) else { return };
        self.held.change(before, Part::of(risk));
        let cost = risk.cost();
        self.entities.mark(key, cost);
    }

    fn entity_of(&self, context: &RecordContext<'_>, entity: &Entity) -> (RiskKey, Entity) {
        let key = risk_key(context, entity);
        if self.entities.contains(&key) {
            return (key, entity.clone());
        }
        let Held { fine, coarse, .. } = &self.held;
        let room = coarsen::Room::of(fine, coarse, context.headers.organization, self.most_entities);
        let value = coarsen::group(std::slice::from_ref(&entity.value), room).concat();
        let coarse = Entity { kind: entity.kind.clone(), value };
        (risk_key(context, &coarse), coarse)
    }

    /// Drops entities that nothing was found of for longer than it can matter.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, pending_deletes: &mut PendingDeletes) {
        let oldest = log_time.minus(REMEMBERED_SPAN);
        for risk in self.entities.remove_if(|_, risk| risk.touched_at < oldest, pending_deletes) {
            self.held.remove(Part::of(&risk));
        }
    }

    /// About how many rows and bytes the changes since the last [`Self::take_changes`] take.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        self.entities.pending_cost()
    }

    /// Rows to write since the last call.
    ///
    /// # Errors
    /// When a risk cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        self.entities.take_changes(|_, risk| common::row::encode(risk))
    }

    /// Reads an entity's risk back.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(&mut self, key: RiskKey, body: &[u8]) -> Result<(), BodyError> {
        let risk: Risk = common::row::decode(body)?;
        self.held.add(Part::of(&risk));
        self.entities.restore(key, risk);
        Ok(())
    }
}

impl Part {
    fn of(risk: &Risk) -> Self {
        let coarse = usize::from(risk.is_coarse);
        Self { who: risk.owner.organization, fine: 1 - coarse, coarse, notes: risk.note_bytes() }
    }

    fn nothing(self) -> Self {
        Self { fine: 0, coarse: 0, notes: 0, ..self }
    }
}

impl Held {
    fn add(&mut self, part: Part) {
        self.change(part.nothing(), part);
    }

    fn remove(&mut self, part: Part) {
        self.change(part, part.nothing());
    }

    /// An entity takes something else than before.
    fn change(&mut self, before: Part, after: Part) {
        self.fine.change(after.who, before.fine, after.fine);
        self.coarse.change(after.who, before.coarse, after.coarse);
        self.notes.change(after.who, before.notes, after.notes);
    }

    /// Byte budget for the notes of an entity, including the bytes that they already take.
    fn room_for(&self, already: Part) -> usize {
        already.notes + self.notes.room_for(already.who, MOST_NOTE_BYTES)
    }
}

fn risk_key(context: &RecordContext<'_>, entity: &Entity) -> RiskKey {
    short(&digest(&[
        context.headers.organization.as_bytes(),
        context.headers.source.as_bytes(),
        context.headers.application_group.as_bytes(),
        context.headers.environment.as_bytes(),
        entity.kind.as_bytes(),
        entity.value.as_bytes(),
    ]))
}

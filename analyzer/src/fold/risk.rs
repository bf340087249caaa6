//! The risk of entities: what weak findings add up to. Qualified when the points of a day reach 100,
//! or when within a week three tactics come from four rules (incident model, Qualification 4). A rule
//! counts twice at most. As with windows, the answer depends on the set of findings only.

mod entity;
mod spans;
mod taken_back;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;
use common::ids::OrganizationId;
use common::incident::Entity;
use common::row::BodyError;
use common::timestamp::Timestamp;

use self::entity::{Risk, Room};
use self::spans::TACTICS_SPAN;
use super::coarsen;
use super::finding::{Member, Owner, Place};
use super::rows::{self, Gone};
use crate::catalogue::Catalogue;
use crate::identity::{digest, short};
use crate::plan::Plan;

/// Bytes of notes kept of the signs of all entities of a partition, beside the bound of each.
const MOST_NOTE_BYTES: usize = 64 * 1024 * 1024;
/// The same of what is kept for filters that are added later.
const MOST_GROUND_BYTES: usize = 32 * 1024 * 1024;

/// Name of an entity's risk among the state rows.
pub(crate) type RiskKey = [u8; 16];

/// The risk of all entities of a partition.
#[derive(Debug)]
pub(crate) struct Risks {
    entities: HashMap<RiskKey, Risk>,
    /// Entities that changed, and about how many bytes their rows take.
    changed: BTreeMap<RiskKey, usize>,
    changed_bytes: usize,
    note_bytes: usize,
    ground_bytes: usize,
    most_entities: usize,
}

/// A weak finding.
#[derive(Debug)]
pub(crate) struct Sign {
    /// Who it is about.
    pub entity: Entity,
    /// The record.
    pub member: Member,
}

/// An entity's risk from which something was taken.
#[derive(Debug)]
pub(crate) struct Lessened {
    /// Whose it is.
    pub owner: Owner,
    /// Who it was counted for.
    pub entity: Entity,
    /// Families whose incidents had become known by signs that do not add up any more.
    pub families: BTreeSet<String>,
    /// Earlier signs are forgotten: an incident that began before may rest on some that add up.
    pub remembered_since: Timestamp,
}

impl Risks {
    /// No entities; about `most_entities` at most.
    pub(crate) fn new(most_entities: usize) -> Self {
        Self {
            entities: HashMap::new(),
            changed: BTreeMap::new(),
            changed_bytes: 0,
            note_bytes: 0,
            ground_bytes: 0,
            most_entities,
        }
    }

    /// Adds a finding to its entity's risk. Returns who it was counted for and what became a member:
    /// nothing while the risk is too low, everything that led to it when it is reached.
    pub(crate) fn add(
        &mut self,
        plan: &Plan,
        place: &Place<'_>,
        sign: Sign,
    ) -> Option<(Entity, Vec<Member>)> {
        let (key, entity) = self.entity_of(place, &sign.entity);
        let risk = self.entities.entry(key).or_insert_with(|| Risk::new(entity, place));
        risk.touched_at = place.log_time;
        risk.owner.get_or_insert_with(|| Owner::of(place.headers));
        let others = self.note_bytes - risk.note_bytes();
        let other_grounds = self.ground_bytes - risk.ground_bytes();
        let room = Room {
            notes: MOST_NOTE_BYTES.saturating_sub(others),
            grounds: MOST_GROUND_BYTES.saturating_sub(other_grounds),
        };
        let members = risk.add(plan, sign.member, room);
        self.note_bytes = others + risk.note_bytes();
        self.ground_bytes = other_grounds + risk.ground_bytes();
        let cost = risk.cost();
        self.changed_bytes = self.changed_bytes + cost - self.changed.insert(key, cost).unwrap_or(0);
        (!members.is_empty()).then(|| (risk.entity.clone(), members))
    }

    /// Takes back what a rule said of an entity at some times and is no risk of it after all. Returns whom it was
    /// counted for, and the families whose incidents had become known by signs that do not add up any more.
    pub(crate) fn withdraw(
        &mut self,
        plan: &Plan,
        place: &Place<'_>,
        entity: &Entity,
        rule: &str,
        is_none: impl Fn(Timestamp) -> bool,
    ) -> (Entity, BTreeSet<String>) {
        let (key, entity) = self.entity_of(place, entity);
        let Some(risk) = self.entities.get_mut(&key) else { return (entity, BTreeSet::new()) };
        let before = (risk.note_bytes(), risk.ground_bytes());
        let Some(families) = risk.withdraw(plan, rule, is_none) else { return (entity, BTreeSet::new()) };
        self.settle(key, before);
        (entity, families)
    }

    /// The entities of an organization, or of all.
    pub(crate) fn of(&self, organization: Option<OrganizationId>) -> BTreeSet<RiskKey> {
        let is_meant = |owner: &Owner| organization.is_none_or(|meant| owner.organization == meant);
        let of_it = |risk: &Risk| risk.owner.as_ref().is_some_and(is_meant);
        self.entities.iter().filter(|(_, risk)| of_it(risk)).map(|(key, _)| *key).collect()
    }

    /// Takes from an entity's risk what filters would have taken away; `None` where that is nothing. Returns the same
    /// as [`Self::withdraw`], and whose it is.
    pub(crate) fn suppress(&mut self, catalogue: &Catalogue, key: RiskKey) -> Option<Lessened> {
        let risk = self.entities.get_mut(&key)?;
        let owner = risk.owner.clone()?;
        let plan = catalogue.plan(owner.organization);
        if !plan.has_filters() {
            return None;
        }
        let before = (risk.note_bytes(), risk.ground_bytes());
        let families = risk.suppress(plan)?;
        let (entity, remembered_since) = (risk.entity.clone(), risk.remembered_since());
        self.settle(key, before);
        Some(Lessened { owner, entity, families, remembered_since })
    }

    /// After an entity's risk has changed that kept so many bytes of notes and grounds before.
    fn settle(&mut self, key: RiskKey, (notes, grounds): (usize, usize)) {
        let Some(risk) = self.entities.get(&key) else { return };
        self.note_bytes = self.note_bytes - notes + risk.note_bytes();
        self.ground_bytes = self.ground_bytes - grounds + risk.ground_bytes();
        let cost = risk.cost();
        self.changed_bytes = self.changed_bytes + cost - self.changed.insert(key, cost).unwrap_or(0);
    }

    fn entity_of(&self, place: &Place<'_>, entity: &Entity) -> (RiskKey, Entity) {
        let key = risk_key(place, entity);
        let (entities, most) = (self.entities.len(), self.most_entities);
        if self.entities.contains_key(&key) || entities < most {
            return (key, entity.clone());
        }
        let value = coarsen::group(std::slice::from_ref(&entity.value), entities, most).concat();
        let coarse = Entity { kind: entity.kind.clone(), value };
        (risk_key(place, &coarse), coarse)
    }

    /// Drops entities that nothing was found of for longer than it can matter.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, gone: &mut Gone) {
        let oldest = log_time.minus(TACTICS_SPAN);
        let expired: Vec<RiskKey> =
            self.entities.iter().filter(|(_, risk)| risk.touched_at < oldest).map(|(key, _)| *key).collect();
        for key in expired {
            let Some(risk) = self.entities.remove(&key) else { continue };
            self.note_bytes -= risk.note_bytes();
            self.ground_bytes -= risk.ground_bytes();
            self.changed_bytes -= self.changed.remove(&key).unwrap_or(0);
            gone.push(rows::key(rows::RISK, &key));
        }
    }

    /// About how many rows and bytes the changes since the last [`Self::take_changes`] take.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        (self.changed.len(), self.changed_bytes)
    }

    /// Rows to write since the last call.
    ///
    /// # Errors
    /// When a risk cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        self.changed_bytes = 0;
        let changed = std::mem::take(&mut self.changed);
        let risks = changed.keys().filter_map(|key| Some((key, self.entities.get(key)?)));
        risks.map(|(key, risk)| Ok((rows::key(rows::RISK, key), common::row::encode(risk)?))).collect()
    }

    /// Reads an entity's risk back.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(&mut self, key: RiskKey, body: &[u8]) -> Result<(), BodyError> {
        let risk: Risk = common::row::decode(body)?;
        self.note_bytes += risk.note_bytes();
        self.ground_bytes += risk.ground_bytes();
        self.entities.insert(key, risk);
        Ok(())
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

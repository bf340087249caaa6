//! Step 3, attach: adds each finding to its open incident, or opens one, and supersedes findings that belong to the
//! incident about a widespread rule. An incident that changed gets a new revision when its assessment differs.
//!
//! Rows are read by the caller: a call that needs one which is not in memory changes nothing, returns it as
//! [`Missing`], and is made again once the row is restored.

pub(crate) mod assess;
pub(crate) mod evidence;
pub(crate) mod facts;
pub(crate) mod members;
pub(crate) mod revise;
mod stored;
pub(crate) mod tracked;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use common::ids::{IncidentId, OrganizationId};
use common::incident::{Analysis, Entity, IncidentHead, Qualification, Triage};
use common::partition::Partition;
use common::severity::Severity;
use serde::{Deserialize, Serialize};

pub use self::revise::Moment;
pub use self::stored::{IncidentRows, MOST_CHUNKS, Missing, differs_from};
use self::tracked::Tracked;
use crate::fan_in::{self, FanInGuard};
use crate::finding::{Finding, RecordContext, RulePolicy, Superseded};
use crate::identity::{digest, short};
use crate::plan::Plan;

/// Version of the construction of incident keys: raised when the parts change.
const KEY_VERSION: &[u8] = b"1";
/// An unresolved incident takes in findings for so long after its first event.
const LONGEST_EPISODE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Bytes of incidents kept in memory per partition, beside the bound on their number.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Name of an incident key among the state rows.
type IncidentKey = [u8; 16];

/// Incidents in memory, and the one that takes in the findings of each incident key.
#[derive(Debug)]
pub struct Incidents {
    partition: Partition,
    tracked: HashMap<IncidentId, Tracked>,
    /// Incidents that the ledger does not have.
    absent: BTreeSet<IncidentId>,
    /// `None` where the ledger has none.
    episodes: HashMap<IncidentKey, Option<Episode>>,
    changed_episodes: BTreeSet<IncidentKey>,
    /// Incidents that changed, and the rows and bytes, about, that they take.
    changed: BTreeMap<IncidentId, (usize, usize)>,
    changed_cost: (usize, usize),
    most_tracked: usize,
    resolved_retention: Duration,
    touches: u64,
}

/// The incident that takes in the findings of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Episode {
    organization: OrganizationId,
    number: u32,
    incident: IncidentId,
}

/// The incident that a finding was attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attached {
    /// The incident.
    pub incident: IncidentId,
    /// Whether the finding opened it.
    pub is_new: bool,
}

impl Incidents {
    /// No incidents; at most `most_tracked` are kept once they are committed.
    #[must_use]
    pub fn new(partition: Partition, most_tracked: usize, resolved_retention: Duration) -> Self {
        Self {
            partition,
            tracked: HashMap::new(),
            absent: BTreeSet::new(),
            episodes: HashMap::new(),
            changed_episodes: BTreeSet::new(),
            changed: BTreeMap::new(),
            changed_cost: (0, 0),
            most_tracked,
            resolved_retention,
            touches: 0,
        }
    }

    /// Attaches a finding to its open incident, or opens one. Where its family opens too many, the finding becomes one
    /// about many entities.
    ///
    /// # Errors
    /// [`Missing`].
    pub fn attach(
        &mut self,
        fan_in: &mut FanInGuard,
        context: &RecordContext<'_>,
        finding: &mut Finding,
        rule_policy: RulePolicy<'_>,
    ) -> Result<Attached, Missing> {
        let mut entity = fan_in::target(finding);
        let mut key = incident_key(context, &finding.family, &entity);
        let mut current = self.current(context, &key, finding)?;
        let may_open = current.is_some() || fan_in.may_open(context, finding);
        if !may_open {
            finding.qualification = Qualification::ManyEntities;
            entity = fan_in::target(finding);
            key = incident_key(context, &finding.family, &entity);
            current = self.current(context, &key, finding)?;
        }
        let is_new = current.is_none();
        if is_new && may_open {
            fan_in.opened(context, finding);
        }
        let incident = match current {
            Some(incident) => incident,
            None => self.open(context, key, entity, finding)?,
        };
        self.touches += 1;
        let touch = self.touches;
        self.change(incident, |tracked| {
            tracked.last_touch = touch;
            tracked.grow(context, finding, rule_policy)
        });
        Ok(Attached { incident, is_new })
    }

    /// Removes the findings of a widespread rule from the incident about an entity, if there is one; returns the incident
    /// if it has changed.
    ///
    /// # Errors
    /// [`Missing`].
    pub fn supersede(
        &mut self,
        context: &RecordContext<'_>,
        findings: &Superseded,
        rules_version: &str,
    ) -> Result<Option<IncidentId>, Missing> {
        let key = incident_key(context, &findings.family, &findings.entity);
        let Some(episode) = self.episode(context.headers.organization, &key)? else { return Ok(None) };
        self.require(episode.organization, episode.incident)?;
        let moment = Moment { position: context.position, at: context.received_at() };
        Ok(self.change(episode.incident, |tracked| {
            tracked.supersede(&findings.rule, findings.no_longer_adds_up, moment, rules_version)
        }))
    }

    /// Withdraws the contributions of rules that are no longer in force and returns whether the incident changed. A
    /// resolved incident stays unchanged.
    ///
    /// # Errors
    /// [`Missing`].
    pub fn retract(&mut self, head: &IncidentHead, plan: &Plan, moment: Moment) -> Result<bool, Missing> {
        self.require(head.organization, head.id)?;
        Ok(self.change(head.id, |tracked| tracked.retract(plan, moment)).is_some())
    }

    /// The head of an incident in memory.
    #[must_use]
    pub fn head(&self, incident: IncidentId) -> Option<&IncidentHead> {
        self.tracked.get(&incident).map(|tracked| &tracked.head)
    }

    /// Takes over the triage that people changed in the ledger.
    pub fn merge_triage(&mut self, head: IncidentHead) {
        if let Some(tracked) = self.tracked.get_mut(&head.id) {
            tracked.merge_triage(head.triage);
        }
    }

    /// Changes an incident in memory; returns it if `change` returns true.
    pub(crate) fn change(
        &mut self,
        incident: IncidentId,
        change: impl FnOnce(&mut Tracked) -> bool,
    ) -> Option<IncidentId> {
        if !change(self.tracked.get_mut(&incident)?) {
            return None;
        }
        self.mark_changed(incident);
        Some(incident)
    }

    pub(crate) fn tracked(&self, incident: IncidentId) -> Option<&Tracked> {
        self.tracked.get(&incident)
    }

    fn mark_changed(&mut self, incident: IncidentId) {
        let cost = self.tracked.get(&incident).map(Tracked::pending_cost).unwrap_or_default();
        let before = self.changed.insert(incident, cost).unwrap_or_default();
        let (rows, bytes) = self.changed_cost;
        self.changed_cost = (rows + cost.0 - before.0, bytes + cost.1 - before.1);
    }

    /// The incident that takes the finding in; `None` when a new one must be opened.
    fn current(
        &self,
        context: &RecordContext<'_>,
        key: &IncidentKey,
        finding: &Finding,
    ) -> Result<Option<IncidentId>, Missing> {
        let Some(episode) = self.episode(context.headers.organization, key)? else { return Ok(None) };
        self.require(episode.organization, episode.incident)?;
        let tracked = self.tracked.get(&episode.incident);
        let is_current = tracked.is_some_and(|tracked| self.takes_in(&tracked.head, context, finding));
        Ok(is_current.then_some(episode.incident))
    }

    /// Unresolved: for seven days. Resolved: until its retention ends.
    fn takes_in(&self, head: &IncidentHead, context: &RecordContext<'_>, finding: &Finding) -> bool {
        if head.triage.resolved.is_some() {
            let resolved_at = head.triage.updated_at.unwrap_or(head.analysis.updated_at);
            return context.received_at().since(resolved_at) < self.resolved_retention;
        }
        let last = finding.members.iter().map(|member| member.event_time).max();
        last.is_none_or(|last| last.since(head.analysis.first_seen_at) <= LONGEST_EPISODE)
    }

    fn open(
        &mut self,
        context: &RecordContext<'_>,
        key: IncidentKey,
        entity: Entity,
        finding: &Finding,
    ) -> Result<IncidentId, Missing> {
        let headers = context.headers;
        let number = self.episode(headers.organization, &key)?.map_or(0, |episode| episode.number) + 1;
        let id = IncidentId::new(self.partition, &digest(&[&key, &number.to_be_bytes()]));
        let times = finding.members.iter().map(|member| member.event_time);
        let received_at = context.received_at();
        let head = IncidentHead {
            id,
            organization: headers.organization,
            source: headers.source,
            application_group: headers.application_group.clone(),
            environment: headers.environment.clone(),
            family: finding.family.clone(),
            entity,
            episode: number,
            created_at: received_at,
            analysis: Analysis {
                title: String::new(),
                severity: Severity::Unknown,
                event_count: 0,
                first_seen_at: times.clone().min().unwrap_or(received_at),
                last_activity_at: times.max().unwrap_or(received_at),
                updated_at: received_at,
                revision: 0,
                superseded: false,
            },
            triage: Triage::default(),
        };
        self.tracked.insert(id, Tracked::opened(head));
        let episode = Episode { organization: headers.organization, number, incident: id };
        self.episodes.insert(key, Some(episode));
        self.changed_episodes.insert(key);
        Ok(id)
    }

    fn episode(&self, organization: OrganizationId, key: &IncidentKey) -> Result<Option<Episode>, Missing> {
        self.episodes.get(key).copied().ok_or(Missing::Episode { organization, key: *key })
    }

    /// Makes sure that an incident is in memory, if the ledger has it.
    fn require(&self, organization: OrganizationId, incident: IncidentId) -> Result<(), Missing> {
        let is_known = self.tracked.contains_key(&incident) || self.absent.contains(&incident);
        is_known.then_some(()).ok_or(Missing::Incident { organization, incident })
    }
}

/// The values in which findings must agree to be one incident (incident model, Incident key).
fn incident_key(context: &RecordContext<'_>, family: &str, entity: &Entity) -> IncidentKey {
    let headers = context.headers;
    short(&digest(&[
        KEY_VERSION,
        headers.organization.as_bytes(),
        headers.application_group.as_bytes(),
        headers.environment.as_bytes(),
        headers.source.as_bytes(),
        family.as_bytes(),
        entity.kind.as_bytes(),
        entity.value.as_bytes(),
    ]))
}

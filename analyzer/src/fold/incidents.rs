//! The incidents a partition is working on: which one a finding joins, when a new episode begins, and
//! what is read back from the ledger or may leave memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use common::ids::{IncidentId, OrganizationId};
use common::incident::{Analysis, Entity, IncidentHead, Qualification, Revision, Triage};
use common::partition::Partition;
use common::row::{self, BodyError};
use directory::DirectoryError;
use escalation::Escalation;
use ledger::{Kind, Ledger, LedgerError, LedgerId, Op, Range, Seq};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::escalate::{self, PendingEscalation};
use super::finding::{Finding, RecordContext, RulePolicy, Superseded};
use super::members::{CHUNK_MEMBERS, EXACT_MEMBERS, Members};
use super::revise::Moment;
use super::rows;
use super::storm::Storms;
use super::tracked::{Tracked, Work};
use crate::identity::{digest, short};
use crate::plan::Plan;

/// Version of how incident keys are made: raised when the parts change.
const KEY_VERSION: &[u8] = b"1";
/// An unresolved incident takes in findings for so long after its first event.
const LONGEST_EPISODE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Bytes of incidents kept in memory per partition, beside the bound on their number.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The entity of the incident that stands for many.
pub(crate) const MANY_ENTITIES: &str = "many_entities";

/// The part of the ledger incidents are read back from, and what tells of them.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    /// The ledger.
    pub ledger: &'a dyn Ledger,
    /// The partition being folded.
    pub partition: Partition,
    /// What asks for policies, and makes events.
    pub escalation: &'a Escalation,
}

/// Why folding could not go on.
#[derive(Debug, Error)]
pub(crate) enum FoldError {
    /// The ledger could not be asked.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// An organization's rows could not be read.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A row is not what it should be.
    #[error("a row of the ledger cannot be used: {0}")]
    Body(#[from] BodyError),
}

impl FoldError {
    /// Whether a row is damaged, so that reading it again does not help.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Ledger(error) => error.is_damage(),
            Self::Directory(error) => error.is_damage(),
            Self::Body(_) => true,
        }
    }
}

/// Incidents in memory, and which one takes in the findings of a key.
#[derive(Debug)]
pub(crate) struct Incidents {
    tracked: HashMap<IncidentId, Tracked>,
    episodes: HashMap<[u8; 16], Episode>,
    changed_episodes: BTreeSet<[u8; 16]>,
    /// Incidents that changed, and about how many rows and bytes they take.
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

/// What a finding did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// It opened an incident.
    Opened(IncidentId),
    /// It joined one.
    Grew(IncidentId),
}

impl Incidents {
    /// No incidents; at most `most_tracked` are kept once they are committed.
    pub(crate) fn new(most_tracked: usize, resolved_retention: Duration) -> Self {
        Self {
            tracked: HashMap::new(),
            episodes: HashMap::new(),
            changed_episodes: BTreeSet::new(),
            changed: BTreeMap::new(),
            changed_cost: (0, 0),
            most_tracked,
            resolved_retention,
            touches: 0,
        }
    }

    /// Puts a finding where it belongs.
    pub(crate) async fn join(
        &mut self,
        reader: Reader<'_>,
        storms: &mut Storms,
        context: &RecordContext<'_>,
        mut finding: Finding,
        rule_policy: RulePolicy<'_>,
    ) -> Result<Joined, FoldError> {
        let mut entity = match finding.qualification {
            Qualification::ManyEntities => many_entities(),
            _ => finding.entity.clone(),
        };
        let mut key = incident_key(context, &finding.family, &entity);
        let mut current = self.current(reader, context, &key, &finding).await?;
        if current.is_none() && !storms.may_open(context.headers.source, &finding.family, context.log_time) {
            finding.qualification = Qualification::ManyEntities;
            entity = many_entities();
            key = incident_key(context, &finding.family, &entity);
            current = self.current(reader, context, &key, &finding).await?;
        }
        let (incident, joined) = match current {
            Some(incident) => (incident, Joined::Grew(incident)),
            None => {
                let incident = self.open(reader, context, key, entity, &finding).await?;
                (incident, Joined::Opened(incident))
            }
        };
        self.touches += 1;
        if let Some(tracked) = self.tracked.get_mut(&incident) {
            tracked.last_touch = self.touches;
            if tracked.grow(context, &finding, rule_policy) {
                let cost = tracked.pending_cost();
                self.mark_changed(incident, cost);
            }
        }
        Ok(joined)
    }

    /// Withdraws the contributions of rules that are no longer in force and returns whether the incident changed. A
    /// resolved incident stays unchanged.
    pub(crate) async fn retract(
        &mut self,
        reader: Reader<'_>,
        head: &IncidentHead,
        plan: &Plan,
        moment: Moment,
    ) -> Result<bool, FoldError> {
        let work = reader.get(Kind::State, &rows::work_key(head.organization, head.id)).await?;
        let work: Work = work.map_or_else(|| Ok(Work::default()), |body| row::decode(&body))?;
        if !work.differs_from(plan) || !self.load(reader, head.organization, head.id).await? {
            return Ok(false);
        }
        let Some(tracked) = self.tracked.get_mut(&head.id) else { return Ok(false) };
        if !tracked.retract(plan, moment) {
            return Ok(false);
        }
        let cost = tracked.pending_cost();
        self.mark_changed(head.id, cost);
        Ok(true)
    }

    /// The latest revision of an incident, while nobody has decided whether it is told.
    pub(crate) fn unjudged(&self, incident: IncidentId) -> Option<(&IncidentHead, &Revision)> {
        let tracked = self.tracked.get(&incident)?;
        Some((&tracked.head, tracked.unjudged()?))
    }

    /// What was decided about the latest revision of an incident.
    pub(crate) fn judged(
        &mut self,
        incident: IncidentId,
        policies_version: u64,
        told: Option<PendingEscalation>,
    ) {
        let Some(tracked) = self.tracked.get_mut(&incident) else { return };
        tracked.judged(policies_version, told);
        let cost = tracked.pending_cost();
        self.mark_changed(incident, cost);
    }

    /// Removes the findings of a widespread rule from the incident about an entity, if there is one; returns the incident
    /// if it has changed.
    pub(crate) async fn supersede(
        &mut self,
        reader: Reader<'_>,
        context: &RecordContext<'_>,
        findings: &Superseded,
        rules_version: &str,
    ) -> Result<Option<IncidentId>, FoldError> {
        let Some(incident) = self.newest(reader, context, &findings.family, &findings.entity).await? else {
            return Ok(None);
        };
        let Some(tracked) = self.tracked.get_mut(&incident) else { return Ok(None) };
        let moment = Moment { position: context.position, at: context.received_at() };
        if !tracked.supersede(&findings.rule, findings.no_longer_adds_up, moment, rules_version) {
            return Ok(None);
        }
        let cost = tracked.pending_cost();
        self.mark_changed(incident, cost);
        Ok(Some(incident))
    }

    /// The latest incident of a family about an entity, loaded.
    async fn newest(
        &mut self,
        reader: Reader<'_>,
        context: &RecordContext<'_>,
        family: &str,
        entity: &Entity,
    ) -> Result<Option<IncidentId>, FoldError> {
        let key = incident_key(context, family, entity);
        let Some(episode) = self.episode(reader, context, &key).await? else { return Ok(None) };
        let Episode { organization, incident, .. } = episode;
        Ok(self.load(reader, organization, incident).await?.then_some(incident))
    }

    fn mark_changed(&mut self, incident: IncidentId, cost: (usize, usize)) {
        let before = self.changed.insert(incident, cost).unwrap_or_default();
        let (rows, bytes) = self.changed_cost;
        self.changed_cost = (rows + cost.0 - before.0, bytes + cost.1 - before.1);
    }

    /// Severity of an incident in memory: for metrics.
    pub(crate) fn head(&self, incident: IncidentId) -> Option<&IncidentHead> {
        self.tracked.get(&incident).map(|tracked| &tracked.head)
    }

    /// The incident that takes the finding in, loaded; `None` when a new one must be opened.
    async fn current(
        &mut self,
        reader: Reader<'_>,
        context: &RecordContext<'_>,
        key: &[u8; 16],
        finding: &Finding,
    ) -> Result<Option<IncidentId>, FoldError> {
        let Some(episode) = self.episode(reader, context, key).await? else { return Ok(None) };
        if !self.load(reader, episode.organization, episode.incident).await? {
            return Ok(None);
        }
        let continues = |tracked: &Tracked| self.takes_in(&tracked.head, context, finding);
        Ok(self.tracked.get(&episode.incident).filter(|tracked| continues(tracked)).map(|_| episode.incident))
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

    async fn open(
        &mut self,
        reader: Reader<'_>,
        context: &RecordContext<'_>,
        key: [u8; 16],
        entity: Entity,
        finding: &Finding,
    ) -> Result<IncidentId, FoldError> {
        let last = self.episode(reader, context, &key).await?.map_or(0, |episode| episode.number);
        let number = last + 1;
        let id = IncidentId::new(reader.partition, &digest(&[&key, &number.to_be_bytes()]));
        let headers = context.headers;
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
                severity: common::severity::Severity::Unknown,
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
        self.episodes.insert(key, Episode { organization: headers.organization, number, incident: id });
        self.changed_episodes.insert(key);
        Ok(id)
    }

    async fn episode(
        &mut self,
        reader: Reader<'_>,
        context: &RecordContext<'_>,
        key: &[u8; 16],
    ) -> Result<Option<Episode>, FoldError> {
        if let Some(episode) = self.episodes.get(key) {
            return Ok(Some(*episode));
        }
        let row_key = rows::episode_key(context.headers.organization, key);
        let Some(body) = reader.get(Kind::State, &row_key).await? else { return Ok(None) };
        let episode: Episode = row::decode(&body)?;
        self.episodes.insert(*key, episode);
        Ok(Some(episode))
    }

    /// Brings an incident into memory; false when the ledger has none of that id.
    async fn load(
        &mut self,
        reader: Reader<'_>,
        organization: OrganizationId,
        incident: IncidentId,
    ) -> Result<bool, FoldError> {
        if self.tracked.contains_key(&incident) {
            return Ok(true);
        }
        let key = row::incident_key(organization, incident);
        let Some(head) = reader.get(Kind::Head, &key).await? else { return Ok(false) };
        let work = reader.get(Kind::State, &rows::work_key(organization, incident)).await?;
        let work: Work = work.map_or_else(|| Ok(Work::default()), |body| row::decode(&body))?;
        let prefix = rows::members_prefix(organization, incident);
        let range = Range { prefix: &prefix, ..Range::default() };
        let most_chunks = EXACT_MEMBERS.div_ceil(CHUNK_MEMBERS);
        let chunks = reader.ledger.scan(reader.ledger_id(), Kind::State, range, most_chunks).await?;
        let members = chunks.iter().flat_map(|chunk| Members::read_chunk(&chunk.body)).collect();
        self.tracked.insert(incident, Tracked::restored(row::decode(&head)?, work, members));
        Ok(true)
    }

    /// Takes over people's part of heads that changed in the ledger.
    pub(crate) async fn merge_heads(
        &mut self,
        reader: Reader<'_>,
        heads: &[bytes::Bytes],
    ) -> Result<(), FoldError> {
        for key in heads {
            let Some(body) = reader.get(Kind::Head, key).await? else { continue };
            let head: IncidentHead = row::decode(&body)?;
            if let Some(tracked) = self.tracked.get_mut(&head.id) {
                tracked.merge_triage(head.triage);
            }
        }
        Ok(())
    }

    /// About how many rows and bytes a commit takes now.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        let (rows, bytes) = self.changed_cost;
        (rows + self.changed_episodes.len(), bytes)
    }

    /// Appends the operations that bring the ledger up to date when it is at `seq`. Nothing is marked as committed: a
    /// conflict is followed by another call.
    pub(crate) fn write(
        &self,
        escalation: &Escalation,
        seq: Seq,
        ops: &mut Vec<Op>,
    ) -> Result<(), BodyError> {
        let mut events = Vec::new();
        for id in self.changed.keys() {
            if let Some(tracked) = self.tracked.get(id).filter(|tracked| tracked.is_changed()) {
                tracked.write(ops)?;
                tracked.tell(escalation, &mut events)?;
            }
        }
        escalate::write(&events, seq, ops)?;
        for key in &self.changed_episodes {
            if let Some(episode) = self.episodes.get(key) {
                let key = rows::episode_key(episode.organization, key);
                ops.push(Op::Put { kind: Kind::State, key, body: row::encode(episode)?.into() });
            }
        }
        Ok(())
    }

    /// The ledger knows everything now: what was not touched for longest leaves memory.
    pub(crate) fn committed(&mut self) {
        self.changed_episodes.clear();
        if self.episodes.len() > 4 * self.most_tracked.max(1_000) {
            self.episodes.clear();
        }
        if self.changed.is_empty() {
            return;
        }
        self.changed_cost = (0, 0);
        for id in std::mem::take(&mut self.changed).into_keys() {
            if let Some(tracked) = self.tracked.get_mut(&id) {
                tracked.committed();
            }
        }
        let bytes: usize = self.tracked.values().map(Tracked::memory).sum();
        if self.tracked.len() <= self.most_tracked && bytes <= MOST_BYTES {
            return;
        }
        let mut touches: Vec<(u64, IncidentId)> =
            self.tracked.iter().map(|(id, tracked)| (tracked.last_touch, *id)).collect();
        touches.sort_unstable();
        for (_, id) in touches.iter().take(touches.len().div_ceil(2)) {
            self.tracked.remove(id);
        }
    }
}

impl Reader<'_> {
    pub(crate) fn ledger_id(&self) -> LedgerId {
        LedgerId::Partition(self.partition)
    }

    async fn get(&self, kind: Kind, key: &[u8]) -> Result<Option<bytes::Bytes>, LedgerError> {
        self.ledger.get(self.ledger_id(), kind, key).await
    }
}

fn many_entities() -> Entity {
    Entity { kind: MANY_ENTITIES.to_owned(), value: "*".to_owned() }
}

/// What findings must agree in to be one incident (incident model, Incident key).
fn incident_key(context: &RecordContext<'_>, family: &str, entity: &Entity) -> [u8; 16] {
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

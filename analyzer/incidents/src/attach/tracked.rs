//! One incident in memory: its rows in the ledger, and the changes that are not committed yet.

use bytes::Bytes;
use common::incident::{IncidentDetail, IncidentHead, Qualification, Revision, Triage};
use common::row::{self, BodyError};
use ledger::{Kind, Op};
use serde::{Deserialize, Serialize};

use super::assess::Knowledge;
use super::evidence::EvidencePools;
use super::members::{Beyond, Members};
use super::revise::{Moment, Signature};
use crate::escalate::{Escalated, PendingEscalation};
use crate::finding::{Finding, Member, RecordContext, RulePolicy};
use crate::identity::{RecordId, digest, hex};
use crate::plan::Plan;
use crate::rows;

/// An incident being worked on.
#[derive(Debug)]
pub(crate) struct Tracked {
    /// The row that lists show.
    pub head: IncidentHead,
    work: WorkingState,
    members: Members,
    revisions: Vec<Made>,
    changed: bool,
    /// When it was last touched, in touches: the longest untouched one leaves memory first.
    pub last_touch: u64,
}

/// A revision that the ledger does not have yet, and its escalation.
#[derive(Debug)]
struct Made {
    revision: Revision,
    /// Whether its escalation is decided.
    is_decided: bool,
    escalation: Option<PendingEscalation>,
}

/// The part of an incident that is not shown.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WorkingState {
    knowledge: Knowledge,
    evidence: EvidencePools,
    beyond: Beyond,
    revised: Option<Signature>,
}

impl WorkingState {
    /// Whether it rests on a rule that is no longer there, or a rule it rested on is there again.
    pub(crate) fn differs_from(&self, plan: &Plan) -> bool {
        self.knowledge.differs(|rule| content_hash(plan, rule))
    }
}

impl Tracked {
    /// A new incident without members.
    pub(crate) fn opened(head: IncidentHead) -> Self {
        Self {
            head,
            work: WorkingState::default(),
            members: Members::default(),
            revisions: Vec::new(),
            changed: true,
            last_touch: 0,
        }
    }

    /// An incident as the ledger holds it.
    pub(crate) fn restored(head: IncidentHead, work: WorkingState, members: Vec<RecordId>) -> Self {
        let beyond = work.beyond;
        Self {
            head,
            work,
            members: Members::restored(members, beyond),
            revisions: Vec::new(),
            changed: false,
            last_touch: 0,
        }
    }

    /// Adds a finding's members, and makes a revision when the assessment changes by it; returns
    /// whether anything changed, which known members do not.
    pub(crate) fn grow(
        &mut self,
        context: &RecordContext<'_>,
        finding: &Finding,
        rule_policy: RulePolicy<'_>,
    ) -> bool {
        self.work.knowledge.milder = rule_policy.milder;
        self.work.knowledge.qualifications.insert(finding.qualification);
        let mut grown = false;
        for member in &finding.members {
            grown |= self.add(member, finding);
        }
        self.work.beyond = self.members.beyond();
        let moment = Moment { position: context.position, at: context.received_at() };
        self.revise(grown, moment, rule_policy.rules_version)
    }

    /// Withdraws the contributions of rules that are no longer in force, restores those of rules that are in force
    /// again, and returns whether the incident changed.
    pub(crate) fn retract(&mut self, plan: &Plan, moment: Moment) -> bool {
        if self.head.triage.resolved.is_some() {
            return false;
        }
        let changed = self.work.knowledge.compare(|rule| content_hash(plan, rule));
        changed && self.revise(true, moment, plan.version())
    }

    /// Excludes a widespread rule from the assessment; returns whether that changed anything. `no_longer_adds_up` if the
    /// risk does not add up without the rule.
    pub(crate) fn supersede(
        &mut self,
        rule: &str,
        no_longer_adds_up: bool,
        moment: Moment,
        rules_version: &str,
    ) -> bool {
        if self.head.triage.resolved.is_some() {
            return false;
        }
        let changed = self.work.knowledge.supersede(rule, no_longer_adds_up);
        changed && self.revise(true, moment, rules_version)
    }

    /// Updates the head, and makes a revision when the assessment is another; returns whether anything changed.
    fn revise(&mut self, grown: bool, moment: Moment, rules_version: &str) -> bool {
        let event_count = self.members.count();
        self.work.knowledge.remember_peak();
        let signature = Signature::of(&self.work.knowledge, event_count);
        let reasons = signature.reasons_since(self.work.revised.as_ref());
        if !grown && reasons.is_empty() {
            return false;
        }
        self.changed = true;
        let analysis = &mut self.head.analysis;
        analysis.event_count = event_count;
        analysis.severity = self.work.knowledge.severity();
        analysis.superseded = self.work.knowledge.is_superseded();
        analysis.title = self.work.knowledge.title(&self.head.entity);
        analysis.updated_at = analysis.updated_at.max(moment.at);
        if reasons.is_empty() {
            return true;
        }
        self.work.revised = Some(signature);
        self.head.analysis.revision += 1;
        let assessment = self.work.knowledge.assessment(&self.head.entity, &self.head.analysis);
        let content = serde_json::to_vec(&assessment).unwrap_or_default();
        let revision = Revision {
            revision: self.head.analysis.revision,
            created_at: moment.at,
            reasons,
            content_hash: hex(&digest(&[&content])),
            position: moment.position,
            rules_version: rules_version.to_owned(),
            // Set when the escalation is decided.
            policies_version: 0,
            event_count,
            assessment,
            after_resolution: self.head.triage.resolved.is_some(),
        };
        self.revisions.push(Made { revision, is_decided: false, escalation: None });
        true
    }

    /// The latest revision, while its escalation is undecided.
    pub(crate) fn undecided(&self) -> Option<&Revision> {
        self.revisions.last().filter(|made| !made.is_decided).map(|made| &made.revision)
    }

    /// Records the decision about the latest revision, and the policies that led to it; returns whether there is one.
    pub(crate) fn decide(&mut self, policies_version: u64, escalation: Option<PendingEscalation>) -> bool {
        let Some(made) = self.revisions.last_mut() else { return false };
        made.revision.policies_version = policies_version;
        made.is_decided = true;
        made.escalation = escalation;
        true
    }

    /// Names the source in the escalation of the latest revision; returns whether it is escalated.
    pub(crate) fn name_source(&mut self, source_name: Option<String>) -> bool {
        let latest = self.revisions.last_mut().and_then(|made| made.escalation.as_mut());
        let Some(escalation) = latest else { return false };
        escalation.source_name = source_name;
        true
    }

    /// Adds a member, or another rule of one; returns whether anything of it is new.
    fn add(&mut self, member: &Member, finding: &Finding) -> bool {
        let WorkingState { knowledge, evidence, .. } = &mut self.work;
        knowledge.contribute(&member.subject, finding.qualification);
        let new = self.members.insert(member.record);
        if new && finding.qualification == Qualification::ManyEntities {
            knowledge.facts.count_value("entity", &finding.entity.value);
        }
        let mut shown = false;
        if let Some(note) = &member.note {
            if new {
                knowledge.facts.count(note);
            }
            let matched = &member.subject.matched;
            shown = evidence.offer(matched.severity, &matched.id, member.record, note);
        }
        let analysis = &mut self.head.analysis;
        analysis.first_seen_at = analysis.first_seen_at.min(member.event_time);
        analysis.last_activity_at = analysis.last_activity_at.max(member.event_time);
        new || shown
    }

    /// Takes over the triage that people changed; revisions not yet committed come after it.
    pub(crate) fn merge_triage(&mut self, triage: Triage) {
        self.head.triage = triage;
        let resolved = self.head.triage.resolved.is_some();
        for made in &mut self.revisions {
            made.revision.after_resolution = resolved;
        }
    }

    /// Whether there are changes that the ledger does not have yet.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed
    }

    /// The ledger has all changes now.
    pub(crate) fn committed(&mut self) {
        self.changed = false;
        self.revisions.clear();
        self.members.stored();
    }

    /// Rows and bytes, about, of a commit of the changes.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        let knowledge = &self.work.knowledge;
        let (assessment, evidence) = (knowledge.cost(), self.work.evidence.cost());
        let (chunks, chunk_bytes) = self.members.unstored_cost();
        let work = assessment + knowledge.facts.cost() + evidence;
        let bytes = 2_048 + work + assessment + evidence + chunk_bytes;
        let escalated = self.revisions.iter().filter(|made| made.escalation.is_some()).count();
        let more = self.revisions.len() + escalated;
        // Of a revision's assessment the facts are the only part that can be long: ten of each field. An escalation
        // has none of them.
        (4 + chunks + more, bytes + more * (assessment + 8_192))
    }

    /// Bytes of memory, about.
    pub(crate) fn memory(&self) -> usize {
        let WorkingState { knowledge, evidence, .. } = &self.work;
        self.members.cost() + evidence.cost() + knowledge.facts.cost() + 4_096
    }

    /// Appends the operations that bring the ledger up to date.
    ///
    /// # Errors
    /// When something cannot be written as JSON.
    pub(crate) fn write(&self, ops: &mut Vec<Op>) -> Result<(), BodyError> {
        let (organization, incident) = (self.head.organization, self.head.id);
        let key = Bytes::from(row::incident_key(organization, incident));
        let put = |kind, key: Bytes, body: Vec<u8>| Op::Put { kind, key, body: Bytes::from(body) };
        ops.push(put(Kind::Head, key.clone(), row::encode(&self.head)?));
        let detail = IncidentDetail {
            assessment: self.work.knowledge.assessment(&self.head.entity, &self.head.analysis),
            evidence: self.work.evidence.shown(),
        };
        ops.push(put(Kind::Detail, key, row::encode(&detail)?));
        ops.push(put(Kind::State, rows::working_key(organization, incident), row::encode(&self.work)?));
        for (number, body) in self.members.unstored_chunks() {
            ops.push(put(Kind::State, rows::members_key(organization, incident, number), body));
        }
        for Made { revision, .. } in &self.revisions {
            let key = Bytes::from(row::revision_key(organization, incident, revision.revision));
            ops.push(put(Kind::History, key, row::encode(revision)?));
        }
        Ok(())
    }

    /// The escalated revisions, unless a person has resolved the incident by now.
    pub(crate) fn escalated(&self) -> impl Iterator<Item = Escalated<'_>> {
        self.revisions.iter().filter(|made| !made.revision.after_resolution).filter_map(|made| {
            let escalation = made.escalation.as_ref()?;
            let incident = IncidentHead { analysis: escalation.analysis.clone(), ..self.head.clone() };
            let source_name = escalation.source_name.as_deref();
            Some(Escalated { incident, revision: &made.revision, source_name })
        })
    }
}

fn content_hash<'p>(plan: &'p Plan, rule: &str) -> Option<&'p str> {
    plan.find_subject(rule).map(|subject| subject.content_hash.as_str())
}

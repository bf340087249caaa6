//! The detail of an incident: its summary, the current assessment with evidence, both histories, and who was told
//! (specification, Resources: Infrastructure incident).

use std::collections::BTreeMap;

use common::incident::{
    Assessment, Confidence, Evidence, Fact, MatchedRule, Qualification, Review, Revision,
};
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use deliver::LoggedEvent;
use serde::Serialize;
use utoipa::ToSchema;

use super::read::Incident;
use super::summary::IncidentSummary;
use crate::deliveries::EventView;
use rest::actor::ActorView;

/// An incident with its assessment, evidence and history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IncidentDetail)]
pub(crate) struct IncidentDetailView {
    #[serde(flatten)]
    summary: IncidentSummary,
    /// Incident family: the kind of activity whose findings join the incident.
    #[schema(example = "authentication_force")]
    family: String,
    /// 1 for the first incident of its kind, entity and source, then 2, 3, …
    #[schema(minimum = 1)]
    episode: u32,
    /// Whether no record joined for 24 hours. Derived when read, not stored.
    quiet: bool,
    /// Whether its severity has risen since it was resolved.
    recurred_worse: bool,
    /// Member records that joined after it was resolved; 0 unless resolved.
    events_since_resolved: u64,
    /// The current assessment.
    assessment: AssessmentView,
    /// Excerpts of member records, with secrets masked, worst severity first.
    evidence: Vec<EvidenceView>,
    /// Versions of the assessment, newest first.
    #[schema(max_items = 50)]
    assessment_revisions: Vec<RevisionView>,
    /// Reviews, newest first.
    #[schema(max_items = 100)]
    review_history: Vec<ReviewView>,
    /// Events about it for webhook targets, newest first.
    #[schema(max_items = 50)]
    webhook_events: Vec<EventView>,
}

/// Assessment of an incident and its reasons.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Assessment)]
struct AssessmentView {
    /// How bad.
    #[schema(schema_with = crate::schema::severity)]
    severity: Severity,
    /// How sure.
    #[schema(schema_with = crate::schema::confidence)]
    confidence: Confidence,
    /// Summary in a few sentences.
    #[schema(example = "212 logins failed from 203.0.113.9 within 4 minutes, for 37 user names.")]
    summary: String,
    /// Why this became an incident.
    #[schema(schema_with = crate::schema::qualification)]
    qualified_by: Qualification,
    /// The rules that contributed.
    rules: Vec<RuleView>,
    /// ATT&CK tactics of those rules.
    tactics: Vec<String>,
    /// ATT&CK techniques of those rules.
    techniques: Vec<String>,
    /// Rules that contributed and no longer count, because they were withdrawn or a filter excludes their records.
    withdrawn_rules: Vec<RuleView>,
    /// The worst severity so far; more than `severity` where rules count no more.
    #[schema(schema_with = crate::schema::severity)]
    peak_severity: Severity,
    /// Most frequent values of the fields that identify the parties, by field name.
    facts: BTreeMap<String, Vec<FactView>>,
    /// Recommended next steps.
    next_steps: Vec<String>,
}

/// A rule that contributed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MatchedRule)]
struct RuleView {
    /// The rule's id.
    id: String,
    /// Its title.
    title: String,
    /// Its level.
    #[schema(schema_with = crate::schema::severity)]
    severity: Severity,
    /// Whether it is a correlation, which counts over a window, instead of a rule for one record.
    correlation: bool,
}

/// A value seen in member records.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Fact)]
struct FactView {
    /// The value, with secrets masked.
    value: String,
    /// Number of records with the value.
    count: u64,
}

/// A member record, with secrets masked, and shortened.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Evidence)]
struct EvidenceView {
    /// The record's id.
    record_id: String,
    /// Event time.
    #[schema(format = DateTime)]
    event_time: String,
    /// Whether the record had no timestamp, so that the time of acceptance is used.
    time_inferred: bool,
    /// Time of acceptance.
    #[schema(format = DateTime)]
    received_at: String,
    /// Level of the rule it is evidence for.
    #[schema(schema_with = crate::schema::severity)]
    severity: Severity,
    /// Ids of the rules that matched it.
    rules: Vec<String>,
    /// The message, with secrets masked.
    message: String,
    /// A selection of its fields, with secrets masked.
    fields: BTreeMap<String, String>,
}

/// One version of the assessment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AssessmentRevision)]
struct RevisionView {
    /// Number of the revision: 1, 2, 3, …
    revision: u32,
    /// When the record that caused the revision was accepted.
    #[schema(format = DateTime)]
    created_at: String,
    /// Reasons for the revision.
    reasons: Vec<String>,
    /// Hash of its content.
    content_hash: String,
    /// Version of the rules in force.
    rules_version: String,
    /// Version of the monitoring policies of the organization.
    policies_version: u64,
    /// Member records so far.
    event_count: u64,
    /// Whether the incident was resolved at the time, so that it was not escalated.
    after_resolution: bool,
    /// The assessment of this revision.
    assessment: AssessmentView,
}

/// A review of an incident. Immutable.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReviewChange)]
struct ReviewView {
    /// Triage version after this change.
    triage_version: u64,
    /// The API key that acted.
    actor: ActorView,
    /// Time of the review.
    #[schema(format = DateTime)]
    created_at: String,
    /// The status before.
    #[schema(schema_with = crate::schema::triage_status)]
    from_status: TriageStatus,
    /// The resolution before.
    #[schema(required, schema_with = crate::schema::nullable_resolution)]
    from_resolution: Option<TriageResolution>,
    /// The status since.
    #[schema(schema_with = crate::schema::triage_status)]
    to_status: TriageStatus,
    /// The resolution since.
    #[schema(required, schema_with = crate::schema::nullable_resolution)]
    to_resolution: Option<TriageResolution>,
    /// Comment of the reviewer.
    #[schema(required, max_length = 4000)]
    comment: Option<String>,
    /// Id of the request that made the change.
    request_id: String,
}

impl IncidentDetailView {
    pub(crate) fn new(incident: Incident, webhook_events: Vec<LoggedEvent>, now: Timestamp) -> Self {
        let head = incident.head;
        Self {
            family: head.family.clone(),
            episode: head.episode,
            quiet: head.is_quiet(now),
            recurred_worse: head.recurred_worse(),
            events_since_resolved: head.events_since_resolved(),
            assessment: incident.detail.assessment.into(),
            evidence: incident.detail.evidence.into_iter().map(Into::into).collect(),
            assessment_revisions: incident.revisions.into_iter().map(Into::into).collect(),
            review_history: incident.reviews.into_iter().map(Into::into).collect(),
            webhook_events: webhook_events.into_iter().map(Into::into).collect(),
            summary: IncidentSummary::of_head(head, incident.source_name),
        }
    }
}

impl From<Assessment> for AssessmentView {
    fn from(assessment: Assessment) -> Self {
        let facts = |values: Vec<Fact>| values.into_iter().map(Into::into).collect();
        Self {
            severity: assessment.severity,
            confidence: assessment.confidence,
            summary: assessment.summary,
            qualified_by: assessment.qualified_by,
            rules: assessment.rules.into_iter().map(Into::into).collect(),
            tactics: assessment.tactics,
            techniques: assessment.techniques,
            withdrawn_rules: assessment.withdrawn_rules.into_iter().map(Into::into).collect(),
            peak_severity: assessment.peak_severity.max(assessment.severity),
            facts: assessment.facts.into_iter().map(|(field, values)| (field, facts(values))).collect(),
            next_steps: assessment.next_steps,
        }
    }
}

impl From<MatchedRule> for RuleView {
    fn from(rule: MatchedRule) -> Self {
        Self { id: rule.id, title: rule.title, severity: rule.severity, correlation: rule.correlation }
    }
}

impl From<Fact> for FactView {
    fn from(fact: Fact) -> Self {
        Self { value: fact.value, count: fact.count }
    }
}

impl From<Evidence> for EvidenceView {
    fn from(evidence: Evidence) -> Self {
        Self {
            record_id: evidence.record_id,
            event_time: evidence.event_time.to_iso(),
            time_inferred: evidence.time_inferred,
            received_at: evidence.received_at.to_iso(),
            severity: evidence.severity,
            rules: evidence.rules,
            message: evidence.message,
            fields: evidence.fields,
        }
    }
}

impl From<Revision> for RevisionView {
    fn from(revision: Revision) -> Self {
        Self {
            revision: revision.revision,
            created_at: revision.created_at.to_iso(),
            reasons: revision.reasons,
            content_hash: revision.content_hash,
            rules_version: revision.rules_version,
            policies_version: revision.policies_version,
            event_count: revision.event_count,
            after_resolution: revision.after_resolution,
            assessment: revision.assessment.into(),
        }
    }
}

impl From<Review> for ReviewView {
    fn from(review: Review) -> Self {
        Self {
            triage_version: review.triage_version,
            actor: review.actor.into(),
            created_at: review.created_at.to_iso(),
            from_status: review.from_status,
            from_resolution: review.from_resolution,
            to_status: review.to_status,
            to_resolution: review.to_resolution,
            comment: review.comment,
            request_id: review.request_id,
        }
    }
}

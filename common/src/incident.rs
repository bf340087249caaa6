//! Incidents as the ledger keeps them: the analyzer writes the analysis, people write the triage,
//! and the two never share a field, so that either side can merge the other's change.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{IncidentId, KeyId, OrganizationId, SourceId};
use crate::partition::Position;
use crate::severity::Severity;
use crate::timestamp::Timestamp;
use crate::triage::{TriageResolution, TriageStatus};

/// Time without a new finding after which an incident is shown as quiet (event time).
pub const QUIET_AFTER: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

/// Fields of an incident that lists need: one small row each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentHead {
    /// Its id; names its partition.
    pub id: IncidentId,
    /// Its owner.
    pub organization: OrganizationId,
    /// The source of its records.
    pub source: SourceId,
    /// Application group of the source when the incident opened.
    pub application_group: String,
    /// Environment of the source when the incident opened.
    pub environment: String,
    /// Family of findings that join here, for example `authentication_force`.
    pub family: String,
    /// The entity that the incident is about.
    pub entity: Entity,
    /// 1 for the first incident of its key, then 2, 3, …
    pub episode: u32,
    /// When the finding that opened it was accepted (log time).
    pub created_at: Timestamp,
    /// State set by the analyzer.
    pub analysis: Analysis,
    /// State set by users.
    pub triage: Triage,
}

/// The subject of an incident: the field that was grouped by, and its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entity {
    /// Field name, for example `client.address`; several are joined by `+`.
    pub kind: String,
    /// The value, `none` where the record has none.
    pub value: String,
}

/// The analyzer's part of an incident's head. Written only by the owner of its partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// Title: rule and entity in one line.
    pub title: String,
    /// Never lowered by silence.
    pub severity: Severity,
    /// Exact number of distinct member records up to 10,000, counted by position beyond.
    pub event_count: u64,
    /// Event time of the earliest member.
    pub first_seen_at: Timestamp,
    /// Event time of the latest member.
    pub last_activity_at: Timestamp,
    /// Log time of the last change.
    pub updated_at: Timestamp,
    /// Number of the latest revision, from 1.
    pub revision: u32,
    /// Whether the incident about a widespread rule supersedes it; lists then omit it.
    pub superseded: bool,
}

/// People's part of an incident's head. Written only by PATCH.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triage {
    /// Starts at 1; every change raises it by one.
    pub version: u64,
    /// Review status.
    pub status: TriageStatus,
    /// Present exactly when resolved.
    pub resolution: Option<TriageResolution>,
    /// When a person last changed it.
    pub updated_at: Option<Timestamp>,
    /// State of the incident when it was last resolved; absent unless resolved now.
    pub resolved: Option<ResolvedState>,
}

impl Default for Triage {
    fn default() -> Self {
        Self { version: 1, status: TriageStatus::New, resolution: None, updated_at: None, resolved: None }
    }
}

/// The incident at the moment it was resolved, to compare later activity with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedState {
    /// Position of the analyzer.
    pub position: Position,
    /// Severity then.
    pub severity: Severity,
    /// Event count then.
    pub event_count: u64,
}

impl IncidentHead {
    /// When anything last changed, by analyzer or person.
    #[must_use]
    pub fn updated_at(&self) -> Timestamp {
        self.triage.updated_at.map_or(self.analysis.updated_at, |at| at.max(self.analysis.updated_at))
    }

    /// Whether no finding joined for [`QUIET_AFTER`]. A view, not a state.
    #[must_use]
    pub fn is_quiet(&self, now: Timestamp) -> bool {
        now.since(self.analysis.last_activity_at) >= QUIET_AFTER
    }

    /// Whether it has grown worse than it was when a person resolved it.
    #[must_use]
    pub fn recurred_worse(&self) -> bool {
        self.triage.resolved.as_ref().is_some_and(|then| self.analysis.severity > then.severity)
    }

    /// Member records that joined after a person resolved it.
    #[must_use]
    pub fn events_since_resolved(&self) -> u64 {
        let then = self.triage.resolved.as_ref().map_or(self.analysis.event_count, |then| then.event_count);
        self.analysis.event_count.saturating_sub(then)
    }
}

/// Additional data of the detail view: one row per incident, written with its head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentDetail {
    /// The current assessment.
    pub assessment: Assessment,
    /// Sanitized excerpts, worst severity first, then by event time; bounded.
    pub evidence: Vec<Evidence>,
}

/// Assessment by the analyzer, with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// Its severity.
    pub severity: Severity,
    /// `low`, `medium` or `high`.
    pub confidence: Confidence,
    /// Summary in a few sentences.
    pub summary: String,
    /// Reason why this became an incident.
    pub qualified_by: Qualification,
    /// Rules whose findings are members, by id.
    pub rules: Vec<MatchedRule>,
    /// ATT&CK tactics of those rules, sorted.
    pub tactics: Vec<String>,
    /// ATT&CK techniques of those rules, sorted.
    pub techniques: Vec<String>,
    /// Rules that contributed and no longer count, because they were withdrawn or a filter excludes their records.
    pub withdrawn_rules: Vec<MatchedRule>,
    /// The worst severity so far, kept when the present one is lowered.
    pub peak_severity: Severity,
    /// Most frequent values of the fields that identify the parties, by field name.
    pub facts: BTreeMap<String, Vec<Fact>>,
    /// Recommended next steps.
    pub next_steps: Vec<String>,
}

/// Confidence of the analyzer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// One weak sign.
    Low,
    /// One clear sign.
    Medium,
    /// Several signs that agree.
    High,
}

/// Which way of the qualification led to the incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Qualification {
    /// A rule of level high or critical.
    RuleLevel,
    /// A correlation of level medium or more.
    Threshold,
    /// The summed risk of an entity.
    EntityRisk,
    /// The fan-in guard: findings of one rule or family about many entities.
    ManyEntities,
}

/// A rule that contributed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MatchedRule {
    /// The rule's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its level; `unknown` where it states none.
    pub severity: Severity,
    /// Whether it is a correlation, which counts over a window, instead of a rule for one record.
    pub correlation: bool,
}

/// A value seen in member records, and in how many.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fact {
    /// The value, sanitized and bounded.
    pub value: String,
    /// In how many member records it was seen.
    pub count: u64,
}

/// A member record, sanitized and shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The record's id, hexadecimal.
    pub record_id: String,
    /// Event time.
    pub event_time: Timestamp,
    /// Whether the record had no timestamp, so that the time of acceptance is used.
    pub time_inferred: bool,
    /// Time of acceptance.
    pub received_at: Timestamp,
    /// Level of the rule it is evidence for.
    pub severity: Severity,
    /// Ids of the rules that matched it.
    pub rules: Vec<String>,
    /// The message, sanitized, at most 2 KiB.
    pub message: String,
    /// A bounded selection of its fields, sanitized.
    pub fields: BTreeMap<String, String>,
}

/// One version of the assessment. Unchanged content never makes a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Number of the revision: 1, 2, 3, …
    pub revision: u32,
    /// Log time.
    pub created_at: Timestamp,
    /// Reasons for a new one: `opened`, `severity_raised`, `rules_changed`, ….
    pub reasons: Vec<String>,
    /// Hash of the content, hexadecimal.
    pub content_hash: String,
    /// The record whose folding made it.
    pub position: Position,
    /// Version of the rules in force.
    pub rules_version: String,
    /// Version of the organization's monitoring policies.
    pub policies_version: u64,
    /// Member records so far.
    pub event_count: u64,
    /// The assessment of this revision.
    pub assessment: Assessment,
    /// Whether the incident was resolved at the time, so that no one is to be called.
    pub after_resolution: bool,
}

/// One change a person made: immutable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The triage version this change produced.
    pub triage_version: u64,
    /// The key that acted.
    pub actor: Actor,
    /// When.
    pub created_at: Timestamp,
    /// Status before.
    pub from_status: TriageStatus,
    /// Resolution before.
    pub from_resolution: Option<TriageResolution>,
    /// Status after.
    pub to_status: TriageStatus,
    /// Resolution after.
    pub to_resolution: Option<TriageResolution>,
    /// Text of the user, at most 4,000 characters.
    pub comment: Option<String>,
    /// Position of the analyzer: the place of this command in a replay.
    pub position: Position,
    /// Id of the request that made the change.
    pub request_id: String,
}

/// Actor of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The API key.
    pub key_id: KeyId,
    /// Name of the API key at that time.
    pub key_name: String,
}

//! The detail of a finding: its summary with evidence, triage, remediation and history.

use engine::{Evidence, Location};
use rest::actor::ActorView;
use serde::Serialize;
use utoipa::ToSchema;

use super::summary::FindingSummary;
use super::target::TargetView;
use crate::detail::{FindingDetail, TriageResult};
use crate::events::{Remediation, TriageObject};
use crate::finding::Finding;
use crate::history::{HistoryEntry, State};

/// The rows of a finding.
pub(crate) struct Parts {
    pub(crate) finding: Finding,
    pub(crate) detail: FindingDetail,
    pub(crate) triage: Option<TriageResult>,
    /// Newest first.
    pub(crate) history: Vec<HistoryEntry>,
    pub(crate) target: TargetView,
}

/// A finding.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Finding)]
pub(crate) struct FindingDetailView {
    #[serde(flatten)]
    summary: FindingSummary,
    /// Target.
    target: TargetView,
    /// Result of the latest automated triage; null without one.
    #[schema(required)]
    triage: Option<TriageObject>,
    /// Recommended change of the code.
    remediation: Remediation,
    /// Check that observed it: `engine.family.variant`, or `tool/rule` of another tool.
    check: String,
    /// Version of the check or tool; empty when it states none.
    check_version: String,
    /// Locations, the primary one first, at most 20.
    locations: Vec<LocationView>,
    /// Number of further locations.
    further_locations: u64,
    /// Data flow from source to sink.
    trace: Vec<LocationView>,
    /// Proof.
    evidence: Vec<EvidenceView>,
    /// Recommended remedy in words; empty without one.
    remedy: String,
    /// Addresses of further reading.
    references: Vec<String>,
    /// Runs that observed it; of agent monitoring, actions.
    observed_count: u64,
    /// Time of the last observation.
    #[schema(format = DateTime)]
    last_observed_at: String,
    /// 1 for the first finding of this weakness; one that was fixed and observed again is the next.
    episode: u32,
    /// The finding of the previous episode; null without one.
    #[schema(required, format = Uuid)]
    previous_finding_id: Option<String>,
    /// Whether it was observed at a higher risk level than the one it was resolved with.
    recurred_worse: bool,
    /// Changes, newest first, at most 100.
    history: Vec<HistoryView>,
}

/// A location.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingLocation)]
struct LocationView {
    /// Path within the repository, or address of the resource.
    path: String,
    /// First line; null for the whole file.
    #[schema(required)]
    start_line: Option<u32>,
    /// Last line; null for the whole file.
    #[schema(required)]
    end_line: Option<u32>,
    /// First column; null for the whole line.
    #[schema(required)]
    start_column: Option<u32>,
    /// Column behind the last character; null for the whole line.
    #[schema(required)]
    end_column: Option<u32>,
    /// Text at the location; empty when it is not known.
    snippet: String,
    /// Explanation; empty without one.
    message: String,
}

/// A piece of evidence.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingEvidence)]
struct EvidenceView {
    /// Name, for example `request`.
    label: String,
    /// Text.
    text: String,
}

/// A change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingChange)]
struct HistoryView {
    /// Kind of the change.
    #[schema(schema_with = crate::schema::change)]
    change: &'static str,
    /// Its actor.
    actor: ActorView,
    /// When.
    #[schema(format = DateTime)]
    created_at: String,
    /// Status and resolution before it.
    from: StateView,
    /// Status and resolution after it.
    to: StateView,
    /// Assignee after it; null for nobody.
    #[schema(required)]
    assignee: Option<String>,
    /// Comment of the actor; null without one.
    #[schema(required)]
    comment: Option<String>,
}

/// Status and resolution.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingState)]
struct StateView {
    /// Triage status.
    #[schema(schema_with = crate::schema::triage_status)]
    triage_status: &'static str,
    /// Resolution; null unless the status is `resolved`.
    #[schema(required, schema_with = crate::schema::nullable_resolution)]
    triage_resolution: Option<&'static str>,
}

impl FindingDetailView {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { finding, detail, triage, history, target } = parts;
        Self {
            target,
            triage: triage.as_ref().map(TriageObject::of),
            remediation: Remediation::of(&detail, triage.as_ref()),
            check: finding.check.clone(),
            check_version: detail.check_version,
            locations: detail.locations.into_iter().map(LocationView::from).collect(),
            further_locations: detail.further_locations,
            trace: detail.trace.into_iter().map(LocationView::from).collect(),
            evidence: detail
                .evidence
                .into_iter()
                .map(|Evidence { label, text }| EvidenceView { label, text })
                .collect(),
            remedy: detail.remedy,
            references: detail.references,
            observed_count: finding.observed.runs,
            last_observed_at: finding.observed.last_at.to_iso(),
            episode: finding.episode,
            previous_finding_id: finding.previous.map(|id| id.to_string()),
            recurred_worse: finding.triage.recurred_worse,
            history: history.into_iter().map(HistoryView::from).collect(),
            summary: finding.into(),
        }
    }
}

impl From<Location> for LocationView {
    fn from(location: Location) -> Self {
        let region = location.region;
        Self {
            path: location.path,
            start_line: region.map(|region| region.start_line),
            end_line: region.map(|region| region.end_line),
            start_column: region.and_then(|region| region.start_column),
            end_column: region.and_then(|region| region.end_column),
            snippet: location.snippet,
            message: location.message,
        }
    }
}

impl From<HistoryEntry> for HistoryView {
    fn from(entry: HistoryEntry) -> Self {
        Self {
            change: entry.kind.as_str(),
            actor: entry.actor.into(),
            created_at: entry.at.to_iso(),
            from: entry.from.into(),
            to: entry.to.into(),
            assignee: entry.assignee,
            comment: entry.comment,
        }
    }
}

impl From<State> for StateView {
    fn from(state: State) -> Self {
        Self {
            triage_status: state.status.as_str(),
            triage_resolution: state.resolution.map(common::triage::TriageResolution::as_str),
        }
    }
}

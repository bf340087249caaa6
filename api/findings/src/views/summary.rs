//! The summary of a finding (specification, Resources: Finding).

use serde::Serialize;
use utoipa::ToSchema;

use crate::finding::Finding;
use crate::target::Target;

/// A finding in a list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingSummary)]
pub(crate) struct FindingSummary {
    /// Its id.
    #[schema(format = Uuid)]
    id: String,
    /// `finding`.
    #[schema(example = "finding")]
    object: &'static str,
    /// Kind.
    #[schema(schema_with = crate::schema::kind)]
    kind: &'static str,
    /// The report that observed it last; empty for other origins.
    report_id: String,
    /// Title.
    title: String,
    /// Explanation.
    description: String,
    /// CVSS vector; empty without one.
    cvss_vector: String,
    /// Severity; null when it is not known.
    #[schema(required, schema_with = crate::schema::nullable_level)]
    severity: Option<&'static str>,
    /// Severity, moved by facts about the target.
    #[schema(schema_with = crate::schema::level)]
    risk_level: &'static str,
    /// The most specific CWE identifier; empty without one.
    #[schema(example = "CWE-79")]
    weakness: String,
    /// CWE identifiers, the most specific first.
    cwe_ids: Vec<String>,
    /// Address of the advisory; null without one.
    #[schema(required)]
    advisory_url: Option<String>,
    /// Origin.
    #[schema(schema_with = crate::schema::source)]
    source: &'static str,
    /// Status of the report; `done` without one.
    #[schema(example = "done")]
    status: &'static str,
    /// Triage status.
    #[schema(schema_with = crate::schema::triage_status)]
    triage_status: &'static str,
    /// Resolution; null unless the status is `resolved`.
    #[schema(required, schema_with = crate::schema::nullable_resolution)]
    triage_resolution: Option<&'static str>,
    /// Order on a board, ascending.
    board_position: u64,
    /// Person or team that works on it; null for nobody.
    #[schema(required)]
    assignee: Option<String>,
    /// The application that it is about; null for other targets.
    #[schema(required, format = Uuid)]
    application_id: Option<String>,
    /// The agent that it is about; null for other targets.
    #[schema(required, format = Uuid)]
    agent_id: Option<String>,
    /// Origin for display.
    report: OriginView,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// Origin of a finding.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingOrigin)]
struct OriginView {
    /// `owner/name` of the repository; empty for other targets.
    repository: String,
    /// Display name of the report, `Agent monitoring`, `Advisory`, or the tool whose results were imported.
    label: String,
    /// Status of the report; `done` without one.
    #[schema(example = "done")]
    status: &'static str,
}

/// Status of findings without a report.
const DONE: &str = "done";

impl From<Finding> for FindingSummary {
    fn from(finding: Finding) -> Self {
        let (application_id, agent_id) = match &finding.target {
            Target::Application { id } => (Some(id.to_string()), None),
            Target::Agent { id } => (None, Some(id.to_string())),
            Target::Repository { .. } | Target::Package { .. } => (None, None),
        };
        let cwe_ids: Vec<String> = finding.cwes.iter().map(|cwe| format!("CWE-{cwe}")).collect();
        Self {
            id: finding.id.to_string(),
            object: "finding",
            kind: finding.kind.as_str(),
            report_id: finding.report.map(|id| id.to_string()).unwrap_or_default(),
            title: finding.title,
            description: finding.description,
            cvss_vector: finding.cvss_vector,
            severity: finding.severity.map(engine::Level::as_str),
            risk_level: finding.risk.as_str(),
            weakness: cwe_ids.first().cloned().unwrap_or_default(),
            cwe_ids,
            advisory_url: finding.advisory_url,
            source: finding.source.as_str(),
            status: DONE,
            triage_status: finding.triage.status.as_str(),
            triage_resolution: finding.triage.resolution.map(common::triage::TriageResolution::as_str),
            board_position: finding.triage.board_position,
            assignee: finding.triage.assignee,
            application_id,
            agent_id,
            report: OriginView {
                repository: finding.target.repository().to_owned(),
                label: finding.label,
                status: DONE,
            },
            created_at: finding.created_at.to_iso(),
            updated_at: finding.updated_at.to_iso(),
        }
    }
}

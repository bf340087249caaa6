//! Events of findings: the object of the specification (Events, Object shapes: Finding). Delivery cuts a patch that makes a payload
//! too large, and sends `finding_detail_url` only then.

use common::event::{Event, EventId, EventKind};
use common::timestamp::Timestamp;
use engine::{Location, Region};
use serde::Serialize;

use crate::detail::{FindingDetail, Patch, TriageResult};
use crate::finding::Finding;

/// A finding in an event and, as `triage` and `remediation`, in the reply to a read.
#[derive(Debug, Serialize)]
struct FindingObject<'a> {
    object: &'static str,
    id: String,
    kind: &'static str,
    title: &'a str,
    repository: &'a str,
    risk_level: &'static str,
    triage_status: &'static str,
    triage_resolution: Option<&'static str>,
    triage: Option<TriageObject>,
    remediation: Remediation,
    finding_detail_url: String,
}

/// Result of automated triage.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FindingTriage)]
pub(crate) struct TriageObject {
    /// Summary in one or two sentences.
    summary: String,
    /// Recommended next step.
    recommendation: String,
    /// Evidence of the replay, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    evidence: Option<String>,
    /// Result of the replay; null when the triage failed.
    #[schema(required, schema_with = crate::schema::verification)]
    verification_status: Option<&'static str>,
    /// Reason of a failure; null otherwise.
    #[schema(required)]
    error: Option<String>,
    /// When it ended.
    #[schema(format = DateTime)]
    completed_at: String,
}

/// Remediation of a finding.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FindingRemediation)]
pub(crate) struct Remediation {
    /// Files that the patch changes.
    files: Vec<String>,
    /// A patch that removes the weakness; null when there is none.
    #[schema(required)]
    patch: Option<PatchObject>,
    /// Locations in the code, with the reason for each.
    code_references: Vec<CodeReference>,
}

/// A patch.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FindingPatch)]
struct PatchObject {
    /// `unified_diff`.
    #[schema(example = "unified_diff")]
    format: &'static str,
    /// The diff.
    diff: String,
    /// Whether the diff is cut.
    truncated: bool,
}

/// A location in the code.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FindingCodeReference)]
struct CodeReference {
    /// Path of the file, or address of the resource.
    file: String,
    /// First line; null for the whole file.
    #[schema(required)]
    start_line: Option<u32>,
    /// Last line; null for the whole file.
    #[schema(required)]
    end_line: Option<u32>,
    /// Text at the location.
    snippet: String,
    /// Reason why it is named.
    reason: String,
}

impl TriageObject {
    /// The result of a triage.
    pub(crate) fn of(result: &TriageResult) -> Self {
        Self {
            summary: result.summary.clone(),
            recommendation: result.recommendation.clone(),
            evidence: Some(result.evidence.clone()).filter(|text| !text.is_empty()),
            verification_status: result.verification.map(crate::detail::Verification::as_str),
            error: result.error.clone(),
            completed_at: result.completed_at.to_iso(),
        }
    }
}

impl Remediation {
    /// The remediation of a finding with a detail, and with a patch where its triage found one.
    pub(crate) fn of(detail: &FindingDetail, result: Option<&TriageResult>) -> Self {
        let patch = result
            .and_then(|result| result.patch.clone())
            .map(|Patch { diff, truncated }| PatchObject { format: "unified_diff", diff, truncated });
        Self {
            files: result.map(|result| result.files.clone()).unwrap_or_default(),
            patch,
            code_references: detail.locations.iter().chain(&detail.trace).map(CodeReference::of).collect(),
        }
    }
}

impl CodeReference {
    fn of(location: &Location) -> Self {
        let lines = |of: fn(&Region) -> u32| location.region.as_ref().map(of);
        Self {
            file: location.path.clone(),
            start_line: lines(|region| region.start_line),
            end_line: lines(|region| region.end_line),
            snippet: location.snippet.clone(),
            reason: location.message.clone(),
        }
    }
}

/// The event of a change of a finding, which left it as it is. Of the same change always the same: a finding has one change
/// for each version.
pub(crate) fn event(
    kind: EventKind,
    finding: &Finding,
    (detail, result): (&FindingDetail, Option<&TriageResult>),
    base_url: &str,
    at: Timestamp,
) -> Result<Event, serde_json::Error> {
    let object = FindingObject {
        object: "finding",
        id: finding.id.to_string(),
        kind: finding.kind.as_str(),
        title: &finding.title,
        repository: finding.target.repository(),
        risk_level: finding.risk.as_str(),
        triage_status: finding.triage.status.as_str(),
        triage_resolution: finding.triage.resolution.map(common::triage::TriageResolution::as_str),
        triage: result.map(TriageObject::of),
        remediation: Remediation::of(detail, result),
        finding_detail_url: format!("{base_url}/findings/{}", finding.id),
    };
    let parts: [&[u8]; 4] = [
        finding.organization.as_bytes(),
        finding.id.as_bytes(),
        kind.as_str().as_bytes(),
        &finding.version.to_be_bytes(),
    ];
    Ok(Event {
        id: EventId::of_cause(&parts),
        kind,
        organization: finding.organization,
        source: Some(finding.target.event_source()),
        created_at: at,
        object: serde_json::to_value(object)?,
        incident: None,
    })
}

#[cfg(test)]
mod tests;

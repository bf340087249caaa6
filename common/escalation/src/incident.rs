//! An incident as receivers of its escalation see it: what lists show, what the assessment comes to, and where there
//! is more. Evidence is not sent.

use common::incident::Confidence;
use common::severity::Severity;
use common::triage::{TriageResolution, TriageStatus};
use serde::Serialize;

use crate::Change;

/// The `data.object` of `infrastructure.incident.escalated`.
#[derive(Debug, Serialize)]
pub(crate) struct EscalatedIncident<'a> {
    id: String,
    object: &'static str,
    title: &'a str,
    severity: Severity,
    triage_status: TriageStatus,
    triage_resolution: Option<TriageResolution>,
    triage_version: u64,
    source: Source<'a>,
    application_group: &'a str,
    environment: &'a str,
    entity: Entity<'a>,
    event_count: u64,
    first_seen_at: String,
    last_activity_at: String,
    created_at: String,
    updated_at: String,
    assessment: Assessment<'a>,
    /// For people.
    dashboard_url: String,
    /// For programs, with an API key of the organization.
    incident_detail_url: String,
}

#[derive(Debug, Serialize)]
struct Source<'a> {
    id: String,
    name: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Entity<'a> {
    kind: &'a str,
    value: &'a str,
}

#[derive(Debug, Serialize)]
struct Assessment<'a> {
    severity: Severity,
    summary: &'a str,
    confidence: Confidence,
}

impl<'a> EscalatedIncident<'a> {
    pub(crate) fn new(change: &Change<'a>, dashboard_url: String, incident_detail_url: String) -> Self {
        let Change { incident, assessment, source_name, .. } = *change;
        let (analysis, triage) = (&incident.analysis, &incident.triage);
        Self {
            id: incident.id.to_string(),
            object: "incident",
            title: &analysis.title,
            severity: analysis.severity,
            triage_status: triage.status,
            triage_resolution: triage.resolution,
            triage_version: triage.version,
            source: Source { id: incident.source.to_string(), name: source_name },
            application_group: &incident.application_group,
            environment: &incident.environment,
            entity: Entity { kind: &incident.entity.kind, value: &incident.entity.value },
            event_count: analysis.event_count,
            first_seen_at: analysis.first_seen_at.to_iso(),
            last_activity_at: analysis.last_activity_at.to_iso(),
            created_at: incident.created_at.to_iso(),
            updated_at: incident.updated_at().to_iso(),
            assessment: Assessment {
                severity: assessment.severity,
                summary: &assessment.summary,
                confidence: assessment.confidence,
            },
            dashboard_url,
            incident_detail_url,
        }
    }
}

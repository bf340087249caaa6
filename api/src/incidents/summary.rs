//! The summary of an incident: an item of lists, and the beginning of every detail.

use common::incident::IncidentHead;
use common::severity::Severity;
use common::triage::{TriageResolution, TriageStatus};
use serde::Serialize;
use utoipa::ToSchema;

use crate::incident_index::Row;

/// An incident in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IncidentSummary {
    /// The incident's id.
    #[schema(format = Uuid, example = "002a9c1e-5b7d-8f20-9d43-7a1be62c0f58")]
    id: String,
    /// `incident`.
    #[schema(example = "incident")]
    object: &'static str,
    /// Title: rule and entity in one line.
    #[schema(example = "Failed logins from 203.0.113.9")]
    title: String,
    /// How bad; never lowered by silence.
    #[schema(schema_with = crate::schema::severity)]
    severity: Severity,
    /// Where the review stands.
    #[schema(schema_with = crate::schema::triage_status)]
    triage_status: TriageStatus,
    /// How the review ended; not null exactly when resolved.
    #[schema(required, schema_with = crate::schema::nullable_resolution)]
    triage_resolution: Option<TriageResolution>,
    /// Version for optimistic concurrency control of reviews; starts at 1 and rises with each review.
    #[schema(minimum = 1, example = 1)]
    triage_version: u64,
    /// The source of its records.
    source: IncidentSource,
    /// The source's application group when the incident opened.
    #[schema(min_length = 1, max_length = 100, example = "checkout")]
    application_group: String,
    /// The source's environment when the incident opened.
    #[schema(min_length = 1, max_length = 50, example = "production")]
    environment: String,
    /// The entity that the incident is about.
    entity: IncidentEntity,
    /// Number of distinct member records: exact up to 10,000, beyond that counted by position in the log.
    #[schema(example = 212)]
    event_count: u64,
    /// Event time of the earliest member.
    #[schema(format = DateTime, example = "2026-07-08T09:10:11.012Z")]
    first_seen_at: String,
    /// Event time of the latest member.
    #[schema(format = DateTime, example = "2026-07-08T09:14:02.550Z")]
    last_activity_at: String,
    /// When the record that opened it was accepted.
    #[schema(format = DateTime, example = "2026-07-08T09:10:12.000Z")]
    created_at: String,
    /// When it was last changed by the analysis or a review.
    #[schema(format = DateTime, example = "2026-07-08T09:14:03.000Z")]
    updated_at: String,
}

/// Source of an incident.
#[derive(Debug, Serialize, ToSchema)]
struct IncidentSource {
    /// The source's id.
    #[schema(format = Uuid, example = "67e55044-10b1-426f-9247-bb680e5fe0c8")]
    id: String,
    /// Current name of the source; null if it is deleted.
    #[schema(required, example = "bastion hosts")]
    name: Option<String>,
}

/// The entity that an incident is about.
#[derive(Debug, Serialize, ToSchema)]
struct IncidentEntity {
    /// The grouping field; several fields are joined by `+`.
    #[schema(example = "client.address")]
    kind: String,
    /// Value of the field; `none` if the records do not contain it.
    #[schema(example = "203.0.113.9")]
    value: String,
}

const OBJECT: &str = "incident";

impl IncidentSummary {
    /// From a row of the index.
    pub(crate) fn of_row(row: &Row, source_name: Option<&str>) -> Self {
        Self {
            id: row.id.to_string(),
            object: OBJECT,
            title: row.title.to_string(),
            severity: row.severity,
            triage_status: row.triage_status,
            triage_resolution: row.triage_resolution,
            triage_version: row.triage_version,
            source: IncidentSource { id: row.source.to_string(), name: source_name.map(str::to_owned) },
            application_group: row.application_group.to_string(),
            environment: row.environment.to_string(),
            entity: IncidentEntity { kind: row.entity.kind.clone(), value: row.entity.value.clone() },
            event_count: row.event_count,
            first_seen_at: row.first_seen_at.to_iso(),
            last_activity_at: row.last_activity_at.to_iso(),
            created_at: row.created_at.to_iso(),
            updated_at: row.updated_at.to_iso(),
        }
    }

    /// From a head of the ledger.
    pub(super) fn of_head(head: IncidentHead, source_name: Option<String>) -> Self {
        Self {
            id: head.id.to_string(),
            object: OBJECT,
            severity: head.analysis.severity,
            triage_status: head.triage.status,
            triage_resolution: head.triage.resolution,
            triage_version: head.triage.version,
            source: IncidentSource { id: head.source.to_string(), name: source_name },
            event_count: head.analysis.event_count,
            first_seen_at: head.analysis.first_seen_at.to_iso(),
            last_activity_at: head.analysis.last_activity_at.to_iso(),
            created_at: head.created_at.to_iso(),
            updated_at: head.updated_at().to_iso(),
            title: head.analysis.title,
            application_group: head.application_group,
            environment: head.environment,
            entity: IncidentEntity { kind: head.entity.kind, value: head.entity.value },
        }
    }
}

//! A monitoring policy as the API shows it.

use common::severity::Severity;
use directory::{EscalationTrigger, MonitoringPolicy};
use serde::Serialize;
use utoipa::ToSchema;

use crate::schema::text;

/// A policy that selects incidents to escalate.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MonitoringPolicy)]
pub(crate) struct PolicyView {
    /// The policy's id.
    #[schema(format = Uuid, example = "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f")]
    id: String,
    /// `monitoring_policy`.
    #[schema(example = "monitoring_policy")]
    object: &'static str,
    /// Display name.
    #[schema(min_length = 1, max_length = 100, example = "on call")]
    name: String,
    /// Whether it is enabled.
    enabled: bool,
    /// Sources it applies to; null for all, including future sources.
    #[schema(required, value_type = Option<Vec<text::SourceId>>)]
    source_ids: Option<Vec<String>>,
    /// Application groups it applies to; null for all.
    #[schema(required, value_type = Option<Vec<text::ApplicationGroup>>)]
    application_groups: Option<Vec<String>>,
    /// Environments it applies to; null for all.
    #[schema(required, value_type = Option<Vec<text::Environment>>)]
    environments: Option<Vec<String>>,
    /// The least severity it escalates.
    #[schema(schema_with = crate::schema::severity)]
    minimum_severity: Severity,
    /// What it escalates for.
    #[schema(schema_with = crate::schema::escalate_on)]
    escalate_on: Vec<EscalationTrigger>,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<MonitoringPolicy> for PolicyView {
    fn from(policy: MonitoringPolicy) -> Self {
        let ids = |ids: Vec<common::ids::SourceId>| ids.iter().map(ToString::to_string).collect();
        Self {
            id: policy.id.to_string(),
            object: "monitoring_policy",
            name: policy.name,
            enabled: policy.enabled,
            source_ids: policy.source_ids.map(ids),
            application_groups: policy.application_groups,
            environments: policy.environments,
            minimum_severity: policy.minimum_severity,
            escalate_on: policy.escalate_on,
            created_at: policy.created_at.to_iso(),
            updated_at: policy.updated_at.to_iso(),
        }
    }
}

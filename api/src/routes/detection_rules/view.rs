//! A detection rule as the API shows it.

use common::row::RuleTally;
use common::timestamp::Timestamp;
use directory::DetectionRule;
use serde::Serialize;
use utoipa::ToSchema;

use crate::suspensions::{SuspensionView, Suspensions};
use rest::actor::ActorView;

/// A rule of the organization.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DetectionRule)]
pub(crate) struct RuleView {
    /// The detection rule's id. The Sigma documents in it have their own.
    #[schema(format = Uuid, example = "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f")]
    id: String,
    /// `detection_rule`.
    #[schema(example = "detection_rule")]
    object: &'static str,
    /// Title from the YAML; of a correlation with its rules, the title of the correlation.
    #[schema(example = "Root logs in")]
    title: String,
    /// Whether it is enabled.
    enabled: bool,
    /// Set while the rule is suspended, that is, not matched against records: either because it exceeded its
    /// processing steps (replacing the rule, even by the same YAML, ends the suspension within seconds), or because it
    /// has become invalid.
    #[schema(required)]
    suspended: Option<SuspensionView>,
    /// The ids of the Sigma documents in it: incidents name them as their rules.
    sigma_ids: Vec<String>,
    /// The key that created it.
    created_by: ActorView,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
    /// The Sigma documents, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required, nullable = false)]
    yaml: Option<String>,
}

/// A detection rule of the organization, with its findings.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DetectionRuleDetail)]
pub(crate) struct RuleDetailView {
    /// Findings of the Sigma documents in it, by their ids.
    counts: CountsView,
    #[serde(flatten)]
    rule: RuleView,
}

/// Findings of a rule by outcome.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DetectionRuleCounts)]
pub(crate) struct CountsView {
    /// Findings that did not qualify for an incident.
    routine: u64,
    /// Findings that were inconclusive.
    inconclusive: u64,
    /// Findings that joined or opened an incident.
    qualified: u64,
    /// Findings removed by a suppression or a built-in filter.
    suppressed: u64,
    /// Event time of the latest finding; null if there is none.
    #[schema(required, format = DateTime)]
    last_at: Option<String>,
}

impl RuleDetailView {
    pub(super) fn new(rule: DetectionRule, tally: Option<RuleTally>, suspensions: &Suspensions) -> Self {
        Self { counts: tally.into(), rule: RuleView::new(rule, suspensions) }
    }

    /// The same without its YAML, which is then put back by `yaml_reply`.
    pub(super) fn without_yaml(mut self) -> Self {
        self.rule.yaml = None;
        self
    }
}

impl RuleView {
    pub(super) fn new(rule: DetectionRule, suspensions: &Suspensions) -> Self {
        Self {
            suspended: suspensions.of(&rule.id.to_string(), &rule.sigma_ids),
            id: rule.id.to_string(),
            object: "detection_rule",
            title: rule.title,
            enabled: rule.enabled,
            sigma_ids: rule.sigma_ids,
            created_by: rule.created_by.into(),
            created_at: rule.created_at.to_iso(),
            updated_at: rule.updated_at.to_iso(),
            yaml: Some(rule.yaml),
        }
    }
}

impl From<Option<RuleTally>> for CountsView {
    fn from(tally: Option<RuleTally>) -> Self {
        let RuleTally { routine, inconclusive, qualified, suppressed, .. } = tally.unwrap_or_default();
        let last_at = tally.map(|tally| Timestamp::to_iso(tally.last_at));
        Self { routine, inconclusive, qualified, suppressed, last_at }
    }
}

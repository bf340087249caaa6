//! A detection rule as the API shows it.

use common::row::RuleTally;
use common::timestamp::Timestamp;
use directory::DetectionRule;
use serde::Serialize;
use utoipa::ToSchema;

use crate::actor::ActorView;
use crate::suspensions::{SuspensionView, Suspensions};

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
    /// What its YAML says it is called; of a correlation with its rules, what the correlation is called.
    #[schema(example = "Root logs in")]
    title: String,
    /// Whether it is in force.
    enabled: bool,
    /// Set while the rule is suspended: records are not matched against it. Either because of the processing steps that it
    /// took (replacing the rule, also by the same, puts it in force again within seconds), or because it cannot be used
    /// any more.
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
    /// The Sigma documents, as they were sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required, nullable = false)]
    yaml: Option<String>,
}

/// A rule of the organization, and what it came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DetectionRuleDetail)]
pub(crate) struct RuleDetailView {
    /// What the Sigma documents in it came to, by their ids.
    counts: CountsView,
    #[serde(flatten)]
    rule: RuleView,
}

/// How often it found something, and what became of that.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DetectionRuleCounts)]
pub(crate) struct CountsView {
    /// Findings that were not worth an incident.
    routine: u64,
    /// Findings that could not be judged.
    inconclusive: u64,
    /// Findings that joined or opened an incident.
    qualified: u64,
    /// Findings that a suppression, or a filter everybody has, took away.
    suppressed: u64,
    /// Event time of the latest of them; null while there is none.
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

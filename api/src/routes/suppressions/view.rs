//! A suppression as the API shows it.

use common::row::RuleTally;
use common::timestamp::Timestamp;
use directory::Suppression;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::incidents::covered::CoveredIncidentView;
use crate::suspensions::{SuspensionView, Suspensions};
use crate::tallies::tally;
use rest::actor::ActorView;
use rest::error::ApiError;

/// A filter that removes unwanted findings, with a reason.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Suppression)]
pub(crate) struct SuppressionView {
    /// The suppression's id. The Sigma filter in it has its own.
    #[schema(format = Uuid, example = "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e60")]
    id: String,
    /// `suppression`.
    #[schema(example = "suppression")]
    object: &'static str,
    /// Title from the YAML.
    #[schema(example = "The scanner of our own")]
    title: String,
    /// The id of the Sigma filter.
    sigma_id: String,
    /// Reason for the suppression.
    #[schema(example = "Nightly scan by the platform team")]
    reason: String,
    /// Set while the suppression is suspended, that is, not applied: either because it exceeded its processing steps
    /// (another suppression with the same filter is not suspended for that), or because it has become invalid.
    #[schema(required)]
    suspended: Option<SuspensionView>,
    /// Findings removed by the Sigma filter in it, by the id of the filter; a replacement with the same id continues
    /// the count.
    counts: CountsView,
    /// The key that created it.
    created_by: ActorView,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// Expiry time; null if it does not expire.
    #[schema(required, format = DateTime)]
    expires_at: Option<String>,
    /// In the response to its creation: the open incidents whose stored evidence it covers entirely, among the 200
    /// with the newest activity. Null for a key without `incidents:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<CoveredIncidentView>>)]
    matching_open_incidents: Option<Option<Vec<CoveredIncidentView>>>,
    /// The Sigma filter, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required, nullable = false)]
    yaml: Option<String>,
}

/// Findings removed by a suppression.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SuppressionCounts)]
struct CountsView {
    /// Number of findings removed.
    suppressed: u64,
    /// Event time of the latest finding; null if there is none.
    #[schema(required, format = DateTime)]
    last_at: Option<String>,
}

/// A suppression with what it came to.
pub(super) async fn view(
    app: &App,
    suppression: Suppression,
    suspensions: &Suspensions,
) -> Result<SuppressionView, ApiError> {
    let ids = std::slice::from_ref(&suppression.sigma_id);
    let tally = tally(app, suppression.organization, ids).await?;
    Ok(SuppressionView::new(suppression, tally, suspensions))
}

impl SuppressionView {
    pub(super) fn new(suppression: Suppression, tally: Option<RuleTally>, suspensions: &Suspensions) -> Self {
        let suspended =
            suspensions.of(&suppression.id.to_string(), std::slice::from_ref(&suppression.sigma_id));
        let counts = CountsView {
            suppressed: tally.unwrap_or_default().suppressed,
            last_at: tally.map(|tally| tally.last_at.to_iso()),
        };
        Self {
            id: suppression.id.to_string(),
            object: "suppression",
            title: suppression.title,
            sigma_id: suppression.sigma_id,
            reason: suppression.reason,
            suspended,
            counts,
            created_by: suppression.created_by.into(),
            created_at: suppression.created_at.to_iso(),
            expires_at: suppression.expires_at.map(Timestamp::to_iso),
            matching_open_incidents: None,
            yaml: Some(suppression.yaml),
        }
    }

    /// As the reply to the request that creates it, without its YAML, which is then put back by `yaml_reply`.
    pub(super) fn created(self, matching: Option<Vec<CoveredIncidentView>>) -> Self {
        Self { yaml: None, matching_open_incidents: Some(matching), ..self }
    }
}

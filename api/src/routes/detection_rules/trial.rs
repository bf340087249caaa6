//! `/detection-rules/test`: which rules of a YAML text match which events, before the rules are stored.

use axum::extract::State;
use axum::response::Response;
use directory::{Asked, DocumentCheck, TrialMatch};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::app::Shared;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Refusals};
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::RulesRead;

/// Most events of one trial.
const MOST_EVENTS: usize = 100;

/// Request body for testing a detection rule.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RuleTestRequest, example = json!({
    "yaml": "title: A shell from nowhere\nid: 0d3a7c9e-0000-4000-8000-000000000001\nlogsource:\n  product: linux\n  service: sshd\ndetection:\n  selection:\n    message|contains: shell\n  condition: selection\nlevel: high\n",
    "events": [{"program": "sshd", "message": "a shell for anna"}]
}))]
pub(crate) struct TrialBody {
    /// One Sigma rule, or a correlation with the rules that it counts, as for a detection rule.
    #[schema(min_length = 1, max_length = 65536)]
    yaml: String,
    /// Events, each an object as a log drain sends it.
    #[schema(min_items = 1, max_items = 100, value_type = Vec<Object>)]
    events: Vec<Map<String, Value>>,
}

/// Rules that match the events of a test.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleTest)]
struct TrialView {
    /// One entry for each event and matching rule, in the order of the events.
    matches: Vec<MatchView>,
}

/// A rule that matches an event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleTestMatch)]
struct MatchView {
    /// Number of the event, from 0.
    event: usize,
    /// Sigma id of the rule.
    rule_id: String,
    /// Its title.
    title: String,
    /// Level of the rule; null if it states none.
    #[schema(required, example = "high")]
    level: Option<&'static str>,
}

/// Test a detection rule
///
/// Each event is read, masked, normalized and matched like a record of a log drain. Correlations are not evaluated;
/// the rules that they count are. Nothing is stored, and no incident is opened. An invalid event is answered with 400
/// and its number.
#[utoipa::path(
    post,
    path = "/detection-rules/test",
    operation_id = "test_detection_rule",
    tag = "Detection rules",
    request_body = TrialBody,
    responses((status = 200, description = "The rules that match", body = TrialView), BodyRefusals, Refusals)
)]
pub(crate) async fn run(
    State(app): State<Shared>,
    caller: Caller<RulesRead>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<TrialBody>,
) -> Result<Response, ApiError> {
    let TrialBody { yaml, events } = body.value;
    if !(1..=MOST_EVENTS).contains(&events.len()) {
        let message = format!("events: expected 1 to {MOST_EVENTS}, found {}", events.len());
        return Err(ApiError::Invalid(message.into()));
    }
    let now = app.kit.clock.now();
    let payload = |(number, event): (usize, &Map<String, Value>)| {
        let text = serde_json::to_vec(event).map_err(ApiError::internal)?;
        (app.read_event)(&text, now)
            .map_err(|cause| ApiError::Invalid(format!("events[{number}]: {cause}").into()))
    };
    let payloads = events.iter().enumerate().map(payload).collect::<Result<Vec<_>, _>>()?;
    let check = move |check: &dyn DocumentCheck, asked: Asked<'_>| check.trial(asked, &yaml, &payloads, now);
    let found = app.checking.ask(&app.kit, caller.organization(), check).await?;
    let of_event = |(event, found): (usize, Vec<TrialMatch>)| {
        found.into_iter().map(move |TrialMatch { sigma_id, title, level }| MatchView {
            event,
            rule_id: sigma_id,
            title,
            level,
        })
    };
    let matches = found.into_iter().enumerate().flat_map(of_event).collect();
    reply::json(StatusCode::OK, &TrialView { matches })
}

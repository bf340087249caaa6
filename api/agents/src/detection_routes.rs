//! `/agent-monitoring/detections`: actions that match rules.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use rest::body::{Bounds, check_json, parse, receive};
use rest::error::{ApiError, ErrorBody};
use rest::openapi::ClientRefusals;
use rest::query::StrictQuery;
use rest::reply;
use rest::turns::{Limits, Turns};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::ObjectBuilder;

use crate::Shared;
use crate::action::{Action, ActionBody};
use crate::detections::Outcome;
use crate::monitored::Monitored;

/// Most elements of a request.
const MAX_ELEMENTS: usize = 500;
/// Size of a request, and the time that its arrival may take.
const BOUNDS: Bounds = Bounds { bytes: 1024 * 1024, arrival: Duration::from_secs(30) };
/// Requests that are processed at a time: each has at most 1 MiB of body and six times that when it is read.
const AT_ONCE: u32 = 16;
/// Requests of an organization at a time, from the first byte of the body on: clients seldom report at the same moment.
const OF_AN_ORGANIZATION: usize = 8;
/// Time that a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// The turns of requests that report actions.
pub(crate) fn turns() -> Turns {
    Turns::new(Limits { units: AT_ONCE, of_organization: OF_AN_ORGANIZATION, patience: PATIENCE })
}

/// Request body for reporting actions.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AgentDetections, example = json!({"detections": []}))]
pub(crate) struct DetectionsBody {
    /// The actions, each checked by itself.
    #[schema(value_type = Vec<ActionBody>, max_items = 500)]
    detections: Vec<serde_json::Value>,
}

/// Reply to reported actions.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentDetectionOutcomes)]
pub(crate) struct OutcomesView {
    /// The outcomes.
    data: ResultsView,
}

/// Outcomes of reported actions.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentDetectionResults)]
struct ResultsView {
    /// One for each element, in its order.
    results: Vec<ResultView>,
}

/// Outcome of one element.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentDetectionResult)]
struct ResultView {
    /// Place of the element, from 0.
    index: usize,
    /// Outcome.
    #[schema(schema_with = outcome)]
    outcome: &'static str,
    /// Reason for the rejection; null otherwise.
    #[schema(required)]
    reason: Option<String>,
}

fn outcome() -> ObjectBuilder {
    let words = ["accepted", "duplicate", "rejected"];
    rest::openapi::words(
        "`accepted`: recorded now; `duplicate`: recorded before; `rejected`: not valid, and not to be sent again",
        words.into_iter(),
    )
}

/// Report actions that match rules
///
/// At most 500 elements, 1 MiB, and 2,000 new actions of a client in an hour. A request without an answer is sent again: actions
/// that were recorded are `duplicate`. Title and severity are those of the service's copy of the rule.
#[utoipa::path(
    post,
    path = "/agent-monitoring/detections",
    operation_id = "report_agent_detections",
    tag = "Agent monitoring",
    security(("client_token" = [])),
    request_body = DetectionsBody,
    responses(
        (status = 200, description = "The outcome of each element", body = OutcomesView),
        (status = 413, description = "The body is larger than 1048576 bytes", body = ErrorBody),
        (status = 415, description = "The body is not sent as plain application/json", body = ErrorBody),
        ClientRefusals
    )
)]
pub(crate) async fn report(
    State(app): State<Shared>,
    Monitored { client, agent }: Monitored,
    StrictQuery(()): StrictQuery<()>,
    request: Request,
) -> Result<Response, ApiError> {
    check_json(request.headers())?;
    let own = app.turns.receive(client.organization).await?;
    let body = receive(request, BOUNDS).await?;
    let turn = app.turns.process().await?;
    let elements = elements(&body)?;
    let book = app.rules.of(client.organization).await?;
    let (mut results, mut actions) = (Vec::with_capacity(elements.len()), Vec::new());
    for (index, element) in elements.into_iter().enumerate() {
        let reason = match Action::read(element) {
            Ok(mut action) => {
                action.limit_evidence(agent.evidence, &app.redactor);
                actions.push((index, action));
                None
            }
            Err(reason) => Some(reason),
        };
        results.push(ResultView { index, outcome: "rejected", reason });
    }
    actions.sort_by_key(|(_, action)| action.sequence);
    let (places, actions): (Vec<usize>, Vec<Action>) = actions.into_iter().unzip();
    let new_id = || app.kit.directory.new_id();
    let outcomes = app.detections.record(&client, &book, &actions, new_id).await?;
    drop((own, turn));
    for (place, outcome) in places.into_iter().zip(outcomes) {
        if let Some(result) = results.get_mut(place) {
            result.set(&outcome);
        }
    }
    reply::json(StatusCode::OK, &OutcomesView { data: ResultsView { results } })
}

fn elements(body: &[u8]) -> Result<Vec<serde_json::Value>, ApiError> {
    let DetectionsBody { detections } = parse(body)?;
    let found = detections.len();
    if found > MAX_ELEMENTS {
        let message = format!("detections: expected at most {MAX_ELEMENTS}, found {found}");
        return Err(ApiError::Invalid(message.into()));
    }
    Ok(detections)
}

impl ResultView {
    fn set(&mut self, outcome: &Outcome) {
        (self.outcome, self.reason) = match outcome {
            Outcome::Accepted => ("accepted", None),
            Outcome::Duplicate => ("duplicate", None),
            Outcome::UnknownRules => ("rejected", Some("rules: none of them exists".to_owned())),
        };
    }
}

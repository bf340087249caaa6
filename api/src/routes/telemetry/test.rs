//! `/telemetry/{endpoint_id}/test`: a synthetic record, sent once and now.

use axum::extract::State;
use axum::response::Response;
use directory::ReceiverKind;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Shared;
use crate::authenticate::Caller;
use crate::error::ApiError;
use crate::openapi::{NotFound, Refusals};
use crate::path::{Id, TelemetryId};
use crate::query::StrictQuery;
use crate::reply;
use crate::scope::TelemetryWrite;

/// How a test went.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TelemetryTest)]
pub(crate) struct TestView {
    /// What the collector did.
    data: OutcomeView,
}

/// What a collector did with a record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TelemetryTestOutcome)]
struct OutcomeView {
    /// Whether the collector accepted it: any status of 2xx, and no word of its being rejected.
    accepted: bool,
    /// The status it answered; null when it did not.
    #[schema(required, minimum = 100, maximum = 999)]
    status_code: Option<u16>,
    /// How long it took, in milliseconds.
    latency_ms: u64,
    /// What stood in the way, or what the collector had to say.
    #[schema(required)]
    error: Option<String>,
}

/// Send a test record
///
/// To the collector, enabled or not, with its headers, once: a log record whose event name is `telemetry.test`.
#[utoipa::path(
    post,
    path = "/telemetry/{endpoint_id}/test",
    operation_id = "test_telemetry",
    tag = "Telemetry",
    params(("endpoint_id" = String, Path, format = Uuid, description = "The telemetry endpoint's id")),
    responses((status = 200, description = "How it went", body = TestView), NotFound, Refusals)
)]
pub(crate) async fn send(
    State(app): State<Shared>,
    caller: Caller<TelemetryWrite>,
    Id(TelemetryId(id)): Id<TelemetryId>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let tested = app.receivers.send_test(ReceiverKind::Telemetry, caller.organization(), id).await?;
    let (accepted, attempt) = (tested.acknowledged, tested.attempt);
    let data = OutcomeView {
        accepted,
        status_code: attempt.status_code,
        latency_ms: attempt.latency_ms,
        error: attempt.error,
    };
    reply::json(StatusCode::OK, &TestView { data })
}

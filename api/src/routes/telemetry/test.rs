//! `/telemetry/{endpoint_id}/test`: a synthetic record, sent once and now.

use axum::extract::State;
use axum::response::Response;
use directory::ReceiverKind;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Shared;
use crate::causes;
use crate::path::TelemetryPath;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::TelemetryWrite;

/// Result of a test.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TelemetryTest)]
pub(crate) struct TestView {
    /// Response of the collector.
    data: OutcomeView,
}

/// Response of a collector to a log record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TelemetryTestOutcome)]
struct OutcomeView {
    /// Whether the collector accepted the record: a 2xx status, and no partial success that rejects it.
    accepted: bool,
    /// HTTP status of the response; null if there was none.
    #[schema(required, minimum = 100, maximum = 999)]
    status_code: Option<u16>,
    /// Duration in milliseconds.
    latency_ms: u64,
    /// Error of the last attempt, or message of the collector.
    #[schema(required)]
    error: Option<String>,
}

/// Send a test record
///
/// Sends one log record with the event name `telemetry.test` to the collector, with its headers, even if the endpoint
/// is disabled. It is not retried.
#[utoipa::path(
    post,
    path = "/telemetry/{endpoint_id}/test",
    operation_id = "test_telemetry",
    tag = "Telemetry",
    params(("endpoint_id" = String, Path, format = Uuid, description = "The telemetry endpoint's id")),
    responses((status = 200, description = "Result of the test", body = TestView), NotFound, Refusals)
)]
pub(crate) async fn send(
    State(app): State<Shared>,
    caller: Caller<TelemetryWrite>,
    Id(id): Id<TelemetryPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let tested = app
        .receivers
        .send_test(ReceiverKind::Telemetry, caller.organization(), id)
        .await
        .map_err(causes::receiver)?;
    let (accepted, attempt) = (tested.acknowledged, tested.attempt);
    let data = OutcomeView {
        accepted,
        status_code: attempt.status_code,
        latency_ms: attempt.latency_ms,
        error: attempt.error,
    };
    reply::json(StatusCode::OK, &TestView { data })
}

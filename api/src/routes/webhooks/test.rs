//! `/webhooks/{webhook_id}/test`: a test event, sent once and now.

use axum::extract::State;
use axum::response::Response;
use deliver::Tested;
use directory::ReceiverKind;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Shared;
use crate::causes;
use crate::path::WebhookPath;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::WebhooksWrite;

/// Result of a test.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookTest)]
pub(crate) struct TestView {
    /// `webhook_test`.
    #[schema(example = "webhook_test")]
    object: &'static str,
    /// The event that was sent, of type `webhook.test`.
    #[schema(example = "evt_0198a2f46c1b7d3e9a513f2b8c7d6e5f")]
    event_id: String,
    /// Whether the target acknowledged the event with a 2xx status.
    accepted: bool,
    /// HTTP status of the response; null if there was none.
    #[schema(required, minimum = 100, maximum = 999)]
    status_code: Option<u16>,
    /// Duration in milliseconds.
    latency_ms: u64,
    /// The first KiB of the response body, control characters escaped; null if there was no response.
    #[schema(required)]
    reply: Option<String>,
    /// Reason why there was no response.
    #[schema(required)]
    error: Option<String>,
}

/// Send a test event
///
/// Sends one event to the target, with its headers and a signature, even if the target is disabled. The event is not
/// retried and not in the list of deliveries.
#[utoipa::path(
    post,
    path = "/webhooks/{webhook_id}/test",
    operation_id = "test_webhook",
    tag = "Webhooks",
    params(("webhook_id" = String, Path, format = Uuid, description = "The webhook target's id")),
    responses((status = 200, description = "Result of the test", body = TestView), NotFound, Refusals)
)]
pub(crate) async fn send(
    State(app): State<Shared>,
    caller: Caller<WebhooksWrite>,
    Id(id): Id<WebhookPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let tested = app
        .receivers
        .send_test(ReceiverKind::Webhook, caller.organization(), id)
        .await
        .map_err(causes::receiver)?;
    reply::json(StatusCode::OK, &TestView::from(tested))
}

impl From<Tested> for TestView {
    fn from(tested: Tested) -> Self {
        let Tested { event, acknowledged, attempt } = tested;
        Self {
            object: "webhook_test",
            event_id: event.to_string(),
            accepted: acknowledged,
            status_code: attempt.status_code,
            latency_ms: attempt.latency_ms,
            reply: attempt.reply,
            error: attempt.error,
        }
    }
}

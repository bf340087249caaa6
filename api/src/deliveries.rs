//! Deliveries of events to webhook targets as the API shows them: in lists, and beside the incident an event is about.

use common::event::EventKind;
use common::timestamp::Timestamp;
use deliver::{Attempt, DeliveryStatus, LoggedDelivery, LoggedEvent};
use serde::Serialize;
use utoipa::ToSchema;

/// Delivery of an event to a webhook target.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
pub(crate) struct DeliveryView {
    /// The delivery's id.
    #[schema(example = "dlv_0000019f4099d95400000198a2f46c1b7d3e9a513f2b8c7d6e5f")]
    id: String,
    /// `webhook_delivery`.
    #[schema(example = "webhook_delivery")]
    object: &'static str,
    /// The webhook target.
    #[schema(format = Uuid)]
    webhook_id: String,
    /// Id of the event, the same for all targets and attempts.
    #[schema(example = "evt_0198a2f46c1b7d3e9a513f2b8c7d6e5f")]
    event_id: String,
    /// What the event tells.
    #[schema(schema_with = crate::schema::event_type)]
    event_type: EventKind,
    /// Where it stands.
    #[schema(schema_with = crate::schema::delivery_status)]
    status: DeliveryStatus,
    /// Reason for the final failure; null unless it failed.
    #[schema(required)]
    reason: Option<String>,
    /// When the event was enqueued for the target.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the next attempt; null unless it is pending.
    #[schema(required, format = DateTime)]
    next_attempt_at: Option<String>,
    /// The latest attempts, oldest first.
    #[schema(max_items = 16)]
    attempts: Vec<AttemptView>,
}

/// One attempt to deliver an event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookAttempt)]
pub(crate) struct AttemptView {
    /// When it began.
    #[schema(format = DateTime)]
    attempted_at: String,
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

/// An event for webhook targets.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookEvent)]
pub(crate) struct EventView {
    /// The event's id.
    #[schema(example = "evt_0198a2f46c1b7d3e9a513f2b8c7d6e5f")]
    id: String,
    /// What it tells.
    #[serde(rename = "type")]
    #[schema(schema_with = crate::schema::event_type)]
    kind: EventKind,
    /// Time of the event.
    #[schema(format = DateTime)]
    created_at: String,
    /// Its delivery to each target.
    deliveries: Vec<EventDeliveryView>,
}

/// Summary of the delivery of an event to one target.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookEventDelivery)]
pub(crate) struct EventDeliveryView {
    /// The delivery's id.
    id: String,
    /// The webhook target.
    #[schema(format = Uuid)]
    webhook_id: String,
    /// Where it stands.
    #[schema(schema_with = crate::schema::delivery_status)]
    status: DeliveryStatus,
    /// The latest attempts, oldest first.
    #[schema(max_items = 16)]
    attempts: Vec<AttemptView>,
}

impl From<LoggedDelivery> for DeliveryView {
    fn from(logged: LoggedDelivery) -> Self {
        let LoggedDelivery { id, webhook, delivery } = logged;
        Self {
            id: id.to_string(),
            object: "webhook_delivery",
            webhook_id: webhook.to_string(),
            event_id: delivery.event.to_string(),
            event_type: delivery.event_type,
            status: delivery.status,
            reason: delivery.reason,
            created_at: delivery.created_at.to_iso(),
            next_attempt_at: delivery.next_attempt_at.map(Timestamp::to_iso),
            attempts: delivery.attempts.into_iter().map(AttemptView::from).collect(),
        }
    }
}

impl From<Attempt> for AttemptView {
    fn from(attempt: Attempt) -> Self {
        Self {
            attempted_at: attempt.at.to_iso(),
            status_code: attempt.status_code,
            latency_ms: attempt.latency_ms,
            reply: attempt.reply,
            error: attempt.error,
        }
    }
}

impl From<LoggedEvent> for EventView {
    fn from(event: LoggedEvent) -> Self {
        Self {
            id: event.id.to_string(),
            kind: event.kind,
            created_at: event.created_at.to_iso(),
            deliveries: event.deliveries.into_iter().map(EventDeliveryView::from).collect(),
        }
    }
}

impl From<LoggedDelivery> for EventDeliveryView {
    fn from(logged: LoggedDelivery) -> Self {
        Self {
            id: logged.id.to_string(),
            webhook_id: logged.webhook.to_string(),
            status: logged.delivery.status,
            attempts: logged.delivery.attempts.into_iter().map(AttemptView::from).collect(),
        }
    }
}

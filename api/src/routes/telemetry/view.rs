//! A telemetry endpoint as the API shows it: never the values of its headers; with what became of the latest event.

use common::event::EventKind;
use common::ids::ReceiverId;
use deliver::{Delivery, DeliveryStatus};
use directory::{Receiver, TelemetryProtocol, Transport};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::causes;
use rest::error::ApiError;

/// `object` of everything here.
const OBJECT: &str = "telemetry_endpoint";

/// A collector that events are exported to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TelemetryEndpoint)]
pub(crate) struct TelemetryView {
    /// The endpoint's id.
    #[schema(format = Uuid, example = "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f")]
    id: String,
    /// `telemetry_endpoint`.
    #[schema(example = "telemetry_endpoint")]
    object: &'static str,
    /// Display name.
    #[schema(required, example = "collector")]
    name: Option<String>,
    /// Full URL of the logs endpoint of the collector.
    #[schema(max_length = 2048, example = "https://collector.example.com/v1/logs")]
    endpoint: String,
    /// How the collector is spoken to.
    #[schema(schema_with = crate::schema::telemetry_protocol, required)]
    protocol: Option<TelemetryProtocol>,
    /// The events that are exported.
    #[schema(schema_with = crate::schema::events)]
    events: Vec<EventKind>,
    /// Names of the custom headers, in lower case; their values are never returned.
    #[schema(value_type = Vec<crate::schema::text::HeaderName>)]
    header_names: Vec<String>,
    /// Whether the endpoint is enabled.
    enabled: bool,
    /// Reason why the service disabled it; null while it is enabled, or if it was disabled over the API.
    #[schema(required)]
    disabled_reason: Option<String>,
    /// Status of the latest event; null before the first.
    #[schema(required)]
    last_delivery: Option<LastDeliveryView>,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// Status of the export of an event to a telemetry endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TelemetryDelivery)]
pub(crate) struct LastDeliveryView {
    /// Id of the event, the same for all endpoints and attempts: `log.record.uid` of the log record.
    #[schema(example = "evt_0198a2f46c1b7d3e9a513f2b8c7d6e5f")]
    event_id: String,
    /// What the event tells.
    #[schema(schema_with = crate::schema::event_type)]
    event_type: EventKind,
    /// Where it stands.
    #[schema(schema_with = crate::schema::delivery_status)]
    status: DeliveryStatus,
    /// When the event was enqueued for the endpoint.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last attempt; null before the first.
    #[schema(required, format = DateTime)]
    attempted_at: Option<String>,
    /// HTTP status of the collector; null if it did not answer.
    #[schema(required, minimum = 100, maximum = 999)]
    status_code: Option<u16>,
    /// Error of the last attempt, or message of the collector.
    #[schema(required)]
    error: Option<String>,
}

/// A deleted telemetry endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeletedTelemetryEndpoint)]
pub(crate) struct DeletedTelemetryView {
    /// Id of the deleted resource.
    #[schema(format = Uuid)]
    id: String,
    /// `telemetry_endpoint`.
    #[schema(example = "telemetry_endpoint")]
    object: &'static str,
    /// `true`.
    deleted: bool,
}

impl TelemetryView {
    pub(super) fn new(endpoint: Receiver, latest: Option<Delivery>) -> Self {
        Self {
            id: endpoint.id.to_string(),
            object: OBJECT,
            name: endpoint.name,
            endpoint: endpoint.url,
            protocol: match endpoint.transport {
                Transport::Telemetry { protocol } => Some(protocol),
                Transport::Webhook { .. } => None,
            },
            events: endpoint.events.into_iter().collect(),
            header_names: endpoint.headers.into_keys().collect(),
            enabled: endpoint.enabled,
            disabled_reason: endpoint.disabled_reason,
            last_delivery: latest.map(LastDeliveryView::from),
            created_at: endpoint.created_at.to_iso(),
            updated_at: endpoint.updated_at.to_iso(),
        }
    }

    /// With what became of the latest event.
    pub(super) async fn read(app: &App, endpoint: Receiver) -> Result<Self, ApiError> {
        let latest = app
            .deliveries
            .latest_of_telemetry(endpoint.organization, endpoint.id)
            .await
            .map_err(causes::delivery)?;
        Ok(Self::new(endpoint, latest))
    }
}

impl From<Delivery> for LastDeliveryView {
    fn from(delivery: Delivery) -> Self {
        let attempt = delivery.attempts.into_iter().next_back();
        let (at, status_code, error) = match attempt {
            Some(attempt) => (Some(attempt.at.to_iso()), attempt.status_code, attempt.error),
            None => (None, None, None),
        };
        Self {
            event_id: delivery.event.to_string(),
            event_type: delivery.event_type,
            status: delivery.status,
            created_at: delivery.created_at.to_iso(),
            attempted_at: at,
            status_code,
            error: error.or(delivery.reason),
        }
    }
}

impl DeletedTelemetryView {
    pub(super) fn new(id: ReceiverId) -> Self {
        Self { id: id.to_string(), object: OBJECT, deleted: true }
    }
}

//! `/telemetry`: collectors that an organization's events are exported to as OpenTelemetry logs (specification, Telemetry).

pub(crate) mod test;
mod view;

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use common::event::EventKind;
use deliver::{AddressChange, NewTarget};
use directory::{DirectoryError, Receiver, ReceiverKind, SourceFilter, TelemetryProtocol, Transport};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;

use super::webhooks::events;
use crate::app::Shared;
use crate::causes;
use crate::path::TelemetryPath;
use crate::schema::text;
use rest::authenticate::Caller;
use rest::body::{StrictJson, not_null, nullable};
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{TelemetryRead, TelemetryWrite};
use rest::settings::{Patch, found, removed, set};
use view::{DeletedTelemetryView, TelemetryView};

/// Endpoints whose latest delivery is read at a time for one page; each asks several partitions at once.
const LATEST_AT_ONCE: usize = 4;

/// List telemetry endpoints
///
/// Newest first.
#[utoipa::path(
    get,
    path = "/telemetry",
    operation_id = "list_telemetry",
    tag = "Telemetry",
    params(PageQuery),
    responses((status = 200, description = "A page of telemetry endpoints", body = Page<TelemetryView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<TelemetryRead>,
    StrictQuery(page): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let all = app.kit.directory.receivers(ReceiverKind::Telemetry).list(caller.organization()).await?;
    let (endpoints, total) = page.newest_first(all);
    let views = stream::iter(endpoints).map(|endpoint| TelemetryView::read(&app, endpoint));
    let views: Vec<_> = views.buffered(LATEST_AT_ONCE).try_collect().await?;
    reply::json(StatusCode::OK, &Page::new(page, views, total))
}

/// Request body for creating a telemetry endpoint.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewTelemetryEndpoint, example = json!({
    "name": "collector",
    "endpoint": "https://collector.example.com/v1/logs",
    "protocol": "http/protobuf",
    "headers": {"Authorization": "Bearer a-token"},
    "events": ["infrastructure.incident.escalated"]
}))]
pub(crate) struct NewTelemetryBody {
    /// Display name. Need not be unique.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Full URL of the logs endpoint of the collector, used unchanged: https and a public address, unless the operator
    /// allows others.
    #[schema(max_length = 2048)]
    endpoint: String,
    /// How the collector is spoken to: OTLP over HTTP, in one of its encodings.
    #[schema(schema_with = crate::schema::telemetry_protocol)]
    protocol: TelemetryProtocol,
    /// The events that are exported; where it is left out, all that exist today but `infrastructure.incident.escalated`.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::events, required = false)]
    events: Option<Vec<EventKind>>,
    /// Custom headers of every request, at most 16 and 8 KiB; values of visible ASCII. They are stored encrypted and
    /// never returned. Headers set by the service are rejected: `Content-Type`, `Content-Encoding`, `User-Agent`,
    /// `Host`, `X-Service-…`, and message framing headers.
    #[serde(default)]
    #[schema(value_type = Option<BTreeMap<text::HeaderName, text::HeaderValue>>)]
    headers: Option<BTreeMap<String, String>>,
    /// Whether the endpoint is enabled.
    #[serde(default = "rest::body::enabled")]
    enabled: bool,
}

/// Create a telemetry endpoint
///
/// Events that occur from then on are exported to it. At most 50; more is answered with 409. `Idempotency-Key` is
/// rejected here, because the body may contain secrets.
#[utoipa::path(
    post,
    path = "/telemetry",
    operation_id = "create_telemetry",
    tag = "Telemetry",
    request_body = NewTelemetryBody,
    responses(
        (status = 201, description = "The telemetry endpoint", body = TelemetryView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<TelemetryWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<NewTelemetryBody>,
) -> Result<Response, ApiError> {
    creation::refuse_key(&headers)?;
    let body = body.value;
    let new = NewTarget {
        name: body.name,
        url: body.endpoint,
        headers: body.headers.unwrap_or_default(),
        events: body.events.map(events).transpose()?,
        sources: SourceFilter::default(),
        enabled: body.enabled,
    };
    let endpoint = app
        .receivers
        .create_telemetry(caller.organization(), body.protocol, new)
        .await
        .map_err(causes::receiver)?;
    reply::json(StatusCode::CREATED, &TelemetryView::new(endpoint, None))
}

/// Get a telemetry endpoint
#[utoipa::path(
    get,
    path = "/telemetry/{endpoint_id}",
    operation_id = "get_telemetry",
    tag = "Telemetry",
    params(("endpoint_id" = String, Path, format = Uuid, description = "The telemetry endpoint's id")),
    responses((status = 200, description = "The telemetry endpoint", body = TelemetryView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<TelemetryRead>,
    Id(id): Id<TelemetryPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let endpoint =
        found(app.kit.directory.receivers(ReceiverKind::Telemetry), caller.organization(), id).await?;
    reply::json(StatusCode::OK, &TelemetryView::read(&app, endpoint).await?)
}

/// Request body for changing a telemetry endpoint: at least one property.
#[derive(Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TelemetryEndpointChange, min_properties = 1, example = json!({"enabled": false}))]
pub(crate) struct TelemetryChangeBody {
    /// Display name; null for none.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    name: Option<Option<String>>,
    /// Full URL of the logs endpoint of the collector; also applies to pending exports.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, max_length = 2048)]
    endpoint: Option<String>,
    /// How the collector is spoken to, for what waits too.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::telemetry_protocol, required = false)]
    protocol: Option<TelemetryProtocol>,
    /// All the events that are exported from now on.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::events, required = false)]
    events: Option<Vec<EventKind>>,
    /// Replaces all custom headers; null or an empty object removes them.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<BTreeMap<text::HeaderName, text::HeaderValue>>)]
    headers: Option<Option<BTreeMap<String, String>>>,
    /// Whether the endpoint is enabled. Disabling it stops new exports and cancels pending ones.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    enabled: Option<bool>,
}

impl Patch<Receiver> for TelemetryChangeBody {
    /// All but the address, whose URL is judged and whose headers are sealed before.
    fn apply(&self, endpoint: &mut Receiver) -> Result<(), DirectoryError> {
        set(&mut endpoint.name, self.name.as_ref());
        if let Some(protocol) = self.protocol {
            endpoint.transport = Transport::Telemetry { protocol };
        }
        if let Some(kinds) = &self.events {
            endpoint.events = kinds.iter().copied().collect();
        }
        set(&mut endpoint.enabled, self.enabled.as_ref());
        Ok(())
    }
}

/// Change a telemetry endpoint
///
/// Omitted properties are unchanged. A change of the subscribed events applies to later events.
#[utoipa::path(
    patch,
    path = "/telemetry/{endpoint_id}",
    operation_id = "change_telemetry",
    tag = "Telemetry",
    params(("endpoint_id" = String, Path, format = Uuid, description = "The telemetry endpoint's id")),
    request_body = TelemetryChangeBody,
    responses(
        (status = 200, description = "The updated telemetry endpoint", body = TelemetryView),
        NotFound,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn change(
    State(app): State<Shared>,
    caller: Caller<TelemetryWrite>,
    Id(id): Id<TelemetryPath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<TelemetryChangeBody>,
) -> Result<Response, ApiError> {
    let mut body = body.value.named()?;
    body.events.clone().map(events).transpose()?;
    let address = AddressChange {
        url: body.endpoint.take(),
        headers: body.headers.take().map(Option::unwrap_or_default),
    };
    let change = |endpoint: &mut Receiver| body.apply(endpoint);
    let endpoint = app
        .receivers
        .change(ReceiverKind::Telemetry, caller.organization(), id, address, change)
        .await
        .map_err(causes::receiver)?;
    reply::json(StatusCode::OK, &TelemetryView::read(&app, endpoint).await?)
}

/// Delete a telemetry endpoint
///
/// Exporting to it stops; pending exports are cancelled.
#[utoipa::path(
    delete,
    path = "/telemetry/{endpoint_id}",
    operation_id = "delete_telemetry",
    tag = "Telemetry",
    params(("endpoint_id" = String, Path, format = Uuid, description = "The telemetry endpoint's id")),
    responses((status = 200, description = "Deleted", body = DeletedTelemetryView), NotFound, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<TelemetryWrite>,
    Id(id): Id<TelemetryPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    removed(app.kit.directory.receivers(ReceiverKind::Telemetry), caller.organization(), id).await?;
    reply::json(StatusCode::OK, &DeletedTelemetryView::new(id))
}

//! `/telemetry`: collectors that an organization's events are exported to as OpenTelemetry logs (specification, Telemetry).

pub(crate) mod test;
mod view;

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use common::event::EventKind;
use common::ids::TelemetryEndpointId;
use deliver::{NewTelemetry, TelemetryChange};
use directory::TelemetryProtocol;
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;

use super::webhooks::events;
use crate::app::Shared;
use crate::authenticate::Caller;
use crate::body::{StrictJson, not_null, nullable};
use crate::creation;
use crate::error::ApiError;
use crate::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use crate::page::{Page, PageQuery};
use crate::path::Id;
use crate::query::StrictQuery;
use crate::reply;
use crate::schema::text;
use crate::scope::{TelemetryRead, TelemetryWrite};
use view::{DeletedTelemetryView, TelemetryView};

/// What is not there, in words.
const ENDPOINT: &str = "telemetry endpoint";
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
    let all = app.directory.list_telemetry_endpoints(caller.organization()).await?;
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
    #[serde(default = "crate::body::enabled")]
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
    let new = NewTelemetry {
        name: body.name,
        endpoint: body.endpoint,
        protocol: body.protocol,
        headers: body.headers.unwrap_or_default(),
        events: body.events.map(events).transpose()?,
        enabled: body.enabled,
    };
    let endpoint = app.telemetry.create(caller.organization(), new).await?;
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
    Id(id): Id<TelemetryEndpointId>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let endpoint = app.directory.get_telemetry_endpoint(caller.organization(), id).await?;
    let endpoint = endpoint.ok_or(ApiError::NotFound(ENDPOINT))?;
    reply::json(StatusCode::OK, &TelemetryView::read(&app, endpoint).await?)
}

/// Request body for changing a telemetry endpoint: at least one property.
#[derive(Deserialize, ToSchema)]
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

impl TelemetryChangeBody {
    fn is_empty(&self) -> bool {
        let Self { name, endpoint, protocol, events, headers, enabled } = self;
        let place = endpoint.is_none() && protocol.is_none() && headers.is_none();
        place && name.is_none() && events.is_none() && enabled.is_none()
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
    Id(id): Id<TelemetryEndpointId>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<TelemetryChangeBody>,
) -> Result<Response, ApiError> {
    let body = body.value;
    if body.is_empty() {
        return Err(ApiError::Invalid("the body must contain at least one property to change".into()));
    }
    let change = TelemetryChange {
        name: body.name,
        endpoint: body.endpoint,
        protocol: body.protocol,
        headers: body.headers.map(Option::unwrap_or_default),
        events: body.events.map(events).transpose()?,
        enabled: body.enabled,
    };
    let endpoint = app.telemetry.change(caller.organization(), id, change).await?;
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
    Id(id): Id<TelemetryEndpointId>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    if app.directory.delete_telemetry_endpoint(caller.organization(), id).await? {
        return reply::json(StatusCode::OK, &DeletedTelemetryView::new(id));
    }
    Err(ApiError::NotFound(ENDPOINT))
}

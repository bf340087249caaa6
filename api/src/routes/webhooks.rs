//! `/webhooks`: who is told of an organization's events. What becomes of events is in `webhook_deliveries`.

mod deleted_sources;
pub(crate) mod secret;
mod selection;
pub(crate) mod test;
mod view;

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use common::event::EventKind;
use deliver::{AddressChange, NewTarget};
use directory::{DirectoryError, Receiver, ReceiverKind};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::Shared;
use crate::causes;
use crate::path::WebhookPath;
use crate::schema::text;
use deleted_sources::{view, views};
use rest::authenticate::Caller;
use rest::body::{StrictJson, not_null, nullable};
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{WebhooksRead, WebhooksWrite};
use rest::settings::{Patch, found, removed, set};
pub(super) use selection::events;
use selection::{SourcesBody, check_repositories};
use view::{ShownWebhookView, WebhookView};

/// List webhook targets
///
/// Newest first.
#[utoipa::path(
    get,
    path = "/webhooks",
    operation_id = "list_webhooks",
    tag = "Webhooks",
    params(PageQuery),
    responses((status = 200, description = "A page of webhook targets", body = Page<WebhookView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<WebhooksRead>,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let (organization, directory) = (caller.organization(), &app.kit.directory);
    let (targets, total) =
        query.newest_first(directory.receivers(ReceiverKind::Webhook).list(organization).await?);
    reply::json(StatusCode::OK, &Page::new(query, views(directory, organization, targets).await?, total))
}

/// Request body for creating a webhook target.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewWebhookTarget, example = json!({
    "name": "pager",
    "url": "https://hooks.example.com/palisade",
    "headers": {"Authorization": "Bearer a-token"},
    "events": ["infrastructure.incident.escalated"]
}))]
pub(crate) struct NewWebhookBody {
    /// Display name. Need not be unique.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// URL for events: https and a public address, unless the operator allows others.
    #[schema(max_length = 2048)]
    url: String,
    /// Custom headers of every request, at most 16 and 8 KiB; values of visible ASCII. They are stored
    /// encrypted and never returned. Reserved headers are rejected: `User-Agent`, `Host`, `Date`,
    /// `X-Service-…`,
    /// `Content-Type`, `Content-Encoding`, message framing headers, and headers for connections and proxies, such as
    /// `Proxy-Authorization` and `Forwarded`.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, value_type = Option<BTreeMap<text::HeaderName, text::HeaderValue>>)]
    headers: Option<BTreeMap<String, String>>,
    /// The events it is told of; where it is left out, all that exist today but `infrastructure.incident.escalated`.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::events, required = false)]
    events: Option<Vec<EventKind>>,
    /// Sources whose events are delivered; all if omitted.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    sources: Option<SourcesBody>,
    /// Whether the target is enabled.
    #[serde(default = "rest::body::enabled")]
    enabled: bool,
}

/// Create a webhook target
///
/// The target is notified of events that occur from then on. The signing secret is returned only in this response. At
/// most 400; more is answered with 409. `Idempotency-Key` is rejected here, because the response contains a secret
/// that is not stored.
#[utoipa::path(
    post,
    path = "/webhooks",
    operation_id = "create_webhook",
    tag = "Webhooks",
    request_body = NewWebhookBody,
    responses(
        (status = 201, description = "The webhook target, with its secret, shown only in this response", body = ShownWebhookView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<WebhooksWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<NewWebhookBody>,
) -> Result<Response, ApiError> {
    creation::refuse_key(&headers)?;
    let (body, organization, directory) = (body.value, caller.organization(), &app.kit.directory);
    check_repositories(directory, organization, body.sources.as_ref(), None).await?;
    let new = NewTarget {
        name: Some(body.name),
        url: body.url,
        headers: body.headers.unwrap_or_default(),
        events: body.events.map(events).transpose()?,
        sources: body.sources.unwrap_or_default().filter(),
        enabled: body.enabled,
    };
    let (target, secret) = app.receivers.create_webhook(organization, new).await.map_err(causes::receiver)?;
    reply::json(StatusCode::CREATED, &ShownWebhookView::new(view(directory, target).await?, &secret))
}

/// Get a webhook target
#[utoipa::path(
    get,
    path = "/webhooks/{webhook_id}",
    operation_id = "get_webhook",
    tag = "Webhooks",
    params(("webhook_id" = String, Path, format = Uuid, description = "The webhook target's id")),
    responses((status = 200, description = "The webhook target", body = WebhookView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<WebhooksRead>,
    Id(id): Id<WebhookPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let target = found(app.kit.directory.receivers(ReceiverKind::Webhook), caller.organization(), id).await?;
    reply::json(StatusCode::OK, &view(&app.kit.directory, target).await?)
}

/// Request body for changing a webhook target: at least one property.
#[derive(Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookTargetChange, min_properties = 1, example = json!({"enabled": false}))]
pub(crate) struct WebhookChangeBody {
    /// Display name.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, min_length = 1, max_length = 100)]
    name: Option<String>,
    /// URL for events, including pending ones.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, max_length = 2048)]
    url: Option<String>,
    /// Replaces all custom headers; null or an empty object removes them.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<BTreeMap<text::HeaderName, text::HeaderValue>>)]
    headers: Option<Option<BTreeMap<String, String>>>,
    /// All the events it is told of from now on.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::events, required = false)]
    events: Option<Vec<EventKind>>,
    /// Sources whose events it receives; omitted groups are unchanged.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    sources: Option<SourcesBody>,
    /// Whether the target is enabled. Disabling it stops new deliveries and cancels pending ones.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    enabled: Option<bool>,
}

impl Patch<Receiver> for WebhookChangeBody {
    /// All but the address, whose URL is judged and whose headers are sealed before.
    fn apply(&self, target: &mut Receiver) -> Result<(), DirectoryError> {
        if self.name.is_some() {
            target.name.clone_from(&self.name);
        }
        if let Some(kinds) = &self.events {
            target.events = kinds.iter().copied().collect();
        }
        if let Some(sources) = &self.sources {
            sources.apply(&mut target.sources);
        }
        set(&mut target.enabled, self.enabled.as_ref());
        Ok(())
    }
}

/// Change a webhook target
///
/// Filters are evaluated when an event is enqueued: a change of events or sources applies to later events.
#[utoipa::path(
    patch,
    path = "/webhooks/{webhook_id}",
    operation_id = "change_webhook",
    tag = "Webhooks",
    params(("webhook_id" = String, Path, format = Uuid, description = "The webhook target's id")),
    request_body = WebhookChangeBody,
    responses(
        (status = 200, description = "The updated webhook target", body = WebhookView),
        NotFound,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn change(
    State(app): State<Shared>,
    caller: Caller<WebhooksWrite>,
    Id(id): Id<WebhookPath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<WebhookChangeBody>,
) -> Result<Response, ApiError> {
    let mut body = body.value.named()?;
    body.events.clone().map(events).transpose()?;
    let (organization, directory) = (caller.organization(), &app.kit.directory);
    if body.sources.is_some() {
        let stored = found(directory.receivers(ReceiverKind::Webhook), organization, id).await?;
        check_repositories(directory, organization, body.sources.as_ref(), Some(&stored.sources)).await?;
    }
    let address =
        AddressChange { url: body.url.take(), headers: body.headers.take().map(Option::unwrap_or_default) };
    let change = |target: &mut Receiver| body.apply(target);
    let target = app
        .receivers
        .change(ReceiverKind::Webhook, organization, id, address, change)
        .await
        .map_err(causes::receiver)?;
    reply::json(StatusCode::OK, &view(directory, target).await?)
}

/// Delete a webhook target
///
/// Pending deliveries are cancelled, and earlier deliveries are no longer listed.
#[utoipa::path(
    delete,
    path = "/webhooks/{webhook_id}",
    operation_id = "delete_webhook",
    tag = "Webhooks",
    params(("webhook_id" = String, Path, format = Uuid, description = "The webhook target's id")),
    responses((status = 204, description = "Deleted"), NotFound, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<WebhooksWrite>,
    Id(id): Id<WebhookPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    removed(app.kit.directory.receivers(ReceiverKind::Webhook), caller.organization(), id).await
}

//! `/webhook-deliveries`, and below `/webhooks/{webhook_id}`: what became of events, and delivering them again.

use axum::extract::State;
use axum::response::Response;
use common::event::EventKind;
use common::ids::{OrganizationId, ReceiverId};
use deliver::{DeliveryFilter, DeliveryStatus};
use directory::{Receiver, ReceiverKind};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::{App, Shared};
use crate::causes;
use crate::deliveries::DeliveryView;
use crate::path::{DeliveryPath, WebhookPath};
use rest::authenticate::Caller;
use rest::body::{StrictJson, moment};
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::{FromQuery, Parameters, QueryError, StrictQuery};
use rest::reply;
use rest::scope::{WebhooksRead, WebhooksWrite};
use rest::settings::found;

/// What a list of deliveries may be narrowed to.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeliveryQuery {
    /// Deliveries that stand here.
    #[param(schema_with = crate::schema::delivery_status)]
    status: Option<DeliveryStatus>,
    /// Deliveries of events of this type.
    #[param(schema_with = crate::schema::event_type)]
    event_type: Option<EventKind>,
}

impl FromQuery for DeliveryQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self { status: parameters.word("status")?, event_type: parameters.word("event_type")? })
    }
}

/// List deliveries
///
/// Deliveries to all webhook targets, newest first. The list and its total cover at most the last 2,000 deliveries for
/// each target and partition, and fewer if an organization has many targets; the list of one target reaches further
/// back. A new delivery is listed within seconds.
#[utoipa::path(
    get,
    path = "/webhook-deliveries",
    operation_id = "list_webhook_deliveries",
    tag = "Webhooks",
    params(DeliveryQuery, PageQuery),
    responses((status = 200, description = "A page of deliveries", body = Page<DeliveryView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<WebhooksRead>,
    StrictQuery((query, page)): StrictQuery<(DeliveryQuery, PageQuery)>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let targets = app.kit.directory.receivers(ReceiverKind::Webhook).list(organization).await?;
    let ids: Vec<ReceiverId> = targets.iter().map(|target| target.id).collect();
    page_of(&app, organization, &ids, &query, page).await
}

/// List deliveries to one webhook target
///
/// Newest first. The list and its total cover at most the last 2,000 deliveries for each partition. A new delivery is
/// listed within seconds.
#[utoipa::path(
    get,
    path = "/webhooks/{webhook_id}/deliveries",
    operation_id = "list_deliveries_of_webhook",
    tag = "Webhooks",
    params(
        ("webhook_id" = String, Path, format = Uuid, description = "The webhook target's id"),
        DeliveryQuery,
        PageQuery
    ),
    responses((status = 200, description = "A page of deliveries", body = Page<DeliveryView>), NotFound, Refusals)
)]
pub(crate) async fn list_of_target(
    State(app): State<Shared>,
    caller: Caller<WebhooksRead>,
    Id(id): Id<WebhookPath>,
    StrictQuery((query, page)): StrictQuery<(DeliveryQuery, PageQuery)>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    target(&app, organization, id).await?;
    page_of(&app, organization, &[id], &query, page).await
}

async fn page_of(
    app: &App,
    organization: OrganizationId,
    targets: &[ReceiverId],
    query: &DeliveryQuery,
    page: PageQuery,
) -> Result<Response, ApiError> {
    let filter = DeliveryFilter { status: query.status, event_type: query.event_type };
    let (offset, limit) = (page.offset as usize, page.limit as usize);
    let listed =
        app.deliveries.list(organization, targets, filter, offset, limit).await.map_err(causes::delivery)?;
    let views: Vec<DeliveryView> = listed.deliveries.into_iter().map(DeliveryView::from).collect();
    reply::json(StatusCode::OK, &Page::new(page, views, listed.total as u64))
}

/// Redeliver an event
///
/// Sends the same bytes under the same event id, with the retries of a new delivery, whatever the status of the
/// earlier one. A pending delivery is unchanged. A disabled target is answered with 409.
#[utoipa::path(
    post,
    path = "/webhook-deliveries/{delivery_id}/redeliver",
    operation_id = "redeliver_webhook_delivery",
    tag = "Webhooks",
    params(("delivery_id" = String, Path, pattern = "^dlv_[0-9a-f]{52}$", description = "The delivery's id")),
    responses(
        (status = 202, description = "The pending delivery", body = DeliveryView),
        NotFound,
        Conflicts,
        Refusals
    )
)]
pub(crate) async fn redeliver(
    State(app): State<Shared>,
    caller: Caller<WebhooksWrite>,
    Id(id): Id<DeliveryPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let missing = ApiError::NotFound("webhook delivery");
    let delivery = app.deliveries.get(organization, id).await.map_err(causes::delivery)?.ok_or(missing)?;
    check_enabled(&target(&app, organization, delivery.webhook).await?)?;
    let delivery = app.deliveries.redeliver(organization, id).await.map_err(causes::delivery)?;
    reply::json(StatusCode::ACCEPTED, &DeliveryView::from(delivery))
}

/// A time range.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookRecovery, example = json!({"since": "2026-07-08T00:00:00.000Z", "until": "2026-07-09T00:00:00.000Z"}))]
pub(crate) struct RecoveryBody {
    /// Start of the range, inclusive.
    #[schema(format = DateTime)]
    since: String,
    /// End of the range, exclusive.
    #[schema(format = DateTime)]
    until: String,
}

/// Failed deliveries that are delivered again.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookRecoveryResult)]
pub(crate) struct RecoveryView {
    /// `webhook_recovery`.
    #[schema(example = "webhook_recovery")]
    object: &'static str,
    /// Deliveries that are pending again.
    recovered: usize,
    /// Whether there are more in the range: repeat the request after these are delivered.
    more: bool,
}

/// Redeliver failed events of a time range
///
/// Redelivers the failed deliveries among the events enqueued in the range, oldest first, at most 1,000 per request. A
/// disabled target is answered with 409.
#[utoipa::path(
    post,
    path = "/webhooks/{webhook_id}/recover",
    operation_id = "recover_webhook",
    tag = "Webhooks",
    params(("webhook_id" = String, Path, format = Uuid, description = "The webhook target's id")),
    request_body = RecoveryBody,
    responses(
        (status = 202, description = "The number of deliveries that are pending again", body = RecoveryView),
        NotFound,
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn recover(
    State(app): State<Shared>,
    caller: Caller<WebhooksWrite>,
    Id(id): Id<WebhookPath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<RecoveryBody>,
) -> Result<Response, ApiError> {
    let (since, until) = (moment("since", &body.value.since)?, moment("until", &body.value.until)?);
    if since >= until {
        return Err(ApiError::Invalid("until: expected a time after since".into()));
    }
    let organization = caller.organization();
    check_enabled(&target(&app, organization, id).await?)?;
    let recovered = app.deliveries.recover(organization, id, since, until).await.map_err(causes::delivery)?;
    let view =
        RecoveryView { object: "webhook_recovery", recovered: recovered.recovered, more: recovered.more };
    reply::json(StatusCode::ACCEPTED, &view)
}

async fn target(app: &App, organization: OrganizationId, id: ReceiverId) -> Result<Receiver, ApiError> {
    found(app.kit.directory.receivers(ReceiverKind::Webhook), organization, id).await
}

/// What waits for a target that is disabled would be cancelled at once.
fn check_enabled(target: &Receiver) -> Result<(), ApiError> {
    if target.enabled {
        return Ok(());
    }
    Err(ApiError::Conflict("the webhook target is disabled: enable it first".into()))
}

//! `/webhooks/{webhook_id}/rotate-secret`: another signing secret for a target.

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};

use super::deleted_sources::view;
use super::view::ShownWebhookView;
use crate::app::Shared;
use crate::causes;
use crate::path::WebhookPath;
use rest::authenticate::Caller;
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::WebhooksWrite;

/// Rotate a signing secret
///
/// The old secret is invalid immediately: everything sent from then on, including retries, is signed with the new one.
/// `Idempotency-Key` is rejected here, because the response contains a secret that is not stored.
#[utoipa::path(
    post,
    path = "/webhooks/{webhook_id}/rotate-secret",
    operation_id = "rotate_webhook_secret",
    tag = "Webhooks",
    params(("webhook_id" = String, Path, format = Uuid, description = "The webhook target's id")),
    responses(
        (status = 200, description = "The webhook target, with its new secret, shown only in this response", body = ShownWebhookView),
        NotFound,
        Refusals
    )
)]
pub(crate) async fn rotate(
    State(app): State<Shared>,
    caller: Caller<WebhooksWrite>,
    Id(id): Id<WebhookPath>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    creation::refuse_key(&headers)?;
    let (target, secret) =
        app.receivers.rotate_secret(caller.organization(), id).await.map_err(causes::receiver)?;
    let target = view(&app.kit.directory, target).await?;
    reply::json(StatusCode::OK, &ShownWebhookView::new(target, &secret))
}

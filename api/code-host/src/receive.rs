//! `POST {app_url}/webhooks/github`: events of the host, authenticated by their signature.
//!
//! The way of an event: place → body → signature → installation → organization → job. Until the signature was verified nothing
//! is read from the body. An event says that something changed at an installation, and nothing that is believed.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use code_host::{InstallationId, organization_of};
use common::hexadecimal;
use http::{HeaderMap, StatusCode};
use rest::body::{Bounds, check_json, receive as receive_body};
use rest::error::{ApiError, ErrorBody};
use rest::reply;
use ring::hmac;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

use crate::Shared;
use crate::sync::{Delivery, request};

/// The path.
pub(crate) const PATH: &str = "/webhooks/github";
/// Bodies that are received at a time, 16 MiB over all: senders are not known until their body was read.
pub(crate) const AT_ONCE: usize = 16;
/// Largest body, and time for it. Payloads of the events that are used have some 20 KiB for each of a few repositories.
const BOUNDS: Bounds = Bounds { bytes: 1024 * 1024, arrival: Duration::from_secs(10) };
/// Longest id of a delivery: those of the host are UUIDs.
const MAX_DELIVERY: usize = 100;

/// Events after which an installation is read.
const FOLLOWED: [&str; 4] =
    ["installation", "installation_repositories", "installation_target", "repository"];

/// Reply to an event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CodeHostEventReply)]
pub(crate) struct Accepted {
    /// Whether the event leads to a synchronization; `false` for events that are not used.
    accepted: bool,
}

/// As many bodies are received as memory is set aside for.
#[derive(Debug, Error)]
#[error("{AT_ONCE} bodies of webhooks are received at the moment")]
struct Busy;

#[derive(Deserialize)]
struct Event {
    installation: Option<EventInstallation>,
}

#[derive(Deserialize)]
struct EventInstallation {
    id: u64,
}

/// Receive an event of GitHub
///
/// The URL for webhooks of the GitHub App. Needs no API key: `X-Hub-Signature-256` is the HMAC-SHA-256 of the body under the
/// webhook secret of the app. A delivery is handled once within three days. Events are hints: the service reads the installation
/// from GitHub again. Without a configured code host the response is 404.
#[utoipa::path(
    post,
    path = "/webhooks/github",
    operation_id = "receive_github_event",
    tag = "Code host",
    security(()),
    params(
        ("X-GitHub-Event" = String, Header, max_length = 100, description = "Name of the event"),
        ("X-GitHub-Delivery" = String, Header, max_length = 100, description = "Id of the delivery"),
        ("X-Hub-Signature-256" = String, Header, max_length = 71, description = "`sha256=` and 64 hexadecimal digits")
    ),
    request_body(content = Object, description = "The payload of the event, at most 1 MiB"),
    responses(
        (status = 202, description = "The event was received", body = Accepted),
        (status = 400, description = "The headers or the payload are not those of an event", body = ErrorBody),
        (status = 401, description = "The signature is missing or wrong", body = ErrorBody),
        (status = 404, description = "No code host is configured", body = ErrorBody),
        (status = 413, description = "The body is larger than 1048576 bytes", body = ErrorBody),
        (status = 415, description = "The body is not sent as plain application/json", body = ErrorBody),
        (status = 500, description = "Internal error", body = ErrorBody),
        (
            status = 503,
            description = "The service is busy, or cannot reach its ledger",
            headers(("Retry-After" = u64, description = "Seconds to wait before the next request")),
            body = ErrorBody
        )
    )
)]
pub(crate) async fn receive(State(app): State<Shared>, request: Request) -> Result<Response, ApiError> {
    let Some(host) = &app.host else { return Err(ApiError::NotFound("path")) };
    let headers = request.headers().clone();
    let signature = signature(&headers).ok_or(UNSIGNED)?;
    check_json(&headers)?;
    let _place = app.bodies.try_acquire().map_err(|_| ApiError::unavailable(Busy))?;
    let body = receive_body(request, BOUNDS).await?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, &host.webhook_secret);
    // In constant time.
    hmac::verify(&key, &body, &signature).map_err(|_| UNSIGNED)?;
    let (event, delivery) = (header(&headers, "x-github-event")?, header(&headers, "x-github-delivery")?);
    if !FOLLOWED.contains(&event) {
        return reply::json(StatusCode::ACCEPTED, &Accepted { accepted: false });
    }
    let delivery = Delivery::new(delivery, app.kit.clock.now());
    let accepted = follow(&app, &body, &delivery).await?;
    reply::json(StatusCode::ACCEPTED, &Accepted { accepted })
}

const UNSIGNED: ApiError = ApiError::InvalidCredential("the signature of the webhook is missing or wrong");

/// Queues a run for the installation of an event, if an organization has connected it.
async fn follow(app: &Shared, body: &[u8], delivery: &Delivery) -> Result<bool, ApiError> {
    let event: Event = serde_json::from_slice(body)
        .map_err(|error| ApiError::Invalid(format!("the payload: {error}").into()))?;
    // Events of webhooks that belong to a repository instead of the app name none.
    let id = event
        .installation
        .and_then(|installation| installation.id.to_string().parse::<InstallationId>().ok());
    let Some(id) = id else { return Ok(false) };
    let Some(organization) = organization_of(&app.kit.directory, id).await? else { return Ok(false) };
    request(&app.jobs, (organization, id), Some(delivery)).await?;
    Ok(true)
}

/// The bytes of the signature.
fn signature(headers: &HeaderMap) -> Option<[u8; 32]> {
    let mut values = headers.get_all("x-hub-signature-256").iter();
    let only = values.next().filter(|_| values.next().is_none())?;
    hexadecimal::parse(only.to_str().ok()?.strip_prefix("sha256=")?)?.try_into().ok()
}

/// The value of a header that every event has.
fn header<'h>(headers: &'h HeaderMap, name: &'static str) -> Result<&'h str, ApiError> {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    let value = value.filter(|value| (1..=MAX_DELIVERY).contains(&value.len()));
    value.ok_or_else(|| {
        ApiError::Invalid(format!("expected the header {name} of 1 to {MAX_DELIVERY} characters").into())
    })
}

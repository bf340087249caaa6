//! `/api-keys`: who may ask. A key itself is shown once, in the reply that creates it.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use common::timestamp::Timestamp;
use directory::{ApiKey, DirectoryError, KeyText, NewKey};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::Shared;
use crate::path::KeyPath;
use crate::schema::text;
use rest::authenticate::Caller;
use rest::body::{OptionalJson, StrictJson, moment, not_null};
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{KeysRead, KeysWrite};

/// How long the old key goes on working after a rotation, where the request does not say.
const OVERLAP: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest overlap, in seconds: a week. Two keys for longer are two keys, not a rotation.
const MAX_OVERLAP_SECONDS: u64 = 7 * 24 * 60 * 60;

/// An API key, without the key itself.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub(crate) struct KeyView {
    /// The key's id, as named in histories.
    #[schema(format = Uuid, example = "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f")]
    id: String,
    /// `api_key`.
    #[schema(example = "api_key")]
    object: &'static str,
    /// Display name.
    #[schema(min_length = 1, max_length = 100, example = "deploy pipeline")]
    name: String,
    /// Granted scopes; null for all scopes.
    #[schema(required, value_type = Option<Vec<text::Scope>>, example = json!(["incidents:read"]))]
    scopes: Option<Vec<String>>,
    /// The last four characters of the key, for identification.
    #[schema(min_length = 4, max_length = 4, example = "x7Qp")]
    last_four: String,
    /// The key that created it; null if it was not created through the API.
    #[schema(required, format = Uuid)]
    created_by: Option<String>,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// Expiry time; null if it does not expire.
    #[schema(required, format = DateTime)]
    expires_at: Option<String>,
    /// When it was revoked; null if it was not.
    #[schema(required, format = DateTime)]
    revoked_at: Option<String>,
    /// The key that replaced it in a rotation; null if it was not rotated.
    #[schema(required, format = Uuid)]
    replaced_by: Option<String>,
}

/// A new API key, including the key itself.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKeyShownOnce)]
pub(crate) struct ShownKeyView {
    #[serde(flatten)]
    about: KeyView,
    /// The key itself. It is stored hashed and cannot be shown again.
    #[schema(example = "pal_live_<36 characters>")]
    key: String,
}

/// List API keys
///
/// Includes revoked and expired keys; newest first.
#[utoipa::path(
    get,
    path = "/api-keys",
    operation_id = "list_api_keys",
    tag = "API keys",
    params(PageQuery),
    responses((status = 200, description = "A page of API keys", body = Page<KeyView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<KeysRead>,
    StrictQuery(page): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let (keys, total) = page.newest_first(app.kit.directory.list_keys(caller.organization()).await?);
    reply::json(StatusCode::OK, &Page::new(page, keys.into_iter().map(view).collect(), total))
}

/// Request body for creating an API key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewApiKey, example = json!({"name": "deploy pipeline", "scopes": ["incidents:read"], "expires_at": "2027-01-01T00:00:00.000Z"}))]
pub(crate) struct NewKeyBody {
    /// Display name.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// Granted scopes; null or omitted for all scopes. Only scopes that the requesting key has.
    #[schema(value_type = Option<Vec<text::Scope>>, min_items = 1)]
    scopes: Option<Vec<String>>,
    /// Expiry time; null or omitted for no expiry. Not later than the expiry of the requesting key, and required if
    /// that key expires.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

/// Create an API key
///
/// The scopes of the new key are a subset of those of the requesting key, and it expires no later; otherwise the
/// request is answered with 403. `Idempotency-Key` is rejected here, because the response contains a secret that is
/// not stored.
#[utoipa::path(
    post,
    path = "/api-keys",
    operation_id = "create_api_key",
    tag = "API keys",
    request_body = NewKeyBody,
    responses(
        (status = 201, description = "The API key, shown only in this response", body = ShownKeyView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<KeysWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<NewKeyBody>,
) -> Result<Response, ApiError> {
    creation::refuse_key(&headers)?;
    let body = body.value;
    let expires_at = body.expires_at.as_deref().map(|text| moment("expires_at", text)).transpose()?;
    let created_by = Some(caller.grant().key_id);
    let new = NewKey { name: body.name, scopes: body.scopes, expires_at, created_by };
    let (key, text) = app.kit.directory.create_key(caller.organization(), new).await?;
    reply::json(StatusCode::CREATED, &shown(key, &text))
}

/// Revoke an API key
///
/// Revocation is permanent. It takes effect immediately in the process that answers, and within five seconds in all
/// others. Revoking a key with more scopes than the requesting key is answered with 403, except for the requesting key
/// itself.
#[utoipa::path(
    delete,
    path = "/api-keys/{key_id}",
    operation_id = "revoke_api_key",
    tag = "API keys",
    params(("key_id" = String, Path, format = Uuid, description = "The key's id")),
    responses((status = 204, description = "Revoked"), NotFound, Refusals)
)]
pub(crate) async fn revoke(
    State(app): State<Shared>,
    caller: Caller<KeysWrite>,
    Id(id): Id<KeyPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    let by = caller.grant().key_id;
    app.kit.authenticator.revoke_key(caller.organization(), id, by).await.map_err(key_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Request body for rotating an API key.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ApiKeyRotation, example = json!({"overlap_seconds": 3600}))]
pub(crate) struct RotationBody {
    /// Time for which the old key remains valid: one day by default.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, minimum = 0, maximum = 604_800, default = 86_400)]
    overlap_seconds: Option<u64>,
}

/// Rotate an API key
///
/// Replaces an active key by a new one with the same name, scopes and expiry. Both are accepted during the overlap. A
/// key that was already rotated is answered with 409; of several concurrent rotations exactly one succeeds. A key with
/// more scopes than the requesting key, or with a later expiry, is answered with 403. `Idempotency-Key` is rejected
/// here, because the response contains a secret that is not stored.
#[utoipa::path(
    post,
    path = "/api-keys/{key_id}/rotate",
    operation_id = "rotate_api_key",
    tag = "API keys",
    params(("key_id" = String, Path, format = Uuid, description = "The old key's id")),
    request_body = Option<RotationBody>,
    responses(
        (status = 200, description = "The new API key, shown only in this response", body = ShownKeyView),
        NotFound,
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn rotate(
    State(app): State<Shared>,
    caller: Caller<KeysWrite>,
    Id(id): Id<KeyPath>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    OptionalJson(body): OptionalJson<RotationBody>,
) -> Result<Response, ApiError> {
    creation::refuse_key(&headers)?;
    let overlap = match body.unwrap_or_default().overlap_seconds {
        Some(seconds) if seconds > MAX_OVERLAP_SECONDS => {
            return Err(ApiError::Invalid(format!("overlap_seconds: at most {MAX_OVERLAP_SECONDS}").into()));
        }
        Some(seconds) => Duration::from_secs(seconds),
        None => OVERLAP,
    };
    let by = caller.grant().key_id;
    let rotated = app.kit.authenticator.rotate_key(caller.organization(), id, by, overlap).await;
    let (key, text) = rotated.map_err(key_error)?;
    reply::json(StatusCode::OK, &shown(key, &text))
}

fn key_error(error: DirectoryError) -> ApiError {
    match error {
        DirectoryError::NotFound => ApiError::NotFound("API key"),
        other => other.into(),
    }
}

fn shown(key: ApiKey, text: &KeyText) -> ShownKeyView {
    ShownKeyView { about: view(key), key: text.to_string() }
}

fn view(key: ApiKey) -> KeyView {
    KeyView {
        id: key.id.to_string(),
        object: "api_key",
        name: key.name,
        scopes: key.scopes,
        last_four: key.last_four,
        created_by: key.created_by.map(|id| id.to_string()),
        created_at: key.created_at.to_iso(),
        expires_at: key.expires_at.map(Timestamp::to_iso),
        revoked_at: key.revoked_at.map(Timestamp::to_iso),
        replaced_by: key.replaced_by.map(|id| id.to_string()),
    }
}

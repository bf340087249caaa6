//! Requests that create something and may be repeated: carried out once for each `Idempotency-Key`.

use axum::response::Response;
use http::header::HeaderName;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::authenticate::Caller;
use crate::error::ApiError;
use crate::idempotency::{self, IDEMPOTENCY_KEY, Memory, Origin, Reply};
use crate::kit::Kit;
use crate::reply;
use crate::scope::Scope;

/// Says that a reply is that of an earlier request with the same `Idempotency-Key`.
const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Header of a request that may be repeated, for the interface description.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct RepetitionHeader {
    /// The same key with another body is answered with 400, and with 409 while the first request is in progress
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 255)]
    #[expect(dead_code, reason = "read by `once` from the headers; the field is for the description")]
    key: Option<String>,
}

/// Carries `creation` out, or finds what it answered before. `operation` names what is created, `raw` is the body as it
/// came. The creation is given the id of what it makes where it may be repeated: it looks for that first, since an earlier
/// attempt may have come as far as making it, and no further.
pub async fn once<S: Scope>(
    kit: &Kit,
    caller: &Caller<S>,
    headers: &HeaderMap,
    (operation, raw): (&str, &[u8]),
    creation: impl AsyncFnOnce(Option<Uuid>) -> Result<Reply, ApiError>,
) -> Result<(Reply, Origin), ApiError> {
    let Some(key) = idempotency::key_of(headers)? else {
        return creation(None).await.map(|reply| (reply, Origin::Now));
    };
    let fingerprint = idempotency::fingerprint(operation, raw);
    let memory = Memory {
        ledger: kit.ledger.as_ref(),
        clock: &kit.clock,
        limits: kit.limits,
        organization: caller.organization(),
        caller: caller.grant().key_id,
        key,
    };
    memory.once(fingerprint, kit.directory.new_id(), async |id| creation(Some(id)).await).await
}

/// Carries a creation out as [`once`] does, and answers 201 with what it returns.
pub async fn created<S: Scope, V: Serialize>(
    kit: &Kit,
    caller: &Caller<S>,
    headers: &HeaderMap,
    request: (&str, &[u8]),
    creation: impl AsyncFnOnce(Option<Uuid>) -> Result<V, ApiError>,
) -> Result<Response, ApiError> {
    let creation = async |id| Ok(Reply::new(StatusCode::CREATED, reply::text(&creation(id).await?)?));
    let (reply, origin) = once(kit, caller, headers, request, creation).await?;
    Ok(response(reply, origin))
}

/// The reply, marked where it is an earlier one.
pub fn response(reply: Reply, origin: Origin) -> Response {
    let mut response = reply::raw_json(reply.status(), reply.body);
    if origin == Origin::Remembered {
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// Refuses an `Idempotency-Key` where the reply carries a secret, or the request does: what is remembered of them would
/// hold it, or let a guess at it be confirmed.
pub fn refuse_key(headers: &HeaderMap) -> Result<(), ApiError> {
    if headers.contains_key(IDEMPOTENCY_KEY) {
        let refusal = "Idempotency-Key is rejected here: the request or response contains secrets, which are not stored";
        return Err(ApiError::Invalid(refusal.into()));
    }
    Ok(())
}

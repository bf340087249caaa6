//! Request bodies: JSON of a bounded size, in bounded time, with the properties an endpoint knows and no others.

use std::time::Duration;

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use common::timestamp::Timestamp;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::{Deserialize, DeserializeOwned, Deserializer};

use crate::error::ApiError;

/// Largest body: the longest YAML with every line end and quote escaped, twice over.
pub const MAX_BODY_BYTES: usize = 256 * 1024;
/// Time limit for the arrival of such a body, so that a slow sender holds nothing for long.
const ARRIVAL: Duration = Duration::from_secs(10);
const JSON: Bounds = Bounds { bytes: MAX_BODY_BYTES, arrival: ARRIVAL };

/// Bounds of a body.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Largest body.
    pub bytes: usize,
    /// Time limit for its arrival.
    pub arrival: Duration,
}

/// A JSON body.
pub struct StrictJson<T> {
    /// The value read from it.
    pub value: T,
    /// The body as it came.
    pub raw: Bytes,
}

/// A JSON body that may be left out.
pub struct OptionalJson<T>(pub Option<T>);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for StrictJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        check_json(request.headers())?;
        let raw = receive(request, JSON).await?;
        Ok(Self { value: parse(&raw)?, raw })
    }
}

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for OptionalJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        let media_type = check_json(request.headers());
        let raw = receive(request, JSON).await?;
        if raw.is_empty() {
            return Ok(Self(None));
        }
        media_type?;
        if raw.trim_ascii() == b"null" {
            return Ok(Self(None));
        }
        parse(&raw).map(|value| Self(Some(value)))
    }
}

/// Refuses a body that is not JSON, or encoded.
pub fn check_json(headers: &HeaderMap) -> Result<(), ApiError> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = given.split(';').next().unwrap_or("").trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(ApiError::UnsupportedMediaType(
            "the body must be sent as Content-Type: application/json",
        ));
    }
    check_coding(headers)
}

/// Refuses a body with a content coding.
pub fn check_coding(headers: &HeaderMap) -> Result<(), ApiError> {
    let identity = |coding: &http::HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(CONTENT_ENCODING).iter().all(identity) {
        return Ok(());
    }
    Err(ApiError::UnsupportedMediaType("the body must be sent without a Content-Encoding"))
}

/// Largest size that a body can have: the announced one, otherwise the bound. An announced size beyond the bound is refused.
pub fn largest(headers: &HeaderMap, bounds: Bounds) -> Result<usize, ApiError> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    match announced {
        Some(length) if length > bounds.bytes => Err(ApiError::BodyTooLarge { most: bounds.bytes }),
        Some(length) => Ok(length),
        None => Ok(bounds.bytes),
    }
}

/// Receives a body within its bounds.
pub async fn receive(request: Request, bounds: Bounds) -> Result<Bytes, ApiError> {
    largest(request.headers(), bounds)?;
    let Bounds { bytes, arrival } = bounds;
    let whole = Limited::new(request.into_body(), bytes).collect();
    match tokio::time::timeout(arrival, whole).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(ApiError::BodyTooLarge { most: bytes }),
        Ok(Err(_)) => Err(ApiError::Invalid("the body is incomplete".into())),
        Err(_) => {
            let seconds = arrival.as_secs();
            Err(ApiError::Invalid(format!("the body did not arrive within {seconds} s").into()))
        }
    }
}

/// Reads a JSON object.
pub fn parse<T: DeserializeOwned>(raw: &[u8]) -> Result<T, ApiError> {
    // Serde would also read an array, its elements standing for the properties in our order.
    if raw.trim_ascii_start().first() != Some(&b'{') {
        return Err(ApiError::Invalid("the body must be a JSON object".into()));
    }
    serde_json::from_slice(raw).map_err(|error| ApiError::Invalid(format!("the body: {error}").into()))
}

/// Reads a property that may be left out but not be null, which `Option` alone would take for left out.
pub fn not_null<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// A created object is enabled at once, unless the request says otherwise.
pub fn enabled() -> bool {
    true
}

/// Reads a property that may be left out and may be null, and tells the two apart.
pub fn nullable<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// Reads a property that is a moment.
pub fn moment(property: &str, text: &str) -> Result<Timestamp, ApiError> {
    let refusal = || {
        let expected = "expected a time like 2027-01-01T00:00:00.000Z, before the year 2262";
        ApiError::Invalid(format!("{property}: {expected}").into())
    };
    Timestamp::parse_rfc3339(text).ok_or_else(refusal)
}

//! Headers of every request: the origin of its event, and the proof that it comes from here.

use common::hexadecimal;
use common::timestamp::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;

/// Who says so.
pub(crate) const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("Palisade/", env!("CARGO_PKG_VERSION")));
/// Header of the event's id.
const EVENT_ID: HeaderName = HeaderName::from_static("x-service-event-id");
/// Header of the event's kind.
const EVENT_TYPE: HeaderName = HeaderName::from_static("x-service-event-type");
/// Header of the moment of the attempt, in seconds since 1970.
const TIMESTAMP: HeaderName = HeaderName::from_static("x-service-timestamp");
/// Header of the signature.
const SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature");

/// All headers of an attempt: those of the target first, so that none of them overrides one of ours.
pub(crate) fn headers(
    custom: &HeaderMap,
    secret: &[u8],
    event_id: &str,
    event_type: &str,
    at: Timestamp,
    body: &[u8],
) -> HeaderMap {
    let seconds = at.as_millis().div_euclid(1_000);
    let signature = format!("t={seconds},v1={}", sign(secret, seconds, body));
    let mut headers = custom.clone();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, AGENT);
    headers.insert(TIMESTAMP, HeaderValue::from(seconds));
    for (name, value) in [(EVENT_ID, event_id), (EVENT_TYPE, event_type), (SIGNATURE, &signature)] {
        // Ids, kinds and digits are visible ASCII throughout.
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    headers
}

/// HMAC-SHA-256 over `<timestamp>.<body>`, in hexadecimal (specification, Signatures). The key is the secret as it was
/// shown, its prefix included.
fn sign(secret: &[u8], seconds: i64, body: &[u8]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else {
        // HMAC takes keys of every length (RFC 2104 section 2).
        return String::new();
    };
    mac.update(seconds.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    hexadecimal::print(&mac.finalize().into_bytes())
}

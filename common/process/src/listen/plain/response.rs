//! The answer to a plain request, as bytes.

use std::time::SystemTime;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, DATE};
use http::{HeaderValue, Response};
use http_body_util::{BodyExt, Full};

/// Room for the head of an answer; a longer one grows.
const HEAD_BYTES: usize = 256;

/// The whole response, and whether the connection continues after it: not where the response closes it.
pub(super) async fn bytes(response: Response<Full<Bytes>>, goes_on: bool) -> (Vec<u8>, bool) {
    let (mut head, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    let body = body.to_bytes();
    let goes_on = goes_on && head.headers.get(CONNECTION).is_none_or(|value| value != "close");
    head.headers.insert(CONTENT_LENGTH, body.len().into());
    if !goes_on {
        head.headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let mut bytes = Vec::with_capacity(HEAD_BYTES + body.len());
    let reason = head.status.canonical_reason().unwrap_or_default();
    for part in ["HTTP/1.1 ", head.status.as_str(), " ", reason, "\r\n"] {
        bytes.extend_from_slice(part.as_bytes());
    }
    for (name, value) in &head.headers {
        line(&mut bytes, name.as_str(), value.as_bytes());
    }
    line(&mut bytes, DATE.as_str(), httpdate::fmt_http_date(now()).as_bytes());
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&body);
    (bytes, goes_on)
}

fn line(bytes: &mut Vec<u8>, name: &str, value: &[u8]) {
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        bytes.extend_from_slice(part);
    }
}

#[expect(clippy::disallowed_methods, reason = "the Date header carries the system's time, as hyper's does")]
fn now() -> SystemTime {
    SystemTime::now()
}

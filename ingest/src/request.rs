//! Contents of a request's head: method, source, format, encoding, keys. Pure readings of the head;
//! `handle` defines their order.

use common::clock::Clock;
use common::ids::SourceId;
use http::header::{AUTHORIZATION, AsHeaderName, CONTENT_ENCODING, CONTENT_TYPE, EXPECT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use thiserror::Error;
use uuid::Uuid;

use crate::validate::Format;

const PATH_PREFIX: &str = "/api/v1/infrastructure/sources/";
const PATH_SUFFIX: &str = "/v1/logs";

/// The path as metrics name it.
pub(crate) const ROUTE: &str = "/api/v1/infrastructure/sources/{source_id}/v1/logs";
/// The header that carries a request's id, both ways.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Longest `Idempotency-Key`: the limit of the services that made the header common.
const MAX_IDEMPOTENCY_KEY_BYTES: usize = 255;
/// Longest request id that is accepted from a sender.
const MAX_REQUEST_ID_BYTES: usize = 128;
/// Most characters of a sender's own text that an error repeats.
const MAX_ECHO_CHARS: usize = 60;

/// Reason why a head is refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum RequestError {
    #[error("only POST is supported here")]
    Method,
    #[error("expected the header Authorization: Bearer <API key>")]
    KeyMissing,
    #[error("the source id in the path is not a UUID")]
    SourceId,
    #[error(
        "unsupported content type {found:?}, expected application/x-protobuf, application/json or application/x-ndjson, in UTF-8"
    )]
    ContentType { found: String },
    #[error("unsupported content encoding {found:?}, expected identity or gzip")]
    ContentEncoding { found: String },
    #[error("expected at most one Idempotency-Key, of 1 to {MAX_IDEMPOTENCY_KEY_BYTES} bytes")]
    IdempotencyKey,
}

/// Content encoding of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Identity,
    Gzip,
}

/// Format of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) format: Format,
    pub(crate) encoding: Encoding,
}

/// The text between the fixed parts of the path: meant to be a source id. `None` for every other
/// path.
pub(crate) fn source_segment(path: &str) -> Option<&str> {
    let segment = path.strip_prefix(PATH_PREFIX)?.strip_suffix(PATH_SUFFIX)?;
    (!segment.contains('/')).then_some(segment)
}

pub(crate) fn check_method(method: &Method) -> Result<(), RequestError> {
    if method == Method::POST { Ok(()) } else { Err(RequestError::Method) }
}

pub(crate) fn source_id(path: &str) -> Result<SourceId, RequestError> {
    source_segment(path).and_then(|segment| segment.parse().ok()).ok_or(RequestError::SourceId)
}

/// The key of `Authorization: Bearer <key>` (RFC 6750 section 2.1; the scheme in any case).
pub(crate) fn bearer_key(headers: &HeaderMap) -> Result<&str, RequestError> {
    let value = only(headers, AUTHORIZATION).map_err(|_| RequestError::KeyMissing)?;
    let text = value.and_then(|value| value.to_str().ok()).ok_or(RequestError::KeyMissing)?;
    let (scheme, key) = text.split_once(' ').ok_or(RequestError::KeyMissing)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(RequestError::KeyMissing);
    }
    Ok(key.trim_matches(' '))
}

/// Format and encoding (specification, Infrastructure log ingestion).
pub(crate) fn content(headers: &HeaderMap) -> Result<Content, RequestError> {
    Ok(Content { format: format(headers)?, encoding: encoding(headers)? })
}

fn format(headers: &HeaderMap) -> Result<Format, RequestError> {
    let refused = |found: &[u8]| RequestError::ContentType { found: echo(found) };
    let value = only(headers, CONTENT_TYPE).map_err(refused)?.ok_or_else(|| refused(b""))?;
    let (media_type, parameters) = split_content_type(value).ok_or_else(|| refused(value.as_bytes()))?;
    let is = |name: &str| media_type.eq_ignore_ascii_case(name);
    if is("application/x-protobuf") {
        return Ok(Format::OtlpProtobuf);
    }
    let format = if is("application/json") {
        Format::Json
    } else if is("application/x-ndjson") || is("application/ndjson") {
        Format::Ndjson
    } else {
        return Err(refused(value.as_bytes()));
    };
    if parameters.split(';').all(is_no_other_charset) { Ok(format) } else { Err(refused(value.as_bytes())) }
}

/// Whether the request claims to be protobuf: then refusals are answered in protobuf too, whatever
/// other errors it has.
pub(crate) fn is_protobuf(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(split_content_type).map(|(media_type, _)| media_type);
    media_type.is_some_and(|media_type| media_type.eq_ignore_ascii_case("application/x-protobuf"))
}

fn split_content_type(value: &HeaderValue) -> Option<(&str, &str)> {
    let text = value.to_str().ok()?;
    let (media_type, parameters) = text.split_once(';').unwrap_or((text, ""));
    Some((media_type.trim(), parameters))
}

/// JSON is UTF-8 (RFC 8259 section 8.1); a parameter that states this is harmless, any other
/// charset is not.
fn is_no_other_charset(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return true };
    let value = value.trim().trim_matches('"');
    // The second is no registered name but sent by many senders, and a label of the same encoding in
    // the WHATWG's standard.
    let is_utf8 = ["utf-8", "utf8"].iter().any(|label| value.eq_ignore_ascii_case(label));
    !name.trim().eq_ignore_ascii_case("charset") || is_utf8
}

fn encoding(headers: &HeaderMap) -> Result<Encoding, RequestError> {
    let refused = |found: &[u8]| RequestError::ContentEncoding { found: echo(found) };
    let Some(value) = only(headers, CONTENT_ENCODING).map_err(refused)? else {
        return Ok(Encoding::Identity);
    };
    match value.as_bytes().trim_ascii().to_ascii_lowercase().as_slice() {
        b"" | b"identity" => Ok(Encoding::Identity),
        // RFC 9110 section 8.4.1.3: x-gzip is the same.
        b"gzip" | b"x-gzip" => Ok(Encoding::Gzip),
        other => Err(refused(other)),
    }
}

/// The `Idempotency-Key`, where there is one.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<&[u8]>, RequestError> {
    let value = only(headers, IDEMPOTENCY_KEY).map_err(|_| RequestError::IdempotencyKey)?;
    let Some(key) = value.map(HeaderValue::as_bytes) else { return Ok(None) };
    if key.is_empty() || key.len() > MAX_IDEMPOTENCY_KEY_BYTES {
        return Err(RequestError::IdempotencyKey);
    }
    Ok(Some(key))
}

/// Whether the sender waits for a `100 Continue` before it sends the body.
pub(crate) fn expects_continue(headers: &HeaderMap) -> bool {
    headers.get(EXPECT).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// The id of this request: the sender's own if it is a token (RFC 9110 section 5.6.2) of sane
/// length, else a new UUID version 7.
pub(crate) fn request_id(headers: &HeaderMap, clock: &dyn Clock) -> HeaderValue {
    let own = headers.get(REQUEST_ID).filter(|value| {
        let bytes = value.as_bytes();
        (1..=MAX_REQUEST_ID_BYTES).contains(&bytes.len()) && bytes.iter().copied().all(is_token_byte)
    });
    own.cloned().unwrap_or_else(|| new_request_id(clock))
}

fn new_request_id(clock: &dyn Clock) -> HeaderValue {
    let millis = u64::try_from(clock.now().as_millis()).unwrap_or(0);
    let random = Uuid::new_v4().into_bytes();
    let random = random.last_chunk::<10>().copied().unwrap_or_default();
    let id = uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid();
    HeaderValue::try_from(id.to_string()).unwrap_or_else(|_| HeaderValue::from_static("none"))
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The only value of a header; `Err` with a later one when there are several.
fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Result<Option<&HeaderValue>, &[u8]> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    values.next().map_or(Ok(first), |second| Err(second.as_bytes()))
}

fn echo(found: &[u8]) -> String {
    String::from_utf8_lossy(found).chars().take(MAX_ECHO_CHARS).collect()
}

#[cfg(test)]
mod tests;

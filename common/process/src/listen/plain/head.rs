//! The head of a plain request. Ambiguous heads are not plain: they are left to hyper, which decides
//! which are refused.

use bytes::{Bytes, BytesMut};
use http::header::{CONNECTION, CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING, UPGRADE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri, Version};

use crate::listen::{ListenConfig, host};

/// Most bytes of a plain head: the limit of common servers. The heads of senders of batches have a few hundred.
pub(super) const MAX_HEAD_BYTES: usize = 8 * 1024;
/// Most headers of one; senders have some ten.
const MAX_HEADERS: usize = 32;
/// The longest body that hyper accepts a head for; no handler accepts nearly as much.
const MAX_BODY_BYTES: u64 = u64::MAX - 2;

/// The head of a plain request.
pub(super) struct Head {
    pub(super) parts: Parts,
    /// Bytes of the body.
    pub(super) length: u64,
}

pub(super) enum Reading {
    /// It is removed from the buffer.
    Plain(Box<Head>),
    /// So far it could become one.
    Partial,
    Other,
}

/// Reads the head of a request whose path `takes` accepts.
pub(super) fn read(seen: &mut BytesMut, config: &ListenConfig, takes: impl Fn(&str) -> bool) -> Reading {
    if seen.is_empty() {
        return Reading::Partial;
    }
    let most_bytes = MAX_HEAD_BYTES.min(config.max_head_bytes as usize);
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let headers = &mut headers[..MAX_HEADERS.min(config.max_headers)];
    let mut request = httparse::Request::new(headers);
    match request.parse(seen) {
        Ok(httparse::Status::Complete(length)) if length <= most_bytes => {
            let is_plain = request.method == Some("POST") && request.version == Some(1);
            let read = if is_plain { own(seen, length, &request) } else { None };
            let Some(head) = read.filter(|head| takes(head.parts.uri.path())) else { return Reading::Other };
            let _read = seen.split_to(length);
            Reading::Plain(Box::new(head))
        }
        Ok(httparse::Status::Partial) if seen.len() < most_bytes => Reading::Partial,
        Ok(_) | Err(_) => Reading::Other,
    }
}

/// The head in memory of its own, so that it does not keep the read buffer.
fn own(seen: &[u8], length: usize, request: &httparse::Request<'_, '_>) -> Option<Head> {
    let own = Bytes::copy_from_slice(&seen[..length]);
    let same = |part: &[u8]| {
        let start = part.as_ptr() as usize - seen.as_ptr() as usize;
        own.slice(start..start + part.len())
    };
    let mut headers = HeaderMap::with_capacity(request.headers.len());
    for header in &*request.headers {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        let value = HeaderValue::from_maybe_shared(same(header.value)).ok()?;
        headers.append(name, value);
    }
    if !host::is_named(Version::HTTP_11, &headers) {
        return None;
    }
    let length = body_length(&headers)?;
    let mut parts = Request::new(()).into_parts().0;
    parts.method = Method::POST;
    parts.uri = Uri::from_maybe_shared(same(request.path?.as_bytes())).ok()?;
    parts.headers = headers;
    Some(Head { parts, length })
}

/// The length of the body, where only one `Content-Length` determines its end and no header affects what precedes or
/// follows it (RFC 9112 section 6.3).
fn body_length(headers: &HeaderMap) -> Option<u64> {
    let is_framed_otherwise =
        [TRANSFER_ENCODING, EXPECT, UPGRADE].iter().any(|name| headers.contains_key(name));
    let stays =
        headers.get_all(CONNECTION).iter().all(|value| value.as_bytes().eq_ignore_ascii_case(b"keep-alive"));
    if is_framed_otherwise || !stays {
        return None;
    }
    let mut lengths = headers.get_all(CONTENT_LENGTH).iter();
    let (Some(length), None) = (lengths.next(), lengths.next()) else { return None };
    let digits = length.to_str().ok()?;
    // Parsing alone would accept a plus sign.
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|length| *length <= MAX_BODY_BYTES)
}

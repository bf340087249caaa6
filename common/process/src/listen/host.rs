//! The `Host` of a request. It selects nothing here, so that it need not match the target; but proxies select by it, and
//! a server behind one must not read a different value than the proxy did.

use bytes::Bytes;
use http::header::{CONNECTION, HOST};
use http::{HeaderMap, HeaderValue, Response, StatusCode, Version};
use http_body_util::Full;

use crate::health::answer_with;

/// Whether a request has the `Host` header that it must have: one, which may be missing only where the version of HTTP
/// carries it otherwise or not at all (RFC 9112 section 3.2).
pub(super) fn is_named(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version != Version::HTTP_11,
        (Some(host), None) => is_host(host.as_bytes()),
        (Some(_), Some(_)) => false,
    }
}

/// The response to a request without a valid one, after which a connection is closed: further requests on it may be
/// meant for another server as well.
pub(super) fn refusal(version: Version) -> Response<Full<Bytes>> {
    let body = r#"{"error":{"code":"invalid_request","message":"expected one Host header with a host and perhaps a port (RFC 9112 section 3.2)"}}"#;
    let mut response = answer_with(StatusCode::BAD_REQUEST, "application/json", body);
    // HTTP/2 has no such header (RFC 9113 section 8.2.2), and keeps its streams apart.
    if version < Version::HTTP_2 {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        // Since it answers HTTP/1.0 with 1.1, hyper would announce that the connection is kept.
        *response.version_mut() = version;
    }
    response
}

/// Whether this is a name or an address with an optional port; all of it may be empty (RFC 9110 section 7.2).
fn is_host(value: &[u8]) -> bool {
    let Some(bracketed) = value.strip_prefix(b"[") else {
        let end = value.iter().position(|byte| *byte == b':').unwrap_or(value.len());
        let (name, port) = value.split_at(end);
        return name.iter().all(|byte| is_of_a_name(*byte)) && is_port(port);
    };
    let Some(end) = bracketed.iter().position(|byte| *byte == b']') else { return false };
    let (address, port) = (&bracketed[..end], &bracketed[end + 1..]);
    address.iter().all(|byte| *byte == b':' || is_of_a_name(*byte)) && is_port(port)
}

fn is_port(rest: &[u8]) -> bool {
    rest.is_empty() || rest.strip_prefix(b":").is_some_and(|port| port.iter().all(u8::is_ascii_digit))
}

/// Whether a byte may be in a name (RFC 3986 section 3.2.2).
fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_is_named() {
        let is_named = |version, hosts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, HeaderValue::from_static(host));
            }
            is_named(version, &headers)
        };
        for host in
            ["palisade.example", "localhost:8080", "192.0.2.1", "[2001:db8::1]:443", "[::1]", "a:", ""]
        {
            assert!(is_named(Version::HTTP_11, &[host]), "{host:?}");
        }
        for hosts in [
            &["a", "a"][..],
            &["a b"],
            &["user@a"],
            &["a/b"],
            &["a?b"],
            &["http://a"],
            &["a:b"],
            &["a:1:2"],
            &["["],
            &["[::1]8080"],
            &["a]"],
        ] {
            for version in [Version::HTTP_10, Version::HTTP_11, Version::HTTP_2] {
                assert!(!is_named(version, hosts), "{version:?} {hosts:?}");
            }
        }
        assert!(!is_named(Version::HTTP_11, &[]));
        assert!(is_named(Version::HTTP_10, &[]) && is_named(Version::HTTP_2, &[]));
    }
}

//! The host that a request is for. Nothing is chosen by it here; proxies choose by it, and must not be made to
//! choose otherwise than who is behind them.

use http::header::HOST;
use http::{HeaderMap, Version};

/// Whether a request says which host it is for as it must: over HTTP/1.1 in one `Host` header, with the form of a host and
/// perhaps a port, or nothing (RFC 9112 section 3.2).
pub fn names_its_host(version: Version, headers: &HeaderMap) -> bool {
    if version != Version::HTTP_11 {
        return true;
    }
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    host.as_bytes().iter().all(|byte| is_of_a_host(*byte))
}

/// Whether a byte may be in a name, an address or a port (RFC 3986 sections 3.2.2 and 3.2.3).
fn is_of_a_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:[]".contains(&byte)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn one_host_is_named() {
        let names = |version, hosts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, HeaderValue::from_static(host));
            }
            names_its_host(version, &headers)
        };
        for host in ["palisade.example", "localhost:8080", "192.0.2.1", "[2001:db8::1]:443", ""] {
            assert!(names(Version::HTTP_11, &[host]), "{host:?}");
        }
        for hosts in
            [&[][..], &["a", "a"], &["a b"], &["user@a"], &["a/b"], &["a?b"], &["a#b"], &["http://a"]]
        {
            assert!(!names(Version::HTTP_11, hosts), "{hosts:?}");
        }
        assert!(names(Version::HTTP_10, &[]) && names(Version::HTTP_2, &[]));
    }
}

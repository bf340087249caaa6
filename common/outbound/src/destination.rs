//! Where something may be sent, as far as its URL tells: scheme, host and port. Names are judged later, when
//! they are resolved.

use std::net::IpAddr;

use http::Uri;
use ipnet::IpNet;
use thiserror::Error;
use url::{Host, Url};

use crate::address::{self, Reason};
use crate::connect;

/// Longest URL.
pub(crate) const MAX_LENGTH: usize = 2_048;
/// The lowest port beside 443 that something may be sent to: below stand mail, name and login servers, which
/// would take a request for commands.
const FIRST_OPEN_PORT: u16 = 1_024;
/// The only ports below [`FIRST_OPEN_PORT`].
const WEB_PORTS: [u16; 2] = [80, 443];

/// A URL that something may be sent to if its host's addresses may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    pub(crate) uri: Uri,
    text: String,
}

/// Reason why nothing is sent to a URL.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DestinationError {
    /// Too long to be kept.
    #[error("the URL has {found} bytes, expected at most {MAX_LENGTH}")]
    TooLong {
        /// Its length.
        found: usize,
    },
    /// Not a URL with a host.
    #[error("expected an absolute URL with a host, found one where {cause}")]
    NotAUrl {
        /// Error of the parser.
        cause: String,
    },
    /// Neither HTTPS, nor HTTP to a network that is allowed.
    #[error(
        "expected an https URL, found {found}; http is for allowed networks only (outbound.allow_networks)"
    )]
    Scheme {
        /// The scheme.
        found: String,
    },
    /// A name or password in the URL would be shown wherever the URL is.
    #[error("expected a URL without user name and password; a header can carry them")]
    UserInformation,
    /// A port that other protocols are spoken at.
    #[error("expected port 443 or one from {FIRST_OPEN_PORT} on, found {found}")]
    Port {
        /// The port.
        found: u16,
    },
    /// An address that is not public.
    #[error("the URL's host does not resolve to a public address: {reason}")]
    Address {
        /// The reason.
        reason: Reason,
    },
}

impl Destination {
    /// Reads a URL as browsers do (WHATWG URL), so that every way of writing an address is seen for what it is.
    ///
    /// # Errors
    /// [`DestinationError`].
    pub(crate) fn parse(text: &str, allowed: &[IpNet]) -> Result<Self, DestinationError> {
        if text.len() > MAX_LENGTH {
            return Err(DestinationError::TooLong { found: text.len() });
        }
        let not_a_url = |cause: String| DestinationError::NotAUrl { cause };
        let mut url = Url::parse(text).map_err(|error| not_a_url(error.to_string()))?;
        url.set_fragment(None);
        let host = url.host().ok_or_else(|| not_a_url("the host is missing".to_owned()))?;
        let literal = match host {
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
            Host::Domain(_) => None,
        };
        let is_allowed = literal.is_some_and(|address| address::is_allowed(address, allowed));
        // Of a name it is only known once it is resolved whether its network is allowed.
        let may_be_allowed = is_allowed || (literal.is_none() && !allowed.is_empty());
        match url.scheme() {
            "https" => {}
            "http" if may_be_allowed => {}
            other => return Err(DestinationError::Scheme { found: other.to_owned() }),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(DestinationError::UserInformation);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if port < FIRST_OPEN_PORT && !WEB_PORTS.contains(&port) {
            return Err(DestinationError::Port { found: port });
        }
        if let Some(address) = literal {
            address::judge(address, allowed).map_err(|reason| DestinationError::Address { reason })?;
        }
        let uri: Uri =
            url.as_str().parse().map_err(|error: http::uri::InvalidUri| not_a_url(error.to_string()))?;
        Ok(Self { uri, text: url.into() })
    }

    /// The host in lower case, an IPv6 address without brackets.
    pub(crate) fn host(&self) -> &str {
        connect::host(&self.uri)
    }

    /// The port, that of the scheme where the URL has none.
    pub(crate) fn port(&self) -> u16 {
        connect::port(&self.uri)
    }

    /// Scheme, host and port (RFC 6454).
    pub(crate) fn origin(&self) -> (bool, &str, u16) {
        (connect::is_https(&self.uri), self.host(), self.port())
    }

    /// The URL, normalized.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> DestinationError {
        Destination::parse(url, &[]).unwrap_err()
    }

    #[test]
    fn every_way_of_writing_an_address_is_seen() {
        let loopback =
            ["127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "017700000001"];
        let mapped = ["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]"];
        for host in loopback.iter().chain(&mapped) {
            let error = refused(&format!("https://{host}/hook"));
            assert!(matches!(error, DestinationError::Address { .. }), "{host}: {error}");
        }
        let full_width = refused("https://１２７.0.0.1/");
        assert!(matches!(full_width, DestinationError::Address { .. }), "{full_width}");
    }

    #[test]
    fn what_else_is_refused_is_named() {
        assert!(matches!(refused("http://example.com/"), DestinationError::Scheme { .. }));
        assert!(matches!(refused("file:///etc/passwd"), DestinationError::NotAUrl { .. }));
        assert!(matches!(refused("gopher://example.com/"), DestinationError::Scheme { .. }));
        assert!(matches!(refused("https://user@example.com/"), DestinationError::UserInformation));
        assert!(matches!(refused("https://:secret@example.com/"), DestinationError::UserInformation));
        assert_eq!(refused("https://example.com:22/"), DestinationError::Port { found: 22 });
        assert!(matches!(refused("example.com/hook"), DestinationError::NotAUrl { .. }));
        assert!(matches!(refused("https://"), DestinationError::NotAUrl { .. }));
        let long = format!("https://example.com/{}", "x".repeat(MAX_LENGTH));
        assert!(matches!(refused(&long), DestinationError::TooLong { .. }));
    }

    #[test]
    fn what_is_fine_is_normalized() {
        let destination = Destination::parse("https://EXAMPLE.com:443/hook?a=b#part", &[]).unwrap();
        assert_eq!(destination.as_str(), "https://example.com/hook?a=b");
        assert!(Destination::parse("https://example.com:8443/", &[]).is_ok());
    }

    #[test]
    fn plain_http_is_for_allowed_networks() {
        let allowed = ["127.0.0.0/8".parse().unwrap()];
        assert!(Destination::parse("http://127.0.0.1:8080/", &allowed).is_ok());
        assert!(Destination::parse("http://collector:4318/", &allowed).is_ok(), "judged when it is resolved");
        let error = Destination::parse("http://93.184.216.34/", &allowed).unwrap_err();
        assert!(matches!(error, DestinationError::Scheme { .. }));
    }
}

//! The redirect rule, as a pure function: the request that follows a redirect, or why none does (RFC 9110 section
//! 15.4). Addresses are judged again when the next request connects.

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderName, LOCATION, RANGE, USER_AGENT,
};
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, StatusCode};
use ipnet::IpNet;
use thiserror::Error;
use url::Url;

use crate::connect::is_https;
use crate::destination::{Destination, DestinationError};
use crate::policy::PolicyError;

/// Headers that a redirect to another origin keeps. A list of those to drop could not name every header that carries a
/// credential (`x-api-key`, `private-token`).
const KEPT_ACROSS_ORIGINS: [HeaderName; 6] =
    [ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_TYPE, RANGE, USER_AGENT];

/// One request of a chain of redirects.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) destination: Destination,
    /// Instead of the path and query of the destination.
    pub(crate) target: Option<PathAndQuery>,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Reason why a redirect is not followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RedirectError {
    /// As many were followed as the policy allows.
    #[error("expected at most {most} redirects, found more")]
    TooMany {
        /// The limit.
        most: u8,
    },
    /// More than one `Location`: two readers would go to two places.
    #[error("expected one Location header, found {found}")]
    Ambiguous {
        /// The number.
        found: usize,
    },
    /// `Location` is not a URL, or its URL is refused.
    #[error("the redirect is refused: {0}")]
    Destination(#[from] DestinationError),
    /// The policy of the call does not permit where it leads.
    #[error("the redirect is refused: {0}")]
    Policy(#[from] PolicyError),
    /// From https to http.
    #[error("expected a redirect from https to https, found one to http")]
    Downgrade,
}

/// Whether a reply sends the client to another URL.
pub(crate) fn is_redirect(status: StatusCode, headers: &HeaderMap) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) && headers.contains_key(LOCATION)
}

/// The request that follows a redirect.
///
/// # Errors
/// [`RedirectError`].
pub(crate) fn next(
    step: &Step,
    status: StatusCode,
    reply: &HeaderMap,
    allowed: &[IpNet],
) -> Result<Step, RedirectError> {
    let destination = target(&step.destination, reply, allowed)?;
    if is_https(&step.destination.uri) && !is_https(&destination.uri) {
        return Err(RedirectError::Downgrade);
    }
    let mut next = Step { destination, target: None, ..step.clone() };
    if becomes_get(status, &step.method) {
        next.method = Method::GET;
        next.body = Bytes::new();
        retain(&mut next.headers, |name| !name.as_str().starts_with("content-"));
    }
    if step.destination.origin() != next.destination.origin() {
        retain(&mut next.headers, |name| KEPT_ACROSS_ORIGINS.contains(name));
    }
    Ok(next)
}

/// Reads `Location` relative to the URL that answered.
fn target(from: &Destination, reply: &HeaderMap, allowed: &[IpNet]) -> Result<Destination, RedirectError> {
    let mut locations = reply.get_all(LOCATION).iter();
    let (Some(location), None) = (locations.next(), locations.next()) else {
        return Err(RedirectError::Ambiguous { found: reply.get_all(LOCATION).iter().count() });
    };
    let not_a_url = |cause: String| DestinationError::NotAUrl { cause };
    let text = std::str::from_utf8(location.as_bytes()).map_err(|error| not_a_url(error.to_string()))?;
    let base = Url::parse(from.as_str()).map_err(|error| not_a_url(error.to_string()))?;
    let url = base.join(text).map_err(|error| not_a_url(error.to_string()))?;
    Ok(Destination::parse(url.as_str(), allowed)?)
}

/// 303 asks for the result by GET. 301 and 302 to a POST are answered so by all clients; 307 and 308 were added for those
/// that mean the same request again.
fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status {
        StatusCode::SEE_OTHER => method != Method::HEAD,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => method == Method::POST,
        _ => false,
    }
}

fn retain(headers: &mut HeaderMap, keeps: impl Fn(&HeaderName) -> bool) {
    let dropped: Vec<HeaderName> = headers.keys().filter(|name| !keeps(name)).cloned().collect();
    for name in dropped {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests;

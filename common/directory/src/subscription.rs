//! Rules for the subscription of a receiver: kinds of events and custom headers.

use std::collections::{BTreeMap, BTreeSet};

use common::event::EventKind;

use crate::error::DirectoryError;

/// Most custom headers of a receiver.
const MAX_HEADERS: usize = 16;
/// Longest name of a custom header.
const MAX_HEADER_NAME: usize = 100;
/// Headers that the service sets (specification, Delivery rules 4), those that describe the body or frame the message, and
/// those that belong to the connection or to proxies (RFC 9110 sections 6.6.1, 7.6.1, 8.4 and 11.7.2, RFC 7239, RFC 7540
/// section 3.2.1).
const RESERVED_HEADERS: [&str; 17] = [
    "content-type",
    "content-encoding",
    "content-length",
    "user-agent",
    "host",
    "date",
    "connection",
    "transfer-encoding",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "http2-settings",
    "expect",
    "forwarded",
    "proxy-authorization",
    "proxy-connection",
];
/// Prefix of the names of all signature headers.
const RESERVED_PREFIX: &str = "x-service-";

/// All kinds but the one that takes an explicit choice (specification, Event kinds).
pub(crate) fn default_events() -> BTreeSet<EventKind> {
    let opt_in = EventKind::InfrastructureIncidentEscalated;
    EventKind::ALL.iter().copied().filter(|kind| *kind != opt_in).collect()
}

/// Refuses a receiver that would never receive an event.
pub(crate) fn check_events(events: &BTreeSet<EventKind>) -> Result<(), DirectoryError> {
    if events.is_empty() {
        return Err(DirectoryError::invalid("events", "expected at least one kind of event"));
    }
    Ok(())
}

/// Refuses headers that are not a receiver's to choose, unless they were stored before.
pub(crate) fn check_headers<V: PartialEq>(
    headers: &BTreeMap<String, V>,
    before: Option<&BTreeMap<String, V>>,
) -> Result<(), DirectoryError> {
    if before == Some(headers) {
        return Ok(());
    }
    let refused = |reason: String| Err(DirectoryError::invalid("headers", reason));
    if headers.len() > MAX_HEADERS {
        return refused(format!("expected at most {MAX_HEADERS}, found {}", headers.len()));
    }
    for name in headers.keys() {
        if name.is_empty() || name.len() > MAX_HEADER_NAME || !name.bytes().all(is_token) {
            return refused(format!(
                "{name:?} is no name of a header, 1 to {MAX_HEADER_NAME} characters in lower case"
            ));
        }
        if RESERVED_HEADERS.contains(&name.as_str()) || name.starts_with(RESERVED_PREFIX) {
            return refused(format!(
                "{name} is reserved: it is set by the service, or describes the message or its connection"
            ));
        }
    }
    Ok(())
}

/// RFC 9110 section 5.6.2, but for capital letters: names are kept in one form.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

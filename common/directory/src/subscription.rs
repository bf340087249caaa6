//! What everybody has who is told of events, webhook targets and telemetry endpoints alike: the kinds of events they
//! subscribe to, and headers of their own.

use std::collections::BTreeSet;

use common::event::EventKind;

use crate::error::DirectoryError;

/// Most custom headers of a receiver.
const MAX_HEADERS: usize = 16;
/// Longest name of a custom header.
const MAX_HEADER_NAME: usize = 100;
/// Headers that the service sets (specification, Delivery rules 4), and those that frame a message or belong to the
/// connection (RFC 9110 section 7.6.1).
const RESERVED_HEADERS: [&str; 12] = [
    "content-type",
    "user-agent",
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "proxy-connection",
];
/// What the names of all signature headers begin with.
const RESERVED_PREFIX: &str = "x-service-";

/// All kinds but the one that takes an explicit choice (specification, Event kinds).
pub(crate) fn default_events() -> BTreeSet<EventKind> {
    let opt_in = EventKind::InfrastructureIncidentEscalated;
    EventKind::ALL.iter().copied().filter(|kind| *kind != opt_in).collect()
}

/// Refuses a receiver that would never be told of anything.
pub(crate) fn check_events(events: &BTreeSet<EventKind>) -> Result<(), DirectoryError> {
    if events.is_empty() {
        return Err(DirectoryError::invalid("events", "expected at least one kind of event"));
    }
    Ok(())
}

/// Refuses headers that are not a receiver's to choose, those in `also_reserved` among them.
pub(crate) fn check_headers<'a>(
    names: impl ExactSizeIterator<Item = &'a String>,
    also_reserved: &[&str],
) -> Result<(), DirectoryError> {
    let refused = |reason: String| Err(DirectoryError::invalid("headers", reason));
    if names.len() > MAX_HEADERS {
        return refused(format!("expected at most {MAX_HEADERS}, found {}", names.len()));
    }
    for name in names {
        if name.is_empty() || name.len() > MAX_HEADER_NAME || !name.bytes().all(is_token) {
            return refused(format!(
                "{name:?} is no name of a header, 1 to {MAX_HEADER_NAME} characters in lower case"
            ));
        }
        let mut reserved = RESERVED_HEADERS.iter().chain(also_reserved);
        if reserved.any(|reserved| reserved == name) || name.starts_with(RESERVED_PREFIX) {
            return refused(format!("{name} is set by the service and cannot be overridden"));
        }
    }
    Ok(())
}

/// RFC 9110 section 5.6.2, but for capital letters: names are kept in one form.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Sets a field of which a change says something.
pub(crate) fn set<T: Clone>(field: &mut T, new: Option<&T>) {
    if let Some(new) = new {
        field.clone_from(new);
    }
}

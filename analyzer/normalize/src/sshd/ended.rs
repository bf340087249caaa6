//! Ends of connections of SSH clients.

use super::super::reading::{Outcome, Reading};
use super::{Peer, address_at_end, address_at_start, known_user, reading, server};

/// Ends of connections: with a user before login, the attempt was given up; behind it, a session ended.
pub(super) fn ended(line: &str, before_login: bool) -> Option<Reading<'_>> {
    if let Some(rest) = line.strip_prefix("Received disconnect from ") {
        let (peer, _) = address_at_start(rest)?;
        let action = if before_login && peer.port.is_none() {
            "ssh_connection_abandoned"
        } else {
            "ssh_connection_closed"
        };
        return Some(reading(action, None, peer));
    }
    if let Some(rest) = line.strip_prefix("Disconnecting: ") {
        return server::read(rest);
    }
    let (rest, may_have_reason) = ["Connection closed by ", "Connection reset by ", "Disconnected from "]
        .iter()
        .find_map(|opening| Some((line.strip_prefix(opening)?, false)))
        .or_else(|| Some((line.strip_prefix("Disconnecting ")?, true)))?;
    let (rest, named, logging_in) = if let Some(rest) = rest.strip_prefix("authenticating user ") {
        (rest, true, true)
    } else if let (rest, false) = known_user(rest) {
        (rest, true, true)
    } else {
        match rest.strip_prefix("user ") {
            Some(rest) => (rest, true, before_login),
            None => (rest, false, before_login),
        }
    };
    let rest = if may_have_reason { before_reason(rest) } else { rest };
    let peer = address_at_end(rest).map(|(before, address, port)| Peer {
        user: named.then_some(before),
        address: Some(address),
        port,
    });
    let (action, outcome) = match (logging_in, named) {
        (true, true) => ("ssh_login_abandoned", Some(Outcome::Failure)),
        (false, true) => ("ssh_session_closed", None),
        // A user who has logged in has a name: a server that writes the port writes that, too.
        (_, false) if before_login || peer.is_some_and(|peer| peer.port.is_some()) => {
            ("ssh_connection_abandoned", None)
        }
        (_, false) => ("ssh_connection_closed", None),
    };
    Some(reading(action, outcome, peer.unwrap_or_default()))
}

/// `USER ADDRESS port PORT: REASON`. A reason may quote the client, so the end is only trusted where
/// one place alone looks like it, or the reason is of the server's own words.
fn before_reason(rest: &str) -> &str {
    if let Some(before) = rest.strip_suffix(": Too many authentication failures") {
        return before;
    }
    let mut places = rest
        .match_indices(": ")
        .map(|(at, _)| &rest[..at])
        .filter(|before| address_at_end(before).is_some_and(|(_, _, port)| port.is_some()));
    match (places.next(), places.next()) {
        (Some(before), None) => before,
        _ => "",
    }
}

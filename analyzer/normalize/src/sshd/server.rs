//! Lines about a connection as such: refused by address, timed out, dropped, of a host whose name does not lead back to it.

use super::{Outcome, Peer, Reading, address, address_at_start, known_user, reading};

/// Solaris writes `[ID 800047 auth.info] ` before each message.
pub(super) fn without_message_id(line: &str) -> &str {
    let behind = line.strip_prefix("[ID ").and_then(|rest| rest.split_once("] "));
    behind.map_or(line, |(_, message)| message)
}

/// Reads such a line.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    refused_by_address(line)
        .or_else(|| timed_out(line))
        .or_else(|| dropped(line))
        .or_else(|| wrong_host(line))
        .or_else(|| without_address(line))
        .or_else(|| reverse_mapping(line))
}

/// `refused connect from NAME (ADDRESS)`, of TCP wrappers; once the address alone.
fn refused_by_address(line: &str) -> Option<Reading<'_>> {
    let rest = line.strip_prefix("refused connect from ")?;
    let found = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((_, inner)) => address(inner),
        None => address(rest),
    };
    Some(reading("ssh_login_denied", Some(Outcome::Failure), Peer { address: found, ..Peer::default() }))
}

/// `Timeout before authentication for [connection from ]ADDRESS[ port PORT][ to …]`.
fn timed_out(line: &str) -> Option<Reading<'_>> {
    let rest = line.strip_prefix("Timeout before authentication for ")?;
    let rest = rest.strip_prefix("connection from ").unwrap_or(rest);
    let (peer, _) = address_at_start(rest.split(',').next().unwrap_or(rest))?;
    Some(reading("ssh_connection_abandoned", None, peer))
}

/// `drop connection #11 from [ADDRESS]:PORT on [ADDRESS]:PORT past MaxStartups`, or `penalty: …`.
fn dropped(line: &str) -> Option<Reading<'_>> {
    let (_, rest) = line.strip_prefix("drop connection #")?.split_once(" from [")?;
    let (inner, rest) = rest.split_once("]:")?;
    let port = rest.split(' ').next();
    Some(reading(
        "ssh_login_denied",
        Some(Outcome::Failure),
        Peer { user: None, address: address(inner), port },
    ))
}

/// `Authentication tried for USER with correct key but not from a permitted host (host=NAME, ip=ADDRESS).`
fn wrong_host(line: &str) -> Option<Reading<'_>> {
    let rest = line.strip_prefix("Authentication tried for ")?;
    let (user, rest) = rest.split_once(" with correct key but not from a permitted host (host=")?;
    let (_, rest) = rest.rsplit_once(", ip=")?;
    let found = address(rest.trim_end_matches(['.', ')']));
    Some(reading(
        "ssh_login_denied",
        Some(Outcome::Failure),
        Peer { user: Some(user), address: found, port: None },
    ))
}

/// Lines of old servers beside the one with the address.
fn without_address(line: &str) -> Option<Reading<'_>> {
    let user_alone =
        |action, user| reading(action, Some(Outcome::Failure), Peer { user: Some(user), ..Peer::default() });
    if let Some(rest) = line.strip_prefix("input_userauth_request: ") {
        let (user, is_known) = known_user(rest);
        return (!is_known).then(|| user_alone("ssh_invalid_user", user));
    }
    let (user, _) = known_user(line.strip_prefix("Too many authentication failures for ")?);
    Some(user_alone("ssh_attempts_exceeded", user))
}

/// `reverse mapping checking getaddrinfo for NAME [ADDRESS] failed - POSSIBLE BREAK-IN ATTEMPT!`, `Address ADDRESS maps to NAME, …`.
/// Despite the words, it is no attempt: every login from a host with a careless name server begins with it.
fn reverse_mapping(line: &str) -> Option<Reading<'_>> {
    let found = if let Some(rest) = line.strip_prefix("reverse mapping checking ") {
        rest.split_once(" failed")
            .and_then(|(names, _)| names.strip_suffix(']')?.rsplit_once('['))
            .and_then(|(_, inner)| address(inner))
    } else {
        let (first, rest) = line.strip_prefix("Address ")?.split_once(' ')?;
        rest.starts_with("maps to ").then(|| address(first)).flatten()
    };
    Some(reading("ssh_name_mismatch", None, Peer { address: found, ..Peer::default() }))
}

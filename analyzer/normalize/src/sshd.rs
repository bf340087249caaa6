//! Lines of OpenSSH's server. The client chooses the user name, so the address is read from
//! the end of the line, where the server writes it; if text of the client stands on both
//! sides of it and two readings are possible, no address is taken at all.

mod ended;
mod server;

use super::address::written;
use super::reading::{Outcome, Reading};
use super::split;
use ended::ended;

const CATEGORY: &str = "authentication";
const SERVICE: &str = "sshd";

/// Subject of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Peer<'t> {
    user: Option<&'t str>,
    address: Option<&'t str>,
    port: Option<&'t str>,
}

/// Reads one line. A line of unknown wording still is sshd's.
pub(super) fn read(line: &str) -> Reading<'_> {
    let line = server::without_message_id(line.trim());
    let line = line.strip_prefix("error: ").or_else(|| line.strip_prefix("fatal: ")).unwrap_or(line);
    let (line, before_login) = match line.strip_suffix(" [preauth]") {
        Some(line) => (line, true),
        None => (line, false),
    };
    login(line)
        .or_else(|| invalid_user(line))
        .or_else(|| attempts_exceeded(line))
        .or_else(|| refused(line))
        .or_else(|| pam_failure(line))
        .or_else(|| ended(line, before_login))
        .or_else(|| probe(line))
        .or_else(|| server::read(line))
        .unwrap_or_else(|| Reading::linux(Some(CATEGORY), Some(SERVICE)))
}

/// A user's name without the words that say that it is none, and whether the server knows it.
fn known_user(rest: &str) -> (&str, bool) {
    let unknown = ["invalid user ", "illegal user "].iter().find_map(|words| rest.strip_prefix(words));
    unknown.map_or((rest, true), |rest| (rest, false))
}

/// Whether a line without a program's name is certainly sshd's: it opens like one and ends in an
/// address and a port.
pub(super) fn is_unmistakable(line: &str) -> bool {
    const OPENINGS: [&str; 13] = [
        "Failed password for ",
        "Failed publickey for ",
        "Accepted password for ",
        "Accepted publickey for ",
        "Invalid user ",
        "Connection closed by invalid user ",
        "Connection closed by authenticating user ",
        "Connection reset by invalid user ",
        "Connection reset by authenticating user ",
        "Disconnected from invalid user ",
        "Disconnected from authenticating user ",
        "Disconnecting invalid user ",
        "Disconnecting authenticating user ",
    ];
    matches!(line.as_bytes().first(), Some(b'F' | b'A' | b'I' | b'C' | b'D'))
        && OPENINGS.iter().any(|opening| line.starts_with(opening))
        && read(line).has("client.port")
}

fn reading<'t>(action: &'static str, outcome: Option<Outcome>, peer: Peer<'t>) -> Reading<'t> {
    let mut reading = Reading::linux(Some(CATEGORY), Some(SERVICE));
    reading.action(action, outcome);
    if let Some(user) = peer.user {
        reading.text("user.name", user);
    }
    if let Some(address) = peer.address {
        reading.text("client.address", address);
    }
    if let Some(port) = peer.port {
        reading.number("client.port", port);
    }
    reading
}

/// `Failed METHOD for [invalid user ]USER from ADDRESS port PORT ssh2[: KEY]`, and `Accepted …`.
fn login(line: &str) -> Option<Reading<'_>> {
    let (rest, action, outcome) = if let Some(rest) = line.strip_prefix("Failed ") {
        (rest, "ssh_login_failed", Outcome::Failure)
    } else {
        (line.strip_prefix("Accepted ")?, "ssh_login_succeeded", Outcome::Success)
    };
    let (method, rest) = split::at_first(rest, " for ")?;
    if method.is_empty() || method.contains(' ') {
        return None;
    }
    let (rest, user_is_known) = known_user(rest);
    let mut found = reading(action, Some(outcome), login_peer(rest).unwrap_or_default());
    found.text("ssh.authentication.method", method);
    found.push("user.known", sigma::event::Value::Bool(user_is_known));
    Some(found)
}

/// The key behind the address holds text of the client's choice when it is a certificate. A plain
/// key is two words, or one of old servers.
fn login_peer(rest: &str) -> Option<Peer<'_>> {
    const END: &str = " ssh2";
    if let Some(rest) = rest.strip_suffix(END) {
        return from_peer(rest);
    }
    const BEFORE_KEY: &str = " ssh2: ";
    let Some((before, key)) = split::at_first(rest, BEFORE_KEY) else {
        // The first version of the protocol has no word of its own.
        return from_peer(rest).filter(|peer| peer.port.is_some());
    };
    if split::at_first(key, BEFORE_KEY).is_none() {
        return from_peer(before);
    }
    let mut places = rest
        .match_indices(BEFORE_KEY)
        .filter_map(|(at, mark)| Some((from_peer(&rest[..at])?, &rest[at + mark.len()..])));
    let (first, _) = places.next()?;
    let Some((last, key)) = places.last() else { return Some(first) };
    (key.split(' ').count() <= 2).then_some(last)
}

/// `USER from ADDRESS[ port PORT]`, read from its end.
fn from_peer(text: &str) -> Option<Peer<'_>> {
    let (before, address, port) = address_at_end(text)?;
    let user = if before == "from" { "" } else { before.strip_suffix(" from")? };
    Some(Peer { user: Some(user), address: Some(address), port })
}

/// `TEXT ADDRESS[ port PORT]`: the text before the address, the address, the port. Looks at the
/// last words only: it is asked at many places of one line.
fn address_at_end(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let last_word = |text| split::at_last(text, " ").unwrap_or(("", text));
    let (before_port, word) = last_word(text);
    let (text, port) = match before_port.strip_suffix(" port") {
        Some(before) if is_port(word) => (before, Some(word)),
        _ => (text, None),
    };
    let (before, word) = last_word(text);
    Some((before, address(word)?, port))
}

/// `ADDRESS port PORT…`: the address, the port, and the rest.
fn address_at_start(text: &str) -> Option<(Peer<'_>, &str)> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let address = Some(address(word.trim_end_matches(':'))?);
    let digits = rest.strip_prefix("port ").unwrap_or_default();
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    let port = Some(&digits[..end]).filter(|port| is_port(port));
    Some((Peer { user: None, address, port }, &digits[end..]))
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok()
}

/// The word as an address, without an interface. Names are not taken: with `UseDNS` the address's owner chooses them.
fn address(word: &str) -> Option<&str> {
    written(word).filter(|found| found.port.is_none()).map(|found| found.address)
}

/// `Invalid user USER from ADDRESS[ port PORT]`.
fn invalid_user(line: &str) -> Option<Reading<'_>> {
    let rest = line.strip_prefix("Invalid user ").or_else(|| line.strip_prefix("Illegal user "))?;
    let mut found = reading("ssh_invalid_user", Some(Outcome::Failure), from_peer(rest).unwrap_or_default());
    found.push("user.known", sigma::event::Value::Bool(false));
    Some(found)
}

/// `maximum authentication attempts exceeded for [invalid user ]USER from ADDRESS port PORT ssh2`.
fn attempts_exceeded(line: &str) -> Option<Reading<'_>> {
    let rest = line.strip_prefix("maximum authentication attempts exceeded for ")?;
    let (rest, _) = known_user(rest);
    let peer = rest.strip_suffix(" ssh2").and_then(from_peer).unwrap_or_default();
    Some(reading("ssh_attempts_exceeded", Some(Outcome::Failure), peer))
}

/// `User USER[ from ADDRESS] not allowed because …`, `ROOT LOGIN REFUSED FROM ADDRESS port PORT`.
fn refused(line: &str) -> Option<Reading<'_>> {
    const ACTION: &str = "ssh_login_denied";
    if let Some(rest) = line.strip_prefix("ROOT LOGIN REFUSED FROM ") {
        let (_, address, port) = address_at_end(rest)?;
        let peer = Peer { user: Some("root"), address: Some(address), port };
        return Some(reading(ACTION, Some(Outcome::Failure), peer));
    }
    let (who, _) = line.strip_prefix("User ")?.rsplit_once(" not allowed because ")?;
    let alone = || Peer { user: Some(who).filter(|who| !who.contains(' ')), ..Peer::default() };
    Some(reading(ACTION, Some(Outcome::Failure), from_peer(who).unwrap_or_else(alone)))
}

/// `PAM: REASON for [illegal user ]USER from ADDRESS`.
fn pam_failure(line: &str) -> Option<Reading<'_>> {
    const REASONS: [&str; 6] = [
        "authentication failure",
        "authentication error",
        "user not known to the underlying authentication module",
        "have exhausted maximum number of retries for service",
        "permission denied",
        "maximum number of tries exceeded",
    ];
    let (reason, rest) = split::at_first(line.strip_prefix("PAM: ")?, " for ")?;
    // One reason has the word itself.
    let (reason, rest) = match rest.strip_prefix("service for ") {
        Some(behind) => ("have exhausted maximum number of retries for service", behind),
        None => (reason, rest),
    };
    if !REASONS.iter().any(|known| reason.eq_ignore_ascii_case(known)) {
        return None;
    }
    let (rest, _) = known_user(rest);
    Some(reading("pam_authentication_failed", Some(Outcome::Failure), from_peer(rest).unwrap_or_default()))
}

/// Clients that do not speak the protocol, or only look whether anybody is there.
fn probe(line: &str) -> Option<Reading<'_>> {
    const AT_START: [&str; 8] = [
        "Did not receive identification string from ",
        "Protocol major versions differ for ",
        "scanned from ",
        "probed from ",
        "ssh_dispatch_run_fatal: Connection to ",
        "banner exchange: Connection from ",
        "Unable to negotiate with ",
        "ssh_dispatch_run_fatal: Connection from ",
    ];
    if let Some(rest) = line.strip_prefix("Connection from ") {
        return Some(reading("ssh_connection_opened", None, address_at_start(rest)?.0));
    }
    let peer = match AT_START.iter().find_map(|opening| line.strip_prefix(opening)) {
        Some(rest) => address_at_start(rest)?.0,
        None => {
            let rest = line.strip_prefix("Bad protocol version identification ")?;
            Peer { user: None, ..from_peer(rest)? }
        }
    };
    Some(reading("ssh_protocol_error", Some(Outcome::Failure), peer))
}

#[cfg(test)]
mod tests;

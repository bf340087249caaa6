//! Lines of services that people log in to: mail, databases, file transfer, telephony, VPN, directories and others. Their
//! wording is data, in the tables below `services/`; a line of a program without a table is read by [`super::last_resort`].
//!
//! All of them state one of a few actions, so that one set of rules counts them all, by client address and program.

pub(super) mod header;
mod notation;
mod pattern;
mod records;
mod table;

use self::pattern::Found;
pub(super) use self::records::read as read_record;
use self::table::{TABLES, Wording};
use super::reading::{Outcome, Reading, source};

/// The category of lines about logins.
const CATEGORY: &str = "authentication";

/// Whether a program has a table.
pub(super) fn has_table(program: &str) -> bool {
    TABLES.has_program(program)
}

/// Reads a line of a program that has a table; `None` where no wording of it is the line's.
pub(super) fn read_named<'t>(program: &str, line: &'t str) -> Option<Reading<'t>> {
    let line = line.trim_start();
    let read = |line| {
        TABLES.of_program(program).find_map(|wording| Some(reading(wording, wording.pattern.read(line)?)))
    };
    // A word such as `warning:` belongs to some wordings, and stands before others; some programs pass the header of their
    // own log on to the system's.
    read(line).or_else(|| read(header::without_level(line)?)).or_else(|| {
        TABLES
            .of_program(program)
            .filter(|wording| wording.is_unmistakable)
            .find_map(|wording| behind_header(line, wording))
    })
}

/// Reads a line of an unknown program, behind the header of its log, by the wordings that are one service's own.
pub(super) fn read_unnamed(line: &str) -> Option<Reading<'_>> {
    TABLES.unnamed(line).find_map(|wording| {
        let mut reading = behind_header(line, wording)?;
        reading.text("process.name", wording.service);
        Some(reading)
    })
}

/// Reads a line behind the header of a service's own log, which may name the client and the user.
fn behind_header<'t>(line: &'t str, wording: &Wording) -> Option<Reading<'t>> {
    let (header, message) = header::split(line, wording)?;
    let mut found = wording.pattern.read(message)?;
    found.address =
        found.address.or_else(|| header::only_address(header).filter(|_| !wording.pattern.has_client()));
    found.user = found.user.or_else(|| header::only_user(header).filter(|_| !wording.pattern.has_user()));
    Some(reading(wording, found))
}

/// Reads a line that no reader knows, if it says that a login failed.
pub(super) fn read_unknown(line: &str) -> Option<Reading<'_>> {
    let failure = super::last_resort::read(line)?;
    let mut reading =
        Reading { fields: Vec::with_capacity(4), log_source: source(None, Some(CATEGORY), None) };
    reading.action("login_failed", Some(Outcome::Failure));
    reading.text("client.address", failure.address);
    if let Some(user) = failure.user {
        reading.text("user.name", user);
    }
    Some(reading)
}

fn reading<'t>(wording: &Wording, found: Found<'t>) -> Reading<'t> {
    let log_source = source(None, Some(CATEGORY), Some(wording.service));
    let mut reading = Reading { fields: Vec::with_capacity(8), log_source };
    reading.action(wording.action.name(), wording.action.outcome());
    // A service on the same host, such as a webmail, logs in for others: it is not the client.
    let is_remote = found.address.is_some_and(|address| !is_loopback(address));
    if let Some(address) = found.address.filter(|_| is_remote) {
        reading.text("client.address", address);
    }
    if let Some(port) = found.port.filter(|_| is_remote) {
        reading.number("client.port", port);
    }
    if let Some(user) = found.user {
        reading.text("user.name", user);
    }
    if let Some(object) = found.object {
        reading.text("service.target.name", object);
    }
    reading
}

fn is_loopback(address: &str) -> bool {
    matches!(address.as_bytes(), [b'1', b'2', b'7', b'.', ..]) || address == "::1"
}

#[cfg(test)]
mod tests;

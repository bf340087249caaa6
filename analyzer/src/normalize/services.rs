//! Lines of services that people log in to: mail, databases, file transfer, telephony, VPN, directories and others. Their
//! wording is data, in the tables below `services/`; a line of a program without a table is read by [`last_resort`].
//!
//! All of them state one of a few actions, so that one set of rules counts them all, by client address and program.

mod header;
mod last_resort;
mod pattern;
mod table;

use self::pattern::Found;
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
    let read = |line| {
        TABLES.of_program(program).find_map(|wording| Some(reading(wording, wording.pattern.read(line)?)))
    };
    // A word such as `warning:` belongs to some wordings, and stands before others.
    read(line).or_else(|| read(header::without_level(line)?))
}

/// Reads a line of an unknown program, behind the header of its log, by the wordings that are one service's own.
pub(super) fn read_unnamed(line: &str) -> Option<Reading<'_>> {
    TABLES.unnamed(line).find_map(|wording| {
        let (header, message) = header::split(line, wording)?;
        let mut found = wording.pattern.read(message)?;
        found.address =
            found.address.or_else(|| header::only_address(header).filter(|_| !wording.pattern.has_client()));
        let mut reading = reading(wording, found);
        reading.text("process.name", wording.service);
        Some(reading)
    })
}

/// Reads a line that no reader knows, if it says that a login failed.
pub(super) fn read_unknown(line: &str) -> Option<Reading<'_>> {
    let failure = last_resort::read(line)?;
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
    reading.action(wording.action.name(), Some(wording.action.outcome()));
    if let Some(address) = found.address {
        reading.text("client.address", address);
    }
    if let Some(port) = found.port {
        reading.number("client.port", port);
    }
    if let Some(user) = found.user {
        reading.text("user.name", user);
    }
    reading
}

#[cfg(test)]
mod tests;

//! Lines of services that people log in to: mail, databases, file transfer, telephony, VPN, directories and others. Their
//! wording is data, in the tables below `services/`; a line of a program without a table is read by [`super::last_resort`].
//!
//! All of them state one of a few actions, so that one set of rules counts them all, by client address and program.

mod literals;
mod gitlab;
mod budget;
mod notation;
mod pattern;
mod records;
mod table;

use sigma::event::LogSource;

use self::budget::Budget;
use self::pattern::Found;
pub(super) use self::records::read as read_record;
use self::table::{TABLES, Wording};
use super::header;
use super::reading::{Outcome, Reading, source};

/// The category of lines about logins.
const CATEGORY: &str = "authentication";

/// Whether a program has a table.
pub(super) fn has_table(program: &str) -> bool {
    TABLES.has_program(program)
}

/// The service whose table a program has.
pub(super) fn of_program(program: &str) -> Option<&'static str> {
    TABLES.of_program(program).next().map(|wording| wording.service)
}

/// The title by which users know a service that has a table.
pub(super) fn title(service: &str) -> Option<&'static str> {
    TABLES.title(service)
}

/// Whether a log source is that of a failed login in the words of a program without a table.
pub(super) fn is_of_unknown_program(log_source: &LogSource<'_>) -> bool {
    let LogSource { product, category, service } = log_source;
    let has_table = || service.as_deref().is_some_and(|service| title(service).is_some());
    category.as_deref() == Some(CATEGORY) && product.is_none() && !has_table()
}

/// The titles of all services that have a table.
pub(super) fn titles() -> impl Iterator<Item = &'static str> {
    TABLES.titles()
}

/// Reads a line of a program that has a table; `None` if no wording of it is the line's.
pub(super) fn read_named<'t>(program: &str, line: &'t str) -> Option<Reading<'t>> {
    if !has_table(program) {
        return None;
    }
    let line = line.trim_start();
    let budget = &Budget::of_line();
    let whole = |line| {
        let wordings = TABLES.of_program(program);
        agreed(wordings.filter_map(|wording| Some((wording, wording.pattern.read(line, budget)?))), budget)
    };
    let wordings = || TABLES.of_program(program).filter(|wording| wording.is_unmistakable);
    // A word such as `warning:` belongs to some wordings, and stands before others; some programs pass the header of their
    // own log on to the system's.
    let (wording, found) = whole(line)
        .or_else(|| whole(header::without_level(line)?))
        .or_else(|| agreed(wordings().filter_map(|wording| behind_header(line, wording, budget)), budget))?;
    Some(reading(wording, found))
}

/// Reads a line of an unknown program, behind the header of its log, by the wordings that are one service's own.
pub(super) fn read_unnamed(line: &str) -> Option<Reading<'_>> {
    let found = TABLES.unnamed(line).filter(|wording| wording.is_certain(line));
    let budget = &Budget::of_line();
    let (wording, found) = agreed(found.filter_map(|wording| behind_header(line, wording, budget)), budget)?;
    let mut reading = reading(wording, found);
    reading.text("process.name", wording.service);
    Some(reading)
}

/// The first of several ways to read a line, without the address if any two of them differ there, and without any field if
/// there may be others.
fn agreed<'w, 't>(
    mut ways: impl Iterator<Item = (&'w Wording, Found<'t>)>,
    budget: &Budget,
) -> Option<(&'w Wording, Found<'t>)> {
    let (wording, mut found) = ways.next()?;
    for (other, also) in ways {
        if other.pattern.has_client() && also.address != found.address {
            (found.address, found.port) = (None, None);
        }
    }
    Some((wording, if budget.is_spent() { Found::default() } else { found }))
}

/// Reads a line behind the header of a service's own log, which may name the client and the user. An address that is part of
/// the user's name is the client's text.
fn behind_header<'w, 't>(
    line: &'t str,
    wording: &'w Wording,
    budget: &Budget,
) -> Option<(&'w Wording, Found<'t>)> {
    let (header, message) = split(line, wording)?;
    let mut found = wording.pattern.read(message, budget)?;
    found.user = found.user.or_else(|| header::only_user(header).filter(|_| !wording.pattern.has_user()));
    if found.address.is_none() && !wording.pattern.has_client() {
        let is_of_user = |address: &&str| found.user.is_some_and(|user| user.contains(*address));
        found.address = header::only_address(header).filter(|address| !is_of_user(address));
    }
    Some((wording, found))
}

/// A line's header and the part that a wording is about; `None` if the wording stands behind anything else.
fn split<'t>(line: &'t str, wording: &Wording) -> Option<(&'t str, &'t str)> {
    let first = wording.pattern.first_literal();
    if first.is_empty() {
        let message = header::message(line);
        return Some((line.strip_suffix(message).unwrap_or_default(), message));
    }
    let at = memchr::memmem::find(line.as_bytes(), first.as_bytes()).filter(|at| *at <= header::LONGEST)?;
    let (header, message) = line.split_at_checked(at)?;
    header::is_header(header).then_some((header, message))
}

/// Reads a line that no reader knows, if it reports a failed login.
pub(super) fn read_unknown(line: &str) -> Option<Reading<'_>> {
    let failure = super::last_resort::read(line)?;
    let mut reading =
        Reading { fields: Vec::with_capacity(4), log_source: source(None, Some(CATEGORY), None) };
    reading.action("login_failed", Some(Outcome::Failure));
    if let Some(address) = failure.address {
        reading.text("client.address", address);
    }
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

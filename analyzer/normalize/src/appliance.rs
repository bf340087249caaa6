//! Appliances that write lines of their own making: firewalls, routers and gateways. Those whose lines are named
//! values need no reader, the dictionary knows their names.

mod cisco;
mod filterlog;
mod management;
mod palo_alto;

use super::address;
use super::reading::{Outcome, Reading, source};
use super::verdict::{ALLOWED, DENIED, LOGIN_FAILED, LOGIN_SUCCEEDED};

pub(super) use self::cisco::mnemonic;
pub(super) use self::filterlog::read as filterlog;
pub(super) use self::management::{bsd, pam_audit};
pub(super) use self::palo_alto::read as palo_alto;

/// Reads a message behind its mnemonic, `%ASA-6-113005: …`.
pub(super) fn cisco(text: &str) -> Option<Reading<'_>> {
    cisco::read(text)
}

/// A reading of a product's line: the product is the program, too.
fn of<'t>(product: &'static str, category: Option<&'static str>, program: &'static str) -> Reading<'t> {
    let mut reading =
        Reading { fields: Vec::with_capacity(12), log_source: source(Some(product), category, None) };
    reading.text("process.name", program);
    reading
}

/// Adds a login: who, from where, and whether it worked. An address that is none is left out.
fn login<'t>(reading: &mut Reading<'t>, worked: bool, user: &'t str, address: &'t str) {
    let (action, outcome) =
        if worked { (LOGIN_SUCCEEDED, Outcome::Success) } else { (LOGIN_FAILED, Outcome::Failure) };
    reading.action(action, Some(outcome));
    let user = user.trim().trim_matches(['\'', '"', '<', '>']);
    if !user.chars().all(|mark| mark == '*') {
        reading.text("user.name", user);
    }
    if let Some(address) = address::in_value(address.trim().trim_matches(['<', '>', ',', '.'])) {
        reading.text("client.address", address);
    }
}

/// Adds one end of a connection.
fn end<'t>(
    reading: &mut Reading<'t>,
    [address_name, port_name]: [&'static str; 2],
    address: &'t str,
    port: &str,
) -> Option<()> {
    let address = address::in_value(address)?;
    reading.text(address_name, address);
    if port != "0" {
        reading.number(port_name, port);
    }
    Some(())
}

const SOURCE: [&str; 2] = ["source.address", "source.port"];
const DESTINATION: [&str; 2] = ["destination.address", "destination.port"];

/// Sets the action on traffic.
fn traffic(reading: &mut Reading<'_>, denied: bool) {
    if denied {
        reading.action(DENIED, Some(Outcome::Failure));
    } else {
        reading.action(ALLOWED, Some(Outcome::Success));
    }
}

/// The text between two marks.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0)
}

/// The word behind a mark.
fn word_after<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(mark)?;
    rest.split_ascii_whitespace().next()
}

#[cfg(test)]
mod tests;

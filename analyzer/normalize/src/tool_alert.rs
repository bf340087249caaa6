//! Alerts of other tools: findings of cloud posture management, network intrusion detection, web application
//! firewalls, antivirus and endpoint detection, with the severity they state and their subject.
//!
//! A structured alert is recognised by names that only its format has (`formats`). It gets `event.kind: alert`,
//! `alert.severity`, `alert.subject` (`host`, `user`, `address` or `resource`) and the field of that subject. What
//! a web application firewall did to a request is an action on that request (`firewalls`). Lines are read in
//! `lines`.

mod appliances;
mod cef;
mod cloud;
mod endpoint;
mod firewalls;
mod formats;
pub(super) mod lines;
mod lookup;
mod network;
mod severity;
mod subject;

use std::borrow::Cow;

use sigma::event::{Event, Value};

use self::formats::{FORMATS, Format};
use self::lookup::{equals, find, first_text};
pub(super) use self::severity::Severity;
use self::subject::Subject;
use super::presence::{self, Presence};
use super::reading::{Outcome, Reading, add_absent, source};
use crate::record::Entries;

/// Content of an alert, whatever its format.
pub(super) struct Alert<'a> {
    tool: &'static str,
    signature: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
    severity: Severity,
    subject: Subject<'a>,
    /// Whether it was found in the traffic of a network, where the subject may be anybody.
    is_traffic: bool,
    /// Whether the tool stopped the traffic, where it states that.
    blocked: Option<bool>,
}

/// Reads a structured record, or the fields of its line, which identify CEF. A record that is no alert stays unchanged.
pub(super) fn read<'a>(
    fields: &Entries<'a>,
    line: &Entries<'a>,
    presence: &Presence,
    reading: &mut Reading<'a>,
) {
    if line.first().is_some_and(|(name, _)| name == "DeviceVendor") {
        cef::read(line, reading);
        return;
    }
    let mut gates = Gates::default();
    presence.each_in_common(&GATES, |index| gates.open(index));
    if gates.are_shut() || firewalls::read(fields, presence, reading) {
        return;
    }
    let recognised = gates.formats().find_map(|format| {
        // The gate is one bit, which other names may have set as well.
        let may_be = format.marks.iter().all(|mark| mark.may_be_on(presence));
        let root = lookup::root(fields, format.root).filter(|_| may_be)?;
        format.marks.iter().all(|mark| mark.is_on(fields)).then_some((format, root))
    });
    let Some((format, root)) = recognised else { return };
    // A finding that was resolved, suppressed or passed is sent again, and is none.
    if format.closed.iter().any(|(path, words)| find(root, path).is_some_and(|value| equals(value, words))) {
        return;
    }
    alert(format, fields, root).add_to(reading);
}

/// Names of which each structured alert has one.
static GATES: Presence = Presence::of(&gates());

/// Hashes of these names, those of [`FORMATS`] first.
const fn gates() -> [u32; FORMATS.len() + firewalls::GATES.len()] {
    let mut gates = [0; FORMATS.len() + firewalls::GATES.len()];
    let mut index = 0;
    while index < FORMATS.len() {
        gates[index] = FORMATS[index].gate;
        index += 1;
    }
    while index < gates.len() {
        gates[index] = firewalls::GATES[index - FORMATS.len()];
        index += 1;
    }
    gates
}

/// The formats, and the firewalls, of which a record may have the gate: one bit each, in their order.
#[derive(Default)]
struct Gates(u64);

/// The formats whose gates have an index.
static GATES_BY_INDEX: [u64; presence::INDEXES] = {
    let (mut by_index, gates) = ([0; presence::INDEXES], gates());
    let mut format = 0;
    while format < gates.len() {
        by_index[presence::index(gates[format])] |= 1 << format;
        format += 1;
    }
    by_index
};

impl Gates {
    fn open(&mut self, index: usize) {
        self.0 |= GATES_BY_INDEX.get(index).copied().unwrap_or_default();
    }

    fn are_shut(&self) -> bool {
        self.0 == 0
    }

    /// The formats, in their order.
    fn formats(&self) -> impl Iterator<Item = &'static Format> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let first = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            FORMATS.get(first)
        })
    }
}

fn alert<'a>(format: &Format, fields: &Entries<'a>, root: &Entries<'a>) -> Alert<'a> {
    let severity = format.severity.iter().find_map(|path| format.scale.of(find(root, path)?));
    Alert {
        tool: format.tool,
        // Groups need a value.
        signature: first_text(root, format.signature).or(Some(Cow::Borrowed(format.tool))),
        id: first_text(root, format.id),
        severity: severity.unwrap_or(format.unstated),
        subject: subject::of(format, fields, root),
        is_traffic: format.is_traffic,
        blocked: format
            .blocked
            .map(|(path, words)| find(root, path).is_some_and(|value| equals(value, words))),
    }
}

impl<'a> Alert<'a> {
    /// The severity with the outcome in mind: an attack from the network that was stopped is an attempt, of which the internet
    /// makes many. Attempts are counted.
    fn effective(&self) -> Severity {
        let is_attempt = self.is_traffic && self.blocked == Some(true);
        match self.severity {
            Severity::High | Severity::Critical if is_attempt => Severity::Medium,
            severity => severity,
        }
    }

    /// Fields of an alert stand before all others of their names: those of its collector are not meant.
    fn add_to(self, reading: &mut Reading<'a>) {
        let known = std::mem::take(reading);
        reading.text("event.kind", "alert");
        reading.text("alert.tool", self.tool);
        reading.text("alert.severity", self.effective().as_str());
        if self.blocked.is_some() {
            reading.text("alert.severity.stated", self.severity.as_str());
        }
        if let Some(blocked) = self.blocked {
            reading.text("alert.action", if blocked { "blocked" } else { "allowed" });
            reading.outcome(Some(if blocked { Outcome::Failure } else { Outcome::Success }));
        }
        if self.is_traffic {
            reading.text("alert.scope", "traffic");
        }
        for (name, value) in [("rule.name", self.signature), ("rule.id", self.id)] {
            if let Some(text) = value {
                reading.push(name, Value::String(text));
            }
        }
        self.subject.add_to(reading);
        reading.append(known);
        // Rules for antivirus programs are for these, and so are those for alerts.
        let category = if self.tool == lines::CLAMAV { "malware_alert" } else { "alert" };
        reading.log_source = source(None, Some(category), Some(self.tool));
    }
}

/// An alert about a host that nothing names is still about one: groups need a value.
pub(super) fn complete(event: &mut Event<'_>, presence: &mut Presence) {
    if !presence.has("alert.subject") {
        return;
    }
    let is_host = event.fields.iter().any(|(name, value)| {
        name == "alert.subject" && matches!(value, Value::String(text) if text == subject::HOST)
    });
    if is_host {
        add_absent(event, presence, "host.name", Value::String(Cow::Borrowed("unknown")));
    }
}

#[cfg(test)]
mod appliance_tests;
#[cfg(test)]
mod tests;

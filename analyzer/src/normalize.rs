//! What a record means: one flat event with canonical field names, its time, its own id and its log
//! source. Which rules match is said in `detect`.
//!
//! A record's structure comes first: attributes verbatim, the entries of a map body at the top
//! level. Where there is text, a reader chosen by the program that wrote it, or by the shape of the
//! line, adds canonical fields, never in the place of fields that are there. A transport says
//! nothing about what wrote a line, so none is asked.

pub mod aliases;

mod access_log;
mod container;
mod envelope;
mod identity;
mod json;
mod log_source;
mod pam;
mod program;
mod reading;
mod roles;
mod sshd;
mod su;
mod sudo;
mod syslog;
mod time;
mod web;
mod windows;

use std::borrow::Cow;

use common::timestamp::Timestamp;
use sigma::event::{Event, Value};

use self::envelope::Envelope;
use self::reading::Reading;
use self::roles::{Role, Roles};
use crate::record::Record;

/// A record, ready for detection.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalized<'a> {
    /// What rules are matched against.
    pub event: Event<'a>,
    /// The record's own time: OTLP time, else observed time, else a time field of its body, else a
    /// syslog header read as UTC. `None` where it has none: the caller falls back on the time of
    /// receipt.
    pub event_time: Option<Timestamp>,
    /// The id its source gave it, with the kind of id in front. The same id means the same record.
    pub native_id: Option<String>,
    /// The text a person would read. Empty where the record has none.
    pub message: Cow<'a, str>,
    /// Whether some of it could not be read: findings on it are inconclusive. Only broken or
    /// bottomless structure counts, never the wording of a line, which an attacker may choose.
    pub partial: bool,
}

/// Normalizes one record. `received_at` completes times that have no year.
#[must_use]
pub fn normalize<'a>(record: &Record<'a>, received_at: Timestamp) -> Normalized<'a> {
    let Envelope { mut event, message, line, whole } = envelope::open(record);

    windows::flatten(&mut event.fields);
    let roles = Roles::of(&event.fields);
    let native_id = identity::native_id(&event, &roles);
    let own_time = record.time.or(record.observed_time).or_else(|| roles.time());
    let mut header_time = None;
    let mut reading = web::read(&roles);
    if reading.is_empty() {
        (reading, header_time) = read_line(&line, &roles, received_at);
    }
    reading.append(web::read_client(&roles));
    reading.log_source = log_source::refine(reading.log_source, &event, &roles);
    let host = roles.text(Role::Host);
    let severity = roles.text(Role::Severity).filter(|_| record.severity_text.is_empty());

    event.log_source = reading.log_source.clone();
    reading.add_to(&mut event);
    if let Some(host) = host {
        add_absent(&mut event, "host.name", Value::String(host));
    }
    if let Some(severity) = severity {
        add_absent(&mut event, "severity_text", Value::String(severity));
    }
    add_resource_facts(&mut event);
    let event_time = own_time.or(header_time);
    if let Some(time) = event_time {
        // Nanoseconds, as OTLP writes them: nothing is printed for rules that do not look.
        add_absent(&mut event, "timestamp", Value::Int(time.0));
    }
    Normalized { event, event_time, native_id, message, partial: !whole }
}

/// Reads a line; what comes of a text that is not part of the payload is copied.
fn read_line<'a>(
    line: &Cow<'a, str>,
    roles: &Roles<'_, 'a>,
    received_at: Timestamp,
) -> (Reading<'a>, Option<Timestamp>) {
    let program = roles.str(Role::Program);
    match line {
        Cow::Borrowed(line) => read_text(line, program, received_at),
        Cow::Owned(line) => {
            let (reading, time) = read_text(line, program, received_at);
            (reading.into_owned(), time)
        }
    }
}

/// A line whose program the record names has no header of its own; else a header names the program,
/// else the shape must do.
fn read_text<'t>(
    line: &'t str,
    program: Option<&str>,
    received_at: Timestamp,
) -> (Reading<'t>, Option<Timestamp>) {
    if let Some(program) = program {
        let header = syslog::split(line, received_at).filter(|header| header.program == Some(program));
        let content = header.map_or(line, |header| header.content);
        return (program::read_named(program, content), header.and_then(|header| header.time));
    }
    let Some(header) = syslog::split(line, received_at) else {
        return (program::read_unnamed(line), None);
    };
    let mut reading = match header.program {
        Some(program) => program::read_named(program, header.content),
        None => program::read_unnamed(header.content),
    };
    for (name, text) in [("host.name", header.host), ("process.name", header.program)] {
        reading.text(name, text.unwrap_or_default());
    }
    reading.number("process.pid", header.process_id.unwrap_or_default());
    (reading, header.time)
}

/// What the resource says about where a record comes from holds for the record, unless it says
/// otherwise itself.
fn add_resource_facts(event: &mut Event<'_>) {
    const FACTS: [(&str, &str); 4] = [
        ("host.name", "resource.host.name"),
        ("service.name", "resource.service.name"),
        ("cloud.account.id", "resource.cloud.account.id"),
        ("k8s.cluster.name", "resource.k8s.cluster.name"),
    ];
    for (name, path) in FACTS {
        if let Some(value) = event.field(path).cloned() {
            add_absent(event, name, value);
        }
    }
}

/// Adds a field unless the event has one of that name.
fn add_absent<'a>(event: &mut Event<'a>, name: &'static str, value: Value<'a>) {
    if !event.fields.iter().any(|(own, _)| own == name) {
        event.push(name, value);
    }
}

#[cfg(test)]
mod tests;

//! Meaning of a record: one flat event with canonical field names, its time, its own id and its log
//! source. Rules are matched in `detect`.
//!
//! A record's structure comes first: attributes verbatim, the entries of a map body at the top
//! level. Where there is text, a reader chosen by the program that wrote it, or by the shape of the
//! line, adds canonical fields, never in the place of fields that are there. A transport does
//! not identify the writer, so none is used.

pub mod record;
pub mod aliases;

// Content of a record.
mod envelope;
mod container;
mod journal;
mod json;
mod xml;
mod presence;
mod roles;
mod dictionary;
mod time;
// Forms of lines.
mod split;
mod content;
mod header;
mod line;
mod syslog;
mod structure;
mod auditd;
mod cef;
mod leef;
mod heroku;
mod logfmt;
mod pairs;
// Lines of programs.
mod program;
mod program_name;
mod sshd;
mod sudo;
mod su;
mod pam;
mod cron;
mod systemd;
mod services;
mod last_resort;
mod login_words;
mod netfilter;
mod access_log;
mod application_log;
mod error_log;
mod appliance;
mod haproxy;
mod squid;
mod dns_query;
mod load_balancer;
// Content of any record.
mod address;
mod cloud_audit;
mod windows;
mod web;
mod tool_alert;
mod client;
mod verdict;
mod log_source;
mod identity;
mod format;
mod reading;
mod resource;
mod word_list;

use std::borrow::Cow;

use common::timestamp::Timestamp;
use sigma::event::{Event, Value};

use self::cloud_audit::Audit;
use self::envelope::Envelope;
use self::format::Evidence;
pub use self::format::Format;
pub use self::identity::NativeId;
use self::line::Line;
use self::reading::{Fields, Reading, USUAL_FIELDS, add_absent};
use self::resource::Resource;
use self::roles::{Role, Roles};
use crate::record::{Entries, Record};

/// A record, ready for detection.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalized<'a> {
    /// The event that rules match.
    pub event: Event<'a>,
    /// The record's own time: OTLP time, else observed time, else a time field of its body, else a
    /// syslog header read as UTC. `None` if it has none: the caller falls back on the time of
    /// receipt.
    pub event_time: Option<Timestamp>,
    /// The id its source gave it. The same id means the same record.
    pub native_id: Option<NativeId<'a>>,
    /// The text a person would read. Empty where the record has none.
    pub message: Cow<'a, str>,
    /// Whether some of it could not be read: findings on it are inconclusive. Only broken or
    /// bottomless structure counts, never the wording of a line, which an attacker may choose.
    pub partial: bool,
    /// The format it was recognised as. `None` if neither its format nor its program is known.
    pub format: Option<Format>,
}

/// Normalizes one record. `received_at` completes times that have no year.
#[must_use]
pub fn normalize<'a>(record: &Record<'a>, received_at: Timestamp) -> Normalized<'a> {
    Room::default().normalize(record, received_at)
}

/// State reused from record to record of a batch: memory, and the fields of a shared resource.
#[derive(Debug, Default)]
pub struct Room<'a> {
    fields: Entries<'a>,
    read: Fields<'a>,
    resource: Resource<'a>,
    /// Names of fields that were looked up before.
    names: dictionary::Memo<'a>,
}

impl<'a> Room<'a> {
    /// The same as [`normalize`] in this room.
    #[must_use]
    pub fn normalize(&mut self, record: &Record<'a>, received_at: Timestamp) -> Normalized<'a> {
        normalize_in(self, record, received_at)
    }

    /// Takes back the room of a record that is not needed any more.
    pub fn take_back(&mut self, normalized: Normalized<'a>) {
        let mut fields = normalized.event.fields;
        self.resource.take_back(&mut fields);
        envelope::empty(&mut fields);
        self.fields = fields;
    }
}

fn normalize_in<'a>(room: &mut Room<'a>, record: &Record<'a>, received_at: Timestamp) -> Normalized<'a> {
    let fields = std::mem::take(&mut room.fields);
    let Envelope { mut event, message, line: text, whole } =
        envelope::open(fields, &mut room.resource, record);

    windows::flatten(&mut event.fields);
    let mut roles = Roles::of(&event.fields);
    if let Some(details) = cloud_audit::details_in_text(&roles) {
        cloud_audit::put_details(&mut event.fields, details);
        roles = Roles::of(&event.fields);
    }
    if let Some(carried) = cloud_audit::carried(&event, &roles) {
        event.fields.extend(carried);
        roles = Roles::of(&event.fields);
    }
    let mut reading = web::read(&roles);
    let program = roles.str(Role::Program);
    // If a record itself names the client, its message is the application's and may quote anything.
    let is_line = !roles.says_client() || program.is_some_and(program_name::has_wording);
    // Empty text without a program is no line.
    let has_program = program.is_some();
    let is_there = !text.is_empty() || has_program;
    let mut line = if reading.is_empty() && is_line && is_there {
        line::read(&text, program, received_at)
    } else {
        Line { reading, ..Line::default() }
    };
    reading = std::mem::take(&mut line.reading);
    if !line.object.is_empty() {
        let own = event.fields.len();
        event.fields.append(&mut line.object);
        windows::flatten(&mut event.fields);
        roles = Roles::of(&event.fields);
        roles.look_for_message(event.fields.get(own..).unwrap_or_default());
        let mut request = web::read(&roles);
        if !request.is_empty() {
            request.log_source.product = reading.log_source.product.take();
            reading = request;
            line.format = line.format.or(Some(Format::REQUEST));
        }
    }
    if reading.is_empty() && roles.presence().has("ID") {
        read_audit_object(&event, &mut reading, &mut line);
    }
    let audit = cloud_audit::of(&event, &roles);
    let native_id = identity::native_id(&event, &roles, audit);
    let own_time = record.time.or(record.observed_time).or_else(|| roles.time(received_at)).or(line.time);
    let event_time = own_time.or_else(|| cloud_audit::own_time(audit?, &event, &roles));
    if reading.fields.capacity() == 0 {
        reading.fields = std::mem::take(&mut room.read);
        reading.fields.reserve_exact(USUAL_FIELDS);
    }
    if line.is_loose && roles.is_disputed() {
        roles.forget_client();
    }
    let mut presence = *roles.presence();
    tool_alert::read(&event.fields, &line.fields, &presence, &mut reading);
    let header = std::mem::take(&mut line.header);
    let is_judged = complete(&mut reading, header, &event, &mut roles, audit, line.is_loose, &mut room.names);
    let evidence =
        Evidence { of_line: line.format, is_syslog: line.is_syslog, audit, is_judged, has_program };
    let format = evidence.format(&reading, &roles);
    if is_judged {
        reading.stand_beside(&mut event, presence);
    }
    event.log_source = std::mem::take(&mut reading.log_source);
    line.give_fields(&mut event, &mut presence);
    room.read = reading.add_to(&mut event, &mut presence);
    room.resource.add_facts(&mut event, &mut presence);
    tool_alert::complete(&mut event, &mut presence);
    if let Some(time) = event_time {
        // Nanoseconds, as OTLP writes them: nothing is printed for rules that do not look.
        add_absent(&mut event, &mut presence, "timestamp", Value::Int(time.0));
    }
    Normalized { event, event_time, native_id, message, partial: !whole, format }
}

/// Reads a record of auditd whose fields came as an object.
fn read_audit_object<'a>(event: &Event<'a>, reading: &mut Reading<'a>, line: &mut Line<'a>) {
    if let Some(found) = auditd::read_object(&event.fields) {
        (*reading, line.time, line.format) = (found.reading, found.time, Some(Format::AUDITD));
    }
}

/// Adds the meaning of the record's own fields, the surest first: the first of a name counts.
fn complete<'e, 'a>(
    reading: &mut Reading<'a>,
    header: Reading<'a>,
    event: &'e Event<'a>,
    roles: &mut Roles<'e, 'a>,
    audit: Option<Audit>,
    is_loose: bool,
    names: &mut dictionary::Memo<'a>,
) -> bool {
    let is_request = reading.log_source.category.as_deref() == Some("webserver");
    let is_unclaimed = reading.is_empty() && audit.is_none() && !roles.has(Role::Channel);
    if let Some(severity) = roles.text(Role::Severity) {
        reading.push("severity_text", Value::String(severity));
    }
    reading.append(header);
    match audit {
        Some(audit) => cloud_audit::read(audit, event, roles, reading),
        None => {
            windows::read(event, roles, reading);
            services::read_record(event, roles.presence(), reading);
        }
    }
    let mut category = None;
    // A request is examined only if it names no user or mentions a login.
    let is_asked = is_request
        && audit.is_none()
        && (!roles.has(Role::ClientAddress) || roles.has(Role::User) || verdict::speaks_of_login(roles));
    // Of several addresses in pairs their names tell which is the client's.
    let is_disputed =
        is_loose && services::is_of_unknown_program(&reading.log_source) && !reading.has("client.address");
    if is_unclaimed || is_asked || is_disputed {
        dictionary::look(roles, &event.fields, names);
        category = verdict::read(roles, reading);
    }
    client::read(roles, reading);
    if let Some(host) = roles.text(Role::Host) {
        reading.push("host.name", Value::String(host));
    }
    const LEADING_TO_PROCESS: [u32; 2] = [presence::hash(b"process"), presence::hash(b"process.name")];
    let may_have_process = || LEADING_TO_PROCESS.iter().any(|hash| roles.presence().has_hash(*hash));
    if let Some(program) = roles.program_name()
        && !(may_have_process() && roles.field(event, "process.name").is_some())
    {
        reading.push("process.name", Value::String(program));
    }
    if is_unclaimed {
        verdict::details(roles, reading);
    }
    if category.is_some() {
        verdict::product(roles, reading);
    }
    let mut read = std::mem::take(&mut reading.log_source);
    // A request without an answer is none to count, but the place where a login failed.
    let is_place =
        is_request && category == Some("authentication") && !reading.has("http.response.status_code");
    if let Some(category) = category.filter(|_| read.category.is_none() || is_place) {
        read.category = Some(Cow::Borrowed(category));
    }
    reading.log_source = log_source::refine(read, event, roles);
    // If nothing names the program, the service is as good.
    if category.is_some()
        && let Some(service) = reading.log_source.service.clone()
    {
        reading.push("process.name", Value::String(service));
    }
    category.is_some()
}

#[cfg(test)]
mod tests;

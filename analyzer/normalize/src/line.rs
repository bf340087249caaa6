//! A line of text: its header, then its content. Structure is read in `structure`, wordings in
//! `program`.

use std::borrow::Cow;

use common::timestamp::Timestamp;
use sigma::event::{Event, Value};

use super::content::Content;
use super::format::Format;
use super::presence::Presence;
use super::reading::{Reading, Structure, into_owned};
use super::roles::Roles;
use super::structure::{self, Text};
use super::syslog::Header;
use super::{appliance, envelope, load_balancer, program, program_name, syslog};
use crate::record::Entries;

/// Structured data with fewer parameters describes the message, and is none.
const FEWEST_PARAMETERS: usize = 3;

/// Content of a line.
#[derive(Default)]
pub(super) struct Line<'t> {
    /// Canonical fields and the log source.
    pub(super) reading: Reading<'t>,
    /// The entries of an object, whose names mean the same as in any record.
    pub(super) object: Entries<'t>,
    /// The fields of a format, whose names the format defines.
    pub(super) fields: Entries<'t>,
    /// Fields in the header.
    pub(super) header: Reading<'t>,
    /// When it was written.
    pub(super) time: Option<Timestamp>,
    /// Whether the entries are pairs that nothing but marks tell apart, so that a value may look like another pair.
    pub(super) is_loose: bool,
    /// The format, if the line alone shows it.
    pub(super) format: Option<Format>,
    /// Whether it has a header of syslog.
    pub(super) is_syslog: bool,
}

/// Reads a line. `program` wrote it, if the record names one; the result for a text that is not
/// part of the payload is copied.
pub(super) fn read<'a>(line: &Cow<'a, str>, program: Option<&str>, received_at: Timestamp) -> Line<'a> {
    match line {
        Cow::Borrowed(line) => read_text(line, program, received_at),
        Cow::Owned(line) => read_text(line, program, received_at).into_owned(),
    }
}

/// A line whose program the record names has no header of its own, unless it names the same; else a
/// header names the program, else the content must do.
fn read_text<'t>(text: &'t str, program: Option<&str>, received_at: Timestamp) -> Line<'t> {
    let header = syslog::split(text, received_at)
        .filter(|header| program.is_none_or(|program| header.program == Some(program)));
    if program.is_none()
        && let Some(line) = read_mnemonic(text, header.as_ref())
    {
        return line;
    }
    let Some(mut header) = header else { return read_content(program, text) };
    let data = structured_data(&mut header);
    // Lines of a classic load balancer begin with a time and a name, too.
    if header.program.is_none()
        && let Some(reading) = load_balancer::read(text)
    {
        return Line { reading, time: header.time, format: Some(Format::ELB), ..Line::default() };
    }
    let mut line = read_content(header.program.or(program), header.content);
    let is_unread = line.reading.is_empty() && line.object.is_empty() && line.fields.is_empty();
    if is_unread && !data.is_empty() {
        line.object = data;
        // A device's own parameters: it is no Linux, whatever its programs are called.
        line.reading = Reading::default();
    }
    line.is_syslog = true;
    line.header = syslog::read(&header);
    line.time = line.time.or(header.time);
    line
}

/// A message of Cisco's, whose mnemonic stands where others have a tag.
fn read_mnemonic<'t>(text: &'t str, header: Option<&Header<'t>>) -> Option<Line<'t>> {
    let message = match header {
        Some(header) => match header.program {
            Some(program) if program.starts_with('%') => text.get(memchr::memchr(b'%', text.as_bytes())?..),
            // A sequence number in front of a time looks like a tag.
            Some(program) if !program.bytes().all(|byte| byte.is_ascii_digit()) => None,
            _ => appliance::mnemonic(header.content),
        },
        None if text.starts_with(['%', '*', '.']) => appliance::mnemonic(text),
        None => None,
    };
    let reading = appliance::cisco(message?)?;
    let (header, time) = header.map(|header| (syslog::read(header), header.time)).unwrap_or_default();
    Some(Line { reading, header, time, format: Some(Format::CISCO), ..Line::default() })
}

/// Structured data as fields. Text of its form with other marks is the content (Check Point).
fn structured_data<'t>(header: &mut Header<'t>) -> Entries<'t> {
    if !header.data.starts_with('[') {
        return Entries::new();
    }
    let Some(Value::Map(elements)) = syslog::data(header.data) else {
        if header.content.is_empty() {
            (header.content, header.data) = (header.data, "");
        }
        return Entries::new();
    };
    // Names without the number of an enterprise are those of the standard, about the message itself.
    let parameters = elements.into_iter().filter_map(|(name, element)| match element {
        Value::Map(parameters) if name.contains('@') => Some(parameters),
        _ => None,
    });
    let mut fields: Entries<'t> = parameters.flatten().collect();
    if fields.len() < FEWEST_PARAMETERS {
        return Entries::new();
    }
    if let Some(kind) = header.message_id {
        fields.push((Cow::Borrowed("log.syslog.msgid"), Value::String(Cow::Borrowed(kind))));
    }
    fields
}

fn read_content<'t>(program: Option<&str>, content: &'t str) -> Line<'t> {
    let content = &Content::of(content);
    if program.is_some_and(program_name::has_wording) {
        return of_wording(program, program::read(program, content));
    }
    match structure::read(program, content) {
        None => of_wording(program, program::read(program, content)),
        Some(Text::Known(format, Structure { entries, reading, time })) => {
            Line { reading, fields: entries, time, format: Some(format), ..Line::default() }
        }
        Some(Text::Pairs(object)) => {
            let line = of_wording(program, program::read(program, content));
            Line { object, is_loose: true, ..line }
        }
        Some(Text::Object(object)) => {
            // As in any record that names its client: its message may quote anything.
            let message = envelope::message_of(&object).filter(|_| !Roles::of(&object).says_client());
            let reading = match message {
                Some(Cow::Borrowed(message)) => program::read(program, &Content::of(message)),
                Some(Cow::Owned(message)) => program::read(program, &Content::of(&message)).into_owned(),
                None => program::read(program, content),
            };
            Line { object, ..of_wording(program, reading) }
        }
    }
}

/// A line that was read by the wording of its program.
fn of_wording<'t>(program: Option<&str>, reading: Reading<'t>) -> Line<'t> {
    Line { format: program::format(program, &reading), reading, ..Line::default() }
}

impl<'t> Line<'t> {
    /// Moves the fields of a format into the event.
    pub(super) fn give_fields(&mut self, event: &mut Event<'t>, presence: &mut Presence) {
        for (name, _) in &self.fields {
            presence.add(name);
        }
        event.fields.append(&mut self.fields);
    }
}

impl Line<'_> {
    fn into_owned(self) -> Line<'static> {
        let owned = |entries: Entries<'_>| {
            let entry = |(name, value): (Cow<'_, str>, _)| (Cow::Owned(name.into_owned()), into_owned(value));
            entries.into_iter().map(entry).collect()
        };
        Line {
            reading: self.reading.into_owned(),
            object: owned(self.object),
            fields: owned(self.fields),
            header: self.header.into_owned(),
            time: self.time,
            is_loose: self.is_loose,
            format: self.format,
            is_syslog: self.is_syslog,
        }
    }
}

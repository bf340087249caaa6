//! A record's structure as event fields: attributes verbatim, the entries of a map body (or of a
//! body that is a JSON object in text) at the top level, the resource as one map. Reads no line.

use std::borrow::Cow;

use sigma::event::{Event, Value};

use super::resource::Resource;
use super::{container, journal, json};
use crate::record::{Entries, Record, push_entry, push_text};

/// Text inside text inside text: a container's line that holds a JSON object whose message is one.
const MAX_UNWRAPPED: u8 = 3;
/// Room enough for most records, with the fields read in them: growing copies all there is.
const USUAL_FIELDS: usize = 64;

/// A record taken out of its envelope.
pub(super) struct Envelope<'a> {
    pub(super) event: Event<'a>,
    /// The text a person would read, as it was sent.
    pub(super) message: Cow<'a, str>,
    /// The text for the line readers: the message without a container runtime's prefix.
    pub(super) line: Cow<'a, str>,
    /// Whether everything could be read.
    pub(super) whole: bool,
}

/// Opens the envelope. The fields are put into `fields`, which is empty.
pub(super) fn open<'a>(
    mut fields: Entries<'a>,
    resource: &mut Resource<'a>,
    record: &Record<'a>,
) -> Envelope<'a> {
    fields.reserve(USUAL_FIELDS);
    let mut whole = record.attributes(&mut fields);
    let own = fields.len();
    let (message, line) = match record.body_entries(&mut fields) {
        Some(body_is_whole) => {
            whole &= body_is_whole;
            match message_of(fields.get(own..).unwrap_or_default()) {
                Some(text) => from_message(text, &mut fields),
                None => Default::default(),
            }
        }
        None => {
            let (body, body_is_whole) = record.body();
            whole &= body_is_whole;
            from_body(body, &mut fields)
        }
    };
    record_fields(record, &mut fields);
    whole &= resource.lend(record, &mut fields);
    Envelope { event: Event { fields, ..Event::default() }, message, line, whole }
}

/// Drops the fields in the room. Most own nothing, which is checked without reading their content.
pub(super) fn empty(fields: &mut Entries<'_>) {
    while let Some((name, value)) = fields.pop() {
        match (&name, &value) {
            (
                Cow::Borrowed(_),
                Value::String(Cow::Borrowed(_)) | Value::Int(_) | Value::Bool(_) | Value::Null,
            ) => {
                std::mem::forget((name, value));
            }
            _ => drop((name, value)),
        }
    }
}

/// A body that is no map in the payload.
fn from_body<'a>(body: Option<Value<'a>>, fields: &mut Entries<'a>) -> (Cow<'a, str>, Cow<'a, str>) {
    match body {
        Some(Value::String(text)) => from_text(text, fields),
        // Written twice, the last one counts.
        Some(Value::Map(entries)) => {
            let message = message_of(&entries);
            fields.extend(entries);
            message.map_or_else(Default::default, |text| from_message(text, fields))
        }
        Some(Value::Null) | None => {
            let message = message_of(fields).unwrap_or_default();
            (message.clone(), message)
        }
        Some(value) => {
            fields.push((Cow::Borrowed("body"), value));
            Default::default()
        }
    }
}

/// A body that is text: the message, unless it is a JSON object with a message of its own.
fn from_text<'a>(text: Cow<'a, str>, fields: &mut Entries<'a>) -> (Cow<'a, str>, Cow<'a, str>) {
    // Most are in nothing by their first byte.
    if let Cow::Borrowed(text) = text
        && text.as_bytes().first().is_some_and(|first| first.is_ascii_alphabetic())
    {
        push_text(fields, "message", text);
        return (Cow::Borrowed(text), Cow::Borrowed(text));
    }
    if let Cow::Borrowed(text) = text
        && let Some(mut entries) = journal::entries(text)
    {
        let message = message_of(&entries).unwrap_or_default();
        fields.append(&mut entries);
        return from_message(message, fields);
    }
    let (inner, line) = from_message(text.clone(), fields);
    push_entry(fields, "message", Value::String(text));
    (inner, line)
}

/// Takes the text out of its wrappers, as far as they are known. Lifts the
/// entries of JSON objects on the way.
fn from_message<'a>(text: Cow<'a, str>, fields: &mut Entries<'a>) -> (Cow<'a, str>, Cow<'a, str>) {
    let mut message = text;
    for _ in 0..MAX_UNWRAPPED {
        let line = container::line(&message);
        let before = fields.len();
        if !json::object(&line, fields) {
            return (message, line);
        }
        match message_of(fields.get(before..).unwrap_or_default()) {
            Some(inner) => message = inner,
            None => return (message, Cow::Borrowed("")),
        }
    }
    (message.clone(), message)
}

/// The message among the entries of an object: `message`, `msg`, `log`, `body`, `text`, in any case
/// and in this order.
pub(super) fn message_of<'a>(entries: &[(Cow<'a, str>, Value<'a>)]) -> Option<Cow<'a, str>> {
    const NAMES: [&str; 5] = ["message", "msg", "log", "body", "text"];
    let mut best = None;
    for (name, value) in entries {
        let Value::String(text) = value else { continue };
        // Most names are ruled out by their length, which is that of none of these.
        let has_length = matches!(name.len(), 3 | 4 | 7);
        let rank = || NAMES.iter().position(|known| name.eq_ignore_ascii_case(known));
        let Some(rank) = has_length.then(rank).flatten() else { continue };
        if best.as_ref().is_none_or(|(held, _)| rank < *held) {
            best = Some((rank, text));
        }
    }
    if best.is_none() {
        // The journal writes other data as bytes.
        let bytes = entries.iter().find_map(|(name, value)| match value {
            Value::Array(values) if name == "MESSAGE" => journal::text_of_bytes(values),
            _ => None,
        });
        return bytes.map(Cow::Owned);
    }
    best.map(|(_, text)| text.clone())
}

/// OTLP data beside body and attributes.
fn record_fields<'a>(record: &Record<'a>, fields: &mut Entries<'a>) {
    if record.severity_number != 0 {
        push_entry(fields, "severity_number", Value::Int(record.severity_number));
    }
    let (scope_name, scope_version) = record.scope();
    for (name, text) in [
        ("severity_text", record.severity_text),
        ("event.name", record.event_name),
        ("otel.scope.name", scope_name),
        ("otel.scope.version", scope_version),
    ] {
        if !text.is_empty() {
            push_text(fields, name, text);
        }
    }
    for (name, id) in [("trace_id", record.trace_id), ("span_id", record.span_id)] {
        if !id.is_empty() {
            push_entry(fields, name, Value::String(hexadecimal(id).into()));
        }
    }
    if let Some(time) = record.observed_time {
        push_entry(fields, "observed_timestamp", Value::Int(time.0));
    }
}

fn hexadecimal(id: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    id.iter().flat_map(|byte| [byte >> 4, byte & 0xf]).map(|digit| DIGITS[usize::from(digit)]).collect()
}

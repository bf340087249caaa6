//! The note of a record that a rule matched: an excerpt for evidence and facts, bounded, and sanitized as the record in
//! the log.

use std::borrow::Cow;
use std::collections::BTreeMap;

use common::timestamp::Timestamp;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use sigma::event::{Event, Value};

/// Most bytes of a message that are kept.
const MESSAGE_BYTES: usize = 1024;
/// Most bytes of a field's value that are kept.
const FIELD_BYTES: usize = 200;
/// Most bytes of all fields' values together: an incident keeps dozens of notes in one row.
const FIELDS_BYTES: usize = 1536;

/// Fields that are kept, by canonical name: parties, target, action and outcome.
pub const KEPT_FIELDS: [&str; 16] = [
    "client.address",
    "client.port",
    "user.name",
    "user.effective.name",
    "host.name",
    "server.address",
    "event.action",
    "event.outcome",
    "process.name",
    "process.command_line",
    "http.request.method",
    "http.response.status_code",
    "url.path",
    "url.query",
    "user_agent.original",
    "service.name",
];

/// A matched record, as far as it is remembered. It is held for hours, by the thousand: in one piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(from = "NoteRow")]
pub struct Note {
    /// Event time.
    pub event_time: Timestamp,
    /// When the record was accepted.
    pub received_at: Timestamp,
    /// The message; then, each behind a control character, which no text here has, the fields: a letter that identifies one of
    /// [`KEPT_FIELDS`], and its value.
    text: Box<str>,
    cost: u32,
    /// Whether the time of acceptance replaces it.
    pub time_inferred: bool,
}

/// [`Note`] as it is written.
#[derive(Deserialize)]
struct NoteRow {
    event_time: Timestamp,
    time_inferred: bool,
    received_at: Timestamp,
    message: String,
    fields: BTreeMap<String, String>,
}

/// Separator before each field of a note.
const BEFORE_FIELD: char = '\u{1e}';
/// The letter of the first of [`KEPT_FIELDS`].
const FIRST_LETTER: u8 = b'a';

impl Note {
    /// The note of an event.
    pub fn of(
        event: &Event<'_>,
        message: &str,
        event_time: Timestamp,
        time_inferred: bool,
        received_at: Timestamp,
    ) -> Self {
        let mut room = FIELDS_BYTES;
        let mut fields = Vec::new();
        for name in KEPT_FIELDS {
            let Some(value) = event.field(name).and_then(text) else { continue };
            let kept = bounded(&value, FIELD_BYTES.min(room));
            room = room.saturating_sub(kept.len());
            fields.push((name, kept));
        }
        Self::new((event_time, time_inferred, received_at), &bounded(message, MESSAGE_BYTES), &fields)
    }

    fn new(
        (event_time, time_inferred, received_at): (Timestamp, bool, Timestamp),
        message: &str,
        fields: &[(&str, impl AsRef<str>)],
    ) -> Self {
        let mut text = message.to_owned();
        for (number, name) in (FIRST_LETTER..).zip(KEPT_FIELDS) {
            let Some((_, value)) = fields.iter().find(|(own, _)| *own == name) else { continue };
            text.extend([BEFORE_FIELD, char::from(number)]);
            text.push_str(value.as_ref());
        }
        let values = |(name, value): &(&str, _)| name.len() + AsRef::<str>::as_ref(value).len() + 48;
        let cost = message.len() + fields.iter().map(values).sum::<usize>() + 96;
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        Self { event_time, received_at, text: text.into(), cost, time_inferred }
    }

    /// The message.
    pub fn message(&self) -> &str {
        self.text.split(BEFORE_FIELD).next().unwrap_or_default()
    }

    /// The fields of [`KEPT_FIELDS`] that it has.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.text.split(BEFORE_FIELD).skip(1).filter_map(|field| {
            let number = field.bytes().next()?.checked_sub(FIRST_LETTER)?;
            Some((*KEPT_FIELDS.get(usize::from(number))?, field.get(1..)?))
        })
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Bytes, at most, that it takes.
    pub fn cost(&self) -> usize {
        self.cost as usize
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Note", 5)?;
        row.serialize_field("event_time", &self.event_time)?;
        row.serialize_field("time_inferred", &self.time_inferred)?;
        row.serialize_field("received_at", &self.received_at)?;
        row.serialize_field("message", self.message())?;
        row.serialize_field("fields", &self.fields().collect::<BTreeMap<_, _>>())?;
        row.end()
    }
}

impl From<NoteRow> for Note {
    fn from(row: NoteRow) -> Self {
        let fields: Vec<(&str, &str)> =
            row.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Self::new((row.event_time, row.time_inferred, row.received_at), &row.message, &fields)
    }
}

/// A value in readable form; `None` for an empty value or one with parts.
pub fn text<'e>(value: &'e Value<'_>) -> Option<Cow<'e, str>> {
    match value {
        Value::String(text) if !text.is_empty() => Some(Cow::Borrowed(text)),
        Value::Int(number) => Some(Cow::Owned(number.to_string())),
        Value::Double(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(truth) => Some(Cow::Owned(truth.to_string())),
        Value::Array(elements) => elements.iter().find_map(text),
        Value::String(_) | Value::Null | Value::Map(_) => None,
    }
}

/// At most `limit` bytes of a text in JSON form, cut between characters and marked at the cut. Control characters are shown as
/// spaces, since people read it.
pub fn bounded(text: &str, limit: usize) -> String {
    let mut kept = String::new();
    let mut written = 0;
    for character in text.chars() {
        // A quote or backslash takes two bytes in a row: a bound that forgets it is none.
        written += character.len_utf8() + usize::from(matches!(character, '"' | '\\'));
        if written > limit {
            kept.push('…');
            break;
        }
        kept.push(if character.is_control() { ' ' } else { character });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters_and_marked() {
        assert_eq!(bounded("aäb", 2), "a…");
        assert_eq!(bounded("a\nb", 9), "a b");
        assert_eq!(bounded("\"\"a", 4), "\"\"…", "as JSON writes it");
    }

    #[test]
    fn only_known_fields_are_kept() {
        let mut event = Event::default();
        event.push("user.name", Value::String("root".into()));
        event.push("client.port", Value::Int(22));
        event.push("anything.else", Value::String("x".into()));
        let note = Note::of(&event, "hello", Timestamp(1), false, Timestamp(2));
        let kept: Vec<_> = note.fields().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!((note.message(), kept.join(" ").as_str()), ("hello", "client.port=22 user.name=root"));
        let written = serde_json::to_string(&note).unwrap();
        assert_eq!(serde_json::from_str::<Note>(&written).unwrap(), note);
    }
}

//! What is kept of a record that a rule matched: enough for evidence and facts, bounded, and nothing
//! that the log did not already hold sanitized.

use std::borrow::Cow;
use std::collections::BTreeMap;

use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::event::{Event, Value};

/// Most bytes of a message that are kept.
const MESSAGE_BYTES: usize = 1024;
/// Most bytes of a field's value that are kept.
const FIELD_BYTES: usize = 200;
/// Most bytes of all fields' values together: an incident keeps dozens of notes in one row.
const FIELDS_BYTES: usize = 1536;

/// Fields worth keeping, by canonical name: who, from where, against what, with what result.
pub(crate) const KEPT_FIELDS: [&str; 16] = [
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

/// A matched record, as far as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// Event time.
    pub event_time: Timestamp,
    /// Whether the time of acceptance stands in for it.
    pub time_inferred: bool,
    /// When the record was accepted.
    pub received_at: Timestamp,
    /// The message.
    pub message: String,
    /// The fields of [`KEPT_FIELDS`] that it has.
    pub fields: BTreeMap<String, String>,
}

impl Note {
    /// What is kept of an event.
    pub(crate) fn of(
        event: &Event<'_>,
        message: &str,
        event_time: Timestamp,
        time_inferred: bool,
        received_at: Timestamp,
    ) -> Self {
        let mut room = FIELDS_BYTES;
        let mut fields = BTreeMap::new();
        for name in KEPT_FIELDS {
            let Some(value) = event.field(name).and_then(text) else { continue };
            let kept = bounded(&value, FIELD_BYTES.min(room));
            room = room.saturating_sub(kept.len());
            fields.insert(name.to_owned(), kept);
        }
        Self { event_time, time_inferred, received_at, message: bounded(message, MESSAGE_BYTES), fields }
    }

    /// About how many bytes it costs to keep.
    pub(crate) fn cost(&self) -> usize {
        self.message.len()
            + self.fields.iter().map(|(name, value)| name.len() + value.len() + 48).sum::<usize>()
            + 96
    }
}

/// A value as a person would write it; `None` for what is empty or has parts.
pub(crate) fn text<'e>(value: &'e Value<'_>) -> Option<Cow<'e, str>> {
    match value {
        Value::String(text) if !text.is_empty() => Some(Cow::Borrowed(text)),
        Value::Int(number) => Some(Cow::Owned(number.to_string())),
        Value::Double(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(truth) => Some(Cow::Owned(truth.to_string())),
        Value::Array(elements) => elements.iter().find_map(text),
        Value::String(_) | Value::Null | Value::Map(_) => None,
    }
}

/// At most `limit` bytes of a text as JSON writes it, cut between characters and marked where it was
/// cut. Control characters are shown as spaces: what is kept is shown to people.
pub(crate) fn bounded(text: &str, limit: usize) -> String {
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
        let kept: Vec<_> = note.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(kept, ["client.port=22", "user.name=root"]);
    }
}

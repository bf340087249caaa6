//! The fields of a record in order of interest: the canonical ones that incidents keep, the other canonical ones, and the
//! record's own.

use std::borrow::Cow;

use serde::Serialize;
use sigma::event::{Event, Value};

use incidents::note::KEPT_FIELDS;

/// Fields listed for a record.
const MOST_FIELDS: usize = 64;
/// Most fields that are read.
const MOST_SEEN: usize = 1_024;
/// Maps within maps that are taken apart.
const MOST_DEEP: usize = 8;
/// Values listed of an array.
const MOST_VALUES: usize = 4;
/// Bytes shown of a value.
const VALUE_BYTES: usize = 200;

/// The first parts of canonical names.
const CANONICAL: [&str; 18] = [
    "client",
    "cloud",
    "container",
    "destination",
    "dns",
    "event",
    "file",
    "host",
    "http",
    "network",
    "process",
    "rule",
    "server",
    "service",
    "source",
    "url",
    "user",
    "user_agent",
];

/// A field and its value as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// The name that rules may use.
    pub name: String,
    /// Its value, shortened.
    pub value: String,
}

/// The fields of an event, the first of each name, and the number of those left out.
pub(super) fn of(event: &Event<'_>) -> (Vec<Field>, usize) {
    let mut all: Vec<Field> = Vec::new();
    let mut left_out = 0;
    for (name, value) in &event.fields {
        add(name, value, 0, &mut all, &mut left_out);
    }
    all.sort_by_key(|field| rank(&field.name));
    left_out += all.len().saturating_sub(MOST_FIELDS);
    all.truncate(MOST_FIELDS);
    (all, left_out)
}

/// A text, shortened.
pub(super) fn shortened(text: &str) -> String {
    if text.len() <= VALUE_BYTES {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(VALUE_BYTES)])
}

fn add(name: &str, value: &Value<'_>, depth: usize, all: &mut Vec<Field>, left_out: &mut usize) {
    if let Value::Map(entries) = value
        && depth < MOST_DEEP
    {
        entries
            .iter()
            .for_each(|(key, value)| add(&format!("{name}.{key}"), value, depth + 1, all, left_out));
        return;
    }
    if all.iter().any(|field| field.name == name) {
        return;
    }
    if all.len() >= MOST_SEEN {
        *left_out += 1;
        return;
    }
    all.push(Field { name: shortened(name), value: shortened(&text(value)) });
}

fn text<'e>(value: &'e Value<'_>) -> Cow<'e, str> {
    match value {
        Value::Array(values) => {
            let shown: Vec<Cow<'_, str>> = values.iter().take(MOST_VALUES).map(text).collect();
            let more = if values.len() > MOST_VALUES { ", …" } else { "" };
            Cow::Owned(format!("[{}{more}]", shown.join(", ")))
        }
        Value::Null => Cow::Borrowed("null"),
        value => value.to_text().unwrap_or(Cow::Borrowed("(an object)")),
    }
}

fn rank(name: &str) -> (usize, usize) {
    if let Some(place) = KEPT_FIELDS.iter().position(|kept| *kept == name) {
        return (0, place);
    }
    let is_canonical = name.split_once('.').is_some_and(|(first, _)| CANONICAL.contains(&first));
    (if is_canonical { 1 } else { 2 }, 0)
}

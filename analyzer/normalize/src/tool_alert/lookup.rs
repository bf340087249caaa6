//! Values of nested records by their path.

use std::borrow::Cow;

use sigma::event::Value;

use crate::record::Entries;

/// Elements of an array that are read.
const MAX_ELEMENTS: usize = 32;

/// The value at a path of names with dots between them, spelled as the format has them. A name may hold dots
/// itself. Of an array the first element counts that has the rest of the path.
pub(super) fn find<'e, 'a>(entries: &'e [(Cow<'a, str>, Value<'a>)], path: &str) -> Option<&'e Value<'a>> {
    if let Some((_, value)) = entries.iter().find(|(name, _)| name == path) {
        return says_something(value).then_some(value);
    }
    let mut at = 0;
    while let Some(dot) = memchr::memchr(b'.', path.get(at..)?.as_bytes()) {
        let (name, rest) = (path.get(..at + dot)?, path.get(at + dot + 1..)?);
        let inside = entries.iter().find(|(own, _)| own == name).map(|(_, value)| value);
        if let Some(found) = inside.and_then(|value| inside_of(value, rest)) {
            return Some(found);
        }
        at += dot + 1;
    }
    None
}

fn inside_of<'e, 'a>(value: &'e Value<'a>, path: &str) -> Option<&'e Value<'a>> {
    match value {
        Value::Map(entries) => find(entries, path),
        Value::Array(values) => values.iter().take(MAX_ELEMENTS).find_map(|value| inside_of(value, path)),
        _ => None,
    }
}

fn says_something(value: &Value<'_>) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !matches!(text.as_ref(), "" | "-"),
        Value::Array(values) => !values.is_empty(),
        _ => true,
    }
}

/// The map that a path leads to; of an array the first one. An empty path leads nowhere else.
pub(super) fn root<'e, 'a>(fields: &'e Entries<'a>, path: &str) -> Option<&'e Entries<'a>> {
    if path.is_empty() {
        return Some(fields);
    }
    match find(fields, path)? {
        Value::Map(entries) => Some(entries),
        Value::Array(values) => values.iter().find_map(|value| match value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }),
        _ => None,
    }
}

/// The text or number at the first of some paths.
pub(super) fn first_text<'a>(entries: &Entries<'a>, paths: &[&str]) -> Option<Cow<'a, str>> {
    paths.iter().find_map(|path| text(find(entries, path)?))
}

/// The text that a value is, or a number's digits; of an array the first.
pub(super) fn text<'a>(value: &Value<'a>) -> Option<Cow<'a, str>> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Int(number) => Some(Cow::Owned(number.to_string())),
        Value::Array(values) => values.first().and_then(text),
        _ => None,
    }
}

/// Whether a value is one of some words, whatever their case.
pub(super) fn equals(value: &Value<'_>, words: &[&str]) -> bool {
    match value {
        Value::String(text) => words.iter().any(|word| text.eq_ignore_ascii_case(word)),
        Value::Int(number) => words.iter().any(|word| word.parse() == Ok(*number)),
        Value::Bool(flag) => words.iter().any(|word| word.parse() == Ok(*flag)),
        Value::Array(values) => values.first().is_some_and(|value| equals(value, words)),
        _ => false,
    }
}

//! Whether a value has the form of the part that its name promises: an address must be one.

use sigma::event::Value;

use super::Role;
use crate::address;

/// Longer texts are no names.
const LONGEST_PERSON: usize = 256;

/// Words for nothing, and answers to other questions, in lower case.
const NOBODY: [&str; 22] = [
    "-",
    "--",
    "?",
    "n/a",
    "na",
    "none",
    "null",
    "nil",
    "(null)",
    "(none)",
    "<none>",
    "undefined",
    "unknown",
    "not available",
    "(empty)",
    "unset",
    "true",
    "false",
    "success",
    "failed",
    "failure",
    "*",
];

/// Whether a value is possible for the part.
pub(super) fn fits(role: Role, value: &Value<'_>) -> bool {
    match (role, value) {
        (_, Value::Null) => false,
        (Role::ClientAddress | Role::AnyAddress | Role::DestinationAddress, value) => is_address(value),
        (Role::ClientPort | Role::DestinationPort, value) => is_port(value),
        (Role::User | Role::TargetUser, value) => is_person(value),
        (Role::Sha256, value) => is_hash(value, 64),
        (Role::Sha1, value) => is_hash(value, 40),
        (Role::Md5, value) => is_hash(value, 32),
        // An object that holds the message.
        (Role::Message, Value::String(text)) => !text.is_empty() && !text.starts_with('{'),
        (_, Value::String(text)) => !matches!(text.as_ref(), "" | "-"),
        _ => true,
    }
}

fn is_address(value: &Value<'_>) -> bool {
    match value {
        Value::String(text) => address::in_value(text).is_some(),
        Value::Array(values) => {
            values.iter().any(|value| matches!(value, Value::String(_)) && is_address(value))
        }
        _ => false,
    }
}

fn is_port(value: &Value<'_>) -> bool {
    let number = match value {
        Value::Int(number) => Some(*number),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.is_some_and(|number| (1..=65_535).contains(&number))
}

fn is_person(value: &Value<'_>) -> bool {
    match value {
        Value::String(text) => is_name(text.trim()),
        Value::Array(values) => matches!(values.first(), Some(Value::String(text)) if is_name(text.trim())),
        _ => false,
    }
}

fn is_name(text: &str) -> bool {
    let is_empty = text.len() <= 13 && NOBODY.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_markup = text.starts_with(['{', '[', '<']) || text.starts_with("Mozilla/");
    !text.is_empty()
        && text.len() <= LONGEST_PERSON
        && !is_empty
        && !is_markup
        && memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none()
}

fn is_hash(value: &Value<'_>, digits: usize) -> bool {
    matches!(value, Value::String(text) if text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

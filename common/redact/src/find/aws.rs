//! AWS secret access keys: 40 bytes without a form of their own, found next to an access key id or behind
//! their name. The access key id is an identifier and stays readable.

use super::Secret;
use super::text::Text;
use crate::entity::EntityType;

/// The length of a secret access key.
const KEY_LENGTH: usize = 40;
/// The most bytes between the id or the name and the key.
const MOST_BETWEEN: usize = 48;
/// The length of an access key id, `AKIA` or `ASIA` included.
const ID_LENGTH: usize = 20;

/// Examines an access key id that may stand at `at`.
pub(super) fn examine_id(text: &Text<'_>, at: usize) -> Option<Secret> {
    let end = text.run_at_most(at, ID_LENGTH + 1, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let is_id = end == at + ID_LENGTH && text.begins_word(at) && text.ends_word(end);
    if is_id { key_behind(text, end) } else { None }
}

/// Examines a name that may begin with `secret` at `at`: `secret key`, `secret access key`, in any case,
/// joined by a blank, `_`, `-`, `.` or nothing.
pub(super) fn examine_name(text: &Text<'_>, at: usize) -> Option<Secret> {
    key_behind(text, name_end(text, at)?)
}

/// End of the name that begins at `at`, if it is one.
fn name_end(text: &Text<'_>, at: usize) -> Option<usize> {
    let mut end = after_joiner(text, at + b"secret".len());
    if text.has_ignoring_case(end, b"access") {
        end = after_joiner(text, end + b"access".len());
    }
    text.has_ignoring_case(end, b"key").then_some(end + b"key".len())
}

/// Whether the name of a key begins at `at`.
pub(super) fn may_be_name(text: &Text<'_>, at: usize) -> bool {
    name_end(text, at).is_some()
}

/// Whether as many capitals and digits as an access key id has begin at `at`.
pub(super) fn may_be_id(text: &Text<'_>, at: usize) -> bool {
    let is_id = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    text.run_at_most(at, ID_LENGTH, is_id) == at + ID_LENGTH
}

fn after_joiner(text: &Text<'_>, at: usize) -> usize {
    if matches!(text.at(at), b' ' | b'_' | b'-' | b'.') { at + 1 } else { at }
}

/// The key behind its name or id. Between the two stand only words and punctuation, so that nothing that
/// has been masked is passed over.
fn key_behind(text: &Text<'_>, from: usize) -> Option<Secret> {
    let latest = from + MOST_BETWEEN;
    let mut at = from;
    while at <= latest {
        let end = text.run_at_most(at, KEY_LENGTH + 1, is_key);
        if end > at && is_secret_key(text.slice(at, end)) && !text.masked_at(end) {
            return Some(Secret { start: at, end, entity: EntityType::ApiKey });
        }
        let is_words = text.slice(at, end).iter().all(|byte| byte.is_ascii_alphabetic());
        if !is_words || end - at > KEY_LENGTH || !is_between(text.at(end)) {
            return None;
        }
        at = end + 1;
    }
    None
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+')
}

fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b':' | b',' | b';' | b'=' | b'"' | b'\'' | b'\\' | b'|' | b'_' | b'-' | b'.' | b'>')
}

/// Forty bytes with a capital, a small letter and a digit: no hash in hexadecimal has all three.
fn is_secret_key(bytes: &[u8]) -> bool {
    bytes.len() == KEY_LENGTH
        && bytes.iter().any(u8::is_ascii_uppercase)
        && bytes.iter().any(u8::is_ascii_lowercase)
        && bytes.iter().any(u8::is_ascii_digit)
}

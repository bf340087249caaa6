//! Pairs that name a value beside them: `{"name":"DB_PASSWORD","value":"…"}`, as environments of containers, lists of
//! headers and parameters are written. Where the name is a sensitive key, the value is masked like that of such a key.

use std::ops::Range;

use redact::without_disguise;

use super::span::Span;
use crate::validate::schema::{FieldType, Message, Role, any_value, key_value};

/// Keys of a name, in any case.
const NAMES: [&[u8]; 4] = [b"name", b"key", b"parameterkey", b"parametername"];
/// Keys of its value, in any case.
const VALUES: [&[u8]; 2] = [b"value", b"parametervalue"];
/// The longest text that is taken for a name, in bytes: the paths of parameter stores included.
const LONGEST_NAME: usize = 256;

/// Parts of names whose numbers are secret, and of names of counts or times.
const NUMBERS: [&str; 6] = ["password", "passwd", "passcode", "pwd", "pin", "secret"];
const COUNTED: [&str; 9] =
    ["failed", "invalid", "bad", "wrong", "incorrect", "expired", "missing", "rejected", "reset"];

/// Whether a number beside this name may be secret: most are counts and durations.
pub(super) fn may_be_number(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let holds = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    holds(&NUMBERS) && !holds(&COUNTED)
}

/// Whether the value of this key is a name; the key is not obfuscated.
pub(super) fn is_name_key(key: &[u8]) -> bool {
    is_one_of(key, &NAMES)
}

/// Positions of texts in the value of the pair at `pair` that may be names.
pub(super) fn names(payload: &[u8], pair: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    Span::with_key(payload, pair, key_value::VALUE)
        .flat_map(|value| Span::with_key(payload, value, any_value::STRING_VALUE))
        .filter(|text| payload.get(text.clone()).is_some_and(is_name))
}

/// Whether the pair at `pair` holds the value that another one names.
pub(super) fn is_value(payload: &[u8], pair: &Range<usize>) -> bool {
    keys(payload, pair).any(|key| is_one_of(&without_disguise(key), &VALUES))
}

/// Whether a message's field with this key is a pair.
pub(super) fn is_pair(message: &'static Message, key: u32) -> bool {
    message.field(key >> 3).is_some_and(|field| match field.kind {
        FieldType::Attributes => true,
        FieldType::Many(inner) => inner.role == Role::KeyValue,
        _ => false,
    })
}

/// The pairs in the message at `list`.
pub(super) fn pairs(
    payload: &[u8],
    list: &Range<usize>,
    message: &'static Message,
) -> impl Iterator<Item = Range<usize>> {
    Span::all(payload, list.clone()).filter(move |span| is_pair(message, span.key)).map(|span| span.place)
}

/// The keys of the pair at `pair`: one, unless the sender repeats it.
pub(super) fn keys<'p>(payload: &'p [u8], pair: &Range<usize>) -> impl Iterator<Item = &'p [u8]> {
    Span::with_key(payload, pair.clone(), key_value::KEY).filter_map(|key| payload.get(key))
}

fn is_one_of(key: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| key.eq_ignore_ascii_case(word))
}

/// Whether a text may be a name rather than a sentence that ends in one.
fn is_name(text: &[u8]) -> bool {
    let text = without_disguise(text.get(..=LONGEST_NAME).unwrap_or(text));
    let fits = (1..=LONGEST_NAME).contains(&text.len());
    fits && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:[]$@".contains(byte))
}

//! Pairs that name a value beside it: `{"name":"DB_PASSWORD","value":"…"}`, as environments of containers, lists of
//! headers and parameters are written. Where the name is a sensitive key, the value is masked like that of such a key.

use std::ops::Range;

use redact::{Candidates, Redactor};

use super::names::Names;
use super::span::Span;
use super::walk::Treatment;
use crate::validate::schema::{KEY_VALUE_LIST, Kind, Message, Role, any_value, key_value};

/// Keys under which a name stands, in any case.
const NAMES: [&[u8]; 4] = [b"name", b"key", b"parameterkey", b"parametername"];
/// Keys under which its value stands, in any case.
const VALUES: [&[u8]; 2] = [b"value", b"parametervalue"];
/// The longest text that is taken for a name, in bytes: the paths of parameter stores included.
const LONGEST_NAME: usize = 256;

/// Whether among the pairs of the message at `list` one holds a sensitive name as its value.
pub(super) fn names_a_secret(
    payload: &[u8],
    list: &Range<usize>,
    message: &'static Message,
    candidates: &Candidates,
    (redactor, names): (&Redactor, &mut Names),
) -> bool {
    let lists = message.role == Role::Record || std::ptr::eq(message, &KEY_VALUE_LIST);
    if !lists || !candidates.may_be_sensitive(list) {
        return false;
    }
    let mut is_secret = |text: Range<usize>| {
        candidates.may_be_sensitive(&text)
            && payload
                .get(text)
                .is_some_and(|name| is_name(name) && names.judge(redactor, name) == Treatment::Mask)
    };
    pairs(payload, list, message)
        .filter(|pair| candidates.may_be_sensitive(pair) && has_key(payload, pair, &NAMES))
        .any(|pair| strings(payload, pair).any(&mut is_secret))
}

/// Whether the pair at `pair` holds the value that another one names.
pub(super) fn is_value(payload: &[u8], pair: &Range<usize>) -> bool {
    has_key(payload, pair, &VALUES)
}

/// Whether a message's field with this key is a pair.
pub(super) fn is_pair(message: &'static Message, key: u32) -> bool {
    message.field(key >> 3).is_some_and(|field| match field.kind {
        Kind::Attributes => true,
        Kind::Many(inner) => inner.role == Role::KeyValue,
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

fn has_key(payload: &[u8], pair: &Range<usize>, words: &[&[u8]]) -> bool {
    keys(payload, pair).any(|key| words.iter().any(|word| key.eq_ignore_ascii_case(word)))
}

/// Where the texts of a pair's value lie.
fn strings(payload: &[u8], pair: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    Span::with_key(payload, pair, key_value::VALUE)
        .flat_map(|value| Span::with_key(payload, value, any_value::STRING_VALUE))
}

/// Whether a text may be a name rather than a sentence that ends in one.
fn is_name(text: &[u8]) -> bool {
    let fits = (1..=LONGEST_NAME).contains(&text.len());
    fits && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:[]$@".contains(byte))
}

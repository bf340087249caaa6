//! Authorization codes of OAuth (RFC 6749, section 4.1.2): the value of `code`, where the text around it shows
//! that it is one and not a status, a country or a voucher.

use memchr::memmem;

use super::text::Text;
use super::value::{self, Value};
use super::{Examined, Secret, encoded};
use crate::entity::EntityType;

/// Most bytes around a code that are its context.
const LONGEST_CONTEXT: usize = 256;
/// Names in the query or form of an authorization code, in lower case.
const CERTAIN: [&[u8]; 9] = [
    b"redirect_uri",
    b"authorization_code",
    b"callback",
    b"oauth",
    b"signin",
    b"/cb?",
    b"code_verifier",
    b"session_state=",
    b"openid",
];
/// The beginning of `device_code` (RFC 8628).
const DEVICE: &[u8] = b"device_";
/// Names in the query of an error.
const ERRORS: [&[u8]; 3] = [b"?error=", b"&error=", b"/error?"];
/// Names that other codes have, too.
const LIKELY: [&[u8]; 3] = [b"state=", b"scope=", b"state%3d"];
/// Words in the object of an authorization code, each a whole name or value.
const BESIDE: [&[u8]; 3] = [b"redirect_uri", b"authorization_code", b"code_verifier"];
/// The shortest code beside certain names, and beside likely ones or in an object, where errors have codes, too.
const SHORTEST_CERTAIN: usize = 6;
const SHORTEST_LIKELY: usize = 16;
/// The shortest code without small letters.
const SHORTEST_OF_CAPITALS: usize = 24;
/// The length of the shortest value in a payload that holds a code of an object: with the key and the length of its text.
pub(super) const SHORTEST_IN_PAYLOAD: u8 = 2 + 16;

/// Examines the value of the name `code` at `at`.
pub(super) fn examine(text: &Text<'_>, at: usize) -> Option<Examined> {
    let is_of_device = at.checked_sub(DEVICE.len()).is_some_and(|start| text.has(start, DEVICE));
    if !is_of_device && !begins_name(text, at) {
        return None;
    }
    let (value, form) = value_behind(text, at + b"code".len())?;
    let written = text.slice(value.start, value.end);
    let hides = written.len() >= SHORTEST_CERTAIN && !value::is_placeholder(written);
    let counts = hides
        && match form {
            Form::Query => looks_random(written) && (is_of_device || is_in_query(text, at, value)),
            Form::Object => has_digit_and_small(written) && is_in_object(text, at, value),
            Form::Bare => false,
        };
    if !counts {
        return Some(Examined::refused(value));
    }
    let secret = Secret { start: value.start, end: value.end, entity: EntityType::Secret };
    Some(Examined { secret: Some(secret), resume: value.end })
}

/// Whether a value may follow the name at `at`; where the text around it begins is not known.
pub(super) fn may_begin(text: &Text<'_>, at: usize) -> bool {
    let end = at + b"code".len();
    let is_long = |start: usize| {
        let shortest = start + SHORTEST_CERTAIN;
        text.run_at_most(start, SHORTEST_CERTAIN, value::is_unquoted) == shortest
    };
    if text.at(end) == b'=' {
        return is_long(end + 1);
    }
    let is_quoted = |place: value::ValueStart| value::quote(text, place.at).is_some();
    encoded::may_follow(text, end) || value::separator(text, end).is_some_and(is_quoted)
}

/// Whether a code may stand behind `code=`: exit codes and statuses, of which logs are full, are too short.
pub(super) fn may_go_on(behind: &[u8]) -> bool {
    behind.first_chunk::<SHORTEST_CERTAIN>().is_some_and(|code| code.iter().all(|byte| *byte > b' '))
}

fn begins_name(text: &Text<'_>, at: usize) -> bool {
    text.begins_word(at) && !matches!(text.before(at), b'_' | b'-' | b'.')
}

/// Place of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// In a query or form.
    Query,
    /// In quotes, as a value of an object.
    Object,
    /// Behind a colon, without quotes.
    Bare,
}

fn value_behind(text: &Text<'_>, end: usize) -> Option<(Value, Form)> {
    if encoded::may_follow(text, end) {
        return encoded::value_behind(text, end).map(|value| (value, Form::Query));
    }
    if text.at(end) == b'=' {
        let value = Value { start: end + 1, end: value::unquoted_end(text, end + 1), quoted: false };
        return Some((value, Form::Query));
    }
    let place = value::separator(text, end)?;
    let value = value::value(text, place.at);
    Some((value, if value.quoted { Form::Object } else { Form::Bare }))
}

/// Codes hold small letters, and digits or capitals; words do not, and codes of errors and vouchers hold capitals only.
fn looks_random(written: &[u8]) -> bool {
    let capital = written.iter().skip(1).any(u8::is_ascii_uppercase);
    let digit = written.iter().any(u8::is_ascii_digit);
    let small = written.iter().any(u8::is_ascii_lowercase);
    (small && (digit || capital)) || (digit && capital && written.len() >= SHORTEST_OF_CAPITALS)
}

/// Codes of errors are words, or capitals and digits.
fn has_digit_and_small(written: &[u8]) -> bool {
    written.len() >= SHORTEST_LIKELY
        && written.iter().any(u8::is_ascii_digit)
        && written.iter().any(u8::is_ascii_lowercase)
}

/// Looks within the query or form, which has no white space.
fn is_in_query(text: &Text<'_>, at: usize, value: Value) -> bool {
    let around = around(text, at, value, |byte| byte > b' ');
    let holds = |words: &[&[u8]]| {
        words.iter().any(|word| around.iter().any(|side| memmem::find(side, word).is_some()))
    };
    !holds(&ERRORS) && (holds(&CERTAIN) || (value.end - value.start >= SHORTEST_LIKELY && holds(&LIKELY)))
}

/// Looks on either side, for a word that is a name or a value by itself: within a message it has no meaning.
fn is_in_object(text: &Text<'_>, at: usize, value: Value) -> bool {
    let around = around(text, at, value, |byte| byte >= b' ');
    let is_alone = |side: &[u8], start: usize, word: &[u8]| {
        let before = start.checked_sub(1).and_then(|before| side.get(before));
        let behind = side.get(start + word.len());
        matches!(before, Some(b'"' | b'\'')) && matches!(behind, Some(b'"' | b'\'' | b'\\'))
    };
    BESIDE.iter().any(|word| {
        around.iter().any(|side| memmem::find_iter(side, word).any(|start| is_alone(side, start, word)))
    })
}

/// The bytes on either side of a code, in lower case.
fn around(text: &Text<'_>, at: usize, value: Value, within: impl Fn(u8) -> bool) -> [Vec<u8>; 2] {
    let before = text.slice(text.run_back(at, LONGEST_CONTEXT, &within), at);
    let behind = text.slice(value.end, text.run_at_most(value.end, LONGEST_CONTEXT, &within));
    [before.to_ascii_lowercase(), behind.to_ascii_lowercase()]
}

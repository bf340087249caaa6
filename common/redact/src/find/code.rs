//! Authorization codes of OAuth (RFC 6749, section 4.1.2): the value of `code`, where what stands around it shows
//! that it is one and not a status, a country or a voucher.

use super::text::Text;
use super::value::{self, Value};
use super::{Examined, Secret, encoded};
use crate::entity::EntityType;

/// How far around a code its context is looked for.
const LONGEST_CONTEXT: usize = 256;
/// What stands only beside authorization codes, in lower case.
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
/// What stands beside other codes, too.
const LIKELY: [&[u8]; 3] = [b"state=", b"scope=", b"state%3d"];
/// The shortest code beside what is certain, and beside what is likely.
const SHORTEST_CERTAIN: usize = 6;
const SHORTEST_LIKELY: usize = 16;

/// Examines the value of the name `code` at `at`.
pub(super) fn examine(text: &Text<'_>, at: usize) -> Option<Examined> {
    if !begins_name(text, at) {
        return None;
    }
    let end = at + b"code".len();
    let (value, is_pair) = value_behind(text, end)?;
    let resume = value.end;
    let written = text.slice(value.start, value.end);
    let hides = written.len() >= SHORTEST_CERTAIN && !value::is_placeholder(written) && looks_random(written);
    let counts = hides && is_in_context(text, at, value, is_pair);
    let secret = Secret { start: value.start, end: value.end, entity: EntityType::Secret };
    Some(Examined { secret: counts.then_some(secret), resume })
}

/// Whether a name may begin at `at`, which what stands before it decides, and a value follows.
pub(super) fn may_begin(text: &Text<'_>, at: usize) -> bool {
    begins_name(text, at)
        && value_behind(text, at + b"code".len())
            .is_some_and(|(value, _)| value.end - value.start >= SHORTEST_CERTAIN)
}

fn begins_name(text: &Text<'_>, at: usize) -> bool {
    text.begins_word(at) && !matches!(text.before(at), b'_' | b'-' | b'.')
}

/// The value, and whether it stands in a query or form rather than in an object.
fn value_behind(text: &Text<'_>, end: usize) -> Option<(Value, bool)> {
    if encoded::may_follow(text, end) {
        return encoded::value_behind(text, end).map(|value| (value, true));
    }
    if text.at(end) == b'=' {
        return Some((
            Value { start: end + 1, end: value::unquoted_end(text, end + 1), quoted: false },
            true,
        ));
    }
    let place = value::separator(text, end)?;
    let value = value::value(text, place.at);
    value.quoted.then_some((value, false))
}

/// Codes hold digits or letters of both cases; words do not.
fn looks_random(written: &[u8]) -> bool {
    let digits = written.iter().any(u8::is_ascii_digit);
    let letters = written.iter().any(u8::is_ascii_alphabetic);
    let both =
        written.iter().any(u8::is_ascii_lowercase) && written.iter().skip(1).any(u8::is_ascii_uppercase);
    letters && (digits || both)
}

/// Looks around the code: within the query or form, which has no white space, or on either side in an object.
fn is_in_context(text: &Text<'_>, at: usize, value: Value, is_pair: bool) -> bool {
    let within = |byte: u8| !is_pair || byte > b' ';
    let before = text.slice(text.run_back(at, LONGEST_CONTEXT, within), at).to_ascii_lowercase();
    let behind =
        text.slice(value.end, text.run_at_most(value.end, LONGEST_CONTEXT, within)).to_ascii_lowercase();
    let holds = |words: &[&[u8]]| {
        words
            .iter()
            .any(|word| [&before, &behind].iter().any(|side| memchr::memmem::find(side, word).is_some()))
    };
    holds(&CERTAIN) || (is_pair && value.end - value.start >= SHORTEST_LIKELY && holds(&LIKELY))
}

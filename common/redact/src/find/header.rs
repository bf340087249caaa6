//! Credentials of `Authorization` and `Proxy-Authorization` (RFC 9110, section 11.6): the scheme stays
//! readable. Cookies are in [`super::cookie`].

use super::pair::{Name, may_be_header, name_around};
use super::text::Text;
use super::value::{self, Value};
use super::{Examined, Secret, encoded, listed};
use crate::entity::EntityType;

/// Schemes with one credential behind them.
const SCHEMES: [&[u8]; 16] = [
    b"basic",
    b"bearer",
    b"token",
    b"apikey",
    b"api-key",
    b"key",
    b"negotiate",
    b"ntlm",
    b"kerberos",
    b"bot",
    b"dpop",
    b"ssws",
    b"sharedkey",
    b"sharedkeylite",
    b"genie-key",
    b"aws",
];
/// Schemes with a list of parameters behind them, masked as one.
const LIST_SCHEMES: [&[u8]; 7] =
    [b"digest", b"hawk", b"oauth", b"mac", b"signature", b"scram-sha-1", b"scram-sha-256"];
/// The scheme of AWS Signature Version 4: only the signature is secret, the access key id is an identifier.
const AWS_SCHEME: &[u8] = b"aws4-hmac-sha256";
/// A credential without a scheme is this long at least; shorter ones are words such as `denied`.
const SHORTEST_BARE: usize = 8;
/// A credential behind the word Bearer outside of a header is this long at least, and has a digit.
const SHORTEST_BEARER: usize = 16;
/// The most blanks between scheme and credential.
const MOST_BLANKS: usize = 4;

/// Examines the header name around `at` and the text behind it.
pub(super) fn examine(text: &Text<'_>, at: usize) -> Option<Examined> {
    let name = name_around(text, at)?;
    let spelled = text.slice(name.start, name.end);
    if !spelled.to_ascii_lowercase().ends_with(b"authorization") {
        return None;
    }
    let whole = match value::separator(text, name.end) {
        Some(place) => value::value(text, place.at),
        None => match encoded::header_value_start(text, name.end) {
            Some(start) => value::value(text, start),
            None => listed::value_of(text, name)?,
        },
    };
    let scheme_end = text.run_at_most(whole.start, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let credential = behind_blanks(text, scheme_end);
    let scheme = text.slice(whole.start, scheme_end).to_ascii_lowercase();
    if credential == scheme_end {
        return Some(bare(text, whole));
    }
    if SCHEMES.contains(&scheme.as_slice()) {
        let end = if whole.quoted { whole.end } else { value::unquoted_end(text, credential) };
        return Some(examined(text, credential, end, end));
    }
    let line_end = || if whole.quoted { whole.end } else { line_end(text, credential) };
    if LIST_SCHEMES.contains(&scheme.as_slice()) {
        let line_end = line_end();
        return Some(examined(text, credential, line_end, line_end));
    }
    if scheme == AWS_SCHEME {
        let line_end = line_end();
        let (start, end) = signature(text, credential, line_end);
        return Some(examined(text, start, end, line_end));
    }
    // A scheme that is not known, if no word follows.
    let end = value::unquoted_end(text, credential).min(if whole.quoted { whole.end } else { usize::MAX });
    let has_digit = text.slice(credential, end).iter().any(u8::is_ascii_digit);
    if has_digit && end - credential >= SHORTEST_BARE && scheme.first().is_some_and(u8::is_ascii_alphabetic) {
        return Some(examined(text, credential, end, end));
    }
    Some(bare(text, whole))
}

/// Behind the blanks between scheme and credential, which may be percent-encoded.
fn behind_blanks(text: &Text<'_>, at: usize) -> usize {
    if text.has(at, b"%20") {
        return at + 3;
    }
    let is_blank = |byte: u8| value::is_blank(byte) || byte == b'+';
    text.run_at_most(at, MOST_BLANKS, is_blank)
}

/// Whether a value may follow the word `authorization` at `at`.
pub(super) fn may_begin(text: &Text<'_>, at: usize) -> bool {
    let word = b"authorization";
    let name = Name { start: at, end: at + word.len() };
    may_be_header(text, at, word) || encoded::may_follow(text, name.end) || listed::may_be_named(text, name)
}

/// Examines the word `bearer ` at `at`, outside of a header.
pub(super) fn examine_bearer(text: &Text<'_>, at: usize) -> Option<Secret> {
    if !text.begins_word(at) {
        return None;
    }
    let start = at + b"bearer ".len();
    let run_end = text.run(start, is_bearer);
    let end = text.run_back(run_end, run_end - start, |byte| byte == b'.');
    let has_digit = text.run(start, |byte| is_bearer(byte) && !byte.is_ascii_digit()) < end;
    let found = end - start >= SHORTEST_BEARER && has_digit;
    found.then_some(Secret { start, end, entity: EntityType::Authorization })
}

/// Whether behind the word `bearer ` at `at` stands as much as the shortest credential has.
pub(super) fn may_be_bearer(text: &Text<'_>, at: usize) -> bool {
    let start = at + b"bearer ".len();
    text.run_at_most(start, SHORTEST_BEARER, is_bearer) == start + SHORTEST_BEARER
}

/// The token68 of RFC 9110, section 11.2.
fn is_bearer(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}

/// A value without a known scheme is the credential as a whole.
fn bare(text: &Text<'_>, whole: Value) -> Examined {
    let prose = !whole.quoted && value::is_prose(text, whole);
    let is_masked = value::holds_mask(text.slice(whole.start, whole.end));
    if prose || is_masked || whole.end - whole.start < SHORTEST_BARE {
        return Examined { secret: None, resume: whole.end };
    }
    examined(text, whole.start, whole.end, whole.end)
}

fn examined(text: &Text<'_>, start: usize, end: usize, resume: usize) -> Examined {
    let counts = end > start && !value::is_placeholder(text.slice(start, end));
    let secret = counts.then_some(Secret { start, end, entity: EntityType::Authorization });
    Examined { secret, resume }
}

/// End of the line, be the line break real or an escape sequence.
fn line_end(text: &Text<'_>, start: usize) -> usize {
    let mut at = start;
    loop {
        at = text.run(at, |byte| byte != b'\\' && byte != b'\n' && byte != b'\r');
        if text.at(at) != b'\\' || matches!(text.at(at + 1), b'n' | b'r') {
            return at;
        }
        at += 1;
    }
}

/// The signature among the parameters of AWS Signature Version 4; empty if there is none.
fn signature(text: &Text<'_>, start: usize, end: usize) -> (usize, usize) {
    const NAME: &[u8] = b"Signature=";
    let parameters = text.slice(start, end);
    let Some(found) = memchr::memmem::find(parameters, NAME) else { return (end, end) };
    let signature = start + found + NAME.len();
    (signature, text.run_at_most(signature, end - signature, |byte| byte.is_ascii_hexdigit()))
}

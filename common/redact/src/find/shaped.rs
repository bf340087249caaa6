//! Tokens of vendors that are found by their inner bytes, not by a prefix of their own: client secrets of
//! Azure AD, tokens of Airtable, access tokens of Square.

use super::Secret;
use super::text::Text;
use super::token::is_word;
use crate::entity::EntityType;

/// Bytes before the digit of an Azure secret, and behind its `Q~`.
const AZURE_HEAD: usize = 3;
const AZURE_BODY: std::ops::RangeInclusive<usize> = 31..=34;

/// Azure AD: three bytes, a digit, `Q~`, 31 to 34 bytes; `digit` is where the digit may be.
pub(super) fn examine_azure(text: &Text<'_>, digit: usize) -> Option<Secret> {
    let start = digit.checked_sub(AZURE_HEAD)?;
    let body = digit + b"8Q~".len();
    if !text.has(digit + 1, b"Q~")
        || text.run_back(digit, AZURE_HEAD, is_azure) != start
        || !text.begins_word(start)
    {
        return None;
    }
    let run = text.run_at_most(body, AZURE_BODY.end() + 1, is_azure);
    let end = text.run_back(run, run - body, |byte| byte == b'.');
    (AZURE_BODY.contains(&(end - body)) && text.ends_word(end)).then_some(key(start, end))
}

/// Whether the bytes of the shortest secret stand behind the digit at `digit`.
pub(super) fn may_be_azure(text: &Text<'_>, digit: usize) -> bool {
    let body = digit + b"8Q~".len();
    text.has(digit + 1, b"Q~")
        && text.run_at_most(body, *AZURE_BODY.start(), is_azure) == body + AZURE_BODY.start()
}

fn is_azure(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'~' | b'.')
}

const AIRTABLE_HEAD: usize = 17;
const AIRTABLE_BODY: usize = 64;

/// Airtable: `pat`, 14 letters and digits, `.`, 64 hexadecimal digits; `dot` is where the full stop may be.
pub(super) fn examine_airtable(text: &Text<'_>, dot: usize) -> Option<Secret> {
    let start = dot.checked_sub(AIRTABLE_HEAD)?;
    let end = dot + 1 + AIRTABLE_BODY;
    (may_be_airtable(text, dot) && text.begins_word(start) && text.ends_word(end)).then_some(key(start, end))
}

/// Whether a full stop stands within the bytes of a token of Airtable.
pub(super) fn may_be_airtable(text: &Text<'_>, dot: usize) -> bool {
    let is_hexadecimal = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    dot.checked_sub(AIRTABLE_HEAD).is_some_and(|start| {
        text.at(dot) == b'.'
            && text.has(start, b"pat")
            && text.run_at_most(start + 3, 14, |byte| byte.is_ascii_alphanumeric()) == dot
            && text.run_at_most(dot + 1, AIRTABLE_BODY, is_hexadecimal) == dot + 1 + AIRTABLE_BODY
    })
}

/// The length of an access token of Square, and its first bytes.
const SQUARE: usize = 64;
const SQUARE_PREFIX: &[u8] = b"EAAA";

/// Square: `EAAA` and 60 bytes; not within longer base64.
pub(super) fn examine_square(text: &Text<'_>, at: usize) -> Option<Secret> {
    let alone = text.begins_word(at) && !matches!(text.before(at), b'/' | b'+' | b'-' | b'_');
    let end = at + SQUARE;
    let ends = !is_word(text.at(end)) && !matches!(text.at(end), b'/' | b'+' | b'=');
    (alone && ends && may_be_square(text, at)).then_some(key(at, end))
}

/// Whether the bytes of a token of Square stand at `at`.
pub(super) fn may_be_square(text: &Text<'_>, at: usize) -> bool {
    text.has(at, SQUARE_PREFIX) && text.run_at_most(at, SQUARE, is_word) == at + SQUARE
}

fn key(start: usize, end: usize) -> Secret {
    Secret { start, end, entity: EntityType::ApiKey }
}

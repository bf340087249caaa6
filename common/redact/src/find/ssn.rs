//! United States social security numbers: written with dashes anywhere, without only behind their name.

use super::Secret;
use super::card::{continues_before, continues_behind};
use super::text::Text;
use crate::entity::EntityType;

/// The most punctuation between the name and the number.
const MOST_BETWEEN: usize = 6;

/// Examines the run of digits `start..end` as the first part of `123-45-6789`.
pub(super) fn examine_dashed(text: &Text<'_>, start: usize, end: usize) -> Option<Secret> {
    if end - start != 3 || text.at(end) != b'-' || !stands_alone(text, start, start + 11) {
        return None;
    }
    grouped(text, start, b'-')
}

/// Examines the name `ssn` or `social security (number)` at `at` and the number behind it: nine digits, or
/// groups with blanks.
pub(super) fn examine_named(text: &Text<'_>, at: usize, name: &[u8]) -> Option<Secret> {
    if text.before(at).is_ascii_alphabetic() && !text.begins_word(at) {
        return None;
    }
    let name_end = after_number_word(text, at + name.len());
    let start = text.run_at_most(name_end, MOST_BETWEEN, is_between);
    let digits_end = text.run_at_most(start, 10, |byte| byte.is_ascii_digit());
    if start == name_end {
        return None;
    }
    if digits_end == start + 9 && stands_alone(text, start, digits_end) {
        return valid(text, start, start + 3, start + 5, digits_end);
    }
    let blanks =
        digits_end == start + 3 && text.at(digits_end) == b' ' && stands_alone(text, start, start + 11);
    if blanks { grouped(text, start, b' ') } else { None }
}

/// Whether punctuation and three digits stand behind the name at `at`.
pub(super) fn may_be_named(text: &Text<'_>, at: usize, name: &[u8]) -> bool {
    let start = text.run_at_most(after_number_word(text, at + name.len()), MOST_BETWEEN, is_between);
    text.run_at_most(start, 3, |byte| byte.is_ascii_digit()) == start + 3
}

/// Skips the word `number`, `no` or `num`, if it follows.
fn after_number_word(text: &Text<'_>, at: usize) -> usize {
    let word = if matches!(text.at(at), b' ' | b'_' | b'-') { at + 1 } else { at };
    let found =
        [&b"number"[..], b"num", b"no"].into_iter().find(|number| text.has_ignoring_case(word, number));
    found.map_or(at, |number| word + number.len())
}

fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b':' | b'=' | b'"' | b'\'' | b'\\' | b'#' | b'.' | b'(')
}

fn grouped(text: &Text<'_>, start: usize, separator: u8) -> Option<Secret> {
    let digits = |from: usize, length: usize| {
        text.run_at_most(from, length, |byte| byte.is_ascii_digit()) == from + length
    };
    let fits = digits(start + 4, 2) && text.at(start + 6) == separator && digits(start + 7, 4);
    if fits { valid(text, start, start + 4, start + 7, start + 11) } else { None }
}

/// Neither a letter, a digit, nor a full stop or dash with a digit beyond it on either side.
fn stands_alone(text: &Text<'_>, start: usize, end: usize) -> bool {
    text.begins_word(start)
        && text.ends_word(end)
        && !continues_before(text, start)
        && !continues_behind(text, end)
}

/// Leaves out numbers never issued: areas 000, 666 and 900 to 999, group 00, serial 0000.
fn valid(text: &Text<'_>, start: usize, group: usize, serial: usize, end: usize) -> Option<Secret> {
    let area = text.slice(start, start + 3);
    let issued = area != b"000"
        && area != b"666"
        && !area.starts_with(b"9")
        && text.slice(group, group + 2) != b"00"
        && text.slice(serial, end) != b"0000";
    issued.then_some(Secret { start, end, entity: EntityType::Ssn })
}

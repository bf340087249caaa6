//! Payment card numbers: a known issuer, the check digit of ISO/IEC 7812 (Luhn), and the grouping that is
//! printed on cards.

use super::Secret;
use super::text::Text;
use crate::entity::EntityType;

/// Groupings of the digits: most cards, 19 digits, American Express, Diners Club.
const GROUPINGS: [&[usize]; 4] = [&[4, 4, 4, 4], &[4, 4, 4, 4, 3], &[4, 6, 5], &[4, 6, 4]];
/// The fewest and the most digits (ISO/IEC 7812-1).
const SHORTEST: usize = 13;
const LONGEST: usize = 19;

/// Examines the run of digits `start..end`: a whole number, or its first group. Of several groupings that
/// fit, the longest counts.
pub(super) fn examine(text: &Text<'_>, start: usize, end: usize) -> Option<Secret> {
    if !text.begins_word(start) || continues_before(text, start) {
        return None;
    }
    if (SHORTEST..=LONGEST).contains(&(end - start)) {
        return whole(text, start, end).then_some(secret(start, end));
    }
    let separator = text.at(end);
    if end - start != 4 || !matches!(separator, b' ' | b'-') {
        return None;
    }
    let ends = GROUPINGS.iter().filter_map(|grouping| grouped_end(text, start, separator, grouping));
    ends.filter(|end| whole(text, start, *end)).max().map(|end| secret(start, end))
}

/// Whether groups of digits as on cards begin at `start` and make a valid number, whatever stands around it.
pub(super) fn may_begin(text: &Text<'_>, start: usize) -> bool {
    let separator = text.at(start + 4);
    let ends = GROUPINGS.iter().filter_map(|grouping| grouped_end(text, start, separator, grouping));
    ends.into_iter().any(|end| valid(text, start, end))
}

/// Whether the number goes on before `start`: a full stop or dash with a digit beyond. A fraction such as
/// 0.4111111111111111 is no card.
pub(super) fn continues_before(text: &Text<'_>, start: usize) -> bool {
    let joined = matches!(text.before(start), b'.' | b'-');
    joined && (text.before(start - 1).is_ascii_digit() || text.masked_before(start - 1))
}

pub(super) fn continues_behind(text: &Text<'_>, end: usize) -> bool {
    matches!(text.at(end), b'.' | b'-') && (text.at(end + 1).is_ascii_digit() || text.masked_at(end + 1))
}

fn grouped_end(text: &Text<'_>, start: usize, separator: u8, grouping: &[usize]) -> Option<usize> {
    let mut at = start;
    for (index, length) in grouping.iter().enumerate() {
        if index > 0 {
            if text.at(at) != separator {
                return None;
            }
            at += 1;
        }
        if text.run_at_most(at, *length, |byte| byte.is_ascii_digit()) != at + length {
            return None;
        }
        at += length;
    }
    Some(at)
}

fn whole(text: &Text<'_>, start: usize, end: usize) -> bool {
    text.ends_word(end) && !continues_behind(text, end) && valid(text, start, end)
}

/// Whether the digits between are those of a card.
fn valid(text: &Text<'_>, start: usize, end: usize) -> bool {
    let mut digits = [0_u8; LONGEST];
    let mut length = 0;
    for byte in text.slice(start, end).iter().filter(|byte| byte.is_ascii_digit()).take(LONGEST) {
        digits[length] = byte - b'0';
        length += 1;
    }
    let digits = &digits[..length];
    is_issued(digits) && luhn(digits)
}

/// Whether the first digits belong to an issuer that has numbers of this length.
fn is_issued(digits: &[u8]) -> bool {
    let first =
        |count: usize| digits.iter().take(count).fold(0_u32, |number, digit| number * 10 + u32::from(*digit));
    let length = digits.len();
    match (first(1), first(2), first(3), first(4)) {
        (4, ..) => matches!(length, 13 | 16 | 19),
        (_, 34 | 37, ..) => length == 15,
        (_, 51..=55, ..) | (_, _, _, 2221..=2720) => length == 16,
        (_, 36 | 38 | 39, ..) | (_, _, 300..=305, _) | (_, _, _, 3095) => (14..=19).contains(&length),
        (_, _, _, 3528..=3589 | 6011 | 2200..=2204) | (_, 62 | 65, ..) | (_, _, 644..=649, _) => length >= 16,
        (_, _, _, 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763) => true,
        _ => false,
    }
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits.iter().rev().enumerate().fold(0, |sum, (index, digit)| {
        let doubled = if index % 2 == 1 { u32::from(*digit) * 2 } else { u32::from(*digit) };
        sum + doubled / 10 + doubled % 10
    });
    sum.is_multiple_of(10)
}

fn secret(start: usize, end: usize) -> Secret {
    Secret { start, end, entity: EntityType::CreditCard }
}

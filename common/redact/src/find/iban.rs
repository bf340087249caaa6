//! International bank account numbers (ISO 13616): the length of the country and the remainder modulo 97.

use super::Secret;
use super::text::Text;
use crate::entity::EntityType;

/// The longest IBAN of any country.
const LONGEST: usize = 34;

/// Countries of the IBAN registry and the length of their numbers.
const LENGTHS: [(&[u8; 2], usize); 89] = [
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BI", 27),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DJ", 27),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FK", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HN", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MN", 20),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NI", 28),
    (b"NL", 18),
    (b"NO", 15),
    (b"OM", 23),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"RU", 33),
    (b"SA", 24),
    (b"SC", 31),
    (b"SD", 18),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"SO", 23),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
    (b"YE", 30),
];

/// Examines the two letters before the run of digits that begins at `digits`.
pub(super) fn examine(text: &Text<'_>, digits: usize) -> Option<Secret> {
    let start = digits.checked_sub(2)?;
    let country = text.slice(start, digits);
    if !country.iter().all(u8::is_ascii_uppercase)
        || !text.at(digits + 1).is_ascii_digit()
        || !text.begins_word(start)
    {
        return None;
    }
    let length = length(country)?;
    let contiguous = text.run_at_most(start, LONGEST + 1, is_iban);
    let end = if contiguous == start + 4 { grouped_end(text, start, length)? } else { start + length };
    let fits = (contiguous == start + 4 || contiguous == end) && text.ends_word(end);
    let valid = fits && remainder(text.slice(start, end)) == 1;
    valid.then_some(Secret { start, end, entity: EntityType::Iban })
}

/// Whether a number that is valid in itself begins at `start`, whatever stands around it.
pub(super) fn may_begin(text: &Text<'_>, start: usize) -> bool {
    let Some(length) = length(text.slice(start, start + 2)) else { return false };
    let contiguous = start + length;
    let is_contiguous = text.run_at_most(start, length, is_iban) == contiguous;
    let is_valid = |end: usize| remainder(text.slice(start, end)) == 1;
    (is_contiguous && is_valid(contiguous)) || grouped_end(text, start, length).is_some_and(is_valid)
}

/// The length of a country's numbers.
fn length(country: &[u8]) -> Option<usize> {
    let [first, second] = country else { return None };
    let place = LENGTHS.binary_search_by_key(&[*first, *second], |(code, _)| **code).ok()?;
    LENGTHS.get(place).map(|(_, length)| *length)
}

/// End of a number that is written in groups of four with single blanks between.
fn grouped_end(text: &Text<'_>, start: usize, length: usize) -> Option<usize> {
    let mut at = start;
    let mut left = length;
    loop {
        let group = left.min(4);
        if text.run_at_most(at, group, is_iban) != at + group {
            return None;
        }
        at += group;
        left -= group;
        if left == 0 {
            return Some(at);
        }
        if text.at(at) != b' ' {
            return None;
        }
        at += 1;
    }
}

fn is_iban(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

/// The remainder modulo 97 of the number with its first four characters moved to the end and letters
/// written as 10 to 35 (ISO 7064, MOD 97-10).
fn remainder(written: &[u8]) -> u32 {
    let characters = || written.iter().copied().filter(|byte| *byte != b' ');
    characters().skip(4).chain(characters().take(4)).fold(0, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        _ => (remainder * 100 + u32::from(byte.wrapping_sub(b'A')) + 10) % 97,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_are_in_the_order_in_which_they_are_searched() {
        assert!(LENGTHS.is_sorted_by(|(one, _), (next, _)| one < next));
        assert_eq!(
            [length(b"AD"), length(b"YE"), length(b"XX"), length(b"D")],
            [Some(24), Some(30), None, None]
        );
    }
}

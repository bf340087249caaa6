//! The inside of a JSON string: where it needs care, and what its escapes mean.

use memchr::{memchr, memchr2};

/// A string as it stands between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::validate) struct Text<'a> {
    /// The bytes, escapes and all.
    pub(in crate::validate) raw: &'a [u8],
    /// Whether there are escapes.
    pub(in crate::validate) escaped: bool,
}

impl<'a> Text<'a> {
    /// Appends what the string means.
    pub(in crate::validate) fn decode_into(self, out: &mut Vec<u8>) {
        let mut rest = self.raw;
        if !self.escaped {
            out.extend_from_slice(rest);
            return;
        }
        while let Some(backslash) = memchr(b'\\', rest) {
            out.extend_from_slice(&rest[..backslash]);
            let (character, length) = unescape(&rest[backslash + 1..]);
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = rest.get(backslash + 1 + length..).unwrap_or_default();
        }
        out.extend_from_slice(rest);
    }

    /// What the string means; `scratch` holds it when there are escapes.
    pub(in crate::validate) fn decoded<'s>(self, scratch: &'s mut Vec<u8>) -> &'s [u8]
    where
        'a: 's,
    {
        if !self.escaped {
            return self.raw;
        }
        scratch.clear();
        self.decode_into(scratch);
        scratch
    }
}

/// The character of a checked escape and the bytes it takes after the backslash.
fn unescape(escape: &[u8]) -> (char, usize) {
    match escape.first() {
        Some(b'b') => ('\u{8}', 1),
        Some(b'f') => ('\u{c}', 1),
        Some(b'n') => ('\n', 1),
        Some(b'r') => ('\r', 1),
        Some(b't') => ('\t', 1),
        Some(b'u') => unescape_unicode(&escape[1..]),
        Some(other) => (char::from(*other), 1),
        None => (char::REPLACEMENT_CHARACTER, 0),
    }
}

/// The character of `\u`, with a second escape where the two are a surrogate pair.
fn unescape_unicode(digits: &[u8]) -> (char, usize) {
    let unit = hex4(digits).unwrap_or(0);
    let low = digits.get(4..).and_then(|rest| rest.strip_prefix(b"\\u")).and_then(hex4);
    if let (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) = (unit, low) {
        let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 11);
    }
    (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 5)
}

/// Length of the run at the front of `text` that needs no care inside a string: up to the first
/// quote, backslash or control character.
///
/// Most strings of a log are shorter than a vector register is worth setting up for, so eight bytes
/// are looked at as one integer; what goes on longer is left to vectors.
#[inline]
pub(super) fn plain_length(text: &[u8]) -> usize {
    let (chunks, _) = text.as_chunks::<8>();
    for (index, chunk) in chunks.iter().take(LONG / 8).enumerate() {
        let special = special_bytes(u64::from_le_bytes(*chunk));
        if special != 0 {
            return index * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let seen = LONG.min(chunks.len() * 8);
    seen + plain_length_of_long(&text[seen..])
}

/// A string this long is left to vectors.
const LONG: usize = 32;

fn plain_length_of_long(text: &[u8]) -> usize {
    let length = memchr2(b'"', b'\\', text).unwrap_or(text.len());
    let plain = &text[..length];
    // Without an early exit the comparison runs on whole vectors.
    if plain.iter().fold(false, |found, byte| found | (*byte < b' ')) {
        return plain.iter().position(|byte| *byte < b' ').unwrap_or(length);
    }
    length
}

/// The high bit of each byte of `word` that is a quote, a backslash or a control character. Bytes
/// above the lowest one found may be marked wrongly; nobody asks about them.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let zero = (quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash);
    let control = word.wrapping_sub(ONES * b' ' as u64) & !word;
    (zero | control) & HIGH
}

/// The four hexadecimal digits that `text` begins with.
pub(super) fn hex4(text: &[u8]) -> Option<u32> {
    let digits = text.first_chunk::<4>()?;
    let mut value = 0;
    for digit in digits {
        value = value << 4 | char::from(*digit).to_digit(16)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_needs_care_is_found_wherever_it_stands() {
        for length in 0..80 {
            let plain = "aé !#[]~\u{7f}".repeat(8).into_bytes();
            let plain = &plain[..length];
            assert_eq!(plain_length(plain), length);
            for at in 0..length {
                for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
                    let mut text = plain.to_vec();
                    text[at] = special;
                    assert_eq!(plain_length(&text), at, "{special} in {length} bytes");
                }
            }
        }
    }
}

//! The inside of a JSON string: decoding of escapes.

use memchr::memchr;

/// The content of a string between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::validate) struct Text<'a> {
    /// The bytes, escapes and all.
    pub(in crate::validate) raw: &'a [u8],
    /// Whether there are escapes.
    pub(in crate::validate) escapes: Escapes,
}

/// Whether a string holds escapes. As wide as a register: a byte just written, and read together with those after it
/// because a text is moved as a whole, would stall the read, at every string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(in crate::validate) enum Escapes {
    None,
    Some,
}

impl<'a> Text<'a> {
    pub(in crate::validate) fn is_escaped(self) -> bool {
        self.escapes == Escapes::Some
    }

    /// Appends the decoded string.
    pub(in crate::validate) fn decode_into(self, out: &mut Vec<u8>) {
        let mut rest = self.raw;
        if !self.is_escaped() {
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

    /// The decoded string; `scratch` holds it when there are escapes.
    pub(in crate::validate) fn decoded<'s>(self, scratch: &'s mut Vec<u8>) -> &'s [u8]
    where
        'a: 's,
    {
        if !self.is_escaped() {
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

/// The four hexadecimal digits that `text` begins with.
pub(super) fn hex4(text: &[u8]) -> Option<u32> {
    let digits = text.first_chunk::<4>()?;
    let mut value = 0;
    for digit in digits {
        value = value << 4 | char::from(*digit).to_digit(16)?;
    }
    Some(value)
}

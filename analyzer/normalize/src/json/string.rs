//! Strings of JSON: their ends, and the meaning of their escapes (RFC 8259, section 7).

/// Offset of the first quote, backslash or control character from `at` on; `None`
/// if there is none.
#[inline]
pub(super) fn plain_end(bytes: &[u8], at: usize) -> Option<usize> {
    let (words, rest) = bytes.get(at..)?.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let marks = marks(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(at + number * 8 + (marks.trailing_zeros() / 8) as usize);
        }
    }
    let found = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
    Some(at + words.len() * 8 + found)
}

/// Sets the high bit of the first byte of eight that ends plain text; bytes above that one may be wrong.
fn marks(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let quotes = zeros(word ^ (ONES * b'"' as u64));
    let backslashes = zeros(word ^ (ONES * b'\\' as u64));
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    (quotes | backslashes | controls) & HIGH
}

/// A string that holds escapes, behind its quote: its text, and the offset behind it.
pub(super) fn unescaped(text: &str, start: usize) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let mut plain = String::with_capacity(quoted_end(bytes, start)?.checked_sub(start)?);
    let mut at = start;
    loop {
        let end = plain_end(bytes, at)?;
        plain.push_str(text.get(at..end)?);
        match bytes.get(end)? {
            b'"' => return Some((plain, end + 1)),
            b'\\' => {
                let (character, behind) = escape(bytes, end + 1)?;
                plain.push(character);
                at = behind;
            }
            _ => return None,
        }
    }
}

/// Offset of the quote that ends a string.
fn quoted_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at = plain_end(bytes, at)?;
        if bytes.get(at)? != &b'\\' {
            return Some(at);
        }
        // An escaped part is one byte at least, and no more of an escape can be taken for an end.
        at += 2;
    }
}

/// Character of an escape, behind its backslash, and the offset behind it.
fn escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let character = match bytes.get(at)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return code_point(bytes, at + 1),
        _ => return None,
    };
    Some((character, at + 1))
}

/// Four digits, or twice four where the first are one half of a pair; a half alone stands for nothing.
fn code_point(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let first = unit(bytes, at)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first)?, at + 4));
    }
    let second = bytes.get(at + 4..)?.starts_with(b"\\u").then(|| unit(bytes, at + 6))??;
    if !(0xdc00..0xe000).contains(&second) {
        return None;
    }
    let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    Some((char::from_u32(code)?, at + 10))
}

fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digit = |unit: u32, byte: &u8| Some(unit << 4 | char::from(*byte).to_digit(16)?);
    bytes.get(at..at + 4)?.iter().try_fold(0, digit)
}

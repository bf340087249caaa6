//! Percent encoding, HTML entities and `\u` escapes, replaced in place: no budget is needed, since nothing grows.

use std::ops::Range;

use crate::Map;

/// What was replaced in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) percent: usize,
    pub(crate) entities: usize,
    pub(crate) escapes: usize,
}

/// Longest HTML entity that is read, in bytes.
const MAX_ENTITY: usize = 10;

/// The text without escapes, or nothing where it has none. Every byte is looked at a constant number of times, because
/// an escape has at most [`MAX_ENTITY`] bytes for each character.
pub(crate) fn unescape(source: &str) -> Option<(String, Map, Counts)> {
    let mut text = String::new();
    let mut map = Map::default();
    let mut counts = Counts::default();
    let mut copied = 0;
    let mut place = 0;
    let bytes = source.as_bytes();
    while let Some(next) = bytes.get(place..).and_then(next_mark) {
        place += next;
        let Some((plain, length)) = escape(source, place, &mut counts) else {
            place += 1;
            continue;
        };
        let before = source.get(copied..place)?;
        text.push_str(before);
        map.even(before.len());
        text.push_str(&plain);
        map.uneven(plain.len(), length);
        place += length;
        copied = place;
    }
    if copied == 0 {
        return None;
    }
    let rest = source.get(copied..)?;
    text.push_str(rest);
    map.even(rest.len());
    Some((text, map, counts))
}

fn next_mark(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| matches!(byte, b'%' | b'&' | b'\\'))
}

/// The characters of the escape at a place, and its length.
fn escape(source: &str, place: usize, counts: &mut Counts) -> Option<(String, usize)> {
    let rest = source.get(place..)?;
    let (plain, length, count) = match rest.as_bytes().first()? {
        b'%' => with_count(bytes_of(rest, "%"), &mut counts.percent),
        b'&' => with_count(entity(rest), &mut counts.entities),
        _ => with_count(backslash(rest), &mut counts.escapes),
    }?;
    *count += plain.chars().count();
    Some((plain, length))
}

fn with_count(found: Option<(String, usize)>, count: &mut usize) -> Option<(String, usize, &mut usize)> {
    found.map(|(plain, length)| (plain, length, count))
}

/// One character written as bytes, each two hexadecimal digits behind a prefix.
fn bytes_of(rest: &str, prefix: &str) -> Option<(String, usize)> {
    let width = prefix.len().saturating_add(2);
    let byte = |number: usize| {
        let part = rest.get(number.saturating_mul(width)..)?.strip_prefix(prefix)?;
        u8::from_str_radix(part.get(..2).filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()))?, 16)
            .ok()
    };
    let first = byte(0)?;
    let count = match first {
        0x09 | 0x0a | 0x0d | 0x20..=0x7e => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..count).map_while(byte).collect();
    let plain = String::from_utf8(bytes).ok().filter(|plain| !plain.is_empty())?;
    Some((plain, count.saturating_mul(width)))
}

fn entity(rest: &str) -> Option<(String, usize)> {
    const NAMED: [(&str, &str); 8] = [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&nbsp;", " "),
        ("&shy;", ""),
        ("&zwnj;", ""),
    ];
    if let Some((name, plain)) = NAMED.iter().find(|(name, _)| rest.starts_with(name)) {
        return Some(((*plain).to_owned(), name.len()));
    }
    let digits = rest.strip_prefix("&#")?;
    let (digits, radix, prefix) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 3),
        None => (digits, 10, 2),
    };
    let count = digits.chars().take(MAX_ENTITY - prefix).take_while(|digit| digit.is_digit(radix)).count();
    let code = u32::from_str_radix(digits.get(..count)?, radix).ok()?;
    let end = usize::from(digits.get(count..)?.starts_with(';'));
    Some((shown(code)?, prefix + count + end))
}

fn backslash(rest: &str) -> Option<(String, usize)> {
    let digits = |range: Range<usize>| {
        let digits =
            rest.get(range).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    match rest.as_bytes().get(1)? {
        b'x' => bytes_of(rest, "\\x"),
        b'U' => Some((shown(digits(2..10)?)?, 10)),
        b'u' if rest.as_bytes().get(2) == Some(&b'{') => {
            let end = rest.bytes().take(MAX_ENTITY).position(|byte| byte == b'}')?;
            Some((shown(digits(3..end)?)?, end.saturating_add(1)))
        }
        b'u' => {
            let high = digits(2..6)?;
            let low = rest.get(6..8).filter(|next| *next == "\\u").and_then(|_| digits(8..12));
            match (high, low) {
                (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
                    Some((shown(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?, 12))
                }
                _ => Some((shown(high)?, 6)),
            }
        }
        _ => None,
    }
}

/// A character, unless it is a control character.
fn shown(code: u32) -> Option<String> {
    let char = char::from_u32(code)?;
    (!char.is_control() || char.is_whitespace()).then(|| char.to_string())
}

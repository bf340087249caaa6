//! Pairs within a percent-encoded text (RFC 3986, section 2.1), encoded once or twice: `password%3D…%26`,
//! `%22password%22%3A%22…%22`, `token%253D…%2526`.

use super::text::Text;
use super::value::{self, Value};

/// How one encoding writes a percent sign: as it is, or encoded itself.
const SIGNS: [&[u8]; 2] = [b"%", b"%25"];
/// What separates a name from its value.
const SEPARATORS: [&[u8]; 2] = [b"3d", b"3a"];
const QUOTES: [&[u8]; 2] = [b"22", b"27"];
/// What ends a value without quotes: white space, quotes, `&`, `;`, `}`.
const ENDS: [&[u8]; 8] = [b"26", b"20", b"22", b"27", b"0a", b"0d", b"3b", b"7d"];

/// The value behind an encoded separator at the end of a name.
pub(super) fn value_behind(text: &Text<'_>, name_end: usize) -> Option<Value> {
    let (sign, at) = separator(text, name_end)?;
    let at = one_of(text, at, sign, &[b"20"]).unwrap_or(at);
    let quoted = one_of(text, at, sign, &QUOTES);
    let start = quoted.unwrap_or(at);
    let ends: &[&[u8]] = if quoted.is_some() { &QUOTES } else { &ENDS };
    let mut end = start;
    loop {
        end = text.run(end, |byte| value::is_unquoted(byte) && byte != b'%' && byte != b'\\');
        if text.at(end) != b'%'
            || one_of(text, end, sign, ends).is_some()
            || one_of(text, end, SIGNS[0], ends).is_some()
        {
            return Some(Value { start, end, quoted: true });
        }
        end += 1;
    }
}

/// Whether an encoded separator stands at the end of a name.
pub(super) fn may_follow(text: &Text<'_>, name_end: usize) -> bool {
    text.at(name_end) == b'%' && separator(text, name_end).is_some()
}

/// The percent sign of the separator behind a name, and where the separator ends.
fn separator(text: &Text<'_>, name_end: usize) -> Option<(&'static [u8], usize)> {
    SIGNS.into_iter().find_map(|sign| {
        let behind_quote = one_of(text, name_end, sign, &QUOTES).unwrap_or(name_end);
        Some((sign, one_of(text, behind_quote, sign, &SEPARATORS)?))
    })
}

/// Behind one of some encoded bytes.
fn one_of(text: &Text<'_>, at: usize, sign: &[u8], codes: &[&[u8]]) -> Option<usize> {
    let code = at + sign.len();
    (text.has(at, sign) && codes.iter().any(|own| text.has_ignoring_case(code, own))).then_some(code + 2)
}

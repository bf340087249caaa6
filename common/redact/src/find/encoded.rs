//! Pairs within a percent-encoded text (RFC 3986, section 2.1), encoded once or twice: `password%3D…%26`,
//! `%22password%22%3A%22…%22`, `token%253D…%2526`.

use super::text::Text;
use super::value::{self, Value};

/// Encodings of a percent sign: as it is, or encoded itself; and an escape of JSON.
const SIGNS: [&[u8]; 3] = [b"%", b"%25", b"\\u00"];
/// Separators of a name and its value.
const SEPARATORS: [&[u8]; 2] = [b"3d", b"3a"];
const QUOTES: [&[u8]; 2] = [b"22", b"27"];
/// Ends of a value without quotes: white space, quotes, `&`, `;`, `}`.
const ENDS: [&[u8]; 8] = [b"26", b"20", b"22", b"27", b"0a", b"0d", b"3b", b"7d"];

/// The value behind an encoded separator at the end of a name.
pub(super) fn value_behind(text: &Text<'_>, name_end: usize) -> Option<Value> {
    value_of(text, name_end, false)
}

/// Start of the value behind the name of a header: a scheme, which is no prose.
pub(super) fn header_value_start(text: &Text<'_>, name_end: usize) -> Option<usize> {
    value_of(text, name_end, true).map(|value| value.start)
}

/// As [`value_behind`]; behind the name of a header may stand a blank. The end of the value is then found by others.
fn value_of(text: &Text<'_>, name_end: usize, is_header: bool) -> Option<Value> {
    if let Some(value) = entity_value(text, name_end) {
        return Some(value);
    }
    let (sign, at) = separator(text, name_end)?;
    let at = one_of(text, at, sign, &[b"20"]).unwrap_or(at);
    // In forms a blank is written `+`; before text without quotes it is prose.
    let behind_plus = one_of(text, at + 1, sign, &QUOTES).filter(|_| text.at(at) == b'+').map(|_| at + 1);
    let at = behind_plus.unwrap_or(at);
    if text.at(at) == b'+' {
        return is_header.then(|| Value { start: at + 1, end: text.len(), quoted: false });
    }
    let quoted = one_of(text, at, sign, &QUOTES);
    let start = quoted.unwrap_or(at);
    let ends: &[&[u8]] = if quoted.is_some() { &QUOTES } else { &ENDS };
    let mut end = start;
    loop {
        end = text.run(end, |byte| value::is_unquoted(byte) && byte != b'%' && byte != b'\\');
        if !matches!(text.at(end), b'%' | b'\\')
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
    match text.at(name_end) {
        b'%' | b'\\' => separator(text, name_end).is_some(),
        b'&' => entity_end(text, name_end).is_some(),
        _ => false,
    }
}

/// The percent sign of the separator behind a name, and where the separator ends.
fn separator(text: &Text<'_>, name_end: usize) -> Option<(&'static [u8], usize)> {
    SIGNS.into_iter().find_map(|sign| {
        let behind_quote = one_of(text, name_end, sign, &QUOTES).unwrap_or(name_end);
        // The bracket of `user[password]`.
        let behind_quote = one_of(text, behind_quote, sign, &[b"5d"]).unwrap_or(behind_quote);
        Some((sign, one_of(text, behind_quote, sign, &SEPARATORS)?))
    })
}

/// Behind one of some encoded bytes.
fn one_of(text: &Text<'_>, at: usize, sign: &[u8], codes: &[&[u8]]) -> Option<usize> {
    let code = at + sign.len();
    (text.has(at, sign) && codes.iter().any(|own| text.has_ignoring_case(code, own))).then_some(code + 2)
}

/// Quotes in HTML.
const ENTITIES: [&[u8]; 3] = [b"&quot;", b"&#34;", b"&#39;"];

/// The value behind a name in JSON whose quotes are entities of HTML.
fn entity_value(text: &Text<'_>, name_end: usize) -> Option<Value> {
    let start = entity_end(text, name_end)?;
    let end = text.run(start, |byte| value::is_unquoted(byte) || byte == b' ' || byte == b',');
    Some(Value { start, end, quoted: true })
}

/// Behind `":"` with entities for its quotes.
fn entity_end(text: &Text<'_>, name_end: usize) -> Option<usize> {
    let quote =
        |at: usize| ENTITIES.iter().find(|entity| text.has(at, entity)).map(|entity| at + entity.len());
    let colon = quote(name_end).filter(|colon| text.at(*colon) == b':')?;
    quote(text.run_at_most(colon + 1, 2, value::is_blank))
}

//! Values beside a sensitive name that is a value itself: `{"name":"DB_PASSWORD","value":"…"}`, with `key` for `name`,
//! in either order, and in YAML, HTML and the notation of Go. Also parts of forms, whose name stands in a header.

use super::pair::{Name, is_name};
use super::text::Text;
use super::value::{self, Value, is_blank};

/// Names under which a name stands.
const KEYS: [&[u8]; 4] = [b"name", b"key", b"parameterkey", b"parametername"];
/// Names under which its value stands.
const VALUES: [&[u8]; 2] = [b"value", b"parametervalue"];
/// Other pairs that may stand between the two, and how long each may be.
const MOST_BETWEEN: usize = 3;
const LONGEST_BETWEEN: usize = 64;
/// The longest value that is looked for before its name.
const LONGEST_BEFORE: usize = 512;
/// The most white space between two pairs, escape sequences included.
const MOST_BLANKS: usize = 64;

/// The value that belongs to a name which is a value itself.
pub(super) fn value_of(text: &Text<'_>, name: Name) -> Option<Value> {
    let key = key_before(text, name)?;
    part(text, name, key).or_else(|| behind(text, name)).or_else(|| before(text, key))
}

/// Whether a value may belong to the name `start..end`, by the bytes next to it alone.
pub(super) fn may_be_named(text: &Text<'_>, name: Name) -> bool {
    key_before(text, name).is_some()
}

/// The word `name` or `key` before a name, with what joins the two.
fn key_before(text: &Text<'_>, name: Name) -> Option<Name> {
    let at = before_quote(text, name.start);
    let at = text.run_back(at, 4, is_blank);
    if !matches!(text.before(at), b':' | b'=') {
        return None;
    }
    let at = text.run_back(at - 1, 4, is_blank);
    let end = before_quote(text, at);
    let start = text.run_back(end, 32, is_name);
    let start = text.after_escape(start);
    let is_key = KEYS.iter().any(|key| text.slice(start, end).eq_ignore_ascii_case(key));
    is_key.then_some(Name { start, end })
}

/// Before the opening quote, with its backslashes, that stands before `at`.
fn before_quote(text: &Text<'_>, at: usize) -> usize {
    if !matches!(text.before(at), b'"' | b'\'' | b'`') {
        return at;
    }
    text.run_back(at - 1, 7, |byte| byte == b'\\')
}

/// The content of a part of a form: behind the empty line that ends the part's headers.
fn part(text: &Text<'_>, name: Name, key: Name) -> Option<Value> {
    let joined = text.at(key.end) == b'='
        && text.slice(text.run_back(key.start, 16, |byte| byte != b'-'), key.start).contains(&b'd');
    if !joined {
        return None;
    }
    let mut at = behind_quote(text, name.end);
    for _ in 0..MOST_BETWEEN {
        at = text.run_at_most(at, 2 * LONGEST_BETWEEN, |byte| !matches!(byte, b'\r' | b'\n' | b'\\'));
        at = line_break(text, at)?;
        if let Some(start) = line_break(text, at) {
            let end = text.run(start, |byte| !matches!(byte, b'\r' | b'\n' | b'\\' | b'"'));
            return Some(Value { start, end, quoted: true });
        }
    }
    None
}

/// Behind a line break, real or as an escape sequence.
pub(super) fn line_break(text: &Text<'_>, at: usize) -> Option<usize> {
    [&b"\r\n"[..], b"\n", b"\\r\\n", b"\\n", b"\\\\r\\\\n"]
        .iter()
        .find(|form| text.has(at, form))
        .map(|form| at + form.len())
}

/// The value behind the name, other pairs between the two passed over.
fn behind(text: &Text<'_>, name: Name) -> Option<Value> {
    let mut at = behind_quote(text, name.end);
    for _ in 0..=MOST_BETWEEN {
        let begin = between(text, at);
        if begin == at {
            return None;
        }
        let start = value::quote(text, begin).map_or(begin, |(start, ..)| start);
        let end = text.run_at_most(start, 32, is_name);
        let place = value::separator(text, end)?;
        if VALUES.iter().any(|own| text.slice(start, end).eq_ignore_ascii_case(own)) {
            let opens = matches!(text.at(place.at), b'{' | b'&');
            return (!opens).then(|| value::value(text, place.at));
        }
        at = passed_over(text, place.at)?;
    }
    None
}

/// Behind a short value.
fn passed_over(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = value::quote(text, at).map_or(at, |(start, ..)| start);
    let end = text.run_at_most(start, LONGEST_BETWEEN, |byte| value::is_unquoted(byte) && byte != b'\\');
    (end < start + LONGEST_BETWEEN).then(|| behind_quote(text, end))
}

fn behind_quote(text: &Text<'_>, at: usize) -> usize {
    value::quote(text, at).map_or(at, |(behind, ..)| behind)
}

/// Behind what separates two pairs: white space, commas, line breaks as escape sequences.
fn between(text: &Text<'_>, at: usize) -> usize {
    let is_between = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';');
    let at = text.run_at_most(at, MOST_BLANKS, is_between);
    match line_break(text, at) {
        Some(behind) => text.run_at_most(behind, MOST_BLANKS, is_between),
        None => at,
    }
}

/// The value in quotes before the pair of the name: `"value":"…","name":"DB_PASSWORD"`.
fn before(text: &Text<'_>, key: Name) -> Option<Value> {
    let at = before_quote(text, key.start);
    let at = text.run_back(at, MOST_BLANKS, |byte| byte.is_ascii_whitespace() || byte == b',');
    let mark = text.before(at);
    if at == key.start || !matches!(mark, b'"' | b'\'') {
        return None;
    }
    let end = text.run_back(at - 1, 7, |byte| byte == b'\\');
    let start = text.run_back(end, LONGEST_BEFORE, |byte| byte != mark && !matches!(byte, b'\n' | b'\r'));
    let opening = before_quote(text, start);
    let separator = text.run_back(opening, 4, is_blank);
    if opening == start || !matches!(text.before(separator), b':' | b'=') {
        return None;
    }
    let word_end = before_quote(text, text.run_back(separator - 1, 4, is_blank));
    let word = text.slice(text.run_back(word_end, 32, is_name), word_end);
    VALUES.iter().any(|own| word.eq_ignore_ascii_case(own)).then_some(Value { start, end, quoted: true })
}

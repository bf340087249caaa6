//! Values beside a sensitive name that is a value itself: `{"name":"DB_PASSWORD","value":"…"}`, with `key` for `name`,
//! in either order, and in YAML, HTML and the notation of Go. Also parts of forms, whose name stands in a header.

use super::pair::{Name, is_name};
use super::text::Text;
use super::value::{self, Value, is_blank};

/// Names under which a name stands.
const KEYS: [&[u8]; 4] = [b"name", b"key", b"parameterkey", b"parametername"];
/// Names under which its value stands.
const VALUES: [&[u8]; 2] = [b"value", b"parametervalue"];
/// Elements whose text is the value of their name.
const ELEMENTS: [&[u8]; 8] =
    [b"property ", b"entry ", b"data ", b"param ", b"setting ", b"string ", b"add ", b"field "];
const LONGEST_TAG: usize = 24;
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
    part(text, name, key)
        .or_else(|| element(text, name, key))
        .or_else(|| behind(text, name))
        .or_else(|| before(text, key))
}

/// Whether a value may belong to a name, by the bytes next to it alone. Where the text begins is not known: the text
/// before the word `name` may be no part of it.
pub(super) fn may_be_named(text: &Text<'_>, name: Name) -> bool {
    let is_key = |end: usize, key: &[u8]| {
        end.checked_sub(key.len()).is_some_and(|start| text.has_ignoring_case(start, key))
    };
    key_end(text, name).is_some_and(|end| KEYS.iter().any(|key| is_key(end, key)))
}

/// End of the word before a name, with the joiner of the two.
fn key_end(text: &Text<'_>, name: Name) -> Option<usize> {
    let at = before_quote(text, name.start);
    let at = text.run_back(at, 4, is_blank);
    if !matches!(text.before(at), b':' | b'=') {
        return None;
    }
    let at = text.run_back(at - 1, 4, is_blank);
    Some(before_quote(text, at))
}

/// The word `name` or `key` before a name.
fn key_before(text: &Text<'_>, name: Name) -> Option<Name> {
    let end = key_end(text, name)?;
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
    let head = text.slice(text.run_back(key.start, LONGEST_BETWEEN, |byte| byte >= b' '), key.start);
    let is_part = memchr::memmem::find(&head.to_ascii_lowercase(), b"form-data;").is_some();
    if !is_part || text.at(key.end) != b'=' {
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
            let inner = if text.at(place.at) == b'{' { wrapped(text, place.at)? } else { place.at };
            return (text.at(inner) != b'&').then(|| value::value(text, inner));
        }
        at = passed_over(text, place.at)?;
    }
    None
}

/// Place of the value within an object of its type: `{"stringValue":"…"}`.
fn wrapped(text: &Text<'_>, brace: usize) -> Option<usize> {
    let start = behind_quote(text, text.run_at_most(brace + 1, 4, is_blank));
    let end = text.run_at_most(start, 16, |byte| byte.is_ascii_alphabetic());
    let is_value = text.slice(start, end).to_ascii_lowercase().ends_with(b"value");
    let place = value::separator(text, end).filter(|_| is_value)?;
    (text.at(place.at) != b'{').then_some(place.at)
}

/// The text of an element of XML whose attribute is the name: `<property name="password">…</property>`.
fn element(text: &Text<'_>, name: Name, key: Name) -> Option<Value> {
    let start = behind_quote(text, name.end);
    let closes = text.at(key.end) == b'=' && start > name.end && text.at(start) == b'>';
    // Text marked up for people is no secret.
    let tag = text
        .run_back(key.start, LONGEST_TAG, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b' '));
    let is_element = ELEMENTS.iter().any(|own| text.has_ignoring_case(tag, own) && text.before(tag) == b'<');
    if !closes || !is_element {
        return None;
    }
    let end = text.run(start + 1, |byte| byte != b'<' && value::is_unquoted(byte));
    (text.at(end) == b'<').then_some(Value { start: start + 1, end, quoted: false })
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

/// Behind the separator of two pairs: white space, commas, line breaks as escape sequences.
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
    if at == key.start {
        return None;
    }
    if !matches!(mark, b'"' | b'\'') {
        return line_before(text, at);
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

/// The value in the line of YAML that ends before `end`: `- value: …`.
fn line_before(text: &Text<'_>, end: usize) -> Option<Value> {
    if !matches!(text.at(end), b'\n' | b'\r') {
        return None;
    }
    let start = text.run_back(end, LONGEST_BEFORE, value::is_unquoted);
    let separator = text.run_back(start, 4, is_blank);
    let word = separator.checked_sub(1).filter(|colon| text.at(*colon) == b':')?;
    let name = text.slice(text.run_back(word, 32, is_name), word);
    let is_value =
        start < end && separator < start && VALUES.iter().any(|own| name.eq_ignore_ascii_case(own));
    is_value.then_some(Value { start, end, quoted: false })
}

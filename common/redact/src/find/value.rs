//! Values of names: the separator and the value, quoted or not, and whether the value is worth hiding.
//! Which names are sensitive is decided in [`super::name`].

use super::text::Text;

/// The most blanks on either side of a separator.
const MOST_BLANKS: usize = 16;
/// The deepest escaping of a quote that is followed: JSON in JSON in JSON in a string.
const MOST_BACKSLASHES: usize = 7;

/// Start of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueStart {
    /// Offset of the opening quote, or of the value itself.
    pub(super) at: usize,
    /// The separator is a colon.
    pub(super) colon: bool,
    /// Blanks stand between the separator and the value.
    pub(super) loose: bool,
}

/// A value: the bytes between the quotes, or up to a delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
}

/// Reads the separator behind a name that ends at `name_end`: an optional closing quote, an optional `]`
/// (or `%5D`), and one of `=`, `:`, `=>`, `:=` with blanks around, then an optional `[`.
pub(super) fn separator(text: &Text<'_>, name_end: usize) -> Option<ValueStart> {
    let mut at = separator_mark(text, name_end)?;
    let colon = text.at(at) == b':' && text.at(at + 1) != b'=';
    let length = if matches!((text.at(at), text.at(at + 1)), (b'=', b'>') | (b':', b'=')) { 2 } else { 1 };
    at += length;
    if matches!(text.at(at), b'=' | b':') || (colon && text.has(at, b"//")) {
        return None;
    }
    let after_blanks = text.run_at_most(at, MOST_BLANKS, is_blank);
    let loose = after_blanks > at;
    at = after_blanks;
    if text.at(at) == b'[' {
        at = text.run_at_most(at + 1, MOST_BLANKS, is_blank);
    }
    Some(ValueStart { at, colon, loose })
}

/// Offset of the `=` or `:` of a separator behind a name that ends at `name_end`. It depends on nothing
/// but the text between the two.
pub(super) fn separator_mark(text: &Text<'_>, name_end: usize) -> Option<usize> {
    let mut at = name_end;
    if let Some((quote_end, ..)) = quote(text, at) {
        at = quote_end;
    }
    if text.at(at) == b']' {
        at += 1;
    } else if text.has_ignoring_case(at, b"%5d") {
        at += 3;
    }
    at = text.run_at_most(at, MOST_BLANKS, is_blank);
    matches!(text.at(at), b'=' | b':').then_some(at)
}

/// Reads the value at `at`.
pub(super) fn value(text: &Text<'_>, at: usize) -> Value {
    let Some((start, mark, backslashes)) = quote(text, at) else {
        return Value { start: at, end: unquoted_end(text, at), quoted: false };
    };
    let (end, closed) = quoted_end(text, start, mark, backslashes);
    if closed || mark == b'"' {
        return Value { start, end, quoted: true };
    }
    Value { start, end: unquoted_end(text, start), quoted: false }
}

/// End of a value without quotes: before a blank, a control character, a delimiter, or an escape that
/// stands for one of these.
pub(super) fn unquoted_end(text: &Text<'_>, start: usize) -> usize {
    let mut at = start;
    loop {
        at = text.run(at, |byte| is_unquoted(byte) && byte != b'\\');
        if text.at(at) != b'\\' {
            return at;
        }
        let behind = text.run(at, |byte| byte == b'\\');
        if matches!(text.at(behind), b'n' | b'r' | b't' | b'u' | b'"' | b'\'') {
            return at;
        }
        at = behind;
    }
}

/// Whether a byte may belong to a value without quotes.
pub(super) fn is_unquoted(byte: u8) -> bool {
    byte > b' '
        && byte != 0x7f
        && !matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b')' | b']' | b'}')
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The quote at `at` with the backslashes that escape it: its end, its mark, the number of backslashes.
pub(super) fn quote(text: &Text<'_>, at: usize) -> Option<(usize, u8, usize)> {
    let mark_at = text.run_at_most(at, MOST_BACKSLASHES, |byte| byte == b'\\');
    let mark = text.at(mark_at);
    matches!(mark, b'"' | b'\'' | b'`').then_some((mark_at + 1, mark, mark_at - at))
}

/// End of a value in quotes, and whether the closing quote is there. The closing quote is escaped as
/// deeply as the opening one, or less, where the text around the value ends; a mark escaped more deeply
/// belongs to the value. A line break ends the value, too.
fn quoted_end(text: &Text<'_>, start: usize, mark: u8, backslashes: usize) -> (usize, bool) {
    let mut at = start;
    loop {
        at = text.run(at, |byte| byte != mark && byte != b'\\' && !matches!(byte, b'\n' | b'\r'));
        let behind = text.run(at, |byte| byte == b'\\');
        let next = text.at(behind);
        if next == mark {
            let own = (behind - at) % (2 * (backslashes + 1));
            if own <= backslashes {
                return (behind - own, true);
            }
            at = behind + 1;
            continue;
        }
        if behind >= text.len() || (behind == at && next != b'\\') || matches!(next, b'\n' | b'\r') {
            return (behind, false);
        }
        at = behind;
    }
}

/// Whether a value hides nothing: it is empty, masked already, a literal such as `null`, or stands for
/// something that is filled in elsewhere.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    is_masked(value)
        || begins_template(value)
        || repeats_filler(value)
        || in_angles(value)
        || is_variable(value)
        || is_filler_word(trim_brackets(value))
}

/// Whether the value at `at`, behind its quote if it has one, begins as one that hides nothing does.
/// Settled without reading the value to its end, so that the rest is still examined.
pub(super) fn begins_placeholder(text: &Text<'_>, at: usize) -> bool {
    let start = quote(text, at).map_or(at, |(start, ..)| start);
    let value = text.bytes().get(start..).unwrap_or_default();
    begins_masked(value) || begins_template(value)
}

/// Whether a value begins as masked values do, or is nothing but asterisks.
pub(crate) fn is_masked(value: &[u8]) -> bool {
    begins_masked(value) || value.iter().all(|byte| *byte == b'*')
}

fn begins_masked(value: &[u8]) -> bool {
    value.starts_with(b"***") || Text::new(value).placeholder_at(0)
}

fn begins_template(value: &[u8]) -> bool {
    [&b"${"[..], b"$(", b"{{", b"%{"].iter().any(|mark| value.starts_with(mark))
}

/// `<redacted>`, `<your password here>`: words in angle brackets.
fn in_angles(value: &[u8]) -> bool {
    let [b'<', inside @ .., b'>'] = value else { return false };
    inside.iter().all(|byte| super::pair::is_name(*byte) || matches!(byte, b' ' | b'*'))
}

/// Whether something in it was masked by asterisks.
pub(super) fn holds_asterisks(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"***").is_some()
}

/// Whether a part of a value is masked already, or all of it hides nothing.
pub(super) fn holds_mask(value: &[u8]) -> bool {
    is_placeholder(value) || holds_asterisks(value) || memchr::memmem::find(value, b"_REDACTED>").is_some()
}

/// Whether a value with a blank after it reads on as prose: one plain word, then another that is no name.
pub(super) fn is_prose(text: &Text<'_>, value: Value) -> bool {
    let is_word = text.slice(value.start, value.end).iter().all(u8::is_ascii_alphabetic);
    if !is_word || text.at(value.end) != b' ' {
        return false;
    }
    let next_end = text.run_at_most(value.end + 1, MOST_PROSE_WORD, |byte| byte.is_ascii_alphabetic());
    if text.masked_at(value.end + 1) {
        return true;
    }
    next_end > value.end + 1 && !matches!(text.at(next_end), b':' | b'=')
}

/// Whether a pair of its own, such as `user=bob`, stands where a value is expected.
pub(super) fn is_pair(text: &Text<'_>, at: usize) -> bool {
    let name_end = text.run_at_most(at, MOST_PROSE_WORD, super::pair::is_name);
    name_end > at
        && text.at(name_end) == b'='
        && text.at(name_end + 1) != b'='
        && is_unquoted(text.at(name_end + 1))
}

/// Most bytes read of the next word; longer ones are not ordinary words, but settle nothing either.
const MOST_PROSE_WORD: usize = 32;

fn repeats_filler(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or(0);
    let filler = first == b'-' || (value.len() >= 3 && matches!(first, b'x' | b'X' | b'.' | b'_' | b'?'));
    filler && value.iter().all(|byte| *byte == first)
}

/// `$NAME` or `%NAME%`.
fn is_variable(value: &[u8]) -> bool {
    let name = match value {
        [b'$', name @ ..] | [b'%', name @ .., b'%'] => name,
        _ => return false,
    };
    name.first().is_some_and(u8::is_ascii_uppercase)
        && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

pub(super) fn trim_brackets(value: &[u8]) -> &[u8] {
    let without_opening = match value {
        [b'[' | b'(' | b'<' | b'{', rest @ ..] => rest,
        _ => value,
    };
    match without_opening {
        [rest @ .., b']' | b')' | b'>' | b'}'] => rest,
        _ => without_opening,
    }
}

fn is_filler_word(value: &[u8]) -> bool {
    const WORDS: [&str; 12] = [
        "null",
        "nil",
        "none",
        "undefined",
        "true",
        "false",
        "redacted",
        "filtered",
        "masked",
        "hidden",
        "removed",
        "omitted",
    ];
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

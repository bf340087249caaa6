//! The body of a private key in armour: lines of base64, however text has broken and quoted them.

use crate::find::listed::line_break;
use crate::find::text::Text;

/// The beginning of the closing line, without the blank behind it.
pub(super) const CLOSING: &[u8] = b"-----END";
/// The most headers of a key, and how long each may be.
const MOST_HEADERS: usize = 8;
const LONGEST_HEADER: usize = 256;
/// The longest name of a header.
const LONGEST_NAME: usize = 24;
/// The most bytes between two lines: quotes, commas, an operator, tags.
const LONGEST_BREAK: usize = 24;
/// Bytes of base64 that are a line of a key whatever follows.
const FULL_LINE: usize = 32;
/// The longest line that is looked at for the closing one behind it.
const LONGEST_LINE: usize = 80;

/// End of the text that may belong to the block: base64, white space, escape sequences, and headers such as
/// `DEK-Info: AES-128-CBC,…`. Without a closing line all of this is taken for the key.
pub(super) fn end(text: &Text<'_>, body: usize) -> usize {
    let mut at = headers_end(text, body);
    loop {
        at = text.run(at, is_body);
        let is_dash = text.at(at) == b'-' && text.at(at + 1) != b'-';
        let escape = if is_dash { Some(at + 1) } else { escape_end(text, at) };
        match escape.or_else(|| next_line(text, at)) {
            Some(next) => at = next,
            None => return at,
        }
    }
}

/// Whether the closing line begins at `at`.
pub(super) fn is_closing(text: &Text<'_>, at: usize) -> bool {
    text.has(at, CLOSING)
}

/// Behind the headers of PEM (RFC 1421) and of OpenPGP (RFC 9580), which hold any text.
fn headers_end(text: &Text<'_>, body: usize) -> usize {
    let mut end = body;
    for _ in 0..MOST_HEADERS {
        let Some(start) = line_break(text, end) else { break };
        let name = text.run_at_most(start, LONGEST_NAME, |byte| byte.is_ascii_alphabetic() || byte == b'-');
        if name == start || !text.has(name, b": ") {
            break;
        }
        end = text.run_at_most(name, LONGEST_HEADER, |byte| !matches!(byte, b'\n' | b'\r' | b'\\' | b'"'));
    }
    end
}

fn is_body(byte: u8) -> bool {
    is_base64(byte)
        || byte.is_ascii_whitespace()
        || matches!(byte, b'\\' | b':' | b',' | b'.' | b'(' | b')' | b'@')
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Behind a byte that is percent-encoded, or written in octal behind `#` as rsyslog does.
fn escape_end(text: &Text<'_>, at: usize) -> Option<usize> {
    let digits = text.slice(at + 1, at + 4);
    match text.at(at) {
        b'%' => digits.iter().take(2).all(u8::is_ascii_hexdigit).then_some(at + 3),
        b'#' => digits.iter().all(|byte| matches!(byte, b'0'..=b'7')).then_some(at + 4),
        _ => None,
    }
    .filter(|end| *end <= text.len())
}

/// Start of the next line of the key, or of the closing one, behind a break at `at`, if there is one.
fn next_line(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = break_end(text, at);
    if start == at || is_closing(text, start) || is_full_line(text, start) {
        return (start > at).then_some(start);
    }
    // The last line is short: the text behind shows it.
    let line = text.run_at_most(start, LONGEST_LINE, is_base64);
    let behind = break_end(text, line);
    (line > start && behind > line && is_closing(text, behind)).then_some(start)
}

/// Behind quotes, operators, marks of quotations and the tag `<br>`.
fn break_end(text: &Text<'_>, at: usize) -> usize {
    let is_break = |byte: u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b',' | b'|' | b'>' | b'[' | b';')
    };
    let limit = at + LONGEST_BREAK;
    let mut end = at;
    while end < limit {
        let behind = text.run_at_most(end, limit - end, is_break);
        let longer = tag_end(text, behind).or_else(|| line_break(text, behind)).unwrap_or(behind);
        // An operator stands between blanks.
        let is_operator = text.at(longer) == b'+' && is_break(text.at(longer + 1)) && longer > at;
        end = if is_operator { longer + 1 } else { longer };
        if end == behind {
            break;
        }
    }
    end
}

/// Behind `<br>` or `<br/>`.
fn tag_end(text: &Text<'_>, at: usize) -> Option<usize> {
    if !text.has_ignoring_case(at, b"<br") {
        return None;
    }
    let end = text.run_at_most(at + b"<br".len(), 2, |byte| matches!(byte, b' ' | b'/'));
    (text.at(end) == b'>').then_some(end + 1)
}

/// Whether base64 of both cases and with a digit stands at `start`, as long as no word is.
fn is_full_line(text: &Text<'_>, start: usize) -> bool {
    let end = text.run_at_most(start, FULL_LINE, is_base64);
    let line = text.slice(start, end);
    end == start + FULL_LINE
        && line.iter().any(u8::is_ascii_lowercase)
        && line.iter().any(u8::is_ascii_uppercase)
        && line.iter().any(u8::is_ascii_digit)
}

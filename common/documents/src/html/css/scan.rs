//! Scanning of style sheets: comments, escapes, and pieces between separators outside of strings and brackets.

use super::Cow;

/// The text with a space in the place of each comment.
pub(in super::super) fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("/*") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = comment(rest) {
        kept.push_str(rest.get(..at).unwrap_or_default());
        kept.push(' ');
        let after = rest.get(at + 2..).unwrap_or_default();
        rest = after.find("*/").and_then(|end| after.get(end + 2..)).unwrap_or_default();
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Start of the first comment outside of strings.
fn comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (quote, byte) {
            (_, b'\\') => at += 1,
            (Some(open), byte) if open == *byte || *byte == b'\n' => quote = None,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'/') if bytes.get(at + 1) == Some(&b'*') => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The text without escapes (`\64 isplay` is `display`).
pub(in super::super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            kept.push(letter);
            continue;
        }
        let mut code = 0;
        let mut digits = 0;
        while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(16)).filter(|_| digits < 6) {
            code = code * 16 + digit;
            digits += 1;
            letters.next();
        }
        if digits == 0 {
            kept.extend(letters.next());
            continue;
        }
        letters.next_if(|letter| letter.is_ascii_whitespace());
        kept.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(kept)
}

/// Pieces between separators that are outside of strings, brackets and escapes.
pub(in super::super) struct Pieces<'t> {
    rest: Option<&'t str>,
    separator: u8,
}

impl<'t> Pieces<'t> {
    pub(in super::super) const fn new(text: &'t str, separator: u8) -> Self {
        Self { rest: Some(text), separator }
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let text = self.rest?;
        let bytes = text.as_bytes();
        let (mut quote, mut depth, mut at) = (None, 0_u32, 0);
        while let Some(byte) = bytes.get(at) {
            match (quote, byte) {
                (_, b'\\') => at += 1,
                (Some(open), byte) if open == *byte || *byte == b'\n' => quote = None,
                (Some(_), _) => {}
                (None, byte) if *byte == self.separator && depth == 0 => {
                    self.rest = text.get(at + 1..);
                    return text.get(..at);
                }
                (None, b'"' | b'\'') => quote = Some(*byte),
                (None, b'(') if is_url(bytes, at) => {
                    let end = memchr::memchr(b')', bytes.get(at..).unwrap_or_default());
                    at = end.map_or(bytes.len(), |end| at + end);
                }
                (None, b'(' | b'[' | b'{') => depth += 1,
                (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
        self.rest = None;
        Some(text)
    }
}

/// Whether a bracket begins an address without quotes, whose signs have no meaning.
fn is_url(bytes: &[u8], bracket: usize) -> bool {
    let word = bracket.checked_sub(3).and_then(|start| bytes.get(start..bracket));
    let first = bytes.get(bracket + 1..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
    word.is_some_and(|word| word.eq_ignore_ascii_case(b"url")) && !matches!(first, Some(b'"' | b'\''))
}

//! Sentences of a text, for rules that hold within one.

use std::ops::Range;

/// The sentences of a text, in bytes: each ends with a mark and white space, with a mark of a script that uses none, or
/// with a line. Parts without any letter or digit are left out.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut has_word = false;
    let mut chars = text.char_indices().peekable();
    while let Some((place, char)) = chars.next() {
        has_word |= char.is_alphanumeric();
        let spaced =
            chars.peek().is_none_or(|(_, next)| next.is_whitespace() || matches!(next, '"' | '\'' | ')'));
        let ends = match char {
            '\n' | '。' | '！' | '？' | '؟' | '।' | '｡' => true,
            '.' | '!' | '?' | ';' | ':' => spaced,
            _ => false,
        };
        if !ends {
            continue;
        }
        let end = place.saturating_add(char.len_utf8());
        if has_word {
            found.push(start..end);
        }
        (start, has_word) = (end, false);
    }
    if has_word {
        found.push(start..text.len());
    }
    found
}

//! Texts within bounds.

/// The text, or its beginning with an ellipsis, of at most `limit` characters. Reads no more of it than that. Control characters
/// other than line ends and tabs are replaced: they have no meaning in a text for people, and six bytes in JSON.
#[must_use]
pub fn cut(text: &str, limit: usize) -> String {
    let shown = |character: char| match character {
        '\n' | '\r' | '\t' => character,
        other if other.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    };
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.chars().map(shown).collect() };
    let last = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    let mut cut: String = text[..last].chars().map(shown).collect();
    cut.push('…');
    cut
}

/// The words of a text, separated by single spaces, of at most `limit` characters.
pub(crate) fn line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // Each character has at least one byte, and four at most.
        if line.len() > limit.saturating_mul(4) {
            break;
        }
    }
    cut(&line, limit)
}

#[cfg(test)]
mod tests {
    use super::{cut, line};

    #[test]
    fn a_text_is_cut_at_a_character_with_an_ellipsis() {
        assert_eq!(cut("grün", 4), "grün");
        assert_eq!(cut("grüner", 4), "grü…");
        assert_eq!(cut("日本語", 1), "…");
        assert_eq!(cut("", 3), "");
    }

    #[test]
    fn a_line_has_single_spaces() {
        assert_eq!(line("  a\n\tb  c ", 10), "a b c");
        assert_eq!(line("a b c d", 4), "a b…");
    }
}

//! Pieces of a text, which no token crosses: words with the character before them, groups of three digits, marks, line
//! ends, spaces.

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

use crate::VocabularyError;

/// The alternatives, most specific first; every character is matched by one of them. The vocabulary was learned from pieces of
/// this form, of which runs of spaces leave their last one to the word behind them (see [`Cut::next`]).
const ALTERNATIVES: [&str; 6] = [
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+",
];

/// Cuts texts.
pub(crate) struct Pieces(Regex);

impl Pieces {
    pub(crate) fn new() -> Result<Self, VocabularyError> {
        Ok(Self(Regex::new(&ALTERNATIVES.join("|")).map_err(Box::new)?))
    }

    /// The pieces of a text, in order; together they are the text.
    pub(crate) fn of<'a>(&'a self, text: &'a str) -> Cut<'a> {
        Cut { expression: &self.0, text, at: 0 }
    }
}

/// Pieces of one text.
pub(crate) struct Cut<'a> {
    expression: &'a Regex,
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Cut<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let input = Input::new(self.text).range(self.at..).anchored(Anchored::Yes);
        let end = self.expression.search_half(&input).map(|end| end.offset() - self.at);
        let matched = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        let piece = if matched.len() < rest.len() { without_last_space(matched) } else { matched };
        self.at += piece.len();
        Some(piece)
    }
}

/// A run of at least two spaces in front of something else leaves the last one to it. Only such runs end with a space that is
/// no line end.
fn without_last_space(matched: &str) -> &str {
    let Some((last, character)) = matched.char_indices().next_back() else { return matched };
    let leaves = last > 0 && character.is_whitespace() && !matches!(character, '\r' | '\n');
    if leaves { matched.get(..last).unwrap_or(matched) } else { matched }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        Pieces::new().unwrap().of(text).map(str::to_owned).collect()
    }

    #[test]
    fn texts_are_cut_at_words_digits_marks_and_spaces() {
        assert_eq!(cut("Hello world's 12345!"), ["Hello", " world's", " ", "123", "45", "!"]);
        assert_eq!(cut("a   b"), ["a", "  ", " b"]);
        assert_eq!(cut("a  \n\n  b  "), ["a", "  \n\n", " ", " b", "  "]);
        assert_eq!(cut("HTTPServer"), ["HTTPServer"]);
        assert_eq!(cut("x = [1];\n"), ["x", " =", " [", "1", "];\n"]);
        assert_eq!(cut(""), Vec::<String>::new());
    }
}

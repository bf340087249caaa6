//! Words and phrases of classes, found in one pass over a folded text.
//!
//! A file has lines of the form `class: phrase | phrase | …`. A phrase that ends with `*` is the beginning of a word, so that it
//! stands for all endings. Lines that begin with `#` are comments.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use thiserror::Error;

use crate::{Word, fold};

/// Most classes of a lexicon: each is one bit of [`Hit::classes`].
pub const MAX_CLASSES: usize = 64;

/// Reason why a lexicon cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LexiconError {
    /// More classes than bits.
    #[error("expected at most {MAX_CLASSES} classes, found the class number {found}")]
    Class {
        /// Number of the class.
        found: usize,
    },
    /// The phrases are too many or too long for the automaton.
    #[error("the automaton of the phrases cannot be built: {cause}")]
    Automaton {
        /// Error of the library.
        cause: String,
    },
}

/// A place of a text where a phrase stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Classes of the phrase, one bit each.
    pub classes: u64,
    /// First word, by its number in the text.
    pub first: usize,
    /// Last word.
    pub last: usize,
}

/// Phrases in one automaton.
#[derive(Debug)]
pub struct Lexicon {
    automaton: AhoCorasick,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    classes: u64,
    /// Whether a word must begin where the entry does, and end where it ends.
    begins: bool,
    ends: bool,
}

impl Lexicon {
    /// Builds a lexicon of phrases, each with the number of its class.
    ///
    /// # Errors
    /// [`LexiconError`].
    pub fn new<'p>(phrases: impl Iterator<Item = (&'p str, usize)>) -> Result<Self, LexiconError> {
        let mut spellings: Vec<(String, u64, bool)> = Vec::new();
        for (phrase, class) in phrases {
            let bit = u32::try_from(class).ok().and_then(|class| 1_u64.checked_shl(class));
            let bit = bit.ok_or(LexiconError::Class { found: class })?;
            let spelling = phrase.trim_end_matches('*');
            spellings.push((fold(spelling).text, bit, phrase.ends_with('*')));
        }
        spellings.sort();
        let mut patterns: Vec<String> = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        for (spelling, classes, is_prefix) in spellings {
            let ends = !is_prefix && spelling.chars().next_back().is_some_and(needs_end);
            match entries.last_mut().filter(|_| patterns.last() == Some(&spelling)) {
                Some(entry) => {
                    entry.classes |= classes;
                    entry.ends &= ends;
                }
                None => {
                    let begins = spelling.chars().next().is_some_and(needs_end);
                    entries.push(Entry { classes, begins, ends });
                    patterns.push(spelling);
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .dense_depth(1)
            .build(&patterns)
            .map_err(|error| LexiconError::Automaton { cause: error.to_string() })?;
        Ok(Self { automaton, entries })
    }

    /// All hits in a folded text, by their last word. Time is linear: a phrase ends in at most as many hits as there are phrases
    /// that it ends with.
    #[must_use]
    pub fn hits(&self, text: &str, words: &[Word]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let bytes = text.as_bytes();
        let mut last = 0;
        for found in self.automaton.find_overlapping_iter(text) {
            let Some(entry) = self.entries.get(found.pattern().as_usize()) else { continue };
            let joins = |place: Option<usize>| place.is_some_and(|place| is_inside(text, bytes, place));
            if entry.begins && joins(found.start().checked_sub(1)) || entry.ends && joins(Some(found.end())) {
                continue;
            }
            while words.get(last + 1).is_some_and(|word| (word.start as usize) < found.end()) {
                last += 1;
            }
            let mut first = last;
            while first > 0 && words.get(first).is_some_and(|word| word.start as usize > found.start()) {
                first -= 1;
            }
            hits.push(Hit { classes: entry.classes, first, last });
        }
        hits
    }
}

/// Class and phrase of each phrase of a file.
pub fn phrases(file: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": ")).flat_map(|(class, entries)| {
        entries
            .split(" | ")
            .map(move |entry| (class.trim(), entry.trim()))
            .filter(|(_, entry)| !entry.is_empty())
    })
}

/// Whether words that begin or end with this character are written with spaces around them.
fn needs_end(char: char) -> bool {
    char.is_alphanumeric() && !is_unspaced(char)
}

fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Whether the byte at a place belongs to a word.
fn is_inside(text: &str, bytes: &[u8], place: usize) -> bool {
    match bytes.get(place) {
        None => false,
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric(),
        Some(_) => {
            let start = (place.saturating_sub(3)..=place).rev().find(|place| text.is_char_boundary(*place));
            start.and_then(|start| text.get(start..)?.chars().next()).is_some_and(needs_end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn phrases_are_found_at_words_and_prefixes_with_any_ending() {
        let file = "# A comment: none\nask: verif* | log in\nthing: account\n";
        let names = ["ask", "thing"];
        let class = |name| names.iter().position(|known| *known == name).unwrap();
        let lexicon = Lexicon::new(phrases(file).map(|(name, phrase)| (phrase, class(name)))).unwrap();
        let text = fold("VERIFYING your accounts, or log in to the account. Blog in.").text;
        let hits = lexicon.hits(&text, &words(&text));
        let found: Vec<_> = hits.iter().map(|hit| (hit.classes, hit.first, hit.last)).collect();
        assert_eq!(found, [(1, 0, 0), (1, 4, 5), (2, 8, 8)]);
    }

    #[test]
    fn a_class_without_a_bit_is_an_error() {
        assert_eq!(Lexicon::new([("word", 64)].into_iter()).unwrap_err(), LexiconError::Class { found: 64 });
    }
}

//! Labels: the words that name a value, with the kind and the country that they tell.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::format::Labels;
use super::words::Word;

mod identity;
mod other;

/// Kinds, country (empty: any) and lower-case words.
type Named = (Labels, &'static str, &'static [&'static str]);

/// A label in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Place of its first and last word; see [`Word::place`].
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) kinds: Labels,
    pub(crate) country: &'static str,
}

/// The automaton of all labels.
pub(crate) struct LabelSearch {
    automaton: AhoCorasick,
    /// Kind and country of each pattern.
    meanings: Vec<(Labels, &'static str)>,
}

impl LabelSearch {
    /// Builds the automaton; its size is that of the tables.
    pub(crate) fn new() -> Result<Self, aho_corasick::BuildError> {
        let (mut patterns, mut meanings) = (Vec::new(), Vec::new());
        for (kinds, country, words) in identity::LABELS.iter().chain(other::LABELS) {
            for word in *words {
                for written in cases(word) {
                    patterns.push(written);
                    meanings.push((*kinds, *country));
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(patterns)?;
        Ok(Self { automaton, meanings })
    }

    /// Every label between word boundaries, in the order of their ends. At each place as many end as the tables hold
    /// suffixes of each other, so the number is linear in the text.
    pub(crate) fn find(&self, text: &str, words: &[Word], opaque: &[std::ops::Range<usize>]) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        let (mut word, mut hidden) = (0, 0);
        for found in self.automaton.find_overlapping_iter(text) {
            if !is_word(text, found.start(), found.end()) {
                continue;
            }
            while opaque.get(hidden).is_some_and(|range| range.end <= found.start()) {
                hidden += 1;
            }
            if opaque.get(hidden).is_some_and(|range| range.start < found.end()) {
                continue;
            }
            // The last word that begins before the end of the label.
            while words.get(word + 1).is_some_and(|next| next.start < found.end()) {
                word += 1;
            }
            let last = words.get(word).map_or(0, |word| word.place);
            let first =
                words.get(..=word).unwrap_or_default().iter().rev().find(|word| word.start <= found.start());
            let first = first.map_or(last, |word| word.place);
            let Some((kinds, country)) = self.meanings.get(found.pattern().as_usize()).copied() else {
                continue;
            };
            labels.push(Label { start: found.start(), end: found.end(), first, last, kinds, country });
        }
        labels
    }
}

/// A pattern in the cases that ignoring the case of ASCII does not cover.
fn cases(word: &str) -> Vec<String> {
    if word.is_ascii() {
        return vec![word.to_owned()];
    }
    let mut written = vec![word.to_owned(), word.to_uppercase()];
    let mut characters = word.chars();
    if let Some(first) = characters.next() {
        written.push(first.to_uppercase().chain(characters).collect());
    }
    written.sort();
    written.dedup();
    written
}

/// Whether no letter continues the label on either side. The second word of a name in camel case begins with a
/// capital; scripts without blanks have no boundaries.
fn is_word(text: &str, start: usize, end: usize) -> bool {
    let label = text.get(start..end).unwrap_or_default();
    let first = label.chars().next().unwrap_or(' ');
    let last = label.chars().next_back().unwrap_or(' ');
    let before = text.get(..start).and_then(|before| before.chars().next_back()).unwrap_or(' ');
    let behind = text.get(end..).and_then(|behind| behind.chars().next()).unwrap_or(' ');
    let unspaced = |letter: char| {
        ('\u{0E00}'..='\u{0E7F}').contains(&letter) || ('\u{3040}'..='\u{D7AF}').contains(&letter)
    };
    let begins = !before.is_alphanumeric()
        || unspaced(first)
        || unspaced(before)
        || (before.is_lowercase() && first.is_uppercase());
    let ends = !behind.is_alphabetic()
        || unspaced(last)
        || unspaced(behind)
        || (last.is_lowercase() && behind.is_uppercase());
    begins && ends && !label.is_empty()
}

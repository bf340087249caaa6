//! A text to words, phrases and the windows that are judged by themselves.
//!
//! A window has a bounded number of words, so that ordinary text around a pretext does not hide it.

use std::collections::BTreeSet;
use std::ops::Range;

use linear_model::Feature;
use text::{Folded, Hit, Word, fold, groups, words};

use crate::PretextError;
use crate::facts::Circumstances;
use crate::hosts::bare;
use crate::lexicon::{CLASSES, Class, Lexicons};
use crate::phrases::{PHRASES, Phrase};
use crate::prohibition::{sentence_of_words, without_forbidden};
use crate::{durations, figures};

/// Words of a window; windows overlap by half.
const WINDOW: usize = 160;
/// Letters of the beginning of a word that stand for all its forms, and letters of the shortest such word.
const STEM: usize = 5;
/// Words of a subject that are read.
const SUBJECT: usize = 40;
/// Classes of length of a text, each with its largest number of words.
const LENGTHS: [(usize, &str); 4] = [(12, "shortest"), (35, "short"), (90, "middle"), (220, "long")];

/// Tags of features.
const STEM_TAG: u64 = 7;
const SUBJECT_TAG: u64 = 8;
const CLASS_TAG: u64 = 65;
const PHRASE_TAG: u64 = 66;
const LENGTH_TAG: u64 = 67;
const FIGURE_TAG: u64 = 68;

/// A group of phrases that stands in a text.
#[derive(Clone, Debug)]
struct Found {
    phrase: usize,
    words: Range<usize>,
}

/// A text as the model reads it.
#[derive(Clone, Debug)]
pub struct Reading {
    folded: Folded,
    words: Vec<Word>,
    stems: Vec<Option<Feature>>,
    /// Classes of the language with the most phrases, by first word.
    hits: Vec<Hit>,
    /// Groups of phrases, by last word.
    found: Vec<Found>,
    /// Figures with the word at which they begin: telephone numbers, accounts, wallets.
    figures: Vec<(usize, &'static str)>,
}

/// Features of a window: those of facts count more than those of words.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Facts of the letter, phrases and figures.
    pub facts: Vec<Feature>,
    /// Words and neighbouring words.
    pub words: Vec<Feature>,
}

/// Reads texts with the phrases of all languages.
#[derive(Debug)]
pub struct Reader {
    pub(crate) lexicons: Lexicons,
}

impl Reader {
    /// Builds the automatons of the phrases.
    ///
    /// # Errors
    /// [`PretextError::Lexicon`].
    pub fn new() -> Result<Self, PretextError> {
        Ok(Self { lexicons: Lexicons::new()? })
    }

    /// Reads a text. Time is linear in its length.
    #[must_use]
    pub fn read(&self, text: &str) -> Reading {
        let folded = fold(&without_addresses(text));
        let words = words(&folded.text);
        let sentence = sentence_of_words(&folded.text, &words);
        let mut hits = self.most_hits(&folded.text, &words);
        hits.extend(figures::amounts(&folded.text, &words));
        hits.sort_by_key(|hit| hit.last);
        let (mut hits, warned) = without_forbidden(&folded.text, &words, &sentence, hits);
        let found = found(&hits);
        hits.extend(warned.into_iter().map(|word| Hit {
            classes: Class::Warn.bit(),
            first: word,
            last: word,
        }));
        hits.sort_by_key(|hit| hit.first);
        let stems = words.iter().map(|word| stem(folded.text.get(word.range())?)).collect();
        let figures = figures::all(&folded.text, &words);
        Reading { folded, words, stems, hits, found, figures }
    }

    /// Phrases of the language that has the most of them in a text.
    fn most_hits(&self, folded: &str, words: &[Word]) -> Vec<Hit> {
        let mut most = Vec::new();
        for (language, mut hits) in self.lexicons.hits(folded, words).enumerate() {
            durations::add(folded, words, language, &mut hits);
            if hits.len() > most.len() {
                most = hits;
            }
        }
        most
    }
}

impl Reading {
    /// Windows of the text, in words; one without words for an empty text.
    pub fn windows(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let words = self.words.len();
        let last = words.saturating_sub(WINDOW / 2).max(1);
        (0..last).step_by(WINDOW / 2).map(move |start| start..(start + WINDOW).min(words))
    }

    /// Features of a window of this text under a subject.
    #[must_use]
    pub fn row(&self, window: &Range<usize>, circumstances: &Circumstances, subject: &Self) -> Row {
        let mut phrases: BTreeSet<usize> = self.phrases_of(window).collect();
        let whole = 0..subject.words.len();
        phrases.extend(subject.phrases_of(&whole));
        let classes = self.classes(window) | subject.classes(&whole);
        let mut facts: Vec<Feature> = circumstances.facts.iter().map(|fact| fact.feature()).collect();
        facts.extend(phrases.into_iter().filter_map(|place| Some(phrase_feature(PHRASES.get(place)?))));
        for class in (0..CLASSES).filter(|class| classes & (1 << class) != 0) {
            let feature = class_feature(class);
            facts.push(feature);
            let joined = circumstances.facts.iter().filter(|fact| fact.is_joined);
            facts.extend(joined.map(|fact| fact.feature().then(feature)));
        }
        let figures: BTreeSet<&str> = within(&self.figures, window).collect();
        facts.extend(figures.into_iter().map(|name| Feature::of(name).tagged(FIGURE_TAG)));
        let length =
            LENGTHS.iter().find(|(most, _)| self.words.len() <= *most).map_or("longest", |(_, name)| name);
        facts.push(Feature::of(length).tagged(LENGTH_TAG));
        let mut words = self.word_features(window);
        let subject_words = subject.word_features(&(0..subject.words.len().min(SUBJECT)));
        words.extend(subject_words.into_iter().map(|feature| feature.tagged(SUBJECT_TAG)));
        Row { facts, words }
    }

    /// Different features of the words of a part.
    fn word_features(&self, part: &Range<usize>) -> Vec<Feature> {
        let words = self.words.get(part.clone()).unwrap_or_default();
        let mut features: Vec<Feature> = groups(words).collect();
        features.extend(self.stems.get(part.clone()).unwrap_or_default().iter().flatten());
        features.sort_unstable();
        features.dedup();
        features
    }

    /// Different features of each word with those that end at it, for explanations.
    pub(crate) fn features_at(&self, place: usize) -> impl Iterator<Item = Feature> {
        let stem = self.stems.get(place).copied().flatten();
        text::groups_at(&self.words, place).map(|(feature, _)| feature).chain(stem)
    }

    fn phrases_of(&self, part: &Range<usize>) -> impl Iterator<Item = usize> {
        let from = self.found.partition_point(|one| one.words.end <= part.start);
        let (start, end) = (part.start, part.end);
        let of_part = self.found.iter().skip(from).take_while(move |one| one.words.end <= end);
        of_part.filter(move |one| one.words.start >= start).map(|one| one.phrase)
    }

    /// Groups of phrases of a part, each once.
    #[must_use]
    pub fn phrases(&self, part: &Range<usize>) -> Vec<&'static Phrase> {
        let places: BTreeSet<usize> = self.phrases_of(part).collect();
        places.into_iter().filter_map(|place| PHRASES.get(place)).collect()
    }

    /// Classes of phrases within a part, one bit each.
    fn classes(&self, part: &Range<usize>) -> u64 {
        let from = self.hits.partition_point(|hit| hit.first < part.start);
        let of_part = self.hits.iter().skip(from).take_while(|hit| hit.first < part.end);
        of_part.fold(0, |classes, hit| classes | hit.classes)
    }

    /// Place of words in the text that was read, in bytes.
    #[must_use]
    pub fn source(&self, words: &Range<usize>) -> Range<usize> {
        let at = |word: usize| self.words.get(word);
        let start = at(words.start).map_or(0, |word| word.start as usize);
        let end = words.end.checked_sub(1).and_then(at).map_or(start, |word| word.end as usize);
        self.folded.map.source(&(start..end))
    }
}

pub(crate) fn phrase_feature(phrase: &Phrase) -> Feature {
    Feature::of(phrase.says).tagged(PHRASE_TAG)
}

fn class_feature(class: usize) -> Feature {
    Feature::of(Lexicons::name(class)).tagged(CLASS_TAG)
}

fn within<'f>(
    figures: &'f [(usize, &'static str)],
    part: &Range<usize>,
) -> impl Iterator<Item = &'static str> + 'f {
    let from = figures.partition_point(|(word, _)| *word < part.start);
    let end = part.end;
    figures.iter().skip(from).take_while(move |(word, _)| *word < end).map(|(_, name)| *name)
}

/// The beginning of a longer word.
fn stem(spelling: &str) -> Option<Feature> {
    let (end, _) = spelling.char_indices().nth(STEM)?;
    let is_word = spelling.chars().all(char::is_alphabetic);
    is_word.then(|| Feature::of(spelling.get(..end).unwrap_or_default()).tagged(STEM_TAG))
}

/// The text with spaces in place of URLs and mail addresses, whose places do not change: they are facts of links, and names in them are no
/// words.
fn without_addresses(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for part in text.split_inclusive(char::is_whitespace) {
        let is_address =
            part.contains("://") || part.starts_with("www.") || part.contains('@') || bare(part).is_some();
        if is_address {
            plain.extend(part.chars().flat_map(|char| {
                let kept = if char.is_whitespace() { Some(char) } else { None };
                let spaces = if kept.is_some() { 0 } else { char.len_utf8() };
                std::iter::repeat_n(' ', spaces).chain(kept)
            }));
        } else {
            plain.push_str(part);
        }
    }
    plain
}

/// Groups of phrases that hold, by their last word: one pass over the hits.
fn found(hits: &[Hit]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut seen: [Option<usize>; CLASSES] = [None; CLASSES];
    for hit in hits {
        for (class, latest) in seen.iter_mut().enumerate() {
            if hit.classes & (1 << class) != 0 {
                *latest = Some(hit.first);
            }
        }
        for (number, phrase) in PHRASES.iter().enumerate() {
            if !phrase.needs.iter().any(|class| hit.classes & class.bit() != 0) {
                continue;
            }
            let starts: Option<Vec<usize>> =
                phrase.needs.iter().map(|class| seen.get(*class as usize).copied().flatten()).collect();
            let Some(start) = starts.and_then(|starts| starts.into_iter().min()) else { continue };
            if hit.last.saturating_sub(start) <= phrase.within {
                found.push(Found { phrase: number, words: start..hit.last + 1 });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_no_words_and_places_stay() {
        let text = "Ünlü https://bank.example/login sign\nin anna@example.org now";
        let plain = without_addresses(text);
        assert_eq!(plain.len(), text.len());
        assert_eq!(plain.find("sign"), text.find("sign"));
        assert!(!plain.contains("bank") && !plain.contains("anna"));
    }

    #[test]
    fn windows_cover_every_word_of_a_long_text() {
        let reader = Reader::new().unwrap();
        let reading = reader.read(&"word ".repeat(1_000));
        let last = reading.windows().last().unwrap();
        assert_eq!(last.end, 1_000);
        let mut windows = reader.read("").windows();
        assert_eq!((windows.next(), windows.next()), (Some(0..0), None));
    }
}

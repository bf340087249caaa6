//! The words that disguises are recognised by: a text is decoded when that gives more of them than it had.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use linear_model::Feature;

use crate::{fold, words};

/// Shortest word that counts: shorter ones arise by chance.
const MIN_LETTERS: usize = 3;

/// Shortest word that is recognised with its letters shuffled.
const MIN_SHUFFLED: usize = 5;

/// Words that are likely in plain text.
#[derive(Debug, Default)]
pub struct Vocabulary {
    known: HashSet<u64, BuildHasherDefault<Hashed>>,
    /// Words of ASCII by first letter, last letter and letters between; the first in the alphabet where there are several.
    by_letters: HashMap<u64, String, BuildHasherDefault<Hashed>>,
    /// Longest word in letters.
    longest: usize,
}

impl Vocabulary {
    /// Builds a vocabulary. `likely` words are recognised as they are; `key` words with their letters shuffled too.
    pub fn new<'a>(likely: impl Iterator<Item = &'a str>, key: impl Iterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        for (phrase, is_key) in likely.map(|word| (word, false)).chain(key.map(|word| (word, true))) {
            let folded = fold(phrase).text;
            for word in words(&folded) {
                let spelling = folded.get(word.range()).unwrap_or_default();
                vocabulary.add(spelling, word.feature, is_key);
            }
        }
        vocabulary
    }

    fn add(&mut self, spelling: &str, feature: Feature, is_key: bool) {
        if spelling.chars().count() < MIN_LETTERS {
            return;
        }
        self.known.insert(feature.0);
        self.longest = self.longest.max(spelling.len());
        if let Some(letters) = letters(spelling).filter(|_| is_key && spelling.len() >= MIN_SHUFFLED) {
            let first = self.by_letters.entry(letters).or_insert_with(|| spelling.to_owned());
            if spelling < first.as_str() {
                *first = spelling.to_owned();
            }
        }
    }

    /// Whether a word, folded, is part of the vocabulary.
    #[must_use]
    pub fn has(&self, spelling: &str) -> bool {
        (MIN_LETTERS..=self.longest).contains(&spelling.len()) && self.knows(Feature::of(spelling))
    }

    /// Whether a word is part of the vocabulary.
    #[must_use]
    pub(crate) fn knows(&self, word: Feature) -> bool {
        self.known.contains(&word.0)
    }

    /// Longest word in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The key word whose letters between the first and the last a word of ASCII has in another order. Nothing less strict:
    /// "prices" has the letters of a key word of another language.
    pub(crate) fn shuffled(&self, spelling: &str) -> Option<&str> {
        if !(MIN_SHUFFLED..=self.longest).contains(&spelling.len()) {
            return None;
        }
        self.by_letters.get(&letters(spelling)?).map(String::as_str)
    }
}

/// First letter, last letter, and the letters between in order, of a word of ASCII letters.
fn letters(spelling: &str) -> Option<u64> {
    let mut letters = spelling.as_bytes().to_vec();
    if !letters.iter().all(u8::is_ascii_lowercase) {
        return None;
    }
    if let [_, between @ .., _] = letters.as_mut_slice() {
        between.sort_unstable();
    }
    let sorted = str::from_utf8(&letters).ok()?;
    Some(Feature::of(sorted).tagged(0).0)
}

/// Keys are hashes already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

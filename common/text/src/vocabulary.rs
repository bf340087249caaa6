//! The words that disguises are recognised by: a text is decoded when that gives more of them than it had.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use linear_model::Feature;

use crate::{fold, words};

/// Shortest word that counts: shorter ones arise by chance.
const MIN_LETTERS: usize = 3;

/// Shortest word that is recognised with its letters shuffled.
const MIN_SHUFFLED: usize = 5;

/// Letters that a shuffled word may have more or fewer.
const MAX_DIFFERENCE: usize = 2;

/// Words that are likely in plain text.
#[derive(Debug, Default)]
pub struct Vocabulary {
    known: HashSet<u64, BuildHasherDefault<Hashed>>,
    /// Words of ASCII by first letter and set of letters; the shortest where there are several.
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
            let shortest = self.by_letters.entry(letters).or_insert_with(|| spelling.to_owned());
            if spelling.len() < shortest.len() {
                *shortest = spelling.to_owned();
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

    /// The key word that a word of ASCII is a misspelling of: same first letter, same set of letters, about as long.
    pub(crate) fn shuffled(&self, spelling: &str) -> Option<&str> {
        if spelling.len() < MIN_SHUFFLED || spelling.len() > self.longest.saturating_add(MAX_DIFFERENCE) {
            return None;
        }
        let word = self.by_letters.get(&letters(spelling)?)?;
        (word.len().abs_diff(spelling.len()) <= MAX_DIFFERENCE).then_some(word.as_str())
    }
}

/// First letter and set of letters of a word of ASCII.
fn letters(spelling: &str) -> Option<u64> {
    let first = u64::from(spelling.bytes().next()?);
    let mut set = 0_u64;
    for byte in spelling.bytes() {
        set |= 1 << byte.checked_sub(b'a').filter(|letter| *letter < 26)?;
    }
    Some(Feature(first << 32 | set).tagged(0).0)
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

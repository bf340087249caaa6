//! Choice among surrogates by a keyed hash of the original.

use std::collections::{HashMap, HashSet};

use hmac::{Hmac, KeyInit, Mac};
use redact::identifiers::Span;
use sha2::{Digest, Sha256};

/// Numbers that are tried for a value before a surrogate is given twice: bounds the work where a range is used up.
const TRIES: u64 = 100;
/// In place of a value for which every surrogate stands in the text itself.
const NONE: &str = "N. N.";

/// Chooses, and remembers its choices within a text.
pub(super) struct Choice {
    key: Hmac<Sha256>,
    /// Words of the text in lower case: none of them may be a surrogate.
    words: HashSet<String>,
    /// The values that are replaced, in lower case.
    originals: HashSet<String>,
    /// Surrogates given, by kind and original.
    given: HashMap<(&'static str, String), String>,
    /// Surrogates that are taken.
    taken: HashSet<String>,
}

impl Choice {
    /// The key is derived from the whole text. None of its spans may be a surrogate.
    pub(super) fn new(text: &str, spans: &[Span]) -> Self {
        let digest = Sha256::new().chain_update(b"palisade rewriting 1\0").chain_update(text).finalize();
        let mut block = [0; 64];
        block.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        let key = Hmac::<Sha256>::new(&block.into());
        let originals = spans.iter().filter_map(|span| text.get(span.range.clone()));
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        Self {
            key,
            words: words.map(str::to_lowercase).collect(),
            originals: originals.map(str::to_lowercase).collect(),
            given: HashMap::new(),
            taken: HashSet::new(),
        }
    }

    /// A number that depends on the key, the kind and the original in lower case.
    pub(super) fn number(&self, kind: &str, original: &str) -> u64 {
        let mut mac = self.key.clone();
        mac.update(kind.as_bytes());
        mac.update(&[0]);
        mac.update(original.to_lowercase().as_bytes());
        let digest = mac.finalize().into_bytes();
        digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// The surrogate of an original: the first of `candidates`, from a keyed place on, that is neither taken nor a word of
    /// the text. Where all are, it is made different by a number.
    pub(super) fn pick(&mut self, kind: &'static str, original: &str, candidates: &[&str]) -> String {
        let key = (kind, original.to_lowercase());
        if let Some(given) = self.given.get(&key) {
            return given.clone();
        }
        let count = candidates.len().max(1);
        let start = (self.number(kind, original) % count as u64) as usize;
        let free = (0..count)
            .filter_map(|on| candidates.get((start + on) % count))
            .find(|candidate| !self.taken.contains(**candidate) && !self.is_in_text(candidate));
        let surrogate = match free {
            Some(free) => (*free).to_owned(),
            None => {
                let usable = (0..count)
                    .filter_map(|on| candidates.get((start + on) % count))
                    .find(|candidate| !self.is_in_text(candidate));
                usable.map_or_else(|| NONE.to_owned(), |usable| (*usable).to_owned())
            }
        };
        self.taken.insert(surrogate.clone());
        self.given.insert(key, surrogate.clone());
        surrogate
    }

    /// A surrogate made by `make` from numbers, none of which may be given twice while others are left.
    pub(super) fn made(
        &mut self,
        kind: &'static str,
        original: &str,
        make: impl Fn(u64) -> String,
    ) -> String {
        let key = (kind, original.to_lowercase());
        if let Some(given) = self.given.get(&key) {
            return given.clone();
        }
        let start = self.number(kind, original);
        let tries = || (0..TRIES).map(|on| make(start.wrapping_add(on)));
        let free = tries().find(|made| !self.taken.contains(made) && !self.is_original(made));
        let surrogate = free.or_else(|| tries().find(|made| !self.is_original(made)));
        let surrogate = surrogate.unwrap_or_else(|| NONE.to_owned());
        self.taken.insert(surrogate.clone());
        self.given.insert(key, surrogate.clone());
        surrogate
    }

    /// Whether a surrogate is one of the values that are replaced.
    pub(super) fn is_original(&self, made: &str) -> bool {
        self.originals.contains(&made.to_lowercase())
    }

    /// Whether a word of a candidate is a word of the text.
    fn is_in_text(&self, candidate: &str) -> bool {
        candidate.split([' ', '-']).any(|word| self.words.contains(&word.to_lowercase()))
    }
}

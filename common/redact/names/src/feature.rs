//! Tokens to features, the same for the trainer and for the model.

use std::collections::HashSet;

use linear_model::Feature;

use crate::lists::Bits;
use crate::token::{Look, Token};

/// What a feature tells apart from its text.
mod kind {
    pub(super) const WORD: u64 = 1;
    pub(super) const PREFIX: u64 = 2;
    pub(super) const SUFFIX: u64 = 3;
    pub(super) const SHAPE: u64 = 4;
    pub(super) const LISTS: u64 = 5;
    pub(super) const CASE: u64 = 6;
    pub(super) const LINE: u64 = 7;
    pub(super) const ELSEWHERE: u64 = 8;
    pub(super) const BEFORE: u64 = 20;
    pub(super) const BEHIND: u64 = 30;
    pub(super) const PAIR: u64 = 40;
}

/// A token with everything that features are made of.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The word in lower case.
    pub lower: String,
    word: Feature,
    look: Look,
    /// Lists that hold it.
    pub lists: Bits,
    /// Whether it begins a sentence or a line.
    first: bool,
    /// Whether the same word is written small elsewhere in the text.
    small_elsewhere: bool,
}

impl Prepared {
    /// Whether the same word is written small elsewhere in the text.
    #[must_use]
    pub fn is_small_elsewhere(&self) -> bool {
        self.small_elsewhere
    }
}

/// How a text as a whole is written, which tells how much a capital means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Usual,
    Lower,
    Upper,
    /// Most words begin with a capital: headlines.
    Title,
}

/// All tokens of a text, prepared.
#[derive(Debug)]
pub struct Page {
    tokens: Vec<Prepared>,
    case: Case,
}

impl Page {
    /// Prepares tokens; `lists` tells the lists that hold a word in lower case.
    #[must_use]
    pub fn new(tokens: &[Token<'_>], lists: impl Fn(&str) -> Bits) -> Self {
        let mut prepared: Vec<Prepared> = Vec::with_capacity(tokens.len());
        let mut first = true;
        for token in tokens {
            let lower = token.text.to_lowercase();
            let word = is_name_like(token.look);
            // Parts of a double name are in the lists one by one.
            let of_lists = |lower: &str| {
                if lower.contains('-') {
                    lists(lower) | lower.split('-').map(&lists).fold(0, |all, bits| all | bits)
                } else {
                    lists(lower)
                }
            };
            let lists = if word && lower.len() > 1 { of_lists(&lower) } else { 0 };
            let feature =
                Feature::of(if token.look == Look::Number { shape_of_number(&lower) } else { &lower });
            prepared.push(Prepared {
                lower,
                word: feature,
                look: token.look,
                lists,
                first,
                small_elsewhere: false,
            });
            first = match token.look {
                Look::Line => true,
                Look::Sign => {
                    matches!(token.text, "." | "!" | "?" | "。" | "“" | "\"" | ":" | "•")
                        || (first && token.text != ",")
                }
                _ => false,
            };
        }
        let small: HashSet<u64> =
            prepared.iter().filter(|token| token.look == Look::Lower).map(|token| token.word.0).collect();
        for token in &mut prepared {
            token.small_elsewhere = token.look != Look::Lower && small.contains(&token.word.0);
        }
        let case = case(&prepared);
        Self { tokens: prepared, case }
    }

    /// The prepared tokens.
    #[must_use]
    pub fn tokens(&self) -> &[Prepared] {
        &self.tokens
    }

    /// Whether a token gets a score: it, or a neighbour, may be part of a name. All others are none.
    #[must_use]
    pub fn is_scored(&self, index: usize) -> bool {
        (index.saturating_sub(1)..=index + 1).any(|at| self.may_be_name(at))
    }

    fn may_be_name(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| match token.look {
            Look::Capital | Look::Upper | Look::Mixed | Look::Caseless => true,
            // Without capitals any word may be a name.
            Look::Lower => token.lists != 0 || self.case == Case::Lower,
            _ => false,
        })
    }

    /// The features of a token.
    pub fn features(&self, index: usize, features: &mut Vec<Feature>) {
        features.clear();
        let Some(token) = self.tokens.get(index) else { return };
        features.push(token.word.tagged(kind::WORD));
        affixes(&token.lower, features);
        let shape = shape(token);
        let case = self.case as u64;
        let look =
            Feature(token.look as u64 + u64::from(token.first) * 16 + u64::from(token.small_elsewhere) * 32);
        features.push(look.tagged(kind::CASE).tagged(case));
        features.push(shape.tagged(kind::SHAPE));
        let lists = Feature(u64::from(token.lists) * 64).then(Feature(token.look as u64));
        features.push(lists.tagged(kind::LISTS).tagged(case));
        if token.small_elsewhere {
            features.push(Feature(0).tagged(kind::ELSEWHERE));
        }
        self.around(index, token, features);
    }

    /// Neighbours up to three tokens away, alone and in pairs.
    fn around(&self, index: usize, token: &Prepared, features: &mut Vec<Feature>) {
        let before = |back: usize| index.checked_sub(back).and_then(|at| self.tokens.get(at));
        let behind = |on: usize| self.tokens.get(index + on);
        let word = |token: Option<&Prepared>| token.map_or(Feature(1), |token| token.word);
        let shape = |token: Option<&Prepared>| {
            token.map_or(Feature(2), |token| Feature(token.look as u64 + u64::from(token.lists) * 16))
        };
        for back in 1..=3 {
            features.push(word(before(back)).tagged(kind::BEFORE + back as u64));
            features.push(word(behind(back)).tagged(kind::BEHIND + back as u64));
        }
        for back in 1..=2 {
            features.push(shape(before(back)).tagged(kind::BEFORE + 4 + back as u64));
            features.push(shape(behind(back)).tagged(kind::BEHIND + 4 + back as u64));
        }
        let own = shape(Some(token));
        features.push(word(before(1)).then(word(before(2))).tagged(kind::PAIR));
        features.push(word(behind(1)).then(word(behind(2))).tagged(kind::PAIR + 1));
        features.push(word(before(1)).then(word(behind(1))).tagged(kind::PAIR + 2));
        features.push(word(before(1)).then(own).tagged(kind::PAIR + 3));
        features.push(own.then(word(behind(1))).tagged(kind::PAIR + 4));
        features.push(shape(before(1)).then(own).then(shape(behind(1))).tagged(kind::PAIR + 5));
        features.push(shape(before(2)).then(shape(before(1))).then(own).tagged(kind::PAIR + 6));
        features.push(own.then(shape(behind(1))).then(shape(behind(2))).tagged(kind::PAIR + 7));
        let line = u64::from(before(1).is_none_or(|one| one.look == Look::Line))
            + 2 * u64::from(behind(1).is_none_or(|one| one.look == Look::Line));
        features.push(Feature(line).then(own).tagged(kind::LINE));
    }
}

/// Whether a token is a word that may stand in a list.
fn is_name_like(look: Look) -> bool {
    matches!(look, Look::Lower | Look::Capital | Look::Upper | Look::Mixed | Look::Caseless)
}

/// Numbers of one length are alike.
fn shape_of_number(lower: &str) -> &'static str {
    match lower.len() {
        1 => "0",
        2 => "00",
        3 => "000",
        4 => "0000",
        _ => "00000",
    }
}

/// The first and last one to four letters.
fn affixes(lower: &str, features: &mut Vec<Feature>) {
    let letters = lower.char_indices().take(5);
    for (count, (at, letter)) in letters.enumerate().take(4) {
        let prefix = lower.get(..at + letter.len_utf8()).unwrap_or_default();
        features.push(Feature::of(prefix).tagged(kind::PREFIX * 64 + count as u64));
    }
    for (count, (at, _)) in lower.char_indices().rev().enumerate().take(4) {
        let suffix = lower.get(at..).unwrap_or_default();
        features.push(Feature::of(suffix).tagged(kind::SUFFIX * 64 + count as u64));
    }
}

/// Look, script and signs within the word.
fn shape(token: &Prepared) -> Feature {
    let first = token.lower.chars().next().unwrap_or(' ');
    let script = match first {
        '\0'..='\u{7F}' => 0,
        '\u{80}'..='\u{24F}' => 1,
        '\u{370}'..='\u{3FF}' => 2,
        '\u{400}'..='\u{52F}' => 3,
        '\u{590}'..='\u{6FF}' => 4,
        '\u{900}'..='\u{DFF}' => 5,
        '\u{3040}'..='\u{30FF}' => 6,
        '\u{3400}'..='\u{9FFF}' => 7,
        '\u{AC00}'..='\u{D7AF}' => 8,
        _ => 9,
    };
    let dash = u64::from(token.lower.contains('-')) + 2 * u64::from(token.lower.contains(['\'', '’']));
    let length = token.lower.chars().count().min(8) as u64;
    Feature(script + 16 * dash + 64 * length + 1024 * token.look as u64)
}

/// Small letters only, capitals only, most words with a capital, or as usual.
fn case(tokens: &[Prepared]) -> Case {
    let count =
        |look: Look| tokens.iter().filter(|token| token.look == look && token.lower.len() > 1).count();
    let (lower, capital, upper) = (count(Look::Lower), count(Look::Capital), count(Look::Upper));
    let words = lower + capital + upper;
    if words < 3 {
        return Case::Usual;
    }
    if capital + upper == 0 {
        Case::Lower
    } else if upper * 10 > words * 7 {
        Case::Upper
    } else if capital * 10 > words * 7 {
        Case::Title
    } else {
        Case::Usual
    }
}

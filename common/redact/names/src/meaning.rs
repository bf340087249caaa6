//! Words with a meaning for the rules, looked up once for each token.

use std::collections::HashMap;

use crate::feature::Page;
use crate::rule::vocabulary::{CLOSINGS, HONORIFICS, INTRODUCTIONS, SALUTATIONS, UNSPACED};
use crate::title::vocabulary::{HEADS, NATIONALITIES};

/// Meanings of a word, as a set of bits.
pub(crate) type Marks = u8;

pub(crate) const HONORIFIC: Marks = 1;
pub(crate) const INTRODUCTION: Marks = 1 << 1;
pub(crate) const SALUTATION: Marks = 1 << 2;
pub(crate) const CLOSING: Marks = 1 << 3;
pub(crate) const TITLE: Marks = 1 << 4;
pub(crate) const NATIONALITY: Marks = 1 << 5;
pub(crate) const UNSPACED_HEAD: Marks = 1 << 6;

/// All words of the lists; of phrases the first word.
pub(crate) struct Meanings {
    marks: HashMap<&'static str, Marks>,
}

impl Meanings {
    pub(crate) fn new() -> Self {
        let firsts = |phrases: &'static [&'static str]| -> Vec<&'static str> {
            phrases.iter().filter_map(|phrase| phrase.split(' ').next()).collect()
        };
        let letters: Vec<&'static str> = UNSPACED
            .iter()
            .filter_map(|head| head.chars().next().and_then(|first| head.get(..first.len_utf8())))
            .collect();
        let introductions = firsts(INTRODUCTIONS);
        let lists: [(&[&'static str], Marks); 7] = [
            (HONORIFICS, HONORIFIC),
            (&introductions, INTRODUCTION),
            (SALUTATIONS, SALUTATION),
            (CLOSINGS, CLOSING),
            (HEADS, TITLE),
            (NATIONALITIES, NATIONALITY),
            (&letters, UNSPACED_HEAD),
        ];
        let mut marks = HashMap::new();
        for (words, mark) in lists {
            for word in words {
                *marks.entry(*word).or_insert(0) |= mark;
            }
        }
        Self { marks }
    }

    /// The marks of each token.
    pub(crate) fn of(&self, page: &Page) -> Vec<Marks> {
        page.tokens().iter().map(|token| self.marks.get(token.lower.as_str()).copied().unwrap_or(0)).collect()
    }
}

//! Words with a meaning in addresses and dates, looked up once for each word of a text.

use std::collections::HashMap;

use super::address::vocabulary::{AFTER, BEFORE, BEHIND, BOXES, PARTICLES, PLAIN, STOP, UNITS};
use super::date::months::{MONTH_NAMES, MONTHS};
use super::words::Word;

/// Meanings of a word, as a set of bits.
pub(crate) type Marks = u16;

pub(crate) const STREET_BEHIND: Marks = 1;
pub(crate) const STREET_PLAIN: Marks = 1 << 1;
pub(crate) const STREET_BEFORE: Marks = 1 << 2;
pub(crate) const STREET_AFTER: Marks = 1 << 3;
pub(crate) const PARTICLE: Marks = 1 << 4;
pub(crate) const STOP_WORD: Marks = 1 << 5;
pub(crate) const UNIT: Marks = 1 << 6;
pub(crate) const MONTH: Marks = 1 << 7;
pub(crate) const BOX: Marks = 1 << 8;

/// The longest word of the lists, in bytes.
const LONGEST: usize = 32;

/// All words of the lists, in lower case.
pub(crate) struct Vocabulary {
    marks: HashMap<&'static str, Marks>,
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let boxes: Vec<&'static str> = BOXES.iter().filter_map(|words| words.first().copied()).collect();
        let lists: [(&[&'static str], Marks); 10] = [
            (BEHIND, STREET_BEHIND),
            (PLAIN, STREET_PLAIN),
            (BEFORE, STREET_BEFORE),
            (AFTER, STREET_AFTER),
            (PARTICLES, PARTICLE),
            (STOP, STOP_WORD),
            (UNITS, UNIT),
            (MONTHS, MONTH),
            (MONTH_NAMES, MONTH),
            (&boxes, BOX),
        ];
        let mut marks = HashMap::new();
        for (words, mark) in lists {
            for word in words {
                *marks.entry(*word).or_insert(0) |= mark;
            }
        }
        Self { marks }
    }

    /// The marks of each word of a text.
    pub(crate) fn marks(&self, text: &str, words: &[Word]) -> Vec<Marks> {
        let mut lower = String::with_capacity(LONGEST);
        let mark = |word: &Word| {
            let written = text.get(word.start..word.end).unwrap_or_default();
            if written.len() > LONGEST || (word.has_digit && written.len() > 3) {
                return 0;
            }
            lower.clear();
            if written.is_ascii() {
                lower.push_str(written);
                lower.make_ascii_lowercase();
            } else {
                lower.extend(written.chars().flat_map(char::to_lowercase));
            }
            self.marks.get(lower.as_str()).copied().unwrap_or(0)
        };
        words.iter().map(mark).collect()
    }
}

//! Numbers in several words: "a dozen", "one and a half million", "half an hour", "a quarter of", "three times".

use crate::lexicon::Lexicon;
use crate::numbers::Figure;
use crate::terms::{Term, number};

/// A word that is part of a number together with the words beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Half,
    Quarter,
    Times,
}

/// Words with their measure.
pub(crate) const WORDS: [(&str, Measure); 3] =
    [("half", Measure::Half), ("quarter", Measure::Quarter), ("times", Measure::Times)];

/// A unit, how many of a smaller one it has, and that one.
pub(crate) const UNITS: [(&str, f64, &str); 8] = [
    ("hour", 60.0, "minute"),
    ("minute", 60.0, "second"),
    ("day", 24.0, "hour"),
    ("year", 12.0, "month"),
    ("decade", 10.0, "year"),
    ("century", 100.0, "year"),
    ("kilometre", 1_000.0, "metre"),
    ("kilogram", 1_000.0, "gram"),
];

/// Values from here on may be years: "in 1966 times were hard".
const YEARS: f64 = 1_000.0;

/// Words before the whole that a share is taken of.
const DETERMINERS: [&str; 13] =
    ["the", "a", "an", "its", "their", "his", "her", "our", "my", "your", "this", "these", "all"];

/// Words before one of several equal parts: "the second half", "the first three quarters".
const ORDINALS: [&str; 6] = ["first", "second", "third", "other", "last", "latter"];

/// The unit of a share.
const PERCENT: &str = "percent";

/// Replaces numbers in several words by one number, if need be with its unit. Each term is read once, with at most four
/// terms beside it.
pub(crate) fn joined(terms: Vec<Term>, text: &str, lexicon: &Lexicon) -> Vec<Term> {
    let parts = |term: &Term| {
        let meaning = term.meaning(lexicon);
        meaning.measure.is_some() || matches!(meaning.figure, Some(Figure::Scale(_)))
    };
    if !terms.iter().any(parts) {
        return terms;
    }
    let mut reader = Reader { text, lexicon, read: Vec::with_capacity(terms.len().saturating_add(1)) };
    let mut rest = terms.as_slice();
    while let Some((term, tail)) = rest.split_first() {
        let used = reader.next(term, tail);
        rest = tail.get(used..).unwrap_or_default();
    }
    reader.read
}

struct Reader<'a> {
    text: &'a str,
    lexicon: &'a Lexicon,
    read: Vec<Term>,
}

impl Reader<'_> {
    /// Reads a term, and says how many of those after it belong to the same number.
    fn next(&mut self, term: &Term, tail: &[Term]) -> usize {
        let used = match term.meaning(self.lexicon).measure {
            Some(Measure::Half) => self.half(term, tail),
            Some(Measure::Quarter) => self.quarter(term, tail),
            Some(Measure::Times) => self.times(term),
            None => self.scale(term),
        };
        used.unwrap_or_else(|| {
            self.read.push(term.clone());
            0
        })
    }

    fn is(&self, term: Option<&Term>, words: &[&str]) -> bool {
        let word = term.and_then(|term| self.text.get(term.range())).unwrap_or_default();
        words.iter().any(|other| other.eq_ignore_ascii_case(word))
    }

    /// A term that was read, counted from the last.
    fn before(&self, back: usize) -> Option<&Term> {
        self.read.get(self.read.len().checked_sub(back)?)
    }

    /// "A dozen" is a number, "dozens" is none.
    fn scale(&mut self, term: &Term) -> Option<usize> {
        let value = self.lone_scale(Some(term))?;
        let article = self.is(self.before(1), &["a", "an", "one"]);
        article.then(|| self.read.push(number(value, term.clone())))?;
        Some(0)
    }

    /// The scale of a word that was not joined with a number before it.
    fn lone_scale(&self, term: Option<&Term>) -> Option<f64> {
        let term = term?;
        let Some(Figure::Scale(scale)) = term.meaning(self.lexicon).figure else { return None };
        let joined = term.value.is_none_or(|value| number(value, term.clone()).feature == term.feature);
        (!joined).then_some(scale)
    }

    /// "Three times" counts as "three", as "twice" counts as "two".
    fn times(&mut self, term: &Term) -> Option<usize> {
        let is_counted = self.text.get(term.range()) == Some("times");
        let last =
            self.before(1).filter(|last| is_counted && last.value.is_some_and(|value| value < YEARS))?;
        let count = self.text.get(last.range()).unwrap_or_default();
        let cardinal = |char: char| char.is_ascii_digit() || matches!(char, '.' | ',');
        if count.starts_with(cardinal) && !count.chars().all(cardinal) {
            return None;
        }
        self.read.last_mut()?.end = term.end;
        Some(0)
    }

    fn half(&mut self, half: &Term, tail: &[Term]) -> Option<usize> {
        if self.is(self.before(1), &["a"]) && self.is(self.before(2), &["and"]) {
            return self.and_a_half(half, tail);
        }
        let article = usize::from(self.is(tail.first(), &["a", "an"]));
        if let Some(scale) = self.lone_scale(tail.get(article)) {
            self.read.push(number(scale / 2.0, half.clone()));
            return Some(article + 1);
        }
        if let Some((factor, unit)) = self.smaller(tail.get(article)) {
            self.push(factor / 2.0, half, unit);
            return Some(article + 1);
        }
        self.share(50.0, half, tail)
    }

    /// "Two and a half", "one and a half million", "an hour and a half".
    fn and_a_half(&mut self, half: &Term, tail: &[Term]) -> Option<usize> {
        let whole = self.before(3)?.clone();
        let keep = self.read.len().saturating_sub(3);
        let value = if self.is(Some(&whole), &["one"]) { Some(1.0) } else { whole.value };
        if let Some(value) = value {
            let scale = self.lone_scale(tail.first());
            self.read.truncate(keep);
            let end = half.end;
            self.read.push(Term { end, ..number((value + 0.5) * scale.unwrap_or(1.0), whole) });
            return Some(usize::from(scale.is_some()));
        }
        let (factor, unit) = self.smaller(Some(&whole))?;
        if !self.is(self.before(4), &["a", "an", "one"]) {
            return None;
        }
        self.read.truncate(keep.saturating_sub(1));
        self.push(factor * 1.5, &Term { start: whole.start, ..half.clone() }, unit);
        Some(0)
    }

    /// "A quarter of an hour", "three quarters of".
    fn quarter(&mut self, term: &Term, tail: &[Term]) -> Option<usize> {
        let last = self.before(1)?;
        let three = last.value == Some(3.0);
        let one = self.is(Some(last), &["a", "one"]);
        // "Three quarters of 2021" are periods, and so are "the first three quarters of the year".
        let whole = self.is(tail.get(1), &DETERMINERS) && !self.is(self.before(2), &ORDINALS);
        if !self.is(tail.first(), &["of"]) || !(one || (three && whole)) {
            return None;
        }
        let term = &Term { start: last.start, ..term.clone() };
        let quarters = if three { self.read.pop()?.value? } else { 1.0 };
        if self.is(tail.get(1), &["a", "an"])
            && let Some((factor, unit)) = self.smaller(tail.get(2))
        {
            self.push(factor * quarters / 4.0, term, unit);
            return Some(3);
        }
        self.push(25.0 * quarters, term, PERCENT);
        Some(0)
    }

    /// "Half of the" is a share, "the second half" is none.
    fn share(&mut self, percent: f64, term: &Term, tail: &[Term]) -> Option<usize> {
        let ordinal = self.is(self.before(1), &ORDINALS);
        let whole = self.is(tail.first(), &["of", "the", "its", "their", "his", "her", "all"]);
        (whole && !ordinal).then(|| self.push(percent, term, PERCENT))?;
        Some(0)
    }

    /// The smaller unit that one has a whole number of.
    fn smaller(&self, term: Option<&Term>) -> Option<(f64, &'static str)> {
        let term = term.filter(|term| term.content && term.value.is_none())?;
        term.meaning(self.lexicon).smaller
    }

    /// Adds a number and its unit, both in place of one term.
    fn push(&mut self, value: f64, term: &Term, unit: &str) {
        let known = self.lexicon.look_up(unit);
        self.read.push(number(value, term.clone()));
        self.read.push(Term {
            feature: known.first,
            root: known.root,
            meaning: known.meaning,
            ..term.clone()
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::lexicon::Lexicon;
    use crate::terms::terms;

    fn values(text: &str) -> Vec<f64> {
        let all = terms(text, &(0..text.len()), &Lexicon::new());
        all.iter().filter(|term| term.content).filter_map(|term| term.value).collect()
    }

    #[test]
    fn numbers_in_words_have_the_value_of_digits() {
        for (text, value) in [
            ("three hundred pupils", 300.0),
            ("a dozen eggs", 12.0),
            ("two dozen eggs", 24.0),
            ("half a dozen eggs", 6.0),
            ("one and a half million people", 1_500_000.0),
            ("two and a half litres", 2.5),
            ("half an hour later", 30.0),
            ("an hour and a half later", 90.0),
            ("a quarter of an hour later", 15.0),
            ("three quarters of the harvest", 75.0),
            ("half of the harvest", 50.0),
            ("paid twice a week", 2.0),
            ("three quarters of an hour later", 45.0),
            ("three quarters of its harvest", 75.0),
            ("a quarter of pupils", 25.0),
            ("paid two times a week", 2.0),
            ("paid 12 times", 12.0),
            ("two quarters of contraction", 2.0),
            ("the first three quarters of the year", 3.0),
            ("dreizehn Gleise", 13.0),
            ("dreiundzwanzig Gleise", 23.0),
            ("dreihundert Gleise", 300.0),
            ("trois arches", 3.0),
            ("tres salas", 3.0),
            ("vinte salas", 20.0),
            ("drei Millionen Menschen", 3_000_000.0),
        ] {
            assert_eq!(values(text), [value], "{text}");
        }
    }

    #[test]
    fn words_that_only_resemble_numbers_have_none() {
        for text in [
            "the second half",
            "a quarter past",
            "at times",
            "near Trente and Quatre",
            "they doze under a quince",
            "the dos and don'ts",
            "a film of one mil",
        ] {
            assert_eq!(values(text), Vec::<f64>::new(), "{text}");
        }
        assert_eq!(values("three quarters of 2021"), [3.0, 2021.0]);
        assert_eq!(values("3 Mil flights"), [3.0]);
    }

    fn spellings(text: &str) -> Vec<&str> {
        let all = terms(text, &(0..text.len()), &Lexicon::new());
        all.iter().filter(|term| term.value.is_some()).filter_map(|term| text.get(term.range())).collect()
    }

    #[test]
    fn a_number_in_several_words_begins_at_the_first() {
        for (text, spelling) in [
            ("three quarters of the harvest", "three quarters"),
            ("a quarter of the harvest", "a quarter"),
            ("paid three times", "three times"),
            ("In 1966 Times Newspapers", "1966"),
            ("in 1966 times were hard", "1966"),
            ("on the 12th times changed", "12th"),
            ("in 3 Times issues", "3"),
        ] {
            assert_eq!(spellings(text), [spelling], "{text}");
        }
    }
}

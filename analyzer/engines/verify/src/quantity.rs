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
const UNITS: [(&str, f64, &str); 8] = [
    ("hour", 60.0, "minute"),
    ("minute", 60.0, "second"),
    ("day", 24.0, "hour"),
    ("year", 12.0, "month"),
    ("decade", 10.0, "year"),
    ("century", 100.0, "year"),
    ("kilometre", 1_000.0, "metre"),
    ("kilogram", 1_000.0, "gram"),
];

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
        let is_plural = self.is(Some(term), &["times"]);
        let last = self.read.last_mut().filter(|last| is_plural && last.value.is_some())?;
        last.end = term.end;
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
        let (quarters, counted) = match last.value {
            Some(value) if value <= 4.0 => (value, 1),
            _ if self.is(Some(last), &["a", "one"]) => (1.0, 0),
            _ => return None,
        };
        if !self.is(tail.first(), &["of"]) {
            return None;
        }
        let keep = self.read.len().saturating_sub(counted);
        self.read.truncate(keep);
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
        let ordinal = self.is(self.before(1), &["first", "second", "other", "last", "latter"]);
        let whole = self.is(tail.first(), &["of", "the", "its", "their", "his", "her", "all"]);
        (whole && !ordinal).then(|| self.push(percent, term, PERCENT))?;
        Some(0)
    }

    /// The smaller unit that one has a whole number of.
    fn smaller(&self, term: Option<&Term>) -> Option<(f64, &'static str)> {
        let term = term.filter(|term| term.content && term.value.is_none())?;
        let unit = UNITS.iter().find(|(unit, _, _)| self.lexicon.look_up(unit).first == term.feature);
        unit.map(|(_, factor, smaller)| (*factor, *smaller))
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
            ("paid two times a week", 2.0),
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
        for text in ["the second half", "a quarter past", "at times", "near Trente and Quatre"] {
            assert_eq!(values(text), Vec::<f64>::new(), "{text}");
        }
    }
}

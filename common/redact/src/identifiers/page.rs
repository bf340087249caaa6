//! A text prepared for the search: its words, labels, and the parts in which nothing is looked for.

use std::ops::Range;

use memchr::memmem;

use super::format::{Labels, label};
use super::labels::{Label, LabelSearch};
use super::vocabulary::{Marks, Vocabulary};
use super::words::{Word, words};

/// The most words from a label to the value behind it.
const REACH: u32 = 6;
/// The most words from a value to a label behind it.
const REACH_BACK: u32 = 3;
/// Labels looked at on each side of a value: more do not fit within the reach.
const MOST_LABELS: usize = 16;

pub(crate) struct Page<'a> {
    pub(crate) text: &'a str,
    pub(crate) words: Vec<Word>,
    /// Meanings of each word.
    marks: Vec<Marks>,
    /// In the order of their ends; none lies within another.
    pub(crate) labels: Vec<Label>,
    /// Placeholders of an earlier redaction.
    opaque: Vec<Range<usize>>,
    /// URLs, in which numbers without a check mean nothing.
    pub(crate) urls: Vec<Range<usize>>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(text: &'a str, search: &LabelSearch, vocabulary: &Vocabulary) -> Self {
        let opaque = placeholders(text);
        let words = words(text);
        let labels = outermost(search.find(text, &words, &opaque));
        let marks = vocabulary.marks(text, &words);
        Self { text, words, marks, labels, opaque, urls: super::network::urls(text) }
    }

    /// Whether the word `index` has one of these meanings.
    pub(crate) fn has(&self, index: usize, marks: Marks) -> bool {
        self.marks.get(index).is_some_and(|of| of & marks != 0)
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    pub(crate) fn part(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Whether a part of `start..end` is a placeholder.
    pub(crate) fn is_opaque(&self, start: usize, end: usize) -> bool {
        overlaps(&self.opaque, start, end)
    }

    /// Whether a part of `start..end` lies in a URL.
    pub(crate) fn is_in_url(&self, start: usize, end: usize) -> bool {
        overlaps(&self.urls, start, end)
    }

    /// The first word that begins at `offset` or behind it.
    pub(crate) fn word_from(&self, offset: usize) -> usize {
        self.words.partition_point(|word| word.start < offset)
    }

    /// The labels before the word `index`.
    pub(crate) fn context(&self, index: usize) -> Context {
        let mut context = Context { near: [None; MOST_LABELS], other: u32::MAX };
        let Some(word) = self.words.get(index) else { return context };
        let before = self.labels.partition_point(|label| label.end <= word.start);
        let labels = self.labels.get(..before).unwrap_or_default().iter().rev();
        for (label, slot) in labels.take(MOST_LABELS).zip(&mut context.near) {
            let distance = word.place.saturating_sub(label.last);
            if distance > REACH {
                break;
            }
            if label.kinds == label::OTHER {
                context.other = context.other.min(distance);
            }
            *slot = Some((label.kinds, label.country, distance));
        }
        context
    }

    /// Distance of a label of these kinds behind `end`, which no other value follows.
    pub(crate) fn named_behind(&self, end: usize, kinds: Labels, country: &str) -> Option<u32> {
        let value = self.words.get(self.word_from(end).checked_sub(1)?)?;
        let behind = self.labels.partition_point(|label| label.end <= end);
        let labels = self.labels.get(behind..).unwrap_or_default().iter().take(MOST_LABELS);
        for label in labels {
            let distance = label.first.saturating_sub(value.place);
            if distance > REACH_BACK {
                return None;
            }
            if label.start >= end && label.kinds & kinds != 0 && fits(label.country, country) {
                return self.is_last(label).then_some(distance);
            }
        }
        None
    }

    /// Whether no value follows a label within two words.
    fn is_last(&self, label: &Label) -> bool {
        let next = self.words.get(self.word_from(label.end)..).unwrap_or_default().iter().take(3);
        !next.into_iter().any(|word| word.has_digit && word.place <= label.last + 3)
    }
}

/// The labels before a value.
pub(crate) struct Context {
    near: [Option<(Labels, &'static str, u32)>; MOST_LABELS],
    /// Distance of the nearest label that names something else.
    other: u32,
}

impl Context {
    /// Distance of the nearest label of these kinds, unless one that names something else stands nearer.
    pub(crate) fn distance(&self, kinds: Labels, country: &str) -> Option<u32> {
        let near = self.near.iter().flatten();
        let fitting = near.filter(|(label, of, _)| label & kinds != 0 && fits(of, country));
        fitting.map(|(.., distance)| *distance).min().filter(|distance| *distance <= self.other)
    }

    /// Whether the nearest label names something that is not personal data.
    pub(crate) fn is_other(&self) -> bool {
        self.other <= 3 && self.near.iter().flatten().all(|(.., distance)| *distance >= self.other)
    }

    /// Whether a label before the value names a number that a state gives to people or companies.
    pub(crate) fn names_number_of_state(&self) -> bool {
        let kinds = label::NATIONAL | label::SSN | label::TAX | label::ID_CARD | label::COMPANY;
        self.near.iter().flatten().any(|(label, ..)| label & kinds != 0)
    }

    /// Whether any label stands before the value.
    pub(crate) fn is_empty(&self) -> bool {
        self.near.iter().all(Option::is_none)
    }

    /// Whether a label of other kinds than these stands before the value and none of these.
    pub(crate) fn names_other_than(&self, kinds: Labels) -> bool {
        !self.is_empty() && self.near.iter().flatten().all(|(label, ..)| label & kinds == 0)
    }
}

/// Whether a label may name a format: one of a country names the formats of that country alone, as their checks would mean
/// nothing if a form of no country took what they refuse.
fn fits(label: &str, format: &str) -> bool {
    label.is_empty() || label == format
}

fn overlaps(ranges: &[Range<usize>], start: usize, end: usize) -> bool {
    let behind = ranges.partition_point(|range| range.end <= start);
    ranges.get(behind).is_some_and(|range| range.start < end)
}

/// Placeholders such as `<EMAIL_REDACTED>`, with words of at most 64 bytes.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    memmem::find_iter(bytes, b"_REDACTED>")
        .filter_map(|at| {
            let word = bytes.get(at.saturating_sub(64)..at)?;
            let inside = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_';
            let length = word.iter().rev().take_while(inside).count();
            let start = at.checked_sub(length + 1)?;
            (bytes.get(start) == Some(&b'<')).then_some(start..at + "_REDACTED>".len())
        })
        .collect()
}

/// Leaves out the labels within others: `tax` in `tax id number`.
fn outermost(labels: Vec<Label>) -> Vec<Label> {
    let mut kept: Vec<Label> = Vec::with_capacity(labels.len());
    for label in labels {
        let inside = |inner: &Label, outer: &Label| {
            outer.start <= inner.start
                && inner.end <= outer.end
                && (inner.start, inner.end) != (outer.start, outer.end)
        };
        while kept.last().is_some_and(|last| inside(last, &label)) {
            kept.pop();
        }
        // `Unique taxpayer reference number` ends with a label of another kind.
        let other = label.kinds == label::OTHER;
        if other && kept.last().is_some_and(|last| last.kinds != label::OTHER && label.start < last.end) {
            continue;
        }
        if !kept.iter().rev().take(4).any(|last| inside(&label, last)) {
            kept.push(label);
        }
    }
    kept
}

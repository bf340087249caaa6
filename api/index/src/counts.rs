//! Resources counted instead of listed: over time, and by the values that a list can be narrowed to.

use std::cmp::Reverse;

use common::timestamp::Timestamp;
use common::words::Word;

use crate::listed::Listed;
use crate::ordered::{Item, Match};
use crate::organization::{OrganizationIndex, Scan};

/// Resources by time of last activity in spans of equal length, each by a column of `N` values.
#[derive(Debug)]
pub struct Histogram<const N: usize> {
    /// The beginning of each span and of the time behind the last one, in milliseconds.
    pub bounds: Vec<i64>,
    /// Counts of each span, by value.
    pub counts: Vec<[u64; N]>,
}

/// Counts the resources that match between two times in `spans` spans (at least one). `column` gives the value of a resource,
/// below `N`; others are not counted.
pub fn histogram<L: Listed, const N: usize>(
    index: &OrganizationIndex<L>,
    scan: &Scan<'_>,
    matches: impl Fn(&Item<'_, L>) -> Match,
    ((from, to), spans): ((Timestamp, Timestamp), usize),
    column: impl Fn(&Item<'_, L>) -> usize,
) -> Histogram<N> {
    let (first, end) = (from.as_millis(), to.as_millis());
    let length = i128::from(end) - i128::from(first);
    let bound = |number: usize| {
        let part = length * number as i128 / spans as i128;
        i64::try_from(i128::from(first) + part).unwrap_or(end)
    };
    let bounds: Vec<i64> = (0..=spans).map(bound).collect();
    let mut counts = vec![[0; N]; spans];
    let within = Scan { from: Some(first), to: Some(end), needle: scan.needle };
    // Resources come newest first, so that their spans only go back.
    let mut span = spans.saturating_sub(1);
    index.each(&within, matches, |_, item| {
        let activity = item.place.activity_millis();
        while span > 0 && bounds.get(span).is_some_and(|bound| activity < *bound) {
            span -= 1;
        }
        if let Some(count) = counts.get_mut(span).and_then(|counts| counts.get_mut(column(&item))) {
            *count += 1;
        }
    });
    Histogram { bounds, counts }
}

/// Counts of the values of a column, by code.
#[derive(Debug, Default)]
pub struct Tally(Vec<u64>);

impl Tally {
    /// Counts a value.
    pub fn add(&mut self, code: usize) {
        if self.0.len() <= code {
            self.0.resize(code + 1, 0);
        }
        if let Some(count) = self.0.get_mut(code) {
            *count += 1;
        }
    }

    /// The values that occur, most frequent first, and equally frequent ones by `order`.
    pub fn ranked<T, O: Ord>(
        &self,
        value: impl Fn(usize) -> Option<T>,
        order: impl Fn(&T) -> O,
    ) -> Vec<(T, u64)> {
        let counted = self.0.iter().copied().enumerate().filter(|(_, count)| *count > 0);
        let mut ranked: Vec<(T, u64)> =
            counted.filter_map(|(code, count)| Some((value(code)?, count))).collect();
        ranked.sort_by_key(|(value, count)| (Reverse(*count), order(value)));
        ranked
    }

    /// The words that occur, whose codes are their places in the declaration, most frequent first.
    #[must_use]
    pub fn words<W: Word>(&self) -> Vec<(W, u64)> {
        let place = |word: &W| W::VALUES.iter().position(|one| one.word() == word.word());
        self.ranked(|code| W::VALUES.get(code).copied(), place)
    }
}

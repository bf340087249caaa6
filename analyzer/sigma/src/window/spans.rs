//! Spans of conditions that more events never unsatisfy: the spans that satisfy them, and the events of a satisfied stretch
//! that must be kept to know whether its neighbours join.

use super::condition::{Condition, StepFormula, step_bit};
use super::held::Held;
use crate::bounds::{Bounds, Measured};

impl Condition {
    /// Spans that satisfy the condition: index of their first event, and of the one that completes
    /// them. Spans begin at an event no later than `last_start` and last `timespan`.
    pub(super) fn satisfied_spans<I, N>(
        &self,
        held: &[Held<I, N>],
        last_start: i64,
        timespan: i64,
    ) -> Vec<(usize, usize)> {
        let starts = 0..held.partition_point(|event| event.time <= last_start);
        let within =
            |(start, end): &(usize, usize)| held[*end].time.saturating_sub(held[*start].time) <= timespan;
        match self {
            Self::Events { at_least } => {
                let more = threshold(*at_least).saturating_sub(1);
                let end = |start: usize| start.checked_add(more).filter(|end| *end < held.len());
                starts.filter_map(|start| Some((start, end(start)?))).filter(within).collect()
            }
            Self::Values { at_least } => {
                shortest_with_values(held, starts, threshold(*at_least)).into_iter().filter(within).collect()
            }
            Self::Steps { at_least } => {
                let enough = usize::from(*at_least).max(1);
                shortest_with_values(held, starts, enough).into_iter().filter(within).collect()
            }
            Self::Sum { bounds } => {
                shortest_with_sum(held, starts, bounds).into_iter().filter(within).collect()
            }
            Self::Ordered { steps } => {
                let end = |start: usize| first_in_order(&held[start..], *steps).map(|length| start + length);
                starts.filter_map(|start| Some((start, end(start)?))).filter(within).collect()
            }
            Self::Formula(formula) => {
                let end = |start: usize| first_holding(&held[start..], formula).map(|length| start + length);
                starts.filter_map(|start| Some((start, end(start)?))).filter(within).collect()
            }
            Self::AtEnd { .. } => Vec::new(),
        }
    }

    /// Indexes of the events of a satisfied stretch that can make a span beyond its ends satisfied.
    pub(super) fn edges<I, N>(&self, inside: &[Held<I, N>], timespan: i64) -> Vec<usize> {
        let last = inside.len().saturating_sub(1);
        match self {
            Self::Events { at_least } => {
                let edge = threshold(*at_least).saturating_sub(1).min(inside.len());
                (0..edge).chain(inside.len() - edge..inside.len()).collect()
            }
            Self::Values { .. } | Self::Steps { .. } => {
                // One more value than a newcomer needs beside it, because it may repeat one of them.
                let edge = match self {
                    Self::Values { at_least } => threshold(*at_least),
                    Self::Steps { at_least } => usize::from(*at_least),
                    _ => 0,
                };
                let front = first_of_each_value(inside.iter(), edge);
                let back = first_of_each_value(inside.iter().rev(), edge);
                front.into_iter().chain(back.into_iter().map(|index| last - index)).collect()
            }
            Self::Sum { bounds } => {
                let front = enough_for(inside.iter(), bounds);
                let back = enough_for(inside.iter().rev(), bounds);
                (0..front.min(inside.len())).chain(inside.len() - back..inside.len()).collect()
            }
            Self::AtEnd { .. } => (0..inside.len()).collect(),
            Self::Ordered { .. } | Self::Formula(_) => {
                let (Some(first), Some(end)) = (inside.first(), inside.last()) else { return Vec::new() };
                let near = |event: &Held<I, N>| {
                    event.time <= first.time.saturating_add(timespan)
                        || event.time >= end.time.saturating_sub(timespan)
                };
                (0..inside.len()).filter(|index| near(&inside[*index])).collect()
            }
        }
    }

    /// Marks events as needless that stand between two others of the same value (or step) which lie
    /// within one span of each other: whatever span they help to satisfy, a neighbour helps as well.
    pub(super) fn thin<I, N>(&self, held: &[Held<I, N>], timespan: i64, needed: &mut [bool]) {
        if matches!(self, Self::Events { .. } | Self::Sum { .. } | Self::AtEnd { .. }) {
            return;
        }
        let mut of_value: std::collections::BTreeMap<(u16, u64), Vec<usize>> =
            std::collections::BTreeMap::new();
        for (index, event) in held.iter().enumerate().filter(|(index, _)| needed[*index]) {
            of_value.entry((event.step, event.value)).or_default().push(index);
        }
        for indexes in of_value.values() {
            let Some(mut kept) = indexes.first().copied() else { continue };
            for pair in indexes.windows(2).skip(1) {
                let (middle, after) = (pair[0], pair[1]);
                if held[after].time.saturating_sub(held[kept].time) <= timespan {
                    needed[middle] = false;
                } else {
                    kept = middle;
                }
            }
        }
    }
}

/// A threshold as a length; one that does not fit can never be met.
fn threshold(at_least: u64) -> usize {
    usize::try_from(at_least.max(1)).unwrap_or(usize::MAX)
}

/// Indexes, in the order of `events`, at which a value is seen for the first time; at most `enough`.
fn first_of_each_value<'a, I: 'a, N: 'a>(
    events: impl Iterator<Item = &'a Held<I, N>>,
    enough: usize,
) -> Vec<usize> {
    let mut seen = std::collections::BTreeSet::new();
    let mut firsts = Vec::new();
    for (index, event) in events.enumerate() {
        if firsts.len() == enough {
            break;
        }
        if seen.insert(event.value) {
            firsts.push(index);
        }
    }
    firsts
}

/// For each start, the first index by which `enough` different values have been seen since. The index
/// never goes back while the start goes forward, so that both walk the events once.
fn shortest_with_values<I, N>(
    held: &[Held<I, N>],
    starts: std::ops::Range<usize>,
    enough: usize,
) -> Vec<(usize, usize)> {
    let mut seen: std::collections::HashMap<u64, usize> = std::collections::HashMap::new();
    let mut spans = Vec::new();
    let mut end = 0;
    for start in starts {
        while seen.len() < enough && end < held.len() {
            *seen.entry(held[end].value).or_default() += 1;
            end += 1;
        }
        if seen.len() < enough {
            break;
        }
        spans.push((start, end - 1));
        if let Some(count) = seen.get_mut(&held[start].value) {
            *count -= 1;
            if *count == 0 {
                seen.remove(&held[start].value);
            }
        }
    }
    spans
}

/// For each start, the first index by which the sum since is within bounds that are only from below.
fn shortest_with_sum<I, N>(
    held: &[Held<I, N>],
    starts: std::ops::Range<usize>,
    bounds: &Bounds,
) -> Vec<(usize, usize)> {
    let holds = |sum| bounds.hold_for(Measured { thousandths: sum, divisor: 1 });
    let mut spans = Vec::new();
    let (mut end, mut sum) = (0, 0);
    for start in starts {
        while (end <= start || !holds(sum)) && end < held.len() {
            sum += held[end].amount();
            end += 1;
        }
        if end <= start || !holds(sum) {
            break;
        }
        spans.push((start, end - 1));
        sum -= held[start].amount();
    }
    spans
}

/// Number of `events` that are enough for a sum within the bounds; all where they are not.
fn enough_for<'a, I: 'a, N: 'a>(events: impl Iterator<Item = &'a Held<I, N>>, bounds: &Bounds) -> usize {
    let (mut count, mut sum) = (0, 0);
    for event in events {
        if bounds.hold_for(Measured { thousandths: sum, divisor: 1 }) {
            break;
        }
        sum += event.amount();
        count += 1;
    }
    count
}

/// The index by which `enough` steps have come one after the other, each greater than the one before.
pub(super) fn first_in_order<I, N>(events: &[Held<I, N>], enough: u16) -> Option<usize> {
    // The longest order that ends with each step.
    let mut longest: Vec<u16> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let step = usize::from(event.step);
        if longest.len() <= step {
            longest.resize(step + 1, 0);
        }
        let before = longest[..step].iter().copied().max().unwrap_or(0);
        longest[step] = longest[step].max(before + 1);
        if longest[step] >= enough {
            return Some(index);
        }
    }
    None
}

fn first_holding<I, N>(events: &[Held<I, N>], formula: &StepFormula) -> Option<usize> {
    let mut seen = 0;
    events.iter().position(|event| {
        seen |= step_bit(event.step);
        formula.holds(seen)
    })
}

//! When a span of events satisfies a correlation, and which events of a satisfied stretch must be
//! kept to know whether its neighbours join. Both conditions are monotone: more events never
//! unsatisfy a span.

use super::Held;

/// The conditions that need no window's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// At least so many distinct events (`event_count`).
    Events {
        /// The threshold, at least 1.
        at_least: u64,
    },
    /// Events with at least so many distinct values (`value_count`).
    Values {
        /// The threshold, at least 1.
        at_least: u64,
    },
    /// One event of each step, in order; events of the same moment count as in order
    /// (`temporal_ordered`).
    Ordered {
        /// How many steps there are, at least 1.
        steps: u16,
    },
}

impl Condition {
    /// What is kept of an arrival's value.
    pub(super) fn counted(self, value: u64) -> u64 {
        match self {
            Self::Values { .. } => value,
            Self::Events { .. } | Self::Ordered { .. } => 0,
        }
    }

    /// Which reference an event came through, where that makes it another event: a record that two
    /// rules of an `event_count` match is still one.
    pub(super) fn told_apart(self, step: u16) -> u16 {
        match self {
            Self::Events { .. } => 0,
            Self::Values { .. } | Self::Ordered { .. } => step,
        }
    }

    /// Spans that satisfy the condition: index of their first event, and of the one that completes
    /// them. Spans begin at an event no later than `last_start` and last `timespan`.
    pub(super) fn satisfied_spans<I, N>(
        self,
        held: &[Held<I, N>],
        last_start: i64,
        timespan: i64,
    ) -> Vec<(usize, usize)> {
        let starts = 0..held.partition_point(|event| event.time <= last_start);
        let within =
            |(start, end): &(usize, usize)| held[*end].time.saturating_sub(held[*start].time) <= timespan;
        match self {
            Self::Events { at_least } => {
                let more = threshold(at_least).saturating_sub(1);
                let end = |start: usize| start.checked_add(more).filter(|end| *end < held.len());
                starts.filter_map(|start| Some((start, end(start)?))).filter(within).collect()
            }
            Self::Values { at_least } => {
                shortest_with_values(held, starts, threshold(at_least)).into_iter().filter(within).collect()
            }
            Self::Ordered { steps } => {
                let end = |start: usize| chain(&held[start..], steps).map(|length| start + length);
                starts.filter_map(|start| Some((start, end(start)?))).filter(within).collect()
            }
        }
    }

    /// Indexes of the events of a satisfied stretch that can make a span beyond its ends satisfied.
    pub(super) fn edges<I, N>(self, inside: &[Held<I, N>], timespan: i64) -> Vec<usize> {
        let last = inside.len().saturating_sub(1);
        match self {
            Self::Events { at_least } => {
                let edge = threshold(at_least).saturating_sub(1).min(inside.len());
                (0..edge).chain(inside.len() - edge..inside.len()).collect()
            }
            Self::Values { at_least } => {
                // One more value than a newcomer needs beside it, because it may repeat one of them.
                let edge = threshold(at_least);
                let front = first_of_each_value(inside.iter(), edge);
                let back = first_of_each_value(inside.iter().rev(), edge);
                front.into_iter().chain(back.into_iter().map(|index| last - index)).collect()
            }
            Self::Ordered { .. } => {
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
    pub(super) fn thin<I, N>(self, held: &[Held<I, N>], timespan: i64, needed: &mut [bool]) {
        if matches!(self, Self::Events { .. }) {
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

/// Fulfils all steps one after the other, each by the first event that comes; tells which event
/// fulfils the last.
fn chain<I, N>(events: &[Held<I, N>], steps: u16) -> Option<usize> {
    let mut wanted = 0;
    for (index, event) in events.iter().enumerate() {
        if event.step == wanted {
            wanted += 1;
        }
        if wanted == steps {
            return Some(index);
        }
    }
    None
}

//! Windows whose condition more events never unsatisfy: an arrival that satisfies it is reported at once.

use serde::{Deserialize, Serialize};

use super::{Growth, MOST_HELD, Window, WindowSpec};

/// Above this many held events, those that can make no difference are dropped, again whenever their number has doubled since:
/// this bounds the cost of a busy group.
const THIN_ABOVE: usize = 64;

/// A union of satisfied spans without a hole: every event in it is a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Interval {
    start: i64,
    end: i64,
    /// Time of the event that first satisfied the condition, looking back.
    completed_at: i64,
}

impl Interval {
    pub(super) fn contains(&self, time: i64) -> bool {
        self.start <= time && time <= self.end
    }

    pub(super) fn may_take_in(&self, time: i64, timespan: i64) -> bool {
        self.start <= time && time <= self.end.saturating_add(timespan)
    }
}

impl<I: Copy + Ord, N: Clone> Window<I, N> {
    pub(super) fn forget_before(&mut self, oldest: i64) {
        let gone = self.held.partition_point(|held| held.time < oldest);
        self.held.drain(..gone);
        self.satisfied.retain(|interval| interval.end >= oldest);
    }

    pub(super) fn grow(&mut self, spec: &WindowSpec, place: usize) -> Growth<I, N> {
        let time = self.held[place].time;
        // Deeper inside than one timespan, an event can neither move an end nor complete earlier.
        let deep_inside = |interval: &Interval| {
            time.saturating_sub(spec.timespan) > interval.start.max(interval.completed_at)
                && time.saturating_add(spec.timespan) < interval.end
        };
        if !self.satisfied.iter().any(deep_inside) {
            self.satisfy_around(spec, time);
        }
        let mut growth = Growth::default();
        for held in &mut self.held {
            let Some(interval) = self.satisfied.iter().find(|interval| interval.contains(held.time)) else {
                continue;
            };
            if !held.joined {
                held.joined = true;
                growth.joined.push(held.member(held.note.clone()));
            }
            // Until it is a point the note stays: it may become one when an earlier event arrives.
            if !held.point && held.time >= interval.completed_at {
                held.point = true;
                let note = held.note.take();
                growth.points.push(held.member(note));
            }
        }
        if !growth.joined.is_empty() || self.crowded() {
            self.drop_needless(spec);
        }
        growth.crowded_out = self.held.len().saturating_sub(MOST_HELD);
        self.held.drain(..growth.crowded_out);
        growth
    }

    /// Finds the satisfied spans that a new event at `time` can have made, and merges them in.
    fn satisfy_around(&mut self, spec: &WindowSpec, time: i64) {
        let first = self.held.partition_point(|held| held.time < time.saturating_sub(spec.timespan));
        let past = self.held.partition_point(|held| held.time <= time.saturating_add(spec.timespan));
        let near = &self.held[first..past];
        let mut found = Vec::new();
        for (start, completing) in spec.condition.satisfied_spans(near, time, spec.timespan) {
            let from = near[start].time;
            let end = near.partition_point(|held| held.time <= from.saturating_add(spec.timespan));
            found.push(Interval {
                start: from,
                end: near[end - 1].time,
                completed_at: near[completing].time,
            });
        }
        for interval in found {
            self.merge(interval);
        }
    }

    fn merge(&mut self, mut new: Interval) {
        self.satisfied.retain(|old| {
            let apart = old.end < new.start || new.end < old.start;
            if !apart {
                new.start = new.start.min(old.start);
                new.end = new.end.max(old.end);
                new.completed_at = new.completed_at.min(old.completed_at);
            }
            apart
        });
        let place = self.satisfied.partition_point(|old| old.start < new.start);
        self.satisfied.reserve_exact(1);
        self.satisfied.insert(place, new);
    }

    /// Drops events inside satisfied intervals that cannot help a later event to join, and, when
    /// there are many, repetitions of a value between two others of it that lie within one span.
    fn drop_needless(&mut self, spec: &WindowSpec) {
        let mut needed = vec![true; self.held.len()];
        for interval in &self.satisfied {
            let start = self.held.partition_point(|held| held.time < interval.start);
            let end = self.held.partition_point(|held| held.time <= interval.end);
            let inside = &self.held[start..end];
            // An event before the completion becomes a point when the completion turns out to be earlier.
            needed[start..end].iter_mut().zip(inside).for_each(|(needed, held)| *needed = !held.point);
            for index in spec.condition.edges(inside, spec.timespan) {
                needed[start + index] = true;
            }
        }
        let crowded = self.crowded();
        if crowded {
            spec.condition.thin(&self.held, spec.timespan, &mut needed);
        }
        let mut keep = needed.into_iter();
        self.held.retain(|_| keep.next().unwrap_or(true));
        if self.held.capacity() > 2 * self.held.len() {
            self.held.shrink_to_fit();
        }
        if crowded {
            self.thinned_to = self.held.len();
        }
    }

    fn crowded(&self) -> bool {
        self.held.len() > THIN_ABOVE.max(self.thinned_to.saturating_mul(2))
    }
}

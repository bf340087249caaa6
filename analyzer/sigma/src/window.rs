//! Windows of correlations as sets: what a window holds, and whether it is satisfied, depends on the
//! set of events only, never on the order in which they arrived. One [`Window`] is the state of one
//! correlation and one group; finding the group, and what follows from growth, lie elsewhere.

mod condition;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use condition::Condition;

/// How long a group's events are kept beyond the timespan, measured against the group's own newest
/// event: the lateness that changes nothing. Nanoseconds.
pub const ALLOWED_LATENESS: i64 = 10 * 60 * 1_000_000_000;

/// Above this many held events, those that can make no difference are dropped, again whenever their
/// number has doubled since: what a busy group costs.
const THIN_ABOVE: usize = 64;

/// Most events one window holds. Beyond, the oldest go, which shortens how late an event of this
/// group may come: a sender that stays just below a threshold must not grow a row without end.
pub const MOST_HELD: usize = 8_192;

/// What a window counts, over how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowSpec {
    /// When a span of events is satisfied.
    pub condition: Condition,
    /// Length of the span, nanoseconds; its ends are inclusive.
    pub timespan: i64,
}

/// An event that a correlation counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival<I, N> {
    /// Event time, nanoseconds.
    pub time: i64,
    /// Identity of the record.
    pub id: I,
    /// Which of the correlation's references it came through, from 0.
    pub step: u16,
    /// What must differ between counted events: a hash of the counted value. Ignored unless values
    /// are counted.
    pub value: u64,
    /// What the caller wants back when the event becomes a member.
    pub note: Option<N>,
}

/// The events of one group that may still matter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "I: Clone + Serialize, N: Clone + Serialize"))]
pub struct Window<I, N> {
    newest: i64,
    held: Vec<Held<I, N>>,
    satisfied: Vec<Interval>,
    /// How many events were left when needless ones were last dropped.
    thinned_to: usize,
}

/// An event in a window. Written without field names: a window may hold thousands.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    from = "HeldRow<I, N>",
    into = "HeldRow<I, N>",
    bound(serialize = "I: Clone + Serialize, N: Clone + Serialize")
)]
pub(crate) struct Held<I, N> {
    time: i64,
    id: I,
    step: u16,
    value: u64,
    joined: bool,
    point: bool,
    note: Option<N>,
}

/// [`Held`] as it is written: time, id, step, value, joined (1) and point (2), note.
#[derive(Serialize, Deserialize)]
struct HeldRow<I, N>(i64, I, u16, u64, u8, Option<N>);

/// A union of satisfied spans without a hole: every event in it is a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Interval {
    start: i64,
    end: i64,
    /// Time of the event that first satisfied the condition, looking back.
    completed_at: i64,
}

/// What an arrival changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth<I, N> {
    /// Events that became members, by time then id: the arrival, and at a crossing those before it.
    pub joined: Vec<Joined<I, N>>,
    /// Events at whose time the correlation counts as one event of a correlation that refers to it.
    pub points: Vec<Joined<I, N>>,
    /// Whether the arrival was too old to be considered.
    pub late: bool,
    /// Events that were let go because there are too many.
    pub crowded_out: usize,
}

/// An event that became a member, or a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined<I, N> {
    /// Event time, nanoseconds.
    pub time: i64,
    /// Identity of the record.
    pub id: I,
    /// What the caller gave with it.
    pub note: Option<N>,
}

impl<I, N> Default for Growth<I, N> {
    fn default() -> Self {
        Self { joined: Vec::new(), points: Vec::new(), late: false, crowded_out: 0 }
    }
}

impl<I: Copy + Ord, N> Default for Window<I, N> {
    fn default() -> Self {
        Self { newest: i64::MIN, held: Vec::new(), satisfied: Vec::new(), thinned_to: 0 }
    }
}

impl<I: Copy + Ord, N: Clone> Window<I, N> {
    /// Adds an event. An event that is already held changes nothing.
    pub fn insert(&mut self, spec: &WindowSpec, arrival: Arrival<I, N>) -> Growth<I, N> {
        self.newest = self.newest.max(arrival.time);
        let oldest = self.newest.saturating_sub(spec.timespan).saturating_sub(ALLOWED_LATENESS);
        if arrival.time < oldest {
            return Growth { late: true, ..Growth::default() };
        }
        self.forget_before(oldest);
        let value = spec.condition.counted(arrival.value);
        let step = spec.condition.told_apart(arrival.step);
        if self.held.iter().any(|held| held.id == arrival.id && held.step == step) {
            return Growth::default();
        }
        let held = Held {
            time: arrival.time,
            id: arrival.id,
            step,
            value,
            joined: false,
            point: false,
            note: arrival.note,
        };
        let place = self.held.partition_point(|other| other.order() < held.order());
        self.held.insert(place, held);
        self.grow(spec, place)
    }

    /// Number of events held: what the window costs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.satisfied.is_empty()
    }

    /// What callers gave with the events that are held and are no points yet.
    pub fn notes(&self) -> impl Iterator<Item = &N> {
        self.held.iter().filter_map(|held| held.note.as_ref())
    }

    /// Lets go of what the caller gave with an event.
    pub fn drop_note(&mut self, id: I) {
        for held in self.held.iter_mut().filter(|held| held.id == id) {
            held.note = None;
        }
    }

    fn forget_before(&mut self, oldest: i64) {
        let gone = self.held.partition_point(|held| held.time < oldest);
        self.held.drain(..gone);
        self.satisfied.retain(|interval| interval.end >= oldest);
    }

    fn grow(&mut self, spec: &WindowSpec, place: usize) -> Growth<I, N> {
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
            let member = |note| Joined { time: held.time, id: held.id, note };
            if !held.joined {
                held.joined = true;
                growth.joined.push(member(held.note.clone()));
            }
            // Until it is a point the note stays: it may become one when an earlier event arrives.
            if !held.point && held.time >= interval.completed_at {
                held.point = true;
                growth.points.push(member(held.note.take()));
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
            // What lies before the completion becomes a point when that turns out to be earlier.
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
        if crowded {
            self.thinned_to = self.held.len();
        }
    }

    fn crowded(&self) -> bool {
        self.held.len() > THIN_ABOVE.max(self.thinned_to.saturating_mul(2))
    }
}

impl<I: Copy + Ord, N> Held<I, N> {
    /// Events of the same moment stand in the order of the steps they fulfil, so that they count as
    /// being in order.
    fn order(&self) -> (i64, u16, I) {
        (self.time, self.step, self.id)
    }
}

impl<I, N> From<Held<I, N>> for HeldRow<I, N> {
    fn from(held: Held<I, N>) -> Self {
        let marks = u8::from(held.joined) | u8::from(held.point) << 1;
        Self(held.time, held.id, held.step, held.value, marks, held.note)
    }
}

impl<I, N> From<HeldRow<I, N>> for Held<I, N> {
    fn from(HeldRow(time, id, step, value, marks, note): HeldRow<I, N>) -> Self {
        Self { time, id, step, value, joined: marks & 1 != 0, point: marks & 2 != 0, note }
    }
}

impl Interval {
    fn contains(&self, time: i64) -> bool {
        self.start <= time && time <= self.end
    }
}

//! Windows of correlations as sets: the events that a window holds, and whether it is satisfied, depend on the set of
//! events only, never on the order in which they arrived. One [`Window`] is the state of one correlation and one group;
//! the choice of the group, and the consequences of growth, lie with the caller.
//!
//! There are two ways to decide. A condition that more events never unsatisfy is decided as they come,
//! over every span that begins with an event. Any other is decided once, when its window has ended:
//! windows then follow each other, each beginning with the first event after the one before, and the
//! caller asks for [`Window::due`] and calls [`Window::close`].
//!
//! # Cost
//!
//! A counter of a sliding window would take some bytes per group. A set holds every event that a later or late one may
//! still need: about 100 bytes each and its excerpt, up to [`MOST_HELD`] of them, for the timespan and
//! [`ALLOWED_LATENESS`]. An arrival is compared with the events within one timespan around it, so a busy group costs time
//! in proportion to the events that it holds, and each commit writes the row of a changed window as a whole. Events that
//! cannot change any decision are dropped once there are many (`growing`), which keeps a satisfied window small. Ids of
//! incidents and revisions are hashes of their content and number instead of counters or random values; they cost one
//! hash each.
//!
//! # Reasons for sets
//!
//! Records arrive out of order as a rule: senders retry, several of them share a source, batches of two machines
//! interleave, and events may be ten minutes late. With sets the same events give the same findings in every order and
//! however they are split into batches. With deterministic ids a crash between fold and commit, a replay, or a second
//! analyzer that believes it owns the partition writes the same rows under the same keys, instead of second incidents.
//! Together they let tests state the result of any history as an equality, and operators repeat an analysis.

mod closing;
mod condition;
mod growing;
mod held;
mod spans;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use condition::{Condition, Measure, StepFormula};
use growing::Interval;
use held::Held;

/// Time that a group's events are kept beyond the timespan, measured against the group's own newest event: the lateness that
/// changes nothing. Nanoseconds.
pub const ALLOWED_LATENESS: i64 = 10 * 60 * 1_000_000_000;

/// Most events one window holds. Beyond, the oldest are dropped, which shortens the lateness that events of this group may
/// have: a sender that stays just below a threshold must not grow a row without end.
pub const MOST_HELD: usize = 8_192;

/// The same where windows are decided when they have ended. Those hold whatever comes until then, be it
/// needed or not, so that a busy group is often full: a few of them must fit into one write.
pub const MOST_HELD_UNTIL_END: usize = 2_048;

/// A number as the value of an event, for conditions that [measure numbers](Condition::measures_numbers). Whole numbers are
/// exact up to 2^53, others to a thousandth.
#[must_use]
pub fn number(value: f64) -> u64 {
    value.to_bits()
}

/// Condition and timespan of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowSpec {
    /// When a span of events is satisfied.
    pub condition: Condition,
    /// Length of the span, nanoseconds; its ends are inclusive.
    pub timespan: i64,
    /// Additional time that its events may take, nanoseconds: those of a correlation that is itself decided when its window has
    /// ended come by so much later. Else 0.
    pub patience: i64,
}

impl WindowSpec {
    /// Most time between an event and the newest one, nanoseconds: older ones are late.
    #[must_use]
    pub fn kept(&self) -> i64 {
        self.timespan.saturating_add(ALLOWED_LATENESS).saturating_add(self.patience)
    }
}

/// An event that a correlation counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival<I, N> {
    /// Event time, nanoseconds.
    pub time: i64,
    /// Identity of the record.
    pub id: I,
    /// Reference of the correlation that it came through, from 0.
    pub step: u16,
    /// Value by which counted events must differ: a hash of the counted value; or the [`number`] that is measured. Ignored
    /// unless values are counted or numbers measured.
    pub value: u64,
    /// Data that the caller receives back when the event becomes a member.
    pub note: Option<N>,
}

/// The events of one group that may still matter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "I: Clone + Serialize, N: Clone + Serialize"))]
pub struct Window<I, N> {
    newest: i64,
    held: Vec<Held<I, N>>,
    satisfied: Vec<Interval>,
    /// Number of events that were left when unneeded ones were last dropped.
    thinned_to: usize,
    /// Event time up to which windows are closed: later arrivals with an earlier time are late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closed_through: Option<i64>,
    /// From when to when there were events for which a window that is still open had no room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crowded: Option<(i64, i64)>,
}

/// Changes by an arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth<I, N> {
    /// Events that became members, by time then id: the arrival, and at a crossing those before it.
    pub joined: Vec<Joined<I, N>>,
    /// Events at whose time the correlation counts as one event of a correlation that refers to it.
    pub points: Vec<Joined<I, N>>,
    /// Whether the arrival was too old to be considered.
    pub late: bool,
    /// Events that were dropped because there are too many.
    pub crowded_out: usize,
}

/// An event that became a member, or a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined<I, N> {
    /// Event time, nanoseconds.
    pub time: i64,
    /// Identity of the record.
    pub id: I,
    /// Data of the caller.
    pub note: Option<N>,
}

impl<I, N> Default for Growth<I, N> {
    fn default() -> Self {
        Self { joined: Vec::new(), points: Vec::new(), late: false, crowded_out: 0 }
    }
}

impl<I: Copy + Ord, N> Default for Window<I, N> {
    fn default() -> Self {
        Self {
            newest: i64::MIN,
            held: Vec::new(),
            satisfied: Vec::new(),
            thinned_to: 0,
            closed_through: None,
            crowded: None,
        }
    }
}

impl<I: Copy + Ord, N: Clone> Window<I, N> {
    /// Adds an event that was received when it happened: [`Window::insert_received`].
    pub fn insert(&mut self, spec: &WindowSpec, arrival: Arrival<I, N>) -> Growth<I, N> {
        let received = arrival.time;
        self.insert_received(spec, arrival, received)
    }

    /// Adds an event; `received` is the log's time, nanoseconds, which matters to windows that close.
    /// An event that is already held changes nothing.
    pub fn insert_received(
        &mut self,
        spec: &WindowSpec,
        arrival: Arrival<I, N>,
        received: i64,
    ) -> Growth<I, N> {
        let is_closing = spec.condition.is_decided_at_end();
        self.newest = self.newest.max(arrival.time);
        let oldest = self.newest.saturating_sub(spec.kept());
        let is_late = if is_closing { self.is_too_late(arrival.time, oldest) } else { arrival.time < oldest };
        if is_late {
            return Growth { late: true, ..Growth::default() };
        }
        if !is_closing {
            self.forget_before(oldest);
        }
        let value = spec.condition.kept(arrival.step, arrival.value);
        let step = spec.condition.told_apart(arrival.step);
        if self.held.iter().any(|held| held.id == arrival.id && held.step == step) {
            return Growth::default();
        }
        if is_closing && self.held.len() >= MOST_HELD_UNTIL_END {
            self.turn_away(arrival.time);
            return Growth { crowded_out: 1, ..Growth::default() };
        }
        let held = Held {
            time: arrival.time,
            id: arrival.id,
            step,
            value,
            received: if is_closing { received } else { 0 },
            joined: false,
            point: false,
            note: arrival.note,
        };
        let place = self.held.partition_point(|other| other.order() < held.order());
        if self.held.len() == self.held.capacity() {
            // Most windows hold a handful for an hour: doubling would leave half of their memory empty.
            self.held.reserve_exact((self.held.len() / 4).max(2));
        }
        self.held.insert(place, held);
        if is_closing { Growth::default() } else { self.grow(spec, place) }
    }

    /// Whether an event of this time would be a member at once: it lies in a span that is satisfied already.
    /// Nanoseconds.
    #[must_use]
    pub fn covers(&self, time: i64) -> bool {
        self.satisfied.iter().any(|interval| interval.contains(time))
    }

    /// Whether an event of this time may continue a span that is satisfied already: it lies in it, or no more than a timespan
    /// after its end, so that it is a member, or becomes one with those that follow. Nanoseconds.
    #[must_use]
    pub fn may_take_in(&self, spec: &WindowSpec, time: i64) -> bool {
        self.satisfied.iter().any(|interval| interval.may_take_in(time, spec.timespan))
    }

    /// Number of events held: the cost of the window.
    #[must_use]
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.satisfied.is_empty()
    }

    /// Callers' data of the events that are held and are no points yet.
    pub fn notes(&self) -> impl Iterator<Item = &N> {
        self.held.iter().filter_map(|held| held.note.as_ref())
    }

    /// The same events with other data in place of the callers'.
    pub fn with_notes<M>(&self, mut other: impl FnMut(&N) -> Option<M>) -> Window<I, M> {
        Window {
            newest: self.newest,
            held: self.held.iter().map(|held| held.with_note(&mut other)).collect(),
            satisfied: self.satisfied.clone(),
            thinned_to: self.thinned_to,
            closed_through: self.closed_through,
            crowded: self.crowded,
        }
    }

    /// Callers' data of each event, which may be dropped when it becomes too much; by event time.
    pub fn notes_mut(&mut self) -> impl Iterator<Item = (I, &mut Option<N>)> {
        self.held.iter_mut().map(|held| (held.id, &mut held.note))
    }
}

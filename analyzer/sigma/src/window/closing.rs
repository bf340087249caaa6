//! Windows that are decided when they have ended: one begins with the first event after the one before, lasts one timespan, and
//! is closed once the log's time has passed its end. No later event changes the decision.

use std::collections::BTreeSet;

use super::condition::{Condition, Measure, step_bit};
use super::held::Held;
use super::spans::first_in_order;
use super::{Growth, Joined, Window, WindowSpec};
use crate::bounds::{Bounds, Measured};

impl<I: Copy + Ord, N: Clone> Window<I, N> {
    /// The log's time, nanoseconds, that must have passed before the next window is closed; `None` while none is open. That is
    /// the window's end, or one timespan after its first event to arrive was received if that is later: a late sender has as
    /// much time as a punctual one. The delay of the events themselves ([`WindowSpec::patience`]) is added.
    #[must_use]
    pub fn due(&self, spec: &WindowSpec) -> Option<i64> {
        if !spec.condition.is_decided_at_end() {
            return None;
        }
        let end = self.held.first()?.time.saturating_add(spec.timespan);
        let open = self.held.iter().take_while(|held| held.time <= end);
        let received = open.map(|held| held.received).min()?;
        Some(end.max(received.saturating_add(spec.timespan)).saturating_add(spec.patience))
    }

    /// Closes every window that is due at the log's time `log_time`, nanoseconds:
    /// [`Window::close_next`] until there is none.
    pub fn close(&mut self, spec: &WindowSpec, log_time: i64) -> Growth<I, N> {
        let mut growth = Growth::default();
        while let Some(closed) = self.close_next(spec, log_time) {
            growth.joined.extend(closed.joined);
            growth.points.extend(closed.points);
        }
        growth
    }

    /// Closes the next window, if it is due at the log's time `log_time`, nanoseconds. All events of one
    /// that satisfies the condition become members, and its last one a point; those of any other are let
    /// go. `None` when nothing is due.
    pub fn close_next(&mut self, spec: &WindowSpec, log_time: i64) -> Option<Growth<I, N>> {
        let Condition::AtEnd { measure, bounds } = &spec.condition else { return None };
        self.due(spec).filter(|due| *due < log_time)?;
        let start = self.held.first()?.time;
        let end = start.saturating_add(spec.timespan);
        let count = self.held.partition_point(|held| held.time <= end);
        let window: Vec<Held<I, N>> = self.held.drain(..count).collect();
        self.closed_through = Some(end);
        let is_crowded = self.crowded.is_some_and(|(first, last)| first <= end && last >= start);
        self.crowded = self.crowded.filter(|(_, last)| *last > end);
        let mut growth = Growth::default();
        if is_satisfied(&window, measure, bounds, is_crowded) {
            growth.points.extend(window.last().map(|held| held.member(held.note.clone())));
            growth.joined.extend(window.into_iter().map(|held| Joined {
                time: held.time,
                id: held.id,
                note: held.note,
            }));
        }
        Some(growth)
    }

    /// Whether the window of an event is closed, or the event older than the lateness allows.
    pub(super) fn is_too_late(&self, time: i64, oldest: i64) -> bool {
        let is_closed = self.closed_through.is_some_and(|closed| time <= closed);
        let begins_one = self.held.first().is_none_or(|first| time < first.time);
        is_closed || begins_one && time < oldest
    }

    /// Notes that there was no room for an event.
    pub(super) fn turn_away(&mut self, time: i64) {
        let (first, last) = self.crowded.unwrap_or((time, time));
        self.crowded = Some((first.min(time), last.max(time)));
    }
}

fn is_satisfied<I: Ord, N>(
    window: &[Held<I, N>],
    measure: &Measure,
    bounds: &Bounds,
    is_crowded: bool,
) -> bool {
    // Where events were turned away there are more than any bound: bounds stay below the number held.
    if is_crowded && *measure == Measure::Events {
        return bounds.hold(u64::from(u32::MAX));
    }
    measured(window, measure).is_some_and(|measured| bounds.hold_for(measured))
}

/// The measure of a window that is not empty.
fn measured<I: Ord, N>(window: &[Held<I, N>], measure: &Measure) -> Option<Measured> {
    let count = |count: usize| Measured { thousandths: count as i128 * 1_000, divisor: 1 };
    let sorted = || {
        let mut numbers: Vec<i128> = window.iter().map(Held::number).collect();
        numbers.sort_unstable();
        numbers
    };
    Some(match measure {
        Measure::Events => count(window.iter().map(|held| &held.id).collect::<BTreeSet<_>>().len()),
        Measure::Values => count(window.iter().map(|held| held.value).collect::<BTreeSet<_>>().len()),
        Measure::Steps => count(window.iter().map(|held| held.step).collect::<BTreeSet<_>>().len()),
        Measure::OrderedSteps => {
            let most = window.len().min(64);
            let longest = (1..=most).take_while(|steps| {
                u16::try_from(*steps).is_ok_and(|steps| first_in_order(window, steps).is_some())
            });
            count(longest.last().unwrap_or(0))
        }
        Measure::Formula(formula) => {
            let seen = window.iter().fold(0, |seen, held| seen | step_bit(held.step));
            count(usize::from(formula.holds(seen)))
        }
        Measure::Sum => Measured { thousandths: window.iter().map(Held::amount).sum(), divisor: 1 },
        Measure::Average => Measured {
            thousandths: window.iter().map(Held::number).sum(),
            divisor: i128::try_from(window.len()).ok().filter(|count| *count > 0)?,
        },
        Measure::Percentile(rank) => {
            let numbers = sorted();
            let place = (numbers.len() * usize::from(*rank)).div_ceil(100).max(1);
            Measured { thousandths: *numbers.get(place - 1)?, divisor: 1 }
        }
        Measure::Median => {
            let numbers = sorted();
            let below = *numbers.get(numbers.len().saturating_sub(1) / 2)?;
            Measured { thousandths: below + numbers.get(numbers.len() / 2)?, divisor: 2 }
        }
    })
}

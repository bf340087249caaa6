//! When the signs of an entity add up: spans of a day with enough points, and of a week with enough tactics.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use common::timestamp::Timestamp;

use crate::plan::Subject;

/// Points at which an entity qualifies.
const QUALIFYING_POINTS: u32 = 100;
/// The span over which points are summed.
pub(super) const POINTS_SPAN: Duration = Duration::from_secs(24 * 60 * 60);
/// Tactics and rules at which an entity qualifies.
const QUALIFYING_TACTICS: usize = 3;
/// See [`QUALIFYING_TACTICS`].
const QUALIFYING_RULES: usize = 4;
/// The span over which tactics are counted.
pub(super) const TACTICS_SPAN: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Time that signs are kept behind the newest one: a late event may complete a span that began before it. Events are at most
/// ten minutes late, and at most five minutes ahead of their acceptance.
pub(super) const REMEMBERED_SPAN: Duration = Duration::from_secs(TACTICS_SPAN.as_secs() + 15 * 60);
/// A rule adds its points once, and its repetitions once more.
pub(super) const COUNTED_PER_RULE: usize = 2;

/// Matches of one rule that count.
pub(super) struct Counting<'p> {
    /// The rule.
    pub(super) subject: &'p Arc<Subject>,
    /// When, in order.
    pub(super) times: Vec<Timestamp>,
}

impl Counting<'_> {
    fn count(&self, (start, end): Span) -> usize {
        let before = self.times.partition_point(|time| *time < start);
        self.times.partition_point(|time| *time <= end).saturating_sub(before)
    }
}

/// A start and an end, both inclusive.
pub(super) type Span = (Timestamp, Timestamp);

pub(super) fn lies_in(spans: &[Span], time: Timestamp) -> bool {
    spans.iter().any(|(start, end)| *start <= time && time <= *end)
}

/// The spans that qualify among those that begin at `starts`; where a time is given, of days those that it lies in.
pub(super) fn qualifying_spans(
    counting: &[Counting<'_>],
    starts: BTreeSet<Timestamp>,
    time: Option<Timestamp>,
) -> Vec<Span> {
    let mut spans = Vec::new();
    for start in starts {
        let day = (start, start.plus(POINTS_SPAN));
        let week = (start, start.plus(TACTICS_SPAN));
        if time.is_none_or(|time| time <= day.1) && points(counting, day) >= QUALIFYING_POINTS {
            spans.push(day);
        }
        if has_many_tactics(counting, week) {
            spans.push(week);
        }
    }
    spans
}

fn points(counting: &[Counting<'_>], span: Span) -> u32 {
    let of_rule = |own: &Counting<'_>| {
        // Records that crossed one threshold together are one finding.
        let most = if own.subject.matched.correlation { 1 } else { COUNTED_PER_RULE };
        own.subject.risk * u32::try_from(own.count(span).min(most)).unwrap_or(0)
    };
    counting.iter().map(of_rule).sum()
}

fn has_many_tactics(counting: &[Counting<'_>], span: Span) -> bool {
    let mut rules = 0;
    let mut tactics = BTreeSet::new();
    for own in counting.iter().filter(|own| own.count(span) > 0) {
        rules += 1;
        tactics.extend(own.subject.tactics.iter());
    }
    rules >= QUALIFYING_RULES && tactics.len() >= QUALIFYING_TACTICS
}

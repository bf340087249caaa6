//! Consequences of the growth of a window: members are a crossing, points are events of outer correlations.

use std::collections::VecDeque;
use std::sync::Arc;

use common::timestamp::Timestamp;
use sigma::event::Event;
use sigma::window::Growth;

use super::event_data::EventData;
use crate::finding::Member;
use crate::identity::RecordId;
use crate::matched::Count;
use crate::note::Note;
use crate::plan::Plan;
use crate::plan::chain::NotCounted;

/// A correlation whose condition new members satisfy.
#[derive(Debug)]
pub(crate) struct Crossing {
    /// Index of the correlation.
    pub correlation: usize,
    /// In which group.
    pub group: Vec<String>,
    /// The new members, by time.
    pub members: Vec<Member>,
}

/// Result of counting a record, or of closing a window.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// Correlations whose conditions were satisfied.
    pub crossings: Vec<Crossing>,
    /// Events that were too old for their window.
    pub late: u32,
    /// Events that were counted in a coarser group, because there are too many.
    pub coarsened: u32,
    /// Events that their window dropped, or turned away, because it held too many.
    pub crowded_out: usize,
    /// Events without a value that their correlation groups by.
    pub without_group_value: u32,
    /// Events without a value that their correlation counts.
    pub without_value: u32,
}

impl Counted {
    /// Counts in metrics the events that were not counted normally.
    pub(crate) fn report(&self) {
        let not_counted = [
            ("late", self.late),
            ("coarsened", self.coarsened),
            ("crowded_out", u32::try_from(self.crowded_out).unwrap_or(u32::MAX)),
            ("without_group_value", self.without_group_value),
            ("without_value", self.without_value),
        ];
        for (reason, count) in not_counted.into_iter().filter(|(_, count)| *count > 0) {
            metrics::counter!("palisade_analysis_window_events_total", "reason" => reason)
                .increment(u64::from(count));
        }
    }
}

/// An event on its way into a window.
pub(super) struct Counting {
    pub(super) count: Count,
    pub(super) record: RecordId,
    pub(super) event_time: Timestamp,
    pub(super) note: Option<Arc<Note>>,
    /// The log's time when it became known.
    pub(super) received: i64,
}

/// Follows the growth of a window: its points are passed to outer correlations, its members are a crossing.
pub(super) fn grown(
    plan: &Plan,
    correlation: usize,
    group: Vec<String>,
    growth: Growth<RecordId, EventData>,
    received: i64,
    onward: &mut VecDeque<Counting>,
    counted: &mut Counted,
) {
    let correlation_plan = plan.correlation(correlation);
    for outer in &correlation_plan.counted_by {
        for point in &growth.points {
            let carried = point.note.as_ref().and_then(|kept| kept.carried.as_ref());
            let event = carried.map_or_else(Event::default, |carried| carried.event());
            let (group, value) = match outer.count(plan.correlations(), &group, &event) {
                Ok(found) => found,
                Err(NotCounted::WithoutGroupValue) => {
                    counted.without_group_value += 1;
                    continue;
                }
                Err(NotCounted::WithoutValue) => {
                    counted.without_value += 1;
                    continue;
                }
            };
            let carries = !plan.correlation(outer.correlation).carried_fields.is_empty();
            let carried = carried.filter(|_| carries).cloned();
            onward.push_back(Counting {
                count: Count { correlation: outer.correlation, step: outer.step, group, value, carried },
                record: point.id,
                event_time: Timestamp(point.time),
                note: point.note.as_ref().and_then(|kept| kept.note.clone()),
                received,
            });
        }
    }
    if growth.joined.is_empty() || !correlation_plan.alone {
        return;
    }
    let members = growth.joined.into_iter().map(|joined| Member {
        record: joined.id,
        event_time: Timestamp(joined.time),
        note: joined.note.and_then(|kept| kept.note),
        subject: Arc::clone(&correlation_plan.subject),
    });
    counted.crossings.push(Crossing { correlation, group, members: members.collect() });
}

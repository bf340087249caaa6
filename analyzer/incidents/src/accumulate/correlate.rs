//! Counting matches over windows: one window per correlation, source and group. Events that satisfy its
//! condition become a finding, and points that outer correlations count in turn. Some windows are
//! satisfied as events come, others are closed when the log's time has passed their end.

mod group;
mod growth;
mod event_data;
mod interner;
mod stored;
mod usage;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use common::batch::BatchHeaders;
use common::timestamp::Timestamp;
use sigma::window::{Arrival, Growth};

use self::event_data::EventData;
use self::group::{Group, MemoryUse};
pub(crate) use self::growth::Counted;
use self::growth::{Counting, grown};
use self::interner::Interner;
use self::usage::WindowUsage;
use super::coarsen::{self, Groups};
use crate::finding::{Owner, RecordContext};
use crate::identity::RecordId;
use crate::matched::{Count, Matched};
use crate::plan::Plan;
use crate::rows;
use crate::state_table::StateTable;

/// Name of a window among the state rows.
pub type GroupKey = [u8; 16];

/// All windows of a partition.
#[derive(Debug)]
pub struct Correlations {
    groups: StateTable<GroupKey, Box<Group>>,
    interner: Interner,
    /// Windows of each correlation, by its id.
    per_correlation: HashMap<String, Groups>,
    /// Windows that wait for their end: due time, patience, and key. An inner correlation is less patient than one that counts
    /// it, and so comes first.
    waiting: BTreeSet<((i64, i64), GroupKey)>,
    usage: WindowUsage,
    most_groups: usize,
    most_bytes: usize,
}

impl Correlations {
    /// No windows; at most about `most_groups` of one correlation, and about `most_bytes` of all with their events. Of
    /// both each organization has a share.
    pub(crate) fn new(most_groups: usize, most_bytes: usize) -> Self {
        Self {
            groups: StateTable::new(rows::WINDOW),
            interner: Interner::default(),
            per_correlation: HashMap::new(),
            waiting: BTreeSet::new(),
            usage: WindowUsage::default(),
            most_groups,
            most_bytes,
        }
    }

    /// Counts a record in every window it belongs to; inner correlations before outer ones.
    pub(crate) fn count(&mut self, plan: &Plan, context: &RecordContext<'_>, matched: &Matched) -> Counted {
        let mut counted = Counted {
            without_group_value: matched.ungrouped,
            without_value: matched.without_value,
            ..Counted::default()
        };
        let own = matched.counts.iter().flat_map(|count| {
            (0..matched.times).map(move |number| Counting {
                count: count.clone(),
                record: matched.record.repeated(number),
                event_time: matched.note.event_time,
                note: Some(Arc::clone(&matched.note)),
                received: context.log_time.0,
            })
        });
        let own = own.collect();
        self.spread(plan, context, own, &mut counted);
        counted
    }

    /// The next window whose end the log's time has passed.
    pub fn next_due(&self, log_time: Timestamp) -> Option<GroupKey> {
        let ((due, _), key) = self.waiting.first()?;
        (*due < log_time.0).then_some(*key)
    }

    /// The log's time that must have passed before anything is due; `None` when nothing waits.
    pub fn first_due(&self) -> Option<Timestamp> {
        self.waiting.first().map(|((due, _), _)| Timestamp(*due))
    }

    /// Headers under which the findings of a window are folded: its own, at a time.
    pub fn headers(&self, key: &GroupKey, at: Timestamp) -> Option<BatchHeaders> {
        self.groups.get(key).map(|group| group.owner.headers(at))
    }

    /// Closes a window that is due, and counts its points in the windows of outer correlations.
    pub(crate) fn close(&mut self, plan: &Plan, context: &RecordContext<'_>, key: GroupKey) -> Counted {
        let mut counted = Counted::default();
        let Some(group) = self.groups.get_mut(&key) else { return counted };
        let correlation = group.correlation;
        let Some((due, _)) = group.waits else { return counted };
        let before = group.bytes();
        let growth = group.close(context.log_time);
        let values = group.values.clone();
        self.settle(key, before);
        let mut onward = VecDeque::new();
        grown(plan, correlation, values, growth, due, &mut onward, &mut counted);
        self.spread(plan, context, onward, &mut counted);
        counted
    }

    /// Closes a window that is due as if nothing had been in it, because its end cannot be evaluated.
    pub fn set_aside(&mut self, log_time: Timestamp, key: GroupKey) {
        let Some(group) = self.groups.get_mut(&key) else { return };
        let before = group.bytes();
        group.close(log_time);
        self.settle(key, before);
        metrics::counter!("palisade_analysis_window_events_total", "reason" => "set_aside").increment(1);
    }

    /// Counts events, and the points that follow from them in turn.
    fn spread(
        &mut self,
        plan: &Plan,
        context: &RecordContext<'_>,
        mut onward: VecDeque<Counting>,
        counted: &mut Counted,
    ) {
        while let Some(counting) = onward.pop_front() {
            let (correlation, received) = (counting.count.correlation, counting.received);
            let (values, growth) = self.arrive(plan, context, counting, counted);
            grown(plan, correlation, values, growth, received, &mut onward, counted);
        }
    }

    fn arrive(
        &mut self,
        plan: &Plan,
        context: &RecordContext<'_>,
        counting: Counting,
        counted: &mut Counted,
    ) -> (Vec<String>, Growth<RecordId, EventData>) {
        let Counting { count, record, event_time, note, received } = counting;
        let (key, values) = self.group_of(plan, context, &count, event_time);
        let correlation_plan = plan.correlation(count.correlation);
        if values != count.group {
            counted.coarsened += 1;
        }
        let before = self.groups.get(&key).map(|group| group.bytes()).unwrap_or_default();
        let group = self.groups.get_or_insert_with(key, || {
            let owner = self.interner.owner(Owner::of(context.headers));
            let mut group =
                Group::new(count.correlation, correlation_plan, values.clone(), owner, context.log_time);
            group.is_coarse = values != count.group;
            self.per_correlation
                .entry(correlation_plan.id().to_owned())
                .or_default()
                .add(group.owner.organization, group.is_coarse);
            Box::new(group)
        });
        group.touched_at = context.log_time;
        let room = self.usage.room_for(context.headers.organization, before);
        let note = EventData { note, carried: count.carried }.some();
        let arrival = Arrival { time: event_time.0, id: record, step: count.step, value: count.value, note };
        let growth = group.insert(arrival, received, room);
        counted.late += u32::from(growth.late);
        counted.crowded_out += growth.crowded_out;
        self.settle(key, before);
        (values, growth)
    }

    /// After a window changed whose memory was this: updates its due time and memory, and marks its row.
    fn settle(&mut self, key: GroupKey, before: MemoryUse) {
        let Some(group) = self.groups.get_mut(&key) else { return };
        self.usage.change(group.owner.organization, before, group.bytes());
        wait(&mut self.waiting, key, group);
        let cost = group.cost();
        self.groups.mark(key, cost);
    }

    /// The group an event belongs to: its own, or a coarser one when it would be new and its organization has too many. If the
    /// windows of an organization take more than its share, none of its groups grows any more but the coarsest, and those
    /// satisfied already that the event may continue; groups of other organizations are not concerned.
    fn group_of(
        &self,
        plan: &Plan,
        context: &RecordContext<'_>,
        count: &Count,
        event_time: Timestamp,
    ) -> (GroupKey, Vec<String>) {
        let correlation = plan.correlation(count.correlation);
        let id = correlation.id();
        let key = group_key(id, context, &count.group);
        let known = self.groups.get(&key);
        let who = context.headers.organization;
        let values = if self.usage.windows.room_for(who, self.most_bytes) == 0 {
            let goes_on =
                known.is_some_and(|group| group.window.may_take_in(&correlation.spec, event_time.0));
            if goes_on { count.group.clone() } else { coarsen::together(&count.group) }
        } else if known.is_some() {
            count.group.clone()
        } else {
            let nothing = Groups::default();
            let groups = self.per_correlation.get(id).unwrap_or(&nothing);
            groups.group(who, &count.group, self.most_groups)
        };
        let key = if values == count.group { key } else { group_key(id, context, &values) };
        (key, values)
    }

    /// Rows and bytes, about, of the changes since the last [`Self::take_changes`].
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        self.groups.pending_cost()
    }

    /// Number of windows.
    pub fn windows(&self) -> usize {
        self.groups.count()
    }
}

/// Adds a window to those that wait for their end, if it does.
fn wait(waiting: &mut BTreeSet<((i64, i64), GroupKey)>, key: GroupKey, group: &mut Group) {
    let spec = &group.plan.spec;
    let waits = group.window.due(spec).map(|due| (due, spec.patience));
    if waits == group.waits {
        return;
    }
    if let Some(before) = group.waits {
        waiting.remove(&(before, key));
    }
    waiting.extend(waits.map(|waits| (waits, key)));
    group.waits = waits;
}

fn group_key(correlation: &str, context: &RecordContext<'_>, values: &[String]) -> GroupKey {
    context.state_key([correlation.as_bytes()].into_iter().chain(values.iter().map(String::as_bytes)))
}

//! Counting matches over windows: one window per correlation, source and group. What grows beyond its
//! threshold becomes a finding, and a point that outer correlations count in turn.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use common::ids::{OrganizationId, SourceId};
use common::row::BodyError;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use sigma::window::{ALLOWED_LATENESS, Arrival, Growth, Window};

use super::coarsen;
use super::finding::{Member, Place};
use super::rows::{self, Gone};
use crate::catalogue::Catalogue;
use crate::detect::Count;
use crate::identity::{RecordId, digest, short};
use crate::note::Note;
use crate::plan::{CorrelationPlan, OuterGroup, Plan};

/// Bytes of notes that windows of one partition hold back for events below their threshold. Beyond,
/// events are counted as before, but shown without an excerpt if they become members.
const MOST_NOTE_BYTES: usize = 64 * 1024 * 1024;
/// The same for one window, which is one row of the ledger: room for a few hundred usual lines.
const MOST_WINDOW_NOTE_BYTES: usize = 64 * 1024;

/// Name of a window among the state rows.
pub(crate) type GroupKey = [u8; 16];

/// All windows of a partition.
#[derive(Debug)]
pub(crate) struct Correlations {
    groups: HashMap<GroupKey, Group>,
    /// Windows of each correlation, by its id.
    per_correlation: HashMap<String, usize>,
    /// Windows that changed, and about how many bytes their rows take.
    changed: BTreeMap<GroupKey, usize>,
    changed_bytes: usize,
    note_bytes: usize,
    most_groups: usize,
}

/// One window, and what it is a window of.
#[derive(Debug)]
struct Group {
    correlation: usize,
    organization: OrganizationId,
    source: SourceId,
    values: Vec<String>,
    /// The log's time when an event last arrived.
    touched_at: Timestamp,
    window: Window<RecordId, Arc<Note>>,
    note_bytes: usize,
}

/// A window as it is kept in the ledger.
#[derive(Serialize, Deserialize)]
struct GroupRow {
    correlation: String,
    content_hash: String,
    organization: OrganizationId,
    source: SourceId,
    values: Vec<String>,
    touched_at: Timestamp,
    window: Window<RecordId, Arc<Note>>,
}

/// A correlation whose condition new members satisfy.
#[derive(Debug)]
pub(crate) struct Crossing {
    /// Which correlation.
    pub correlation: usize,
    /// In which group.
    pub group: Vec<String>,
    /// The new members, by time.
    pub members: Vec<Member>,
}

/// What counting a record came to.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// What satisfied its condition.
    pub crossings: Vec<Crossing>,
    /// Events that were too old for their window.
    pub late: u32,
    /// Events that were counted in a coarser group, because there are too many.
    pub coarsened: u32,
    /// Events that their window let go, because it held too many.
    pub crowded_out: usize,
}

struct Counting {
    count: Count,
    record: RecordId,
    event_time: Timestamp,
    note: Option<Arc<Note>>,
}

impl Correlations {
    /// No windows; at most about `most_groups` of one correlation.
    pub(crate) fn new(most_groups: usize) -> Self {
        Self {
            groups: HashMap::new(),
            per_correlation: HashMap::new(),
            changed: BTreeMap::new(),
            changed_bytes: 0,
            note_bytes: 0,
            most_groups,
        }
    }

    /// Counts a record in every window it belongs to; inner correlations before outer ones.
    pub(crate) fn count(
        &mut self,
        plan: &Plan,
        place: &Place<'_>,
        record: RecordId,
        note: &Arc<Note>,
        counts: &[Count],
    ) -> Counted {
        let mut counted = Counted::default();
        let mut waiting: VecDeque<Counting> = counts
            .iter()
            .map(|count| Counting {
                count: count.clone(),
                record,
                event_time: note.event_time,
                note: Some(Arc::clone(note)),
            })
            .collect();
        while let Some(counting) = waiting.pop_front() {
            let correlation = counting.count.correlation;
            let (group, growth) = self.arrive(plan, place, counting, &mut counted);
            let correlation_plan = plan.correlation(correlation);
            for outer in &correlation_plan.counted_by {
                waiting.extend(points(&growth, outer, &group));
            }
            if growth.joined.is_empty() || !correlation_plan.alone {
                continue;
            }
            let members = growth.joined.into_iter().map(|joined| Member {
                record: joined.id,
                event_time: Timestamp(joined.time),
                note: joined.note,
                subject: Arc::clone(&correlation_plan.subject),
            });
            counted.crossings.push(Crossing { correlation, group, members: members.collect() });
        }
        counted
    }

    fn arrive(
        &mut self,
        plan: &Plan,
        place: &Place<'_>,
        counting: Counting,
        counted: &mut Counted,
    ) -> (Vec<String>, Growth<RecordId, Arc<Note>>) {
        let Counting { count, record, event_time, note } = counting;
        let (key, values) = self.group_of(plan, place, &count);
        let correlation_plan = plan.correlation(count.correlation);
        if values != count.group {
            counted.coarsened += 1;
        }
        let group = self.groups.entry(key).or_insert_with(|| {
            *self.per_correlation.entry(correlation_plan.id().to_owned()).or_default() += 1;
            Group {
                correlation: count.correlation,
                organization: place.headers.organization,
                source: place.headers.source,
                values: values.clone(),
                touched_at: place.log_time,
                window: Window::default(),
                note_bytes: 0,
            }
        });
        group.touched_at = place.log_time;
        let arrival = Arrival { time: event_time.0, id: record, step: count.step, value: count.value, note };
        let growth = group.window.insert(&correlation_plan.spec, arrival);
        counted.late += u32::from(growth.late);
        counted.crowded_out += growth.crowded_out;
        let before = group.note_bytes;
        group.note_bytes = group.held_note_bytes();
        let others = self.note_bytes - before;
        if group.note_bytes > MOST_WINDOW_NOTE_BYTES || others + group.note_bytes > MOST_NOTE_BYTES {
            group.window.drop_note(record);
            group.note_bytes = group.held_note_bytes();
        }
        self.note_bytes = others + group.note_bytes;
        let cost = group.cost();
        self.mark_changed(key, cost);
        (values, growth)
    }

    /// The group an event belongs to: its own, or a coarser one when it would be new and there is no
    /// more room.
    fn group_of(&self, plan: &Plan, place: &Place<'_>, count: &Count) -> (GroupKey, Vec<String>) {
        let id = plan.correlation(count.correlation).id();
        let key = group_key(id, place, &count.group);
        let groups = self.per_correlation.get(id).copied().unwrap_or(0);
        if self.groups.contains_key(&key) || groups < self.most_groups {
            return (key, count.group.clone());
        }
        let values = coarsen::group(&count.group, groups, self.most_groups);
        (group_key(id, place, &values), values)
    }

    /// Drops windows that nothing has touched for longer than they can matter. Called at fixed places
    /// in the log only.
    pub(crate) fn forget_before(&mut self, catalogue: &Catalogue, log_time: Timestamp, gone: &mut Gone) {
        let expired: Vec<GroupKey> = self
            .groups
            .iter()
            .filter(|(_, group)| {
                let timespan = group.plan(catalogue).spec.timespan;
                let kept = timespan.saturating_add(ALLOWED_LATENESS);
                group.touched_at.0.saturating_add(kept) < log_time.0
            })
            .map(|(key, _)| *key)
            .collect();
        for key in expired {
            self.remove(catalogue, &key, gone);
        }
    }

    fn remove(&mut self, catalogue: &Catalogue, key: &GroupKey, gone: &mut Gone) {
        let Some(group) = self.groups.remove(key) else { return };
        if let Some(count) = self.per_correlation.get_mut(group.plan(catalogue).id()) {
            *count -= 1;
        }
        self.note_bytes -= group.note_bytes;
        self.changed_bytes -= self.changed.remove(key).unwrap_or(0);
        gone.push(rows::key(rows::WINDOW, key));
    }

    /// Goes on under other rules: windows of correlations that are gone or have changed end here.
    pub(crate) fn adopt(&mut self, adopted: &Catalogue, latest: &Catalogue, gone: &mut Gone) {
        let found: Vec<(GroupKey, Option<usize>)> = self
            .groups
            .iter()
            .map(|(key, group)| {
                let subject = &group.plan(adopted).subject;
                let plan = latest.plan(group.organization);
                (*key, plan.find_correlation(&subject.matched.id, &subject.content_hash))
            })
            .collect();
        for (key, correlation) in found {
            match (correlation, self.groups.get_mut(&key)) {
                (Some(correlation), Some(group)) => group.correlation = correlation,
                _ => self.remove(adopted, &key, gone),
            }
        }
    }

    /// About how many rows and bytes the changes since the last [`Self::take_changes`] take.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        (self.changed.len(), self.changed_bytes)
    }

    fn mark_changed(&mut self, key: GroupKey, cost: usize) {
        let before = self.changed.insert(key, cost).unwrap_or(0);
        self.changed_bytes = self.changed_bytes + cost - before;
    }

    /// How many windows there are.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Rows to write since the last call.
    ///
    /// # Errors
    /// When a window cannot be written as JSON.
    pub(crate) fn take_changes(&mut self, catalogue: &Catalogue) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        self.changed_bytes = 0;
        let changed = std::mem::take(&mut self.changed);
        let groups = changed.keys().filter_map(|key| Some((key, self.groups.get(key)?)));
        groups.map(|(key, group)| Ok((rows::key(rows::WINDOW, key), group.row(catalogue)?))).collect()
    }

    /// Reads a window back. One of a correlation that is gone or has changed is left out, and its row
    /// is to go.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(
        &mut self,
        catalogue: &Catalogue,
        key: GroupKey,
        body: &[u8],
        gone: &mut Gone,
    ) -> Result<(), BodyError> {
        let row: GroupRow = common::row::decode(body)?;
        let plan = catalogue.plan(row.organization);
        let Some(correlation) = plan.find_correlation(&row.correlation, &row.content_hash) else {
            gone.push(rows::key(rows::WINDOW, &key));
            return Ok(());
        };
        *self.per_correlation.entry(row.correlation).or_default() += 1;
        let mut group = Group {
            correlation,
            organization: row.organization,
            source: row.source,
            values: row.values,
            touched_at: row.touched_at,
            window: row.window,
            note_bytes: 0,
        };
        group.note_bytes = group.held_note_bytes();
        self.note_bytes += group.note_bytes;
        self.groups.insert(key, group);
        Ok(())
    }
}

impl Group {
    fn held_note_bytes(&self) -> usize {
        self.window.notes().map(|note| note.cost()).sum()
    }

    /// About how many bytes its row takes.
    fn cost(&self) -> usize {
        let values: usize = self.values.iter().map(String::len).sum();
        512 + 2 * values + self.window.len() * 96 + self.note_bytes
    }

    fn plan<'c>(&self, catalogue: &'c Catalogue) -> &'c CorrelationPlan {
        catalogue.plan(self.organization).correlation(self.correlation)
    }

    fn row(&self, catalogue: &Catalogue) -> Result<Vec<u8>, BodyError> {
        let subject = &self.plan(catalogue).subject;
        common::row::encode(&GroupRow {
            correlation: subject.matched.id.clone(),
            content_hash: subject.content_hash.clone(),
            organization: self.organization,
            source: self.source,
            values: self.values.clone(),
            touched_at: self.touched_at,
            window: self.window.clone(),
        })
    }
}

fn group_key(correlation: &str, place: &Place<'_>, values: &[String]) -> GroupKey {
    let mut parts: Vec<&[u8]> = vec![
        correlation.as_bytes(),
        place.headers.organization.as_bytes(),
        place.headers.source.as_bytes(),
        place.headers.application_group.as_bytes(),
        place.headers.environment.as_bytes(),
    ];
    parts.extend(values.iter().map(String::as_bytes));
    short(&digest(&parts))
}

/// The points of a growth as an outer correlation counts them.
fn points(growth: &Growth<RecordId, Arc<Note>>, outer: &OuterGroup, inner: &[String]) -> Vec<Counting> {
    let group: Vec<String> = outer.values.iter().filter_map(|index| inner.get(*index).cloned()).collect();
    growth
        .points
        .iter()
        .map(|point| Counting {
            count: Count { correlation: outer.correlation, step: outer.step, group: group.clone(), value: 0 },
            record: point.id,
            event_time: Timestamp(point.time),
            note: point.note.clone(),
        })
        .collect()
}

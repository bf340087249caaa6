//! Matches of the records of one batch: pure, in parallel, the same whatever the number of threads. Most records match nothing
//! and leave nothing behind. A batch that takes long is matched in parts, and the matches of a record do not depend on the end
//! of a part.

mod masks;
mod recognised;
mod repeats;
mod turn;

use std::any::Any;
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::batch::BatchHeaders;
use common::partition::Offset;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use durable_log::Entry;
use sigma::event::{Event, Value};
use sigma::{Layer, Match, Matcher, Spender, Spent};

use crate::identity::{self, Delivery, DeliveryId};
use crate::pool::{self, Threads};
use crate::steps::class_of;
use incidents::carried::Carried;
use incidents::identity::grouped;
use incidents::matched::{Count, Matched, Suppressed};
use incidents::note::{Note, bounded};
use incidents::plan::{Plan, chain};
use masks::Masks;
use normalize::record::{Record, records};
use normalize::{Normalized, Room};
use recognised::Counting;
pub(crate) use recognised::{Recognised, UNRECOGNISED};
pub(crate) use repeats::Repeats;
pub(crate) use turn::{CancelOnDrop, Turn};

/// Most time that a record's event time may be ahead of its acceptance: clocks differ a little.
const MOST_AHEAD: Duration = Duration::from_secs(5 * 60);

/// Findings of one record that are followed: each may open an incident, which is five rows of the thousand that
/// a commit holds. The built-in rules never come near.
const MOST_FINDINGS: usize = 64;
/// Most events that one record can stand for: more than thresholds need, and an attacker writes none of these lines.
const MOST_REPEATED: u32 = 100;
/// Windows one record is counted in, a row each.
const MOST_COUNTS: usize = 128;

/// Matches of the records of one batch.
#[derive(Debug)]
pub(crate) struct Detected {
    /// Offset of the batch.
    pub offset: Offset,
    /// Its headers.
    pub headers: BatchHeaders,
    /// The delivery of the batch.
    pub delivery: Delivery,
    /// The records that matched something, in order.
    pub detections: Vec<Detection>,
    /// The first record that was matched.
    pub from: u32,
    /// The first one after it that was not, because the part of a batch that is matched at once ended there.
    pub through: u32,
    /// Records in the batch.
    pub records: u32,
    /// Whether nothing of it was matched, because it seems to be a repeat.
    pub is_unmatched: bool,
    /// Steps that the organization's own documents took.
    pub steps: u64,
    /// The same of each record that was matched, in order; empty where the organization has no documents.
    pub metered: Vec<Metered>,
    /// Number of recognised records, by format.
    pub recognised: Recognised,
}

/// Cost of one record.
#[derive(Debug)]
pub(crate) struct Metered {
    /// Its place in the batch.
    pub index: u32,
    /// Class of its length.
    pub class: u8,
    /// Steps of the organization's own documents.
    pub spent: Vec<Spent>,
}

impl Detected {
    /// A batch that seems to be a repeat: nothing of it is matched.
    pub(crate) fn unmatched(offset: Offset, headers: BatchHeaders, delivery: Delivery) -> Self {
        let records = headers.record_count;
        Self {
            offset,
            headers,
            delivery,
            detections: Vec::new(),
            from: 0,
            through: records,
            records,
            is_unmatched: true,
            steps: 0,
            metered: Vec::new(),
            recognised: Recognised::default(),
        }
    }

    /// Whether its last record was matched.
    pub(crate) fn is_whole(&self) -> bool {
        self.through == self.records
    }
}

/// A record that matched something, or could not be matched.
#[derive(Debug)]
pub(crate) struct Detection {
    /// Its place in the batch.
    pub index: u32,
    /// Its result.
    pub outcome: Outcome,
}

/// Result of a record.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Rules matched.
    Matched(Box<Matched>),
    /// A stage panicked on it: it is set aside.
    Quarantined {
        /// Message of the panic.
        cause: String,
    },
}

/// Matches a batch, or a part of it, with the organization's own rules where it has any. Called on a thread of the pool.
pub(crate) fn detect(
    (plan, layer): (&Plan, Option<&Layer>),
    pepper: &Pepper,
    entry: &Entry,
    turn: &Turn,
    threads: Threads,
) -> Detected {
    let headers = entry.batch.headers.clone();
    let delivery = identity::delivery(pepper, &headers, entry.offset);
    let all: Vec<Record<'_>> = records(&entry.batch.payload).collect();
    let wanted = all.get(turn.first(entry.offset)..).unwrap_or_default();
    let left_out = turn.left_out(headers.organization);
    let allowance = turn.allowance(headers.organization);
    let matcher =
        || layer.map_or_else(|| plan.rules().matcher(), |layer| layer.matcher_within(left_out, allowance));
    let batch =
        Matching { plan, pepper, headers: &headers, delivery: &delivery.id, masks: Masks::of(&entry.batch) };
    let recognised = Mutex::new(Recognised::default());
    let start = || Scratch {
        matcher: matcher(),
        room: Room::default(),
        found: Vec::new(),
        counting: Counting::new(&recognised),
    };
    let as_index = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let from = as_index(all.len() - wanted.len());
    let (limit, is_metered) = (turn.limit(from), plan.is_metered());
    let (came, done) = pool::filter_map_in_order(wanted, threads, start, |scratch, record| {
        if limit.is_reached(record.index) {
            return ControlFlow::Break(());
        }
        let outcome = guarded(|| match_record(&batch, record, scratch));
        // A record that panicked may have left the steps of the one before, which another number of threads would not.
        let is_matched = !matches!(outcome, Some(Outcome::Quarantined { .. }));
        let detection = outcome.map(|outcome| Detection { index: record.index, outcome });
        let metered = is_metered.then(|| {
            let spent = if is_matched { scratch.matcher.spent().to_vec() } else { Vec::new() };
            limit.took(&spent);
            Metered { index: record.index, class: class_of(record.encoded_bytes()), spent }
        });
        let is_nothing = detection.is_none() && metered.is_none();
        ControlFlow::Continue((!is_nothing).then_some((detection, metered)))
    });
    let (mut detections, mut metered) = (Vec::new(), Vec::new());
    for (detection, of_record) in came {
        detections.extend(detection);
        metered.extend(of_record);
    }
    let (through, records, steps) = (from + as_index(done), as_index(all.len()), limit.steps());
    Detected {
        offset: entry.offset,
        headers,
        delivery,
        detections,
        from,
        through,
        records,
        is_unmatched: false,
        steps,
        metered,
        recognised: recognised.into_inner().unwrap_or_else(PoisonError::into_inner),
    }
}

/// One record's work: a panic in it concerns this record alone.
fn guarded(work: impl FnOnce() -> Option<Matched>) -> Option<Outcome> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(matched) => Some(Outcome::Matched(Box::new(matched?))),
        Err(panic) => Some(Outcome::Quarantined { cause: panic_text(panic.as_ref()) }),
    }
}

/// Buffers that are used again for record after record.
struct Scratch<'p, 'r> {
    matcher: Matcher<'p>,
    room: Room<'r>,
    found: Vec<Match>,
    counting: Counting<'p>,
}

/// Inputs of matching the records of a batch.
#[derive(Clone, Copy)]
struct Matching<'b> {
    plan: &'b Plan,
    pepper: &'b Pepper,
    headers: &'b BatchHeaders,
    delivery: &'b DeliveryId,
    masks: Masks<'b>,
}

fn match_record<'r>(
    batch: &Matching<'_>,
    record: &Record<'r>,
    Scratch { matcher, room, found, counting }: &mut Scratch<'_, 'r>,
) -> Option<Matched> {
    let normalized = room.normalize(record, batch.headers.received_at);
    counting.count(&normalized);
    matcher.matches_and_filters(&normalized.event, found);
    let undecided = matcher.spent().iter().filter(|spent| spent.inconclusive);
    let inconclusive: Vec<usize> = undecided
        .filter_map(|spent| match spent.spender {
            Spender::Rule(rule) => Some(rule),
            // A filter that ran out of steps excludes nothing: the event stays a match.
            Spender::Filter(_) => None,
        })
        .collect();
    let matched = (!found.is_empty() || !inconclusive.is_empty()).then(|| {
        let judged = judge(batch, record, &normalized, found);
        Matched { inconclusive, ..judged }
    });
    room.take_back(normalized);
    matched
}

/// Consequences of the rules that match a record.
fn judge(batch: &Matching<'_>, record: &Record<'_>, normalized: &Normalized<'_>, found: &[Match]) -> Matched {
    let Matching { plan, pepper, headers, delivery, masks } = *batch;
    let (event_time, time_inferred) = event_time(normalized.event_time, headers.received_at);
    let note =
        Note::of(&normalized.event, &normalized.message, event_time, time_inferred, headers.received_at);
    let native_id = normalized.native_id.as_ref().map(ToString::to_string);
    let mut matched = Matched {
        record: identity::record(pepper, headers, delivery, record.index, native_id.as_deref()),
        times: times(&normalized.event),
        note: Arc::new(note),
        partial: normalized.partial,
        findings: Vec::new(),
        silent: Vec::new(),
        inconclusive: Vec::new(),
        suppressed: Vec::new(),
        counts: Vec::new(),
        ungrouped: 0,
        without_value: 0,
    };
    for Match { rule, filter } in found.iter().copied() {
        if let Some(filter) = filter {
            matched.suppressed.push(Suppressed { rule, filter });
            continue;
        }
        let rule_plan = plan.rule(rule);
        if rule_plan.alone {
            matched.findings.push((rule, rule_plan.entity(&normalized.event)));
        } else {
            matched.silent.push(rule);
        }
        // A record that was read only in part is not enough for an incident, counted or alone.
        for (correlation, step) in rule_plan.counted_by.iter().filter(|_| !normalized.partial) {
            let counting = plan.correlations().get(*correlation);
            let Some(group) = counting.group_values(usize::from(*step), &normalized.event) else {
                matched.ungrouped += 1;
                continue;
            };
            let Ok(value) = chain::counted(counting, usize::from(*step), &normalized.event) else {
                matched.without_value += 1;
                continue;
            };
            let value = masks.tell_apart(value, (counting, usize::from(*step)), &normalized.event, record);
            let group = group.into_iter().map(grouped).collect();
            let fields = &plan.correlation(*correlation).carried_fields;
            let carried = Carried::of(fields, &normalized.event);
            matched.counts.push(Count { correlation: *correlation, step: *step, group, value, carried });
        }
    }
    bound(plan, &mut matched);
    matched
}

/// Number of events that a record stands for, as far as they are counted.
pub(crate) fn times(event: &Event<'_>) -> u32 {
    match event.field("event.repeated") {
        Some(Value::Int(times)) => u32::try_from(*times).unwrap_or(1).clamp(1, MOST_REPEATED),
        _ => 1,
    }
}

/// The consequences of one record must fit one commit: of its findings the most severe are kept.
fn bound(plan: &Plan, matched: &mut Matched) {
    let before = matched.findings.len() + matched.counts.len();
    if matched.findings.len() > MOST_FINDINGS {
        matched.findings.sort_by_key(|(rule, _)| (Reverse(plan.rule(*rule).subject.level), *rule));
        matched.findings.truncate(MOST_FINDINGS);
        matched.findings.sort_by_key(|(rule, _)| *rule);
    }
    matched.counts.truncate(MOST_COUNTS);
    matched.silent.truncate(MOST_FINDINGS);
    matched.inconclusive.truncate(MOST_FINDINGS);
    matched.suppressed.truncate(MOST_FINDINGS);
    let left_out = before - matched.findings.len() - matched.counts.len();
    if left_out > 0 {
        metrics::counter!("palisade_analysis_findings_left_out_total").increment(left_out as u64);
    }
}

/// The record's own time, at most five minutes ahead of its acceptance; without one, the time of its
/// acceptance, which is flagged (house rule: Time).
fn event_time(own: Option<Timestamp>, received_at: Timestamp) -> (Timestamp, bool) {
    own.map_or((received_at, true), |own| (own.min(received_at.plus(MOST_AHEAD)), false))
}

/// Message of a panic, bounded.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    bounded(text.unwrap_or("a panic without a message"), 512)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_sets_one_record_aside() {
        let outcome = guarded(|| panic!("a stage broke on {}", "this"));
        let Some(Outcome::Quarantined { cause }) = outcome else { panic!("it was not set aside") };
        assert_eq!(cause, "a stage broke on this");
        assert!(guarded(|| None).is_none());
    }

    #[test]
    fn a_time_is_at_most_five_minutes_ahead_and_inferred_only_where_there_is_none() {
        let received_at = Timestamp::from_millis(1_000_000);
        let ahead = received_at.plus(MOST_AHEAD);
        assert_eq!(event_time(Some(received_at.plus(2 * MOST_AHEAD)), received_at), (ahead, false));
        assert_eq!(event_time(None, received_at), (received_at, true));
    }
}

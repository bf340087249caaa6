//! Each rule against lines of our own that it must and must not find, through normalization; the
//! correlations against a slow and simple oracle of their windows.

mod cases;
mod correlations;
mod coverage;
mod documents;
mod lines;
mod platform_stories;
mod stories;

use std::time::Duration;

use common::timestamp::Timestamp;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;
use sigma::{CorrelationKind, Level, Reference, RuleSet};

use super::built_in;
use normalize::record::records;
use normalize::{Normalized, normalize};

/// When the first line is written, nanoseconds since 1970.
const START: i64 = 1_783_501_811_000_000_000;

/// A line and when it was written, seconds from the start.
type Timed = (u64, String);

fn payload_of(lines: &[Timed]) -> Vec<u8> {
    let record = |(at, line): &Timed| LogRecord {
        time_unix_nano: u64::try_from(START).unwrap() + at * 1_000_000_000,
        body: Some(AnyValue { value: Some(Value::StringValue(line.clone())) }),
        ..LogRecord::default()
    };
    let scope_logs =
        vec![ScopeLogs { log_records: lines.iter().map(record).collect(), ..ScopeLogs::default() }];
    let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
    ExportLogsServiceRequest { resource_logs }.encode_to_vec()
}

fn normalized(payload: &[u8]) -> Vec<Normalized<'_>> {
    let received_at = Timestamp(START).plus(Duration::from_secs(86_400));
    records(payload).map(|record| normalize(&record, received_at)).collect()
}

/// Names of the rules that find a single line.
fn rules_finding(rules: &RuleSet, line: &str) -> Vec<String> {
    let payload = payload_of(&[(0, line.to_owned())]);
    let mut found = Vec::new();
    rules.matches(&normalized(&payload)[0].event, &mut found);
    found.into_iter().map(|index| name_of(&rules.rules()[index].info)).collect()
}

fn name_of(info: &sigma::RuleInfo) -> String {
    info.name.clone().unwrap_or_default()
}

/// Names of the correlations that lines satisfy.
fn correlations_satisfied(rules: &RuleSet, lines: &[Timed]) -> Vec<String> {
    let payload = payload_of(lines);
    let events = normalized(&payload);
    let found: Vec<Vec<usize>> = events
        .iter()
        .map(|event| {
            let mut found = Vec::new();
            rules.matches(&event.event, &mut found);
            found
        })
        .collect();
    let oracle = Oracle { rules, events: &events, found: &found };
    let correlations = 0..rules.correlations().len();
    let satisfied = correlations.filter(|index| !oracle.points(Reference::Correlation(*index)).is_empty());
    satisfied.map(|index| name_of(&rules.correlations()[index].info)).collect()
}

/// Correlations by their definition, quadratic and without state.
struct Oracle<'e, 'a> {
    rules: &'e RuleSet,
    events: &'e [Normalized<'a>],
    found: &'e [Vec<usize>],
}

/// An event that a correlation counts: when, in which group, which value, through which reference.
struct Point {
    event: usize,
    time: i64,
    group: Vec<String>,
    value: Option<String>,
    step: usize,
}

impl Oracle<'_, '_> {
    /// Events at which the reference holds: a rule matches, or a correlation is satisfied looking back.
    fn points(&self, reference: Reference) -> Vec<usize> {
        let index = match reference {
            Reference::Rule(rule) => {
                return (0..self.events.len()).filter(|event| self.found[*event].contains(&rule)).collect();
            }
            Reference::Correlation(index) => index,
        };
        let correlation = &self.rules.correlations()[index];
        let timespan = i64::try_from(correlation.timespan.as_nanos()).unwrap();
        let mut points = Vec::new();
        for (step, reference) in correlation.references.iter().enumerate() {
            for event in self.points(*reference) {
                let Some(group) = correlation.group_values(step, &self.events[event].event) else { continue };
                let value = correlation.counted_value(step, &self.events[event].event);
                let time = self.events[event].event_time.unwrap().0;
                points.push(Point { event, time, group, value, step });
            }
        }
        let satisfied = points.iter().filter(|last| {
            let span: Vec<_> = points
                .iter()
                .filter(|point| point.group == last.group)
                .filter(|point| point.time <= last.time && last.time - point.time <= timespan)
                .collect();
            match correlation.kind {
                CorrelationKind::EventCount => {
                    distinct(span.iter().map(|point| point.event)) >= correlation.at_least
                }
                CorrelationKind::ValueCount => {
                    distinct(span.iter().filter_map(|point| point.value.clone())) >= correlation.at_least
                }
                CorrelationKind::TemporalOrdered => {
                    let mut next = 0;
                    let mut ordered: Vec<_> = span.iter().map(|point| (point.time, point.step)).collect();
                    ordered.sort_unstable();
                    ordered.iter().for_each(|(_, step)| next += usize::from(*step == next));
                    last.step + 1 == correlation.references.len() && next == correlation.references.len()
                }
            }
        });
        satisfied.map(|point| point.event).collect()
    }
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> u64 {
    values.collect::<std::collections::BTreeSet<_>>().len() as u64
}

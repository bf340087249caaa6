//! The correlations that count a match: their threshold, time and group, with the values of the record.

use std::time::Duration;

use common::severity::Severity;
use serde::Serialize;
use sigma::Correlation;
use sigma::event::Event;
use sigma::window::{Condition, Measure};

use super::fields::shortened;
use incidents::plan::{Plan, chain};

/// Correlations of correlations that are listed.
const MOST_OUTER: usize = 4;

/// A correlation that counts a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountedBy {
    /// Its id.
    pub correlation_id: String,
    /// Its title.
    pub title: String,
    /// Its level.
    pub level: Option<&'static str>,
    /// When it is satisfied, in words, with the time.
    pub threshold: String,
    /// Timespan, in seconds.
    pub timespan_seconds: u64,
    /// The fields whose values must be equal, with the record's.
    pub group_by: Vec<GroupValue>,
    /// Reason why the record is not counted, where it is not.
    pub not_counted: Option<String>,
    /// Titles of correlations that count it in turn.
    pub counted_by: Vec<String>,
}

/// A field of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupValue {
    /// The field as the correlation names it.
    pub field: String,
    /// Its value in the record.
    pub value: Option<String>,
}

pub(super) fn counted_by(plan: &Plan, index: usize, step: usize, event: &Event<'_>) -> CountedBy {
    let correlation = plan.correlations().get(index);
    let own = plan.correlation(index);
    let group_by: Vec<GroupValue> = correlation
        .group_by
        .iter()
        .map(|field| GroupValue {
            field: field.name.clone(),
            value: field.value(step, event).as_deref().map(shortened),
        })
        .collect();
    let absent = group_by.iter().find(|group| group.value.is_none());
    let not_counted = match absent {
        Some(group) => {
            Some(format!("the event has no value for {}, by which the correlation groups", group.field))
        }
        None => chain::counted(correlation, step, event).is_err().then(|| {
            format!(
                "the event has no value for {}, which the correlation counts",
                correlation.value_fields.join(" and ")
            )
        }),
    };
    let outer = own.counted_by.iter().take(MOST_OUTER);
    CountedBy {
        correlation_id: own.subject.matched.id.clone(),
        title: own.subject.matched.title.clone(),
        level: own.subject.level.map(Severity::as_str),
        threshold: threshold(correlation),
        timespan_seconds: correlation.timespan.as_secs(),
        group_by,
        not_counted,
        counted_by: outer
            .map(|outer| plan.correlation(outer.correlation).subject.matched.title.clone())
            .collect(),
    }
}

fn threshold(correlation: &Correlation) -> String {
    let values = correlation.value_fields.join(" and ");
    let rules = correlation.references.len();
    let wanted = match &correlation.condition {
        Condition::Events { at_least: 1 } => "at least 1 event".to_owned(),
        Condition::Events { at_least } => format!("at least {at_least} events"),
        Condition::Values { at_least } => format!("at least {at_least} different values of {values}"),
        Condition::Ordered { steps } => {
            format!("matches of at least {steps} of its {rules} rules, in this order,")
        }
        Condition::Steps { at_least } => format!("matches of at least {at_least} of its {rules} rules"),
        Condition::Sum { bounds } => format!("a sum of {values} {bounds}"),
        Condition::Formula(_) => format!("a combination of matches of its {rules} rules"),
        Condition::AtEnd { measure, bounds } => {
            format!("{} {bounds}, evaluated at the end of the timespan,", measured(measure, &values))
        }
    };
    format!("{wanted} within {}{}", time(correlation.timespan), group(correlation))
}

fn group(correlation: &Correlation) -> String {
    let names: Vec<&str> = correlation.group_by.iter().map(|field| field.name.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(" for the same {}", names.join(" and ")) }
}

fn measured(measure: &Measure, values: &str) -> String {
    match measure {
        Measure::Events => "a number of events".to_owned(),
        Measure::Values => format!("a number of different values of {values}"),
        Measure::Steps | Measure::OrderedSteps => "a number of rules that match".to_owned(),
        Measure::Sum => format!("a sum of {values}"),
        Measure::Average => format!("an average of {values}"),
        Measure::Percentile(rank) => format!("a {rank}th percentile of {values}"),
        Measure::Median => format!("a median of {values}"),
        Measure::Formula(_) => "a combination of matches of its rules".to_owned(),
    }
}

/// A time in the largest unit that gives a whole number, as rules write it.
fn time(timespan: Duration) -> String {
    let seconds = timespan.as_secs();
    let units = [(86_400, "d"), (3_600, "h"), (60, "m")];
    let unit = units.into_iter().find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{seconds}s"), |(unit, letter)| format!("{}{letter}", seconds / unit))
}

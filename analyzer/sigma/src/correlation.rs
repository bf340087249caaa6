//! A compiled correlation: its references, and the reading of an event's group and counted value. Windows, which keep events,
//! are elsewhere; nothing here has a state.

use std::borrow::Cow;
use std::time::Duration;

use crate::event::{Event, Value};
use crate::matcher::lookup::first_values;
use crate::number::Number;
use crate::rule::RuleInfo;
use crate::window::{Condition, WindowSpec};

/// The counted part of an event: the family a correlation's type belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CorrelationKind {
    /// That it is there (`event_count`).
    EventCount,
    /// A value in it (`value_count`, `value_sum` and the others of values).
    ValueCount,
    /// The rule it matches (`temporal_ordered`, `temporal`).
    TemporalOrdered,
}

/// The contribution of an event to a count.
#[derive(Clone, Debug, PartialEq)]
pub enum Counted {
    /// Itself.
    Event,
    /// A value that is counted once however often it occurs.
    Value(String),
    /// A number that is measured.
    Number(f64),
    /// Nothing: it has no value, or none that is a number. It is not to be given to the window.
    Missing,
}

/// The counted reference of a correlation: matches of a rule, or of another correlation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// Index into the rule set's rules.
    Rule(usize),
    /// Index into the rule set's correlations; always smaller than the referring one's own.
    Correlation(usize),
}

/// A correlation, ready to be fed.
#[derive(Clone, Debug)]
pub struct Correlation {
    /// Its metadata; its level is that of a match.
    pub info: RuleInfo,
    /// The counted part of its events.
    pub kind: CorrelationKind,
    /// Its references, in the order they were written; without repetition.
    pub references: Vec<Reference>,
    /// Within which time, from one second to 31 days.
    pub timespan: Duration,
    /// Fields whose values must be equal; none puts all events into one group.
    pub group_by: Vec<GroupField>,
    /// When it is satisfied.
    pub condition: Condition,
    /// Number of distinct events, values or references that satisfies it, at least 1; for other conditions 1.
    pub at_least: u64,
    /// The fields whose values are counted or measured, as the rule names them; several are counted as
    /// tuples. Empty where it is not about values.
    pub value_fields: Vec<String>,
    /// Whether its references also match on their own.
    pub generate: bool,
    /// Sources of the counted values.
    pub(crate) value_sources: Vec<FieldSources>,
    /// Most time by which its events arrive later than others: the timespans of the correlations it refers to, directly or not,
    /// that are decided when their windows have ended.
    pub(crate) patience: Duration,
}

/// One field of a group.
#[derive(Clone, Debug)]
pub struct GroupField {
    /// The field or alias as the rule names it.
    pub name: String,
    /// Sources of its value.
    pub(crate) sources: FieldSources,
}

/// For every reference, the event fields to try, first present first.
pub(crate) type FieldSources = Vec<Vec<String>>;

impl Correlation {
    /// The group of an event that matched `reference` (a position in `references`), one value for
    /// each field of `group_by`. For a correlation, the event is any one that it counted. `None` when
    /// a value is missing: such an event belongs to no group. Of several values the first counts.
    #[must_use]
    pub fn group_values(&self, reference: usize, event: &Event<'_>) -> Option<Vec<String>> {
        self.group_by.iter().map(|field| field.value(reference, event)).collect()
    }

    /// The event fields that may determine the contribution of an event that matched `reference`: they must be kept for a later
    /// call of [`Correlation::counted`].
    pub fn counted_fields(&self, reference: usize) -> impl Iterator<Item = &str> {
        fields(self.value_sources.iter(), reference)
    }

    /// Condition and timespan of its windows.
    #[must_use]
    pub fn window_spec(&self) -> WindowSpec {
        let timespan = i64::try_from(self.timespan.as_nanos()).unwrap_or(i64::MAX);
        let patience = i64::try_from(self.patience.as_nanos()).unwrap_or(i64::MAX);
        WindowSpec { condition: self.condition.clone(), timespan, patience }
    }

    /// The contribution of an event that matched `reference`. Of several values the first counts.
    #[must_use]
    pub fn counted(&self, reference: usize, event: &Event<'_>) -> Counted {
        if self.value_sources.is_empty() {
            return Counted::Event;
        }
        if self.condition.measures_numbers() {
            let number = self.value_sources.first().and_then(|sources| number(sources, reference, event));
            return number.map_or(Counted::Missing, Counted::Number);
        }
        self.counted_value(reference, event).map_or(Counted::Missing, Counted::Value)
    }

    /// The values in an event that matched `reference` that are counted together, one of each field that has one.
    #[must_use]
    pub fn counted_values<'e>(&self, reference: usize, event: &'e Event<'_>) -> Vec<Cow<'e, str>> {
        self.value_sources.iter().filter_map(|sources| value(sources, reference, event)).collect()
    }

    /// The value of an event that matched `reference` which is counted once however often it occurs;
    /// several fields give one text that differs when any of them does. `None` when one is missing,
    /// and where no values are counted.
    #[must_use]
    pub fn counted_value(&self, reference: usize, event: &Event<'_>) -> Option<String> {
        let mut values = self.counted_values(reference, event);
        match values.len() {
            missing if missing < self.value_sources.len() => None,
            0 => None,
            1 => values.pop().map(Cow::into_owned),
            // JSON, so that no value can pretend to be two.
            _ => serde_json::to_string(&values).ok(),
        }
    }
}

/// The first value, where it is a number or text that writes one.
fn number(sources: &FieldSources, reference: usize, event: &Event<'_>) -> Option<f64> {
    let values = first_values(event, sources.get(reference)?);
    values.first().and_then(|value| Number::of(value)).map(Number::to_double)
}

fn value<'e>(sources: &FieldSources, reference: usize, event: &'e Event<'_>) -> Option<Cow<'e, str>> {
    let values = first_values(event, sources.get(reference)?);
    values.into_iter().find_map(Value::to_text)
}

fn fields<'c>(
    sources: impl Iterator<Item = &'c FieldSources>,
    reference: usize,
) -> impl Iterator<Item = &'c str> {
    sources.filter_map(move |sources| sources.get(reference)).flatten().map(String::as_str)
}

impl GroupField {
    /// The field's value in an event that matched `reference`; of several the first. `None` when it has
    /// none.
    #[must_use]
    pub fn value(&self, reference: usize, event: &Event<'_>) -> Option<String> {
        value(&self.sources, reference, event).map(Cow::into_owned)
    }

    /// The event fields that may hold the value for `reference`: they must be kept for a later call of [`GroupField::value`].
    pub fn fields(&self, reference: usize) -> impl Iterator<Item = &str> {
        fields(std::iter::once(&self.sources), reference)
    }

    /// Whether this field of an outer correlation, as it reads events that came through its reference number `reference`, is
    /// the field `inner` of the correlation referred to: then a group of that one determines this field's value without an
    /// event.
    #[must_use]
    pub fn is_inherited_from(&self, reference: usize, inner: &Self) -> bool {
        let Some(own) = self.sources.get(reference) else { return false };
        // Where the inner correlation has several references, the outer one tries the fields of all.
        let mut all: Vec<&String> = Vec::new();
        for name in inner.sources.iter().flatten() {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        own.iter().eq(all)
    }
}

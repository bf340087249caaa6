//! Facts about the parties of an incident: for a few fields, the values of member records and their
//! counts. Exact while a field has few values; beyond, new values are only counted.

use std::collections::BTreeMap;

use common::incident::Fact;
use serde::{Deserialize, Serialize};

use crate::note::Note;

/// Fields whose values are counted.
const COUNTED_FIELDS: [&str; 9] = [
    "client.address",
    "event.action",
    "event.outcome",
    "host.name",
    "http.response.status_code",
    "process.command_line",
    "url.path",
    "user.name",
    "user_agent.original",
];
/// Distinct values that are kept per field.
const KEPT_VALUES: usize = 64;
/// Values that are shown per field.
const SHOWN_VALUES: usize = 10;

/// The counted values of one incident.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts(BTreeMap<String, Values>);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Values {
    counts: BTreeMap<String, u64>,
    /// Records whose value was not kept, because there were too many.
    others: u64,
}

impl Facts {
    /// Counts a new member's values.
    pub(crate) fn count(&mut self, note: &Note) {
        for field in COUNTED_FIELDS {
            if let Some(value) = note.field(field) {
                self.count_value(field, value);
            }
        }
    }

    /// Counts one value of a field.
    pub(crate) fn count_value(&mut self, field: &str, value: &str) {
        let values = self.0.entry(field.to_owned()).or_default();
        if let Some(count) = values.counts.get_mut(value) {
            *count += 1;
        } else if values.counts.len() < KEPT_VALUES {
            values.counts.insert(value.to_owned(), 1);
        } else {
            values.others += 1;
        }
    }

    /// Most frequent values first, then by value.
    pub(crate) fn shown(&self) -> BTreeMap<String, Vec<Fact>> {
        self.0.iter().map(|(field, values)| (field.clone(), values.most_frequent(SHOWN_VALUES))).collect()
    }

    /// The most frequent values of a field, and the number of distinct ones known.
    pub(crate) fn of(&self, field: &str, limit: usize) -> (Vec<Fact>, usize) {
        self.0.get(field).map_or((Vec::new(), 0), |values| (values.most_frequent(limit), values.counts.len()))
    }

    /// Bytes, about, that it takes.
    pub(crate) fn cost(&self) -> usize {
        self.0.values().flat_map(|values| values.counts.keys()).map(|value| value.len() + 24).sum()
    }

    /// For each field, the order of magnitude of its distinct values; a higher one makes a new revision.
    pub(crate) fn magnitudes(&self) -> BTreeMap<String, u32> {
        self.0.iter().map(|(field, values)| (field.clone(), magnitude(values.counts.len() as u64))).collect()
    }
}

impl Values {
    fn most_frequent(&self, limit: usize) -> Vec<Fact> {
        let mut facts: Vec<Fact> =
            self.counts.iter().map(|(value, count)| Fact { value: value.clone(), count: *count }).collect();
        facts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        facts.truncate(limit);
        facts
    }
}

/// 0 below ten, 1 from 10, 2 from 100, ….
pub(crate) fn magnitude(count: u64) -> u32 {
    count.checked_ilog10().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_values_come_first_and_ties_by_name() {
        let mut facts = Facts::default();
        for user in ["b", "a", "c", "c"] {
            facts.count_value("user.name", user);
        }
        let (top, distinct) = facts.of("user.name", 2);
        assert_eq!(distinct, 3);
        assert_eq!(top.iter().map(|fact| fact.value.as_str()).collect::<Vec<_>>(), ["c", "a"]);
    }

    #[test]
    fn values_are_bounded_and_magnitudes_step_by_ten() {
        let mut facts = Facts::default();
        for number in 0..1_000 {
            facts.count_value("url.path", &number.to_string());
        }
        assert_eq!(facts.of("url.path", 1_000).0.len(), KEPT_VALUES);
        assert_eq!([1, 9, 10, 99, 100].map(magnitude), [0, 0, 1, 1, 2]);
    }
}

//! Incidents that a suppression covers: those of whose kept evidence it excludes every record.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use common::incident::Evidence;
use sigma::event::{Event, Value};
use sigma::{Layer, Reference};

/// A filter of a layer, and the rules that it may take matches of away.
pub(super) struct Coverage<'l> {
    layer: &'l Layer,
    filter: &'l str,
    /// The rules of an id, by their indexes: itself, or all that a correlation counts.
    rules: HashMap<&'l str, BTreeSet<usize>>,
}

impl<'l> Coverage<'l> {
    /// Of the filter with an id.
    pub(super) fn of(layer: &'l Layer, filter: &'l str) -> Self {
        let shared = layer.shared();
        let rules = shared.rules().iter().chain(layer.rules());
        let mut by_id: HashMap<&str, BTreeSet<usize>> =
            rules.enumerate().map(|(index, rule)| (rule.info.id.as_str(), BTreeSet::from([index]))).collect();
        // Each comes after those it refers to.
        let mut counted: Vec<BTreeSet<usize>> = Vec::new();
        for correlation in shared.correlations().iter().chain(layer.correlations()) {
            let of_reference = |reference: &Reference| match reference {
                Reference::Rule(rule) => BTreeSet::from([*rule]),
                Reference::Correlation(inner) => counted.get(*inner).cloned().unwrap_or_default(),
            };
            let own: BTreeSet<usize> = correlation.references.iter().flat_map(of_reference).collect();
            by_id.insert(correlation.info.id.as_str(), own.clone());
            counted.push(own);
        }
        Self { layer, filter, rules: by_id }
    }

    /// Whether the filter excludes every record of an incident's evidence; false where there is none.
    pub(super) fn is_whole(&self, evidence: &[Evidence]) -> bool {
        !evidence.is_empty() && evidence.iter().all(|record| self.takes(record))
    }

    fn takes(&self, record: &Evidence) -> bool {
        let mut event = Event::default();
        for (name, value) in &record.fields {
            event.push(name.as_str(), Value::String(Cow::Borrowed(value)));
        }
        let taken = self.layer.rules_filtered_by(self.filter, &event);
        let is_taken = |id: &String| {
            let rules = self.rules.get(id.as_str());
            rules.is_some_and(|rules| !rules.is_empty() && rules.is_subset(&taken))
        };
        !record.rules.is_empty() && record.rules.iter().all(is_taken)
    }
}

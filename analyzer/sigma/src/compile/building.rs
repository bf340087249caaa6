//! The set that is being compiled, and the shared one that it may be beside. Indexes count through both: those of the shared
//! set first.

use std::collections::BTreeMap;

use crate::correlation::Correlation;
use crate::rule_set::{AppliedFilter, Rule, RuleSet};

/// Result of the compilation so far.
pub(super) struct Building<'s> {
    /// The shared set beside it, which does not change.
    pub(super) shared: Option<&'s RuleSet>,
    /// The set that is being compiled.
    pub(super) own: RuleSet,
    /// Filters of it that are for rules of the shared set, by the rule.
    pub(super) applied: BTreeMap<usize, Vec<AppliedFilter>>,
}

impl<'s> Building<'s> {
    pub(super) fn beside(shared: Option<&'s RuleSet>) -> Self {
        Self { shared, own: RuleSet::default(), applied: BTreeMap::new() }
    }

    fn shared_rules(&self) -> &'s [Rule] {
        self.shared.map_or(&[], |shared| &shared.rules)
    }

    fn shared_correlations(&self) -> &'s [Correlation] {
        self.shared.map_or(&[], |shared| &shared.correlations)
    }

    /// The rule with an index.
    pub(super) fn rule(&self, index: usize) -> Option<&Rule> {
        match index.checked_sub(self.shared_rules().len()) {
            Some(own) => self.own.rules.get(own),
            None => self.shared_rules().get(index),
        }
    }

    /// The correlation with an index.
    pub(super) fn correlation(&self, index: usize) -> Option<&Correlation> {
        match index.checked_sub(self.shared_correlations().len()) {
            Some(own) => self.own.correlations.get(own),
            None => self.shared_correlations().get(index),
        }
    }

    /// All rules, the shared ones first.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.shared_rules().iter().chain(&self.own.rules)
    }

    /// The index of the first rule that is no shared one.
    pub(super) fn first_rule(&self) -> usize {
        self.shared_rules().len()
    }

    /// The index that the next rule gets.
    pub(super) fn next_rule(&self) -> usize {
        self.first_rule() + self.own.rules.len()
    }

    /// The index that the next correlation gets.
    pub(super) fn next_correlation(&self) -> usize {
        self.shared_correlations().len() + self.own.correlations.len()
    }

    /// The index that the next filter gets.
    pub(super) fn next_filter(&self) -> usize {
        self.shared.map_or(0, |shared| shared.filters.len()) + self.own.filters.len()
    }

    /// Lets a filter take matches of a rule away, after those that do so already.
    pub(super) fn apply(&mut self, rule: usize, filter: AppliedFilter) {
        match rule.checked_sub(self.first_rule()) {
            Some(own) => {
                if let Some(rule) = self.own.rules.get_mut(own) {
                    rule.filters.push(filter);
                }
            }
            None => self.applied.entry(rule).or_default().push(filter),
        }
    }
}

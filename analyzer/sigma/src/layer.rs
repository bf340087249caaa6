//! Rules that one organization adds to those that all share: compiled by themselves, and matched after the shared
//! ones, which they may count, silence and filter. The shared set is neither copied nor changed.
//!
//! Indexes of rules, correlations and filters count through both sets, those of the shared set first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::compile::{CompileOptions, Limits};
use crate::correlation::{Correlation, Reference};
use crate::document::Document;
use crate::event::Event;
use crate::matcher::allowance::Allowance;
use crate::matcher::lookup::{Lookup, Memory};
use crate::matcher::metered::{Spender, Spending, Spent};
use crate::refusal::Refusal;
use crate::rule::RuleInfo;
use crate::rule_set::{AppliedFilter, Asking, Filter, Match, Matcher, Rule, RuleSet};
use crate::scratch::Scratch;

/// Rules, correlations and filters beside a shared set. Never changes; may be shared between threads.
#[derive(Clone, Debug)]
pub struct Layer {
    shared: Arc<RuleSet>,
    /// References in its correlations, and filters of its rules, are by indexes through both sets.
    own: RuleSet,
    /// Its filters that are for rules of the shared set, by the rule; programs are those of `own`.
    applied: BTreeMap<usize, Vec<AppliedFilter>>,
    bytes: Bytes,
}

/// Memory that a layer takes beside the shared set, by estimate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    /// Once.
    pub(crate) compiled: usize,
    /// For each thread that matches, at most.
    pub(crate) remembered: usize,
}

/// Matches the rules of a layer after those of the shared set.
#[derive(Debug)]
pub(crate) struct Beside<'r> {
    layer: &'r Layer,
    scratch: Scratch,
    left_out: &'r [Spender],
    allowance: Allowance,
}

impl Layer {
    /// Compiles documents beside a shared set, with the options that set was compiled with. Ids and names of the
    /// shared set are refused, as is each document for which the limits leave no room: rules first, then
    /// correlations, then filters, each by file name and position. Else as for [`RuleSet::compile`].
    #[must_use]
    pub fn compile(
        shared: Arc<RuleSet>,
        documents: Vec<Document>,
        options: &CompileOptions<'_>,
        limits: Limits<'_>,
    ) -> (Self, Vec<Refusal>) {
        crate::compile::compile_beside(shared, documents, options, limits)
    }

    pub(crate) fn new(
        shared: Arc<RuleSet>,
        own: RuleSet,
        applied: BTreeMap<usize, Vec<AppliedFilter>>,
        bytes: Bytes,
    ) -> Self {
        Self { shared, own, applied, bytes }
    }

    /// As [`RuleSet::version`], over the content of both sets: the same as if all were compiled together.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.own.version
    }

    /// Bytes of memory beside the shared set, about, rather too many than too few.
    #[must_use]
    pub fn compiled_bytes(&self) -> usize {
        self.bytes.compiled
    }

    /// Bytes of memory that each thread which matches remembers beside that, at most.
    #[must_use]
    pub fn remembered_bytes(&self) -> usize {
        self.bytes.remembered
    }

    /// The shared set.
    #[must_use]
    pub fn shared(&self) -> &Arc<RuleSet> {
        &self.shared
    }

    /// The rules beside the shared set, by file name and position; the index of the first is the number of shared
    /// rules.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.own.rules
    }

    /// The correlations beside the shared set; each comes after those it refers to.
    #[must_use]
    pub fn correlations(&self) -> &[Correlation] {
        &self.own.correlations
    }

    /// The filters beside the shared set.
    #[must_use]
    pub fn filters(&self) -> &[Filter] {
        &self.own.filters
    }

    /// Whether the filter with this id takes matches away from events without any fields: of a rule at least.
    #[must_use]
    pub fn filter_holds_without_fields(&self, id: &str) -> bool {
        !self.rules_filtered_by(id, &Event::default()).is_empty()
    }

    /// The rules of either set, by their indexes, of which the filter with this id takes a match by an event away.
    #[must_use]
    pub fn rules_filtered_by(&self, id: &str, event: &Event<'_>) -> BTreeSet<usize> {
        let Some(own) = self.own.filters.iter().position(|filter| filter.info.id == id) else {
            return BTreeSet::new();
        };
        let filter = self.shared.filters.len() + own;
        let of_own = self.own.rules.iter().map(|rule| &rule.filters);
        let of_own = (self.shared.rules.len()..).zip(of_own);
        let applied = self.applied.iter().map(|(rule, filters)| (*rule, filters)).chain(of_own);
        let applied = applied.flat_map(|(rule, filters)| filters.iter().map(move |applied| (rule, *applied)));
        let applied: Vec<(usize, AppliedFilter)> =
            applied.filter(|(_, applied)| applied.index() == filter).collect();
        let mut asked_for = Vec::new();
        let programs = applied.iter().filter_map(|(_, applied)| self.own.program_of(*applied));
        programs.for_each(|program| program.fields(&mut asked_for));
        let (keys, mut memory) = (self.own.fields.keys_to(&asked_for), Memory::default());
        let mut lookup = Lookup::new(event, &self.own.fields, &keys, &mut memory);
        let mut spending = Spending::default();
        spending.begin(Allowance::FULL);
        let mut asking = Asking { spending: &mut spending, left_out: &[], first_rule: 0 };
        let mut is_taken =
            |applied: AppliedFilter| self.own.first_filter(&[applied], &mut lookup, &mut asking).is_some();
        applied.into_iter().filter(|(_, applied)| is_taken(*applied)).map(|(rule, _)| rule).collect()
    }

    /// [`RuleSet::is_referenced`], by correlations of either set.
    #[must_use]
    pub fn is_referenced(&self, reference: Reference) -> bool {
        let own = match reference {
            Reference::Rule(index) => index.checked_sub(self.shared.rules.len()).map(Reference::Rule),
            Reference::Correlation(index) => {
                index.checked_sub(self.shared.correlations.len()).map(Reference::Correlation)
            }
        };
        match own {
            Some(own) => self.own.is_referenced(own),
            None => {
                self.shared.is_referenced(reference) || self.own.referenced.of_shared().contains(&reference)
            }
        }
    }

    /// A matcher of events, one after the other, against both sets.
    #[must_use]
    pub fn matcher(&self) -> Matcher<'_> {
        self.matcher_within(&[], Allowance::FULL)
    }

    /// The same without some documents of this layer, by their indexes through both sets, and within so many steps for
    /// each event.
    #[must_use]
    pub fn matcher_within<'r>(&'r self, left_out: &'r [Spender], allowance: Allowance) -> Matcher<'r> {
        let scratch = self.shared.layer_scratches.take().for_layer();
        self.shared.matcher_with(Beside { layer: self, scratch, left_out, allowance })
    }

    /// The same without the parts that matching and filters do not need: descriptions, and correlations.
    #[must_use]
    pub fn for_matching(mut self) -> Self {
        self.own.rules.iter_mut().for_each(|rule| rule.info = RuleInfo::default());
        self.own.correlations = Vec::new();
        self.own.filters = Vec::new();
        self
    }
}

impl Beside<'_> {
    /// Steps that its documents took for the last event.
    pub(crate) fn spent(&self) -> &[Spent] {
        self.scratch.spending.spent()
    }

    /// Adds matches to those of the shared rules.
    pub(crate) fn add(&mut self, event: &Event<'_>, out: &mut Vec<Match>) {
        let Layer { shared, own, applied, .. } = self.layer;
        let Scratch { memory, marks, views, spending, .. } = self.scratch.begin();
        spending.begin(self.allowance);
        let view = views.of(&event.log_source, &own.candidates);
        let is_applied = |found: &Match| found.filter.is_none() && applied.contains_key(&found.rule);
        if !view.is_empty() || out.iter().any(is_applied) {
            let mut lookup = Lookup::new(event, &own.fields, &view.keys, memory);
            let mut asking = Asking { spending, left_out: self.left_out, first_rule: shared.rules.len() };
            for found in out.iter_mut().filter(|found| found.filter.is_none()) {
                let of_rule = applied.get(&found.rule);
                found.filter = of_rule.and_then(|of| own.first_filter(of, &mut lookup, &mut asking));
            }
            own.match_viewed(view, &mut lookup, marks, &mut asking, |found| out.push(found));
            lookup.finish();
        }
        self.scratch.end();
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        self.layer.shared.layer_scratches.give_back(std::mem::take(&mut self.scratch));
    }
}

//! The compiled rules as a whole: candidates for an event, matches, and version. Compilation is in `compile`.

use std::collections::HashSet;

use crate::candidates::{Candidates, Marks, View};
use crate::compile::{CompileOptions, Placeholders, SharedNames};
use crate::correlation::{Correlation, Reference};
use crate::document::{Document, FilterDocument};
use crate::event::Event;
use crate::layer::Beside;
use crate::mapping::FieldMapping;
use crate::matcher::Program;
use crate::matcher::allowance::Allowance;
use crate::matcher::fields::FieldTable;
use crate::matcher::lookup::Lookup;
use crate::matcher::metered::{Spender, Spending, Spent};
use crate::refusal::Refusal;
use crate::rule::{RuleInfo, RuleLogSource};
use crate::scratch::{Scratch, ScratchPool};

/// Rules, correlations and filters, ready to match. Never changes; may be shared between threads.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    pub(crate) version: String,
    pub(crate) rules: Vec<Rule>,
    pub(crate) correlations: Vec<Correlation>,
    pub(crate) filters: Vec<Filter>,
    /// Detections of filters, compiled for the log sources of the rules they are for.
    pub(crate) filter_programs: Vec<Program>,
    pub(crate) fields: FieldTable,
    pub(crate) candidates: Candidates,
    pub(crate) referenced: Referenced,
    pub(crate) names: SharedNames,
    /// Filters that are for any rule of their log source: also for rules that are compiled beside this set.
    pub(crate) open_filters: Vec<OpenFilter>,
    pub(crate) scratches: ScratchPool,
    /// Scratch memory of sets beside this one: their own would keep some tens of kilobytes each.
    pub(crate) layer_scratches: ScratchPool,
}

/// A rule over single events.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Metadata of the rule.
    pub info: RuleInfo,
    /// Log source that it is written for.
    pub log_source: RuleLogSource,
    pub(crate) program: Program,
    pub(crate) filters: Vec<AppliedFilter>,
}

/// A filter that takes matches of rules away.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Metadata of the filter.
    pub info: RuleInfo,
    /// Only rules that state the same are filtered.
    pub log_source: RuleLogSource,
}

/// A filter as one rule uses it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AppliedFilter {
    /// Index into the filters.
    pub(crate) filter: u32,
    /// Index into the filter programs.
    pub(crate) program: u32,
}

impl AppliedFilter {
    /// Index into the filters.
    pub(crate) fn index(self) -> usize {
        self.filter as usize
    }
}

/// A filter for any rule of its log source.
#[derive(Clone, Debug)]
pub(crate) struct OpenFilter {
    /// Index into the filters.
    pub(crate) filter: usize,
    pub(crate) document: FilterDocument,
}

/// References of correlations without `generate`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Referenced {
    rules: Vec<bool>,
    correlations: Vec<bool>,
    /// Those to the shared set, where there is one.
    shared: HashSet<Reference>,
}

impl Referenced {
    /// By the correlations of a set beside another one with so many rules and correlations.
    pub(crate) fn of(set: &RuleSet, shared_rules: usize, shared_correlations: usize) -> Self {
        let (rules, correlations) = (vec![false; set.rules.len()], vec![false; set.correlations.len()]);
        let mut referenced = Self { rules, correlations, shared: HashSet::new() };
        let silent = set.correlations.iter().filter(|correlation| !correlation.generate);
        for reference in silent.flat_map(|correlation| &correlation.references) {
            let own = match *reference {
                Reference::Rule(index) => (&mut referenced.rules, index.checked_sub(shared_rules)),
                Reference::Correlation(index) => {
                    (&mut referenced.correlations, index.checked_sub(shared_correlations))
                }
            };
            match own {
                (slots, Some(index)) => slots.get_mut(index).into_iter().for_each(|slot| *slot = true),
                (_, None) => drop(referenced.shared.insert(*reference)),
            }
        }
        referenced
    }

    /// Those to the shared set.
    pub(crate) fn of_shared(&self) -> &HashSet<Reference> {
        &self.shared
    }
}

/// A rule that found its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Index into [`RuleSet::rules`].
    pub rule: usize,
    /// Index into [`RuleSet::filters`] of the first filter that takes the match away.
    pub filter: Option<usize>,
}

/// Options of matching documents with an event.
pub(crate) struct Asking<'a> {
    pub(crate) spending: &'a mut Spending,
    /// Documents that are not evaluated.
    pub(crate) left_out: &'a [Spender],
    /// The index of the first rule.
    pub(crate) first_rule: usize,
}

/// Matches events one after the other: a thread that matches many holds one, and shares nothing with others
/// meanwhile.
#[derive(Debug)]
pub struct Matcher<'r> {
    rules: &'r RuleSet,
    scratch: Scratch,
    left_out: &'r [Spender],
    beside: Option<Beside<'r>>,
    /// Used again from event to event.
    found: Vec<Match>,
}

impl RuleSet {
    /// Compiles documents. Invalid documents are left out as a whole and named; the order of the documents does not matter.
    /// Documents with the id or name of another are refused, those that come later by file name and position.
    ///
    /// No placeholder is defined.
    #[must_use]
    pub fn compile(documents: Vec<Document>, mapping: &dyn FieldMapping) -> (Self, Vec<Refusal>) {
        let placeholders = &Placeholders::default();
        Self::compile_with(documents, &CompileOptions { mapping, placeholders })
    }

    /// [`RuleSet::compile`] with placeholders.
    #[must_use]
    pub fn compile_with(documents: Vec<Document>, options: &CompileOptions<'_>) -> (Self, Vec<Refusal>) {
        crate::compile::compile(documents, options)
    }

    /// SHA-256 in hexadecimal over the content of everything that was compiled, and of the
    /// placeholders where any is defined. The order and names of files, layout and comments do not
    /// change it; the field mapping has no part in it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The rules, by file name and position.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The correlations; each comes after those it refers to.
    #[must_use]
    pub fn correlations(&self) -> &[Correlation] {
        &self.correlations
    }

    /// Whether a rule, correlation or filter has this id or name; case does not matter.
    #[must_use]
    pub fn has_name(&self, text: &str) -> bool {
        self.names.contains_key(&text.to_lowercase())
    }

    /// The filters, by file name and position.
    #[must_use]
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// The rules, by their indexes, whose matches a filter may exclude.
    pub fn filtered_by(&self, filter: usize) -> impl Iterator<Item = usize> {
        let rules = self.rules.iter().enumerate();
        let is_filtered = move |rule: &Rule| rule.filters.iter().any(|applied| applied.index() == filter);
        rules.filter(move |(_, rule)| is_filtered(rule)).map(|(index, _)| index)
    }

    /// A matcher of events, one after the other.
    #[must_use]
    pub fn matcher(&self) -> Matcher<'_> {
        self.matcher_without(&[])
    }

    /// The same without some documents: rules among them match nothing, filters take nothing away.
    #[must_use]
    pub fn matcher_without<'r>(&'r self, left_out: &'r [Spender]) -> Matcher<'r> {
        let scratch = self.scratches.take();
        Matcher { rules: self, scratch, left_out, beside: None, found: Vec::new() }
    }

    /// A matcher of events against this set and the one beside it.
    pub(crate) fn matcher_with<'r>(&'r self, beside: Beside<'r>) -> Matcher<'r> {
        let mut matcher = self.matcher();
        matcher.beside = Some(beside);
        matcher
    }

    /// [`Matcher::matches`] for a single event.
    pub fn matches(&self, event: &Event<'_>, out: &mut Vec<usize>) {
        self.matcher().matches(event, out);
    }

    /// [`Matcher::matches_and_filters`] for a single event.
    pub fn matches_and_filters(&self, event: &Event<'_>, out: &mut Vec<Match>) {
        self.matcher().matches_and_filters(event, out);
    }

    /// The one place where rules are matched against events.
    fn match_in(
        &self,
        event: &Event<'_>,
        scratch: &mut Scratch,
        left_out: &[Spender],
        found: impl FnMut(Match),
    ) {
        let Scratch { memory, marks, views, spending, .. } = scratch.begin();
        spending.begin(Allowance::FULL);
        let view = views.of(&event.log_source, &self.candidates);
        let mut lookup = Lookup::new(event, &self.fields, &view.keys, memory);
        let mut asking = Asking { spending, left_out, first_rule: 0 };
        self.match_viewed(view, &mut lookup, marks, &mut asking, found);
        lookup.finish();
        scratch.end();
    }

    /// The same once the event's keys were followed.
    pub(crate) fn match_viewed(
        &self,
        view: &View,
        lookup: &mut Lookup<'_, '_>,
        marks: &mut Marks,
        asking: &mut Asking<'_>,
        mut found: impl FnMut(Match),
    ) {
        self.candidates.mark(view, lookup, marks);
        for own in marks.ascending().iter().map(|rule| *rule as usize) {
            let (index, left_out) = (asking.first_rule + own, asking.left_out);
            let Some(rule) = self.rules.get(own).filter(|_| !left_out.contains(&Spender::Rule(index))) else {
                continue;
            };
            if rule.program.decide(lookup, asking.spending, Spender::Rule(index)) == Some(true) {
                found(Match { rule: index, filter: self.first_filter(&rule.filters, lookup, asking) });
            }
        }
    }

    /// The first of several filters that takes a match away.
    pub(crate) fn first_filter(
        &self,
        filters: &[AppliedFilter],
        lookup: &mut Lookup<'_, '_>,
        asking: &mut Asking<'_>,
    ) -> Option<usize> {
        let left_out = asking.left_out;
        let mut filters =
            filters.iter().filter(|applied| !left_out.contains(&Spender::Filter(applied.index())));
        let takes_away = |applied: &&AppliedFilter| {
            let which = (applied.index(), applied.program as usize);
            self.program_of(**applied)
                .is_some_and(|program| asking.spending.is_filtered(which, program, lookup))
        };
        filters.find(takes_away).map(|applied| applied.index())
    }

    /// The condition of a filter on events of one of its rules.
    pub(crate) fn program_of(&self, applied: AppliedFilter) -> Option<&Program> {
        self.filter_programs.get(applied.program as usize)
    }

    /// Whether a rule's matches only count in correlations: one that refers to it does not
    /// `generate`.
    #[must_use]
    pub fn referenced_only(&self, rule: usize) -> bool {
        self.is_referenced(Reference::Rule(rule))
    }

    /// [`RuleSet::referenced_only`] for rules and correlations alike.
    #[must_use]
    pub fn is_referenced(&self, reference: Reference) -> bool {
        let found = match reference {
            Reference::Rule(index) => self.referenced.rules.get(index),
            Reference::Correlation(index) => self.referenced.correlations.get(index),
        };
        found.copied().unwrap_or(false)
    }
}

impl Matcher<'_> {
    /// Replaces `out` with the indexes of the rules that match the event and are not filtered,
    /// ascending.
    pub fn matches(&mut self, event: &Event<'_>, out: &mut Vec<usize>) {
        let mut found = std::mem::take(&mut self.found);
        self.matches_and_filters(event, &mut found);
        out.clear();
        out.extend(found.iter().filter(|found| found.filter.is_none()).map(|found| found.rule));
        self.found = found;
    }

    /// Replaces `out` with everything the rules find, ascending, each with the filter that takes it
    /// away, if one does.
    pub fn matches_and_filters(&mut self, event: &Event<'_>, out: &mut Vec<Match>) {
        out.clear();
        self.rules.match_in(event, &mut self.scratch, self.left_out, |found| out.push(found));
        if let Some(beside) = &mut self.beside {
            beside.add(event, out);
        }
    }

    /// Steps that documents of organizations took for the last event; a filter for rules of several log sources may be listed
    /// several times.
    #[must_use]
    pub fn spent(&self) -> &[Spent] {
        self.beside.as_ref().map_or_else(|| self.scratch.spending.spent(), Beside::spent)
    }
}

impl Drop for Matcher<'_> {
    fn drop(&mut self) {
        self.rules.scratches.give_back(std::mem::take(&mut self.scratch));
    }
}

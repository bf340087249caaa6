//! The compiled rules as a whole: which are tried for an event, what they find, and under which
//! version. How they came about lies in `compile`.

use crate::candidates::Candidates;
use crate::compile::{CompileOptions, Placeholders};
use crate::correlation::{Correlation, Reference};
use crate::document::Document;
use crate::event::Event;
use crate::mapping::FieldMapping;
use crate::matcher::Program;
use crate::matcher::fields::FieldTable;
use crate::matcher::lookup::Lookup;
use crate::matcher::metered::{Spender, Spent};
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
    pub(crate) scratches: ScratchPool,
}

/// A rule over single events.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it says about itself.
    pub info: RuleInfo,
    /// What it is written for.
    pub log_source: RuleLogSource,
    pub(crate) program: Program,
    pub(crate) filters: Vec<AppliedFilter>,
}

/// A filter that takes matches of rules away.
#[derive(Clone, Debug)]
pub struct Filter {
    /// What it says about itself.
    pub info: RuleInfo,
    /// Only rules that state the same are filtered.
    pub log_source: RuleLogSource,
    /// Indexes of the rules it is for, ascending.
    pub rules: Vec<usize>,
}

/// A filter as one rule uses it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AppliedFilter {
    /// Index into the filters.
    pub(crate) filter: usize,
    /// Index into the filter programs.
    pub(crate) program: usize,
}

/// What is referred to by a correlation without `generate`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Referenced {
    pub(crate) rules: Vec<bool>,
    pub(crate) correlations: Vec<bool>,
}

/// A rule that found its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Index into [`RuleSet::rules`].
    pub rule: usize,
    /// Index into [`RuleSet::filters`] of the first filter that takes the match away.
    pub filter: Option<usize>,
}

/// Matches events one after the other: a thread that matches many holds one, and shares nothing with others
/// meanwhile.
#[derive(Debug)]
pub struct Matcher<'r> {
    rules: &'r RuleSet,
    scratch: Scratch,
    left_out: &'r [Spender],
}

impl RuleSet {
    /// Compiles documents. What is refused is left out as a whole and named; the order of the
    /// documents does not matter. Documents with the id or name of another are refused, those that
    /// come later by file name and position.
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

    /// The filters, by file name and position.
    #[must_use]
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// What matches events one after the other.
    #[must_use]
    pub fn matcher(&self) -> Matcher<'_> {
        self.matcher_without(&[])
    }

    /// The same without some documents: rules among them match nothing, filters take nothing away.
    #[must_use]
    pub fn matcher_without<'r>(&'r self, left_out: &'r [Spender]) -> Matcher<'r> {
        Matcher { rules: self, scratch: self.scratches.take(), left_out }
    }

    /// [`Matcher::matches`] for a single event.
    pub fn matches(&self, event: &Event<'_>, out: &mut Vec<usize>) {
        self.matcher().matches(event, out);
    }

    /// [`Matcher::matches_and_filters`] for a single event.
    pub fn matches_and_filters(&self, event: &Event<'_>, out: &mut Vec<Match>) {
        self.matcher().matches_and_filters(event, out);
    }

    /// The one place where rules meet events.
    fn match_in(
        &self,
        event: &Event<'_>,
        scratch: &mut Scratch,
        left_out: &[Spender],
        mut found: impl FnMut(Match),
    ) {
        let Scratch { memory, marks, views, spending, .. } = scratch.begin();
        spending.begin();
        let view = views.of(&event.log_source, &self.candidates);
        let mut lookup = Lookup::new(event, &self.fields, &view.keys, memory);
        self.candidates.mark(view, &mut lookup, marks);
        for index in marks.ascending().iter().map(|rule| *rule as usize) {
            let Some(rule) = self.rules.get(index).filter(|_| !left_out.contains(&Spender::Rule(index)))
            else {
                continue;
            };
            if rule.program.decide(&mut lookup, spending, Spender::Rule(index)) != Some(true) {
                continue;
            }
            let in_force = |applied: &&AppliedFilter| !left_out.contains(&Spender::Filter(applied.filter));
            let filter = rule.filters.iter().filter(in_force).find(|applied| {
                let program = self.filter_programs.get(applied.program);
                let which = (applied.filter, applied.program);
                program.is_some_and(|program| spending.is_filtered(which, program, &mut lookup))
            });
            found(Match { rule: index, filter: filter.map(|applied| applied.filter) });
        }
        lookup.finish();
        scratch.end();
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
        out.clear();
        self.rules.match_in(event, &mut self.scratch, self.left_out, |found| {
            if found.filter.is_none() {
                out.push(found.rule);
            }
        });
    }

    /// Replaces `out` with everything the rules find, ascending, each with the filter that takes it
    /// away, if one does.
    pub fn matches_and_filters(&mut self, event: &Event<'_>, out: &mut Vec<Match>) {
        out.clear();
        self.rules.match_in(event, &mut self.scratch, self.left_out, |found| out.push(found));
    }

    /// Steps that documents of organizations took for the last event; a filter for rules of several log sources may
    /// stand there several times.
    #[must_use]
    pub fn spent(&self) -> &[Spent] {
        self.scratch.spending.spent()
    }
}

impl Drop for Matcher<'_> {
    fn drop(&mut self) {
        self.rules.scratches.give_back(std::mem::take(&mut self.scratch));
    }
}

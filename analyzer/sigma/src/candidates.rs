//! Which rules an event may match at all. Every rule but a few must find one of a set of literals in one of
//! its fields: these stand in tables, one per log source and field, and only rules of which one is found are
//! evaluated. What is evaluated, and how, is `matcher`'s; an index may name too many rules, never too few.

mod log_sources;
mod marks;
mod tables;
mod witness;

use std::collections::BTreeMap;

use crate::event::Event;
use crate::matcher::lookup::{FieldIndex, Lookup};
use crate::rule_set::Rule;
use log_sources::LogSources;
pub(crate) use marks::Marks;
use tables::{Tables, TablesBuilder};
use witness::{Frequencies, Witness};

/// The index over all rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    log_sources: LogSources,
    routes: Vec<Route>,
    rules: usize,
}

/// Rules that state the same log source.
#[derive(Clone, Debug, Default)]
struct Route {
    /// Rules without a literal that they need: few, and always evaluated.
    always: Vec<u32>,
    /// What is looked for in a field; none stands for every value of the event.
    fields: Vec<(Option<FieldIndex>, Tables)>,
}

impl Candidates {
    /// Builds the index of compiled rules.
    pub(crate) fn build(rules: &[Rule]) -> Self {
        let log_sources = LogSources::of(rules.iter().map(|rule| &rule.log_source));
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); log_sources.routes()];
        for (index, rule) in (0_u32..).zip(rules) {
            if let Some(route) = log_sources.route(&rule.log_source).and_then(|route| members.get_mut(route))
            {
                route.push(index);
            }
        }
        let routes = members.iter().map(|members| Route::build(rules, members)).collect();
        Self { log_sources, routes, rules: rules.len() }
    }

    /// Marks the rules that the event may match.
    pub(crate) fn mark(&self, event: &Event<'_>, lookup: &mut Lookup<'_, '_>) -> Marks {
        let mut marks = Marks::new(self.rules);
        self.log_sources.each_accepting(&event.log_source, |route| {
            if let Some(route) = self.routes.get(route) {
                route.mark(lookup, &mut marks);
            }
        });
        marks
    }
}

impl Route {
    fn build(rules: &[Rule], members: &[u32]) -> Self {
        let programs =
            || members.iter().filter_map(|member| Some((*member, &rules.get(*member as usize)?.program)));
        let mut frequencies = Frequencies::default();
        programs().for_each(|(_, program)| frequencies.count(program));
        let mut always = Vec::new();
        let mut builders: BTreeMap<Option<FieldIndex>, TablesBuilder> = BTreeMap::new();
        for (rule, program) in programs() {
            let Some(witnesses) = frequencies.best_witnesses(program) else {
                always.push(rule);
                continue;
            };
            for Witness { field, literal } in witnesses {
                builders.entry(field).or_default().add(literal, rule);
            }
        }
        // A field whose automaton cannot be built is one whose rules are always evaluated.
        let mut fields = Vec::with_capacity(builders.len());
        for (field, builder) in builders {
            match builder.build() {
                Ok(tables) => fields.push((field, tables)),
                Err(rules) => always.extend(rules),
            }
        }
        Self { always, fields }
    }

    fn mark(&self, lookup: &mut Lookup<'_, '_>, marks: &mut Marks) {
        self.always.iter().for_each(|rule| marks.set(*rule));
        for (field, tables) in &self.fields {
            lookup.prepare(*field);
            let found = lookup.found(*field);
            if found.present {
                tables.mark(&found.values, marks);
            }
        }
    }
}

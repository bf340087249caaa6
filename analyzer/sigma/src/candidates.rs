//! Which rules an event may match at all. Every rule but a few must find one of a set of literals in one of
//! its fields: these stand in tables, one per log source and field, and only rules of which one is found are
//! evaluated. What is evaluated, and how, is `matcher`'s; an index may name too many rules, never too few.

mod edges;
mod filter;
mod grams;
mod log_sources;
mod marks;
mod rarity;
mod tables;
mod witness;

use std::collections::BTreeMap;

use crate::event::Event;
use crate::matcher::Program;
use crate::matcher::fields::FieldIndex;
use crate::matcher::lookup::Lookup;
use crate::rule_set::Rule;
use log_sources::LogSources;
pub(crate) use marks::Marks;
use rarity::Rarity;
use tables::{Tables, TablesBuilder};
use witness::Witness;

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
    /// What is looked for in a field.
    fields: Vec<(FieldIndex, Tables)>,
    /// What is looked for in all values, which are then one text.
    keywords: Option<Tables>,
}

impl Candidates {
    /// Builds the index of compiled rules.
    pub(crate) fn build(rules: &[Rule]) -> Self {
        let log_sources = LogSources::of(rules.iter().map(|rule| &rule.log_source));
        let mut members: Vec<Vec<(u32, &Program)>> = vec![Vec::new(); log_sources.routes()];
        for (index, rule) in (0_u32..).zip(rules) {
            let route = log_sources.route(&rule.log_source);
            if let Some(route) = route.and_then(|route| members.get_mut(route)) {
                route.push((index, &rule.program));
            }
        }
        let routes = members.iter().map(|members| Route::build(members)).collect();
        Self { log_sources, routes, rules: rules.len() }
    }

    /// Marks the rules that the event may match.
    pub(crate) fn mark(&self, event: &Event<'_>, lookup: &mut Lookup<'_, '_>, marks: &mut Marks) {
        marks.start(self.rules);
        self.log_sources.each_accepting(&event.log_source, |route| {
            if let Some(route) = self.routes.get(route) {
                route.mark(lookup, marks);
            }
        });
    }
}

impl Route {
    fn build(members: &[(u32, &Program)]) -> Self {
        let mut rarity = Rarity::default();
        members.iter().for_each(|(_, program)| rarity.count(program));
        let mut always = Vec::new();
        let mut builders: BTreeMap<Option<FieldIndex>, TablesBuilder> = BTreeMap::new();
        for (rule, program) in members {
            let Some(witnesses) = witness::best_witnesses(program, &rarity) else {
                always.push(*rule);
                continue;
            };
            for Witness { field, literal } in witnesses {
                builders.entry(field).or_default().add(literal, *rule);
            }
        }
        let keywords = builders.remove(&None).map(TablesBuilder::build);
        let fields = builders.into_iter().filter_map(|(field, builder)| Some((field?, builder.build())));
        Self { always, fields: fields.collect(), keywords }
    }

    fn mark(&self, lookup: &mut Lookup<'_, '_>, marks: &mut Marks) {
        marks.set_all(&self.always);
        for (field, tables) in &self.fields {
            let found = lookup.find(Some(*field));
            if found.present {
                tables.mark(lookup.readings(found), marks);
            }
        }
        if let Some(keywords) = &self.keywords {
            let everything = lookup.find(None);
            keywords.mark_within(lookup.text(everything), marks);
        }
    }
}

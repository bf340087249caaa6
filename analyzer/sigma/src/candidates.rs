//! Index of the rules that an event may match. Every rule but a few must find one of a set of literals in one of its fields:
//! these stand in tables, one per log source and field, and only rules of which one is found are evaluated. Evaluation belongs
//! to `matcher`; an index may name too many rules, never too few.

mod edges;
mod filter;
mod fingerprints;
mod grams;
mod log_sources;
mod marks;
mod rarity;
mod tables;
mod views;
mod witness;

use std::collections::BTreeMap;

use crate::matcher::Program;
use crate::matcher::fields::{FieldIndex, FieldTable};
use crate::matcher::keys::KeySet;
use crate::matcher::lookup::Lookup;
use crate::rule_set::Rule;
use log_sources::LogSources;
pub(crate) use marks::Marks;
use rarity::Rarity;
use tables::{Tables, TablesBuilder};
use views::TableLocation;
pub(crate) use views::{View, Views};
use witness::Witness;

/// The index over all rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    log_sources: LogSources,
    routes: Vec<Route>,
    /// Keys that lead to the fields of filters for rules of another set.
    keys_of_filters: KeySet,
    rules: usize,
}

/// Rules that state the same log source.
#[derive(Clone, Debug, Default)]
struct Route {
    /// Rules without a literal that they need: few, and always evaluated.
    always: Vec<u32>,
    /// Literals that are searched for in each field.
    fields: Vec<(FieldIndex, Tables)>,
    /// Literals that are searched for in all values, joined to one text.
    keywords: Option<Tables>,
    /// Keys that lead to the fields of its rules.
    keys: KeySet,
}

impl Candidates {
    /// Builds the index of compiled rules, whose filters are among `filters`; those `for_others` are for rules of
    /// another set.
    pub(crate) fn build(
        rules: &[Rule],
        filters: &[Program],
        for_others: &[u32],
        fields: &FieldTable,
    ) -> Self {
        let log_sources = LogSources::of(rules.iter().map(|rule| &rule.log_source));
        let mut members: Vec<Vec<(u32, &Rule)>> = vec![Vec::new(); log_sources.routes()];
        for (index, rule) in (0_u32..).zip(rules) {
            let route = log_sources.route(&rule.log_source);
            if let Some(route) = route.and_then(|route| members.get_mut(route)) {
                route.push((index, rule));
            }
        }
        let route = |members: &Vec<(u32, &Rule)>| {
            let rules = members.iter().map(|(_, rule)| *rule);
            let applied = rules.clone().flat_map(|rule| &rule.filters);
            let applied = applied.filter_map(|applied| filters.get(applied.program as usize));
            let mut asked_for = Vec::new();
            rules.map(|rule| &rule.program).chain(applied).for_each(|program| program.fields(&mut asked_for));
            Route { keys: fields.keys_to(&asked_for), ..Route::build(members) }
        };
        let routes = members.iter().map(route).collect();
        let mut asked_for = Vec::new();
        let for_others = for_others.iter().filter_map(|program| filters.get(*program as usize));
        for_others.for_each(|program| program.fields(&mut asked_for));
        let keys_of_filters = fields.keys_to(&asked_for);
        Self { log_sources, routes, keys_of_filters, rules: rules.len() }
    }

    /// Marks the rules that an event may match.
    pub(crate) fn mark(&self, view: &View, lookup: &mut Lookup<'_, '_>, marks: &mut Marks) {
        marks.start(self.rules);
        for route in view.routes.iter().filter_map(|route| self.routes.get(*route as usize)) {
            marks.set_all(&route.always);
            // First: texts of fields are mostly parts of the text that is searched here.
            if let Some(keywords) = &route.keywords {
                keywords.mark_within(lookup.text_of_everything(keywords.is_in_numbers), marks);
            }
        }
        // An event has fewer names than rules ask for.
        for name in 0..lookup.reached() {
            for field in lookup.fields_at(name) {
                let places = view.places_of(*field);
                if places.is_empty() || !lookup.is_first_of(name, *field) {
                    continue;
                }
                let found = lookup.find(Some(*field));
                for tables in places.iter().filter_map(|place| self.tables_at(*place)) {
                    tables.mark(lookup.readings(found), marks);
                }
            }
        }
    }

    fn tables_at(&self, place: TableLocation) -> Option<&Tables> {
        let route = self.routes.get(place.route as usize)?;
        route.fields.get(place.tables as usize).map(|(_, tables)| tables)
    }
}

impl Route {
    fn build(members: &[(u32, &Rule)]) -> Self {
        let mut rarity = Rarity::default();
        members.iter().for_each(|(_, rule)| rarity.count(&rule.program));
        let mut always = Vec::new();
        let mut builders: BTreeMap<Option<FieldIndex>, TablesBuilder> = BTreeMap::new();
        for (index, rule) in members {
            let Some(witnesses) = witness::best_witnesses(&rule.program, &rarity) else {
                always.push(*index);
                continue;
            };
            for Witness { field, literal } in witnesses {
                builders.entry(field).or_default().add(literal, *index);
            }
        }
        let mut keywords = builders.remove(&None);
        if let Some(keywords) = &mut keywords {
            // All values are searched anyway, and each field's are among them.
            keywords.take_inside(builders.values_mut());
        }
        let keywords = keywords.map(TablesBuilder::build);
        let fields = builders.into_iter().filter(|(_, builder)| !builder.is_empty());
        let fields = fields.filter_map(|(field, builder)| Some((field?, builder.build())));
        Self { always, fields: fields.collect(), keywords, keys: KeySet::default() }
    }
}

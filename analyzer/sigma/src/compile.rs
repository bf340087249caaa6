//! Documents into a rule set: ids and names become indexes, fields become the names events use,
//! conditions become expressions. What cannot be resolved is refused as a whole.

mod correlations;
mod detection;
mod filters;
mod names;

use std::collections::HashMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::correlation::Reference;
use crate::document::{CorrelationDocument, Document, FilterDocument, RuleDocument};
use crate::mapping::FieldMapping;
use crate::refusal::{Fault, Origin, Refusal};
use crate::rule::{RuleInfo, RuleLogSource};
use crate::rule_set::{Referenced, Route, Rule, RuleSet};

use names::Names;

/// Compiles documents, in the order of their origins.
pub(crate) fn compile(mut documents: Vec<Document>, mapping: &dyn FieldMapping) -> (RuleSet, Vec<Refusal>) {
    documents.sort_by(|one, other| one.origin().cmp(other.origin()));
    let mut refusals = Vec::new();
    let mut names = Names::default();
    let (mut rules, mut correlations, mut filters) = (Vec::new(), Vec::new(), Vec::new());
    for document in documents {
        if let Err(fault) = names.claim(&document) {
            refusals.push(refuse(fault, document.origin(), document.info()));
            continue;
        }
        match document {
            Document::Rule(rule) => rules.push(*rule),
            Document::Correlation(correlation) => correlations.push(*correlation),
            Document::Filter(filter) => filters.push(*filter),
        }
    }
    let mut compiler = Compiler { mapping, names, set: RuleSet::default(), refusals };
    rules.into_iter().for_each(|rule| compiler.rule(rule));
    compiler.correlations(correlations);
    filters.into_iter().for_each(|filter| compiler.filter(filter));
    compiler.finish()
}

fn refuse(fault: Fault, origin: &Origin, info: &RuleInfo) -> Refusal {
    fault.refuse(origin.clone(), Some(&info.id))
}

struct Compiler<'m> {
    mapping: &'m dyn FieldMapping,
    names: Names,
    set: RuleSet,
    refusals: Vec<Refusal>,
}

impl Compiler<'_> {
    fn rule(&mut self, rule: RuleDocument) {
        let RuleDocument { origin, info, log_source, detection } = rule;
        match detection::program(&detection, &log_source, self.mapping, &mut self.set.fields) {
            Ok(program) => {
                self.names.place(&info, Reference::Rule(self.set.rules.len()));
                self.set.rules.push(Rule { info, log_source, program, filters: Vec::new() });
            }
            Err(fault) => self.refusals.push(refuse(fault.within("detection"), &origin, &info)),
        }
    }

    fn correlations(&mut self, correlations: Vec<CorrelationDocument>) {
        let refused = correlations::compile(&mut self.set, &mut self.names, self.mapping, correlations);
        let refused = refused
            .into_iter()
            .map(|(fault, read)| refuse(fault.within("correlation"), &read.origin, &read.info));
        self.refusals.extend(refused);
    }

    fn filter(&mut self, filter: FilterDocument) {
        if let Err(fault) = filters::compile(&mut self.set, &self.names, self.mapping, &filter) {
            self.refusals.push(refuse(fault.within("filter"), &filter.origin, &filter.info));
        }
    }

    fn finish(mut self) -> (RuleSet, Vec<Refusal>) {
        self.set.version = version(&self.set);
        self.set.routes = routes(&self.set.rules);
        self.set.referenced = referenced(&self.set);
        self.refusals.sort_by(|one, other| one.origin.cmp(&other.origin));
        (self.set, self.refusals)
    }
}

fn version(set: &RuleSet) -> String {
    let rules = set.rules.iter().map(|rule| &rule.info);
    let correlations = set.correlations.iter().map(|correlation| &correlation.info);
    let filters = set.filters.iter().map(|filter| &filter.info);
    let mut hashes: Vec<_> = rules.chain(correlations).chain(filters).map(|info| info.content_hash).collect();
    hashes.sort_unstable();
    let mut hasher = Sha256::new();
    hashes.iter().for_each(|hash| hasher.update(hash));
    hasher.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Rules grouped by what they state, so that a log source is compared once for all of them.
fn routes(rules: &[Rule]) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::new();
    let mut known: HashMap<[Option<String>; 3], usize> = HashMap::new();
    for (index, rule) in rules.iter().enumerate() {
        let RuleLogSource { product, category, service, .. } = &rule.log_source;
        let key =
            [product, category, service].map(|word| word.as_ref().map(|word| word.to_ascii_lowercase()));
        let route = *known.entry(key).or_insert(routes.len());
        match routes.get_mut(route) {
            Some(route) => route.rules.push(index),
            None => routes.push(Route { log_source: rule.log_source.clone(), rules: vec![index] }),
        }
    }
    routes
}

fn referenced(set: &RuleSet) -> Referenced {
    let mut referenced =
        Referenced { rules: vec![false; set.rules.len()], correlations: vec![false; set.correlations.len()] };
    for reference in set.correlations.iter().filter(|read| !read.generate).flat_map(|read| &read.references) {
        let slot = match *reference {
            Reference::Rule(index) => referenced.rules.get_mut(index),
            Reference::Correlation(index) => referenced.correlations.get_mut(index),
        };
        slot.into_iter().for_each(|slot| *slot = true);
    }
    referenced
}

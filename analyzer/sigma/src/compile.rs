//! Documents into a rule set: ids and names become indexes, fields become the names events use,
//! values become tests, conditions become expressions. What cannot be resolved is refused as a whole.

mod correlations;
mod detection;
mod encodings;
mod filters;
mod names;
mod order;
mod placeholders;
mod values;
mod windows;

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::candidates::Candidates;
use crate::correlation::Reference;
use crate::document::{Document, RuleDocument};
use crate::mapping::FieldMapping;
use crate::refusal::{Fault, Refusal};
use crate::rule_set::{Referenced, Rule, RuleSet};

use names::Names;
pub use placeholders::Placeholders;
use values::Values;

/// What documents are compiled with.
#[derive(Clone, Copy)]
pub struct CompileOptions<'o> {
    /// What events call the fields of rules.
    pub mapping: &'o dyn FieldMapping,
    /// What `%name%` stands for in values with `expand`.
    pub placeholders: &'o Placeholders,
}

/// Compiles documents, in the order of their origins.
pub(crate) fn compile(mut documents: Vec<Document>, options: &CompileOptions<'_>) -> (RuleSet, Vec<Refusal>) {
    documents.sort_by(|one, other| one.origin().cmp(other.origin()));
    let mut compiler =
        Compiler { options, names: Names::default(), set: RuleSet::default(), refusals: Vec::new() };
    let claimed: Vec<Document> = documents.into_iter().filter(|document| compiler.claim(document)).collect();
    for document in &claimed {
        if let Document::Rule(rule) = document {
            let compiled = compiler.rule(rule);
            compiler.note(document, compiled);
        }
    }
    compiler.correlations(&claimed);
    for document in &claimed {
        if let Document::Filter(filter) = document {
            let compiled = filters::compile(&mut compiler.set, &compiler.names, options, filter);
            compiler.note(document, compiled.map_err(|fault| fault.within("filter")));
        }
    }
    compiler.finish()
}

struct Compiler<'o> {
    options: &'o CompileOptions<'o>,
    names: Names,
    set: RuleSet,
    refusals: Vec<Refusal>,
}

impl Compiler<'_> {
    fn note(&mut self, document: &Document, compiled: Result<(), Fault>) {
        self.refusals.extend(compiled.err().map(|fault| document.refuse(fault)));
    }

    /// Whether the document's id and name are its own.
    fn claim(&mut self, document: &Document) -> bool {
        let claimed = self.names.claim(document);
        let is_own = claimed.is_ok();
        self.note(document, claimed);
        is_own
    }

    fn rule(&mut self, rule: &RuleDocument) -> Result<(), Fault> {
        let RuleDocument { author, info, log_source, detection, .. } = rule;
        let mut values = Values::new(self.options.placeholders, *author);
        let (mapping, fields) = (self.options.mapping, &mut self.set.fields);
        let program = detection::program(detection, log_source, mapping, fields, &mut values)
            .map_err(|fault| fault.within("detection"))?;
        self.names.place(info, Reference::Rule(self.set.rules.len()));
        let (info, log_source) = (info.clone(), log_source.clone());
        self.set.rules.push(Rule { info, log_source, program, filters: Vec::new() });
        Ok(())
    }

    fn correlations(&mut self, documents: &[Document]) {
        let read = documents.iter().filter_map(|document| match document {
            Document::Correlation(correlation) => Some((document, &**correlation)),
            _ => None,
        });
        let refused = correlations::compile(&mut self.set, &mut self.names, self.options, read.collect());
        for (fault, document) in refused {
            self.note(document, Err(fault.within("correlation")));
        }
    }

    fn finish(mut self) -> (RuleSet, Vec<Refusal>) {
        self.set.version = version(&self.set, self.options.placeholders);
        let RuleSet { rules, filter_programs, fields, .. } = &self.set;
        self.set.candidates = Candidates::build(rules, filter_programs, fields);
        self.set.referenced = referenced(&self.set);
        self.refusals.sort_by(|one, other| one.origin.cmp(&other.origin));
        (self.set, self.refusals)
    }
}

fn version(set: &RuleSet, placeholders: &Placeholders) -> String {
    let rules = set.rules.iter().map(|rule| &rule.info);
    let correlations = set.correlations.iter().map(|correlation| &correlation.info);
    let filters = set.filters.iter().map(|filter| &filter.info);
    let mut hashes: Vec<_> = rules.chain(correlations).chain(filters).map(|info| info.content_hash).collect();
    hashes.sort_unstable();
    let mut hasher = Sha256::new();
    hashes.iter().for_each(|hash| hasher.update(hash));
    placeholders.digest().iter().for_each(|hash| hasher.update(hash));
    hasher.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
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

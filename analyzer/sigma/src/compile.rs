//! Documents into a rule set: ids and names become indexes, fields become the names of event fields, values become tests,
//! conditions become expressions. A document with an unresolved part is refused as a whole.

mod budget;
mod building;
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
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::candidates::Candidates;
use crate::correlation::Reference;
use crate::document::{Document, RuleDocument};
use crate::layer::{Bytes, Layer};
use crate::mapping::FieldMapping;
use crate::matcher::Program;
use crate::matcher::fields::FieldTable;
use crate::refusal::{Fault, Refusal};
use crate::rule_set::{Referenced, Rule, RuleSet};

use budget::Budget;
pub use budget::Limits;
use building::Building;
use names::Names;
pub(crate) use names::SharedNames;
pub use placeholders::Placeholders;
use values::Values;

/// Options of a compilation.
#[derive(Clone, Copy)]
pub struct CompileOptions<'o> {
    /// Names of the fields of rules in events.
    pub mapping: &'o dyn FieldMapping,
    /// Values of `%name%` in values with `expand`.
    pub placeholders: &'o Placeholders,
}

/// Compiles documents, in the order of their origins.
pub(crate) fn compile(documents: Vec<Document>, options: &CompileOptions<'_>) -> (RuleSet, Vec<Refusal>) {
    let mut compiler = Compiler::new(options, Limits::none(), None);
    compiler.documents(documents);
    let Compiler { building, mut refusals, .. } = compiler;
    let mut set = building.own;
    set.version = version(&[&set], options.placeholders);
    set.candidates = Candidates::build(&set.rules, &set.filter_programs, &[], &set.fields);
    set.referenced = Referenced::of(&set, 0, 0);
    set.names = names::of_set(&set);
    refusals.sort_by(|one, other| one.origin.cmp(&other.origin));
    (set, refusals)
}

/// Compiles documents beside a set, which stays as it is.
pub(crate) fn compile_beside(
    shared: Arc<RuleSet>,
    documents: Vec<Document>,
    options: &CompileOptions<'_>,
    limits: Limits<'_>,
) -> (Layer, Vec<Refusal>) {
    let mut compiler = Compiler::new(options, limits, Some(&shared));
    compiler.documents(documents);
    let Compiler { building, budget, mut refusals, .. } = compiler;
    let bytes = Bytes { compiled: budget.taken(), remembered: budget.remembered() };
    let Building { own: mut set, applied, .. } = building;
    set.version = version(&[&shared, &set], options.placeholders);
    let for_others: Vec<u32> = applied.values().flatten().map(|applied| applied.program).collect();
    set.candidates = Candidates::build(&set.rules, &set.filter_programs, &for_others, &set.fields);
    set.referenced = Referenced::of(&set, shared.rules.len(), shared.correlations.len());
    refusals.sort_by(|one, other| one.origin.cmp(&other.origin));
    (Layer::new(shared, set, applied, bytes), refusals)
}

/// The program of a rule that is compiled elsewhere for matching, in the order of the document; none where it is refused.
pub(crate) fn in_written_order(
    rule: &RuleDocument,
    options: &CompileOptions<'_>,
    fields: &mut FieldTable,
) -> Option<Program> {
    let mut budget = Budget::of(Limits::none());
    let mut values = Values::new(options.placeholders, rule.author, &mut budget);
    detection::in_written_order(&rule.detection, &rule.log_source, options.mapping, fields, &mut values).ok()
}

struct Compiler<'o> {
    options: &'o CompileOptions<'o>,
    budget: Budget<'o>,
    names: Names<'o>,
    building: Building<'o>,
    refusals: Vec<Refusal>,
}

impl<'o> Compiler<'o> {
    fn new(options: &'o CompileOptions<'o>, limits: Limits<'o>, shared: Option<&'o RuleSet>) -> Self {
        let names = Names::beside(shared.map(|shared| &shared.names));
        let budget = Budget::of(limits);
        Self { options, budget, names, building: Building::beside(shared), refusals: Vec::new() }
    }

    fn documents(&mut self, mut documents: Vec<Document>) {
        documents.sort_by(|one, other| one.origin().cmp(other.origin()));
        let claimed: Vec<Document> = documents.into_iter().filter(|document| self.claim(document)).collect();
        for document in &claimed {
            if let Document::Rule(rule) = document {
                let compiled = self.budget.begin(&rule.text).and_then(|()| self.rule(rule));
                self.budget.end(compiled.is_ok());
                self.note(document, compiled);
            }
        }
        self.correlations(&claimed);
        for filter in self.building.shared.map_or(&[][..], |shared| &shared.open_filters) {
            let Self { building, budget, options, .. } = self;
            let compiled = budget.begin("");
            let compiled = compiled.and_then(|()| filters::apply_shared(building, options, budget, filter));
            budget.end(compiled.is_ok());
            self.note(&Document::Filter(Box::new(filter.document.clone())), compiled);
        }
        for document in &claimed {
            if let Document::Filter(filter) = document {
                let Self { building, names, budget, options, .. } = self;
                let compiled = budget.begin(&filter.text);
                let compiled =
                    compiled.and_then(|()| filters::compile(building, names, options, budget, filter));
                budget.end(compiled.is_ok());
                self.note(document, compiled.map_err(|fault| fault.within("filter")));
            }
        }
    }

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
        let mut values = Values::new(self.options.placeholders, *author, &mut self.budget);
        let (mapping, fields) = (self.options.mapping, &mut self.building.own.fields);
        let program = detection::program(detection, log_source, mapping, fields, &mut values)
            .map_err(|fault| fault.within("detection"))?;
        self.names.place(info, Reference::Rule(self.building.next_rule()));
        let (info, log_source) = (info.clone(), log_source.clone());
        self.building.own.rules.push(Rule { info, log_source, program, filters: Vec::new() });
        Ok(())
    }

    fn correlations(&mut self, documents: &[Document]) {
        let read = documents.iter().filter_map(|document| match document {
            Document::Correlation(correlation) => Some((document, &**correlation)),
            _ => None,
        });
        let refused = correlations::compile(
            &mut self.building,
            &mut self.names,
            self.options,
            &mut self.budget,
            read.collect(),
        );
        for (fault, document) in refused {
            self.note(document, Err(fault.within("correlation")));
        }
    }
}

fn version(sets: &[&RuleSet], placeholders: &Placeholders) -> String {
    let infos = |set: &&RuleSet| {
        let rules = set.rules.iter().map(|rule| &rule.info);
        let correlations = set.correlations.iter().map(|correlation| &correlation.info);
        let filters = set.filters.iter().map(|filter| &filter.info);
        rules.chain(correlations).chain(filters).map(|info| info.content_hash).collect::<Vec<_>>()
    };
    let mut hashes: Vec<_> = sets.iter().flat_map(infos).collect();
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

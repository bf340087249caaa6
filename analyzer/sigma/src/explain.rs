//! Reasons why rules do not match an event: for rules that one item of their detection keeps from matching, the item, the
//! values it expects and the values found. Items are tested as the matcher tests them, on a second compilation that keeps the
//! order of the document; the index of candidates is not used. For authors of rules, not for streams of events.

mod miss;
mod trace;

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::compile::{self, CompileOptions};
use crate::document::{Document, RuleDocument};
use crate::event::{Event, LogSource};
use crate::matcher::fields::FieldTable;
use crate::matcher::keys::KeySet;
use crate::matcher::lookup::{Lookup, Memory};
use crate::rule::{Level, RuleLogSource};
use crate::rule_set::RuleSet;

pub use miss::{Miss, Observed};
use trace::{Outcome, Traced};

/// Traces the rules of a set, whose documents are kept as they were written.
#[derive(Debug)]
pub struct Explainer {
    rules: Vec<Written>,
    fields: FieldTable,
    keys: KeySet,
}

#[derive(Debug)]
struct Written {
    /// Index into the rule set's rules.
    rule: usize,
    log_source: RuleLogSource,
    level: Option<Level>,
    detection: Traced,
}

/// A rule that would match if one item of its detection had another outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Index into [`RuleSet::rules`].
    pub rule: usize,
    /// Items of selections that the rule looks for which hold by a value of the event.
    pub held: usize,
    /// The item; several where any one of them is enough, at most [`MOST_MISSES`].
    pub misses: Vec<Miss>,
    /// Further items of which any one is enough.
    pub more_misses: usize,
}

/// Items that are named of one rule: more would not be read.
pub const MOST_MISSES: usize = 3;

/// Rules that nearly match an event, the most relevant first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearRules {
    /// The first of them.
    pub rules: Vec<Near>,
    /// Number of further ones.
    pub left_out: usize,
}

impl Explainer {
    /// Prepares the rules of `rules` for traces; `documents` are those that the set was compiled from, with the same
    /// options. Documents of rules that are not in the set are left out.
    #[must_use]
    pub fn new(rules: &RuleSet, documents: &[Document], options: &CompileOptions<'_>) -> Self {
        let mut written: HashMap<(&str, [u8; 32]), &RuleDocument> = HashMap::new();
        for document in documents {
            if let Document::Rule(rule) = document {
                written.insert((&rule.info.id, rule.info.content_hash), rule);
            }
        }
        let mut fields = FieldTable::default();
        let mut traced = Vec::new();
        for (index, rule) in rules.rules().iter().enumerate() {
            let document = written.get(&(rule.info.id.as_str(), rule.info.content_hash));
            let compiled = document.and_then(|document| {
                let program = compile::in_written_order(document, options, &mut fields)?;
                Some(Traced::of(&document.detection, program))
            });
            traced.extend(compiled.map(|detection| Written {
                rule: index,
                log_source: rule.log_source.clone(),
                level: rule.info.level,
                detection,
            }));
        }
        let mut keys = KeySet::default();
        keys.fill();
        Self { rules: traced, fields, keys }
    }

    /// Number of rules that can be traced.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.rules.len()
    }

    /// The rules that nearly match, at most `most`, of each of which at least `least_held` items hold. First those of
    /// which most items hold, then those whose log source agrees in more dimensions, then the more severe.
    #[must_use]
    pub fn near(&self, event: &Event<'_>, most: usize, least_held: usize) -> NearRules {
        let mut memory = Memory::default();
        let mut lookup = Lookup::new(event, &self.fields, &self.keys, &mut memory);
        let mut found: Vec<(&Written, Near)> = Vec::new();
        for written in self.for_source(&event.log_source) {
            let Outcome::Near { held, misses } = written.detection.trace(&mut lookup) else { continue };
            if held < least_held {
                continue;
            }
            let more_misses = misses.len().saturating_sub(MOST_MISSES);
            let shown = misses.iter().take(MOST_MISSES);
            let misses = shown.map(|item| written.detection.miss(*item, &self.fields, &mut lookup)).collect();
            found.push((written, Near { rule: written.rule, held, misses, more_misses }));
        }
        lookup.finish();
        found.sort_by_key(|(written, near)| {
            let agreeing = agreeing(&written.log_source, &event.log_source);
            (Reverse(near.held), Reverse(agreeing), Reverse(written.level), near.rule)
        });
        let left_out = found.len().saturating_sub(most);
        NearRules { rules: found.into_iter().take(most).map(|(_, near)| near).collect(), left_out }
    }

    /// The rules whose detection holds, by the trace alone: the same that the matcher finds, filters aside.
    #[must_use]
    pub fn holding(&self, event: &Event<'_>) -> Vec<usize> {
        let mut memory = Memory::default();
        let mut lookup = Lookup::new(event, &self.fields, &self.keys, &mut memory);
        let rules = self.for_source(&event.log_source);
        let holding = rules.filter(|written| written.detection.trace(&mut lookup) == Outcome::Holds);
        let holding = holding.map(|written| written.rule).collect();
        lookup.finish();
        holding
    }

    fn for_source<'s>(&'s self, source: &'s LogSource<'_>) -> impl Iterator<Item = &'s Written> {
        self.rules.iter().filter(|written| written.log_source.accepts(source))
    }
}

/// Dimensions that the rule and the record both state.
fn agreeing(rule: &RuleLogSource, record: &LogSource<'_>) -> usize {
    let stated = [
        (rule.product.is_some(), record.product.is_some()),
        (rule.category.is_some(), record.category.is_some()),
        (rule.service.is_some(), record.service.is_some()),
    ];
    stated.into_iter().filter(|(rule, record)| *rule && *record).count()
}

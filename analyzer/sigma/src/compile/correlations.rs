//! Correlations onto the rules and correlations they refer to, those referred to first.

use super::names::Names;
use crate::correlation::{Correlation, FieldSources, GroupField, Reference};
use crate::document::{Alias, CorrelationDocument};
use crate::mapping::{self, FieldMapping};
use crate::refusal::{Cause, Fault};
use crate::rule_set::RuleSet;

/// Correlations of correlations: an event is passed on at most this many times.
const MAX_CHAIN: usize = 8;

/// Adds every correlation that can be resolved; gives back the others and why. Each pass adds those
/// whose references are all there, so that the order of documents does not matter.
pub(super) fn compile(
    set: &mut RuleSet,
    names: &mut Names,
    mapping: &dyn FieldMapping,
    documents: Vec<CorrelationDocument>,
) -> Vec<(Fault, CorrelationDocument)> {
    let mut waiting = documents;
    let mut refused = Vec::new();
    for _ in 0..MAX_CHAIN {
        let before = waiting.len();
        let unresolved = Waiting::new(&waiting);
        let (ready, rest): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|document| unresolved.reference(document).is_none());
        waiting = rest;
        for document in ready {
            match correlation(set, names, mapping, &document) {
                Ok(correlation) => {
                    names.place(&correlation.info, Reference::Correlation(set.correlations.len()));
                    set.correlations.push(correlation);
                }
                Err(fault) => refused.push((fault, document)),
            }
        }
        if waiting.len() == before {
            break;
        }
    }
    refused.extend(stuck(waiting));
    refused
}

/// What still waits refers to itself, to such a one, or through too many others.
fn stuck(waiting: Vec<CorrelationDocument>) -> Vec<(Fault, CorrelationDocument)> {
    let unresolved = Waiting::new(&waiting);
    let fault = |document: CorrelationDocument| {
        let through = unresolved.reference(&document).unwrap_or_default().into();
        (Fault::from(Cause::Cycle(through)).within("rules"), document)
    };
    waiting.into_iter().map(fault).collect()
}

/// Ids and names of correlations that are not there yet.
struct Waiting(std::collections::HashSet<String>);

impl Waiting {
    fn new(documents: &[CorrelationDocument]) -> Self {
        let texts = documents.iter().flat_map(|read| [Some(&read.info.id), read.info.name.as_ref()]);
        Self(texts.flatten().map(|text| text.to_lowercase()).collect())
    }

    fn reference<'d>(&self, document: &'d CorrelationDocument) -> Option<&'d str> {
        document.rules.iter().find(|rule| self.0.contains(&rule.to_lowercase())).map(String::as_str)
    }
}

fn correlation(
    set: &RuleSet,
    names: &Names,
    mapping: &dyn FieldMapping,
    document: &CorrelationDocument,
) -> Result<Correlation, Fault> {
    let references = references(names, document).map_err(|fault| fault.within("rules"))?;
    let aliases = document
        .aliases
        .iter()
        .map(|alias| resolve_alias(names, alias, &references).map_err(|fault| fault.within(&alias.name)));
    let aliases = aliases.collect::<Result<Vec<_>, _>>().map_err(|fault| fault.within("aliases"))?;
    let scope = Scope { set, mapping, references: &references, aliases: &aliases };
    let group = |name: &String| Ok(GroupField { name: name.clone(), sources: scope.sources(name)? });
    let group_by = document.group_by.iter().map(group).collect::<Result<_, Fault>>();
    let values = document.value_fields.iter().map(|name| scope.sources(name)).collect::<Result<_, Fault>>();
    let value_sources = values.map_err(|fault| fault.within("field").within("condition"))?;
    let group_by = group_by.map_err(|fault| fault.within("group-by"))?;
    let CorrelationDocument { info, kind, timespan, at_least, value_fields, generate, .. } = document.clone();
    Ok(Correlation {
        info,
        kind,
        references,
        timespan,
        group_by,
        at_least,
        value_fields,
        generate,
        value_sources,
    })
}

fn references(names: &Names, document: &CorrelationDocument) -> Result<Vec<Reference>, Fault> {
    let mut references = Vec::new();
    for rule in &document.rules {
        let reference = names.resolved(rule)?;
        if references.contains(&reference) {
            return Err(Cause::Duplicate { what: rule.as_str().into(), by: "the same list".into() }.into());
        }
        references.push(reference);
    }
    Ok(references)
}

/// An alias and the field it stands for in each reference.
struct ResolvedAlias<'d> {
    name: &'d str,
    fields: Vec<Option<&'d str>>,
}

fn resolve_alias<'d>(
    names: &Names,
    alias: &'d Alias,
    references: &[Reference],
) -> Result<ResolvedAlias<'d>, Fault> {
    let mut fields = vec![None; references.len()];
    for (rule, field) in &alias.fields {
        let reference = names.resolve(rule);
        let position = references.iter().position(|own| Some(*own) == reference);
        let slot = position.and_then(|position| fields.get_mut(position));
        let slot =
            slot.ok_or_else(|| Fault::from(Cause::UnknownReference(rule.as_str().into())).within(rule))?;
        *slot = Some(field.as_str());
    }
    for (reference, field) in references.iter().zip(&fields) {
        if field.is_none() && matches!(reference, Reference::Rule(_)) {
            return Err(Cause::invalid("a field for every rule", "a rule without one").into());
        }
    }
    Ok(ResolvedAlias { name: &alias.name, fields })
}

/// What a field name means within one correlation.
struct Scope<'c> {
    set: &'c RuleSet,
    mapping: &'c dyn FieldMapping,
    references: &'c [Reference],
    aliases: &'c [ResolvedAlias<'c>],
}

impl Scope<'_> {
    /// Where the value of a field or alias is found, for every reference.
    fn sources(&self, name: &str) -> Result<FieldSources, Fault> {
        let alias = self.aliases.iter().find(|alias| alias.name == name);
        let source = |(position, reference): (usize, &Reference)| {
            let field = alias.and_then(|alias| alias.fields.get(position).copied().flatten()).unwrap_or(name);
            self.source(*reference, field)
        };
        self.references.iter().enumerate().map(source).collect()
    }

    /// A correlation has one value for a field only if it groups by it.
    fn source(&self, reference: Reference, field: &str) -> Result<Vec<String>, Fault> {
        let inner = match reference {
            Reference::Rule(index) => {
                let log_source = &self.set.rules[index].log_source;
                return Ok(mapping::candidates(self.mapping, log_source, field));
            }
            Reference::Correlation(index) => &self.set.correlations[index],
        };
        let Some(group) = inner.group_by.iter().find(|group| group.name == field) else {
            let words =
                format!("`{field}`, which the correlation `{}` does not group by,", inner.info.handle());
            return Err(Cause::Unsupported(words.into()).into());
        };
        let mut names: Vec<String> = Vec::new();
        for name in group.sources.iter().flatten() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Ok(names)
    }
}

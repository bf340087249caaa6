//! Correlations onto the rules and correlations they refer to, those referred to first.

use std::time::Duration;

use super::budget::Budget;
use super::building::Building;
use super::names::Names;
use super::{CompileOptions, windows};
use crate::correlation::{Correlation, FieldSources, GroupField, Reference};
use crate::document::{Alias, CorrelationDocument, Document};
use crate::mapping;
use crate::refusal::{Cause, Fault};
use crate::rule_set::Rule;

/// Correlations of correlations: an event is passed on at most this many times.
const MAX_CHAIN: usize = 8;
/// References that are followed to find out where the fields of one correlation are read: correlations that refer to
/// many of the same ones multiply the ways.
const MAX_FOLLOWED: usize = 200_000;

/// A correlation, and the document it is.
type Read<'d> = (&'d Document, &'d CorrelationDocument);

/// Adds every correlation that can be resolved; returns the others with reasons. Each pass adds those whose references are all
/// there, so that the order of documents does not matter.
pub(super) fn compile<'d>(
    building: &mut Building<'_>,
    names: &mut Names<'_>,
    options: &CompileOptions<'_>,
    budget: &mut Budget<'_>,
    documents: Vec<Read<'d>>,
) -> Vec<(Fault, &'d Document)> {
    let mut waiting = documents;
    let mut refused = Vec::new();
    for _ in 0..MAX_CHAIN {
        let before = waiting.len();
        let unresolved = Waiting::new(&waiting);
        let (ready, rest): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(_, read)| unresolved.reference(read).is_none());
        waiting = rest;
        for (document, read) in ready {
            let compiled = budget.begin(&read.text);
            let compiled = compiled.and_then(|()| correlation(building, names, options, budget, read));
            budget.end(compiled.is_ok());
            match compiled {
                Ok(correlation) => {
                    names.place(&correlation.info, Reference::Correlation(building.next_correlation()));
                    building.own.correlations.push(correlation);
                }
                Err(fault) => refused.push((fault, document)),
            }
        }
        if waiting.len() == before {
            break;
        }
    }
    refused.extend(stuck(&waiting));
    refused
}

/// A document that still waits refers to itself, to another one that does, or through too many others.
fn stuck<'d>(waiting: &[Read<'d>]) -> Vec<(Fault, &'d Document)> {
    let unresolved = Waiting::new(waiting);
    let fault = |(document, read): &Read<'d>| {
        let through = unresolved.reference(read).unwrap_or_default().into();
        (Fault::from(Cause::Cycle(through)).within("rules"), *document)
    };
    waiting.iter().map(fault).collect()
}

/// Ids and names of correlations that are not there yet.
struct Waiting(std::collections::HashSet<String>);

impl Waiting {
    fn new(documents: &[Read<'_>]) -> Self {
        let texts = documents.iter().flat_map(|(_, read)| [Some(&read.info.id), read.info.name.as_ref()]);
        Self(texts.flatten().map(|text| text.to_lowercase()).collect())
    }

    fn reference<'d>(&self, document: &'d CorrelationDocument) -> Option<&'d str> {
        document.rules.iter().find(|rule| self.0.contains(&rule.to_lowercase())).map(String::as_str)
    }
}

fn correlation(
    building: &Building<'_>,
    names: &Names<'_>,
    options: &CompileOptions<'_>,
    budget: &mut Budget<'_>,
    document: &CorrelationDocument,
) -> Result<Correlation, Fault> {
    let references = references(names, document).map_err(|fault| fault.within("rules"))?;
    budget.counted_rules(references.len())?;
    let condition = windows::condition(document).map_err(|fault| fault.within("condition"))?;
    let aliases = document
        .aliases
        .iter()
        .map(|alias| resolve_alias(names, alias, &references).map_err(|fault| fault.within(&alias.name)));
    let aliases = aliases.collect::<Result<Vec<_>, _>>().map_err(|fault| fault.within("aliases"))?;
    let mut scope = Scope { building, options, references: &references, aliases: &aliases, followed: 0 };
    let mut sources = |name: &String| {
        let sources = scope.sources(name)?;
        sources.iter().try_for_each(|names| budget.names(names))?;
        Ok(sources)
    };
    let group = |name: &String| Ok(GroupField { name: name.clone(), sources: sources(name)? });
    let group_by = document.group_by.iter().map(group).collect::<Result<_, Fault>>();
    let values = document.value_fields.iter().map(&mut sources).collect::<Result<_, Fault>>();
    let value_sources = values.map_err(|fault| fault.within("field").within("condition"))?;
    let group_by = group_by.map_err(|fault| fault.within("group-by"))?;
    let at_least = condition.at_least();
    let patience = references.iter().map(|reference| delay(building, *reference)).max().unwrap_or_default();
    let CorrelationDocument { info, measure, timespan, value_fields, generate, .. } = document.clone();
    Ok(Correlation {
        info,
        kind: windows::kind(measure),
        references,
        timespan,
        group_by,
        condition,
        at_least,
        value_fields,
        generate,
        value_sources,
        patience,
    })
}

/// Longest time from an event until a correlation may know that its reference has matched.
fn delay(building: &Building<'_>, reference: Reference) -> Duration {
    let Reference::Correlation(index) = reference else { return Duration::ZERO };
    let Some(inner) = building.correlation(index) else { return Duration::ZERO };
    inner.patience + if inner.condition.is_decided_at_end() { inner.timespan } else { Duration::ZERO }
}

fn references(names: &Names<'_>, document: &CorrelationDocument) -> Result<Vec<Reference>, Fault> {
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

/// An alias and its field in each reference.
struct ResolvedAlias<'d> {
    name: &'d str,
    fields: Vec<Option<&'d str>>,
}

fn resolve_alias<'d>(
    names: &Names<'_>,
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

/// Meanings of field names within one correlation.
struct Scope<'c> {
    building: &'c Building<'c>,
    options: &'c CompileOptions<'c>,
    references: &'c [Reference],
    aliases: &'c [ResolvedAlias<'c>],
    /// References that were followed so far.
    followed: usize,
}

impl Scope<'_> {
    /// Sources of the value of a field or alias, for every reference.
    fn sources(&mut self, name: &str) -> Result<FieldSources, Fault> {
        let (references, aliases) = (self.references, self.aliases);
        let alias = aliases.iter().find(|alias| alias.name == name);
        let source = |(position, reference): (usize, &Reference)| {
            let field = alias.and_then(|alias| alias.fields.get(position).copied().flatten()).unwrap_or(name);
            self.source(*reference, field)
        };
        references.iter().enumerate().map(source).collect()
    }

    /// A correlation has a group's value for a field it groups by; any other field is read from the
    /// events it counts.
    fn source(&mut self, reference: Reference, field: &str) -> Result<Vec<String>, Fault> {
        self.followed += 1;
        if self.followed > MAX_FOLLOWED {
            let cause =
                Cause::TooLarge { what: "references between a field and its rules", limit: MAX_FOLLOWED };
            return Err(cause.into());
        }
        let building = self.building;
        let mut names: Vec<String> = Vec::new();
        let inner = match reference {
            Reference::Rule(index) => {
                let rule = building.rule(index);
                let candidates =
                    |rule: &Rule| mapping::candidates(self.options.mapping, &rule.log_source, field);
                return Ok(rule.map(candidates).unwrap_or_default());
            }
            Reference::Correlation(index) => building.correlation(index),
        };
        let Some(inner) = inner else { return Ok(names) };
        let mut add = |name: &String| {
            if !names.contains(name) {
                names.push(name.clone());
            }
        };
        if let Some(group) = inner.group_by.iter().find(|group| group.name == field) {
            group.sources.iter().flatten().for_each(&mut add);
            return Ok(names);
        }
        for reference in &inner.references {
            self.source(*reference, field)?.iter().for_each(&mut add);
        }
        Ok(names)
    }
}

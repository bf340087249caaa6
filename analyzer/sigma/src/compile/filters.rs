//! Filters onto the rules they are for: result = rule and not filter, only where log sources agree.

use std::collections::HashMap;

use super::names::Names;
use super::values::Values;
use super::{CompileOptions, detection};
use crate::correlation::Reference;
use crate::document::{FilterDocument, FilterTarget};
use crate::refusal::{Cause, Fault};
use crate::rule::RuleLogSource;
use crate::rule_set::{AppliedFilter, Filter, RuleSet};

/// Adds a filter to every rule it is for, or to none.
pub(super) fn compile(
    set: &mut RuleSet,
    names: &Names,
    options: &CompileOptions<'_>,
    document: &FilterDocument,
) -> Result<(), Fault> {
    let rules = targets(set, names, document).map_err(|fault| fault.within("rules"))?;
    // Field names depend on the rule's log source, so that one program serves all rules of one.
    let mut programs: HashMap<RuleLogSource, usize> = HashMap::new();
    let mut applied = Vec::new();
    let mut values = Values::new(options.placeholders, document.author);
    for &index in &rules {
        let Some(rule) = set.rules.get(index) else { continue };
        let program = match programs.get(&rule.log_source) {
            Some(known) => *known,
            None => {
                let (detection, fields) = (&document.detection, &mut set.fields);
                let made =
                    detection::program(detection, &rule.log_source, options.mapping, fields, &mut values)?;
                programs.insert(rule.log_source.clone(), set.filter_programs.len());
                set.filter_programs.push(made);
                set.filter_programs.len() - 1
            }
        };
        applied.push((index, AppliedFilter { filter: set.filters.len(), program }));
    }
    for (index, filter) in applied {
        set.rules[index].filters.push(filter);
    }
    let FilterDocument { info, log_source, .. } = document.clone();
    set.filters.push(Filter { info, log_source, rules });
    Ok(())
}

fn targets(set: &RuleSet, names: &Names, document: &FilterDocument) -> Result<Vec<usize>, Fault> {
    let FilterTarget::Rules(wanted) = &document.target else {
        let rules = set.rules.iter().enumerate();
        let covered = rules.filter(|(_, rule)| document.log_source.covers(&rule.log_source));
        return Ok(covered.map(|(index, _)| index).collect());
    };
    let mut rules = Vec::new();
    for text in wanted {
        let Reference::Rule(index) = names.resolved(text)? else {
            return Err(Cause::Unsupported("filtering a correlation".into()).into());
        };
        if !document.log_source.covers(&set.rules[index].log_source) {
            return Err(Cause::LogSource(text.as_str().into()).into());
        }
        rules.push(index);
    }
    rules.sort_unstable();
    rules.dedup();
    Ok(rules)
}

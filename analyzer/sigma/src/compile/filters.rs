//! Filters onto the rules they are for: result = rule and not filter, only where log sources agree.

use std::collections::HashMap;

use super::budget::Budget;
use super::building::Building;
use super::names::Names;
use super::values::Values;
use super::{CompileOptions, detection};
use crate::correlation::Reference;
use crate::document::{FilterDocument, FilterTarget};
use crate::refusal::{Cause, Fault};
use crate::rule::RuleLogSource;
use crate::rule_set::{AppliedFilter, Filter, OpenFilter};

/// Adds a filter to every rule it is for, or to none.
pub(super) fn compile(
    building: &mut Building<'_>,
    names: &Names<'_>,
    options: &CompileOptions<'_>,
    budget: &mut Budget<'_>,
    document: &FilterDocument,
) -> Result<(), Fault> {
    let rules = targets(building, names, document).map_err(|fault| fault.within("rules"))?;
    let filter = building.next_filter();
    apply(building, options, budget, (filter, document), &rules)?;
    // No set is compiled beside a set that is beside another.
    if document.target == FilterTarget::Any && building.shared.is_none() {
        building.own.open_filters.push(OpenFilter { filter, document: document.clone() });
    }
    let FilterDocument { info, log_source, .. } = document.clone();
    building.own.filters.push(Filter { info, log_source });
    Ok(())
}

/// Lets a filter of the shared set, which is for any rule of its log source, apply to the rules beside it.
pub(super) fn apply_shared(
    building: &mut Building<'_>,
    options: &CompileOptions<'_>,
    budget: &mut Budget<'_>,
    filter: &OpenFilter,
) -> Result<(), Fault> {
    let log_source = &filter.document.log_source;
    let rules = (building.first_rule()..).zip(&building.own.rules);
    let covered = rules.filter(|(_, rule)| log_source.covers(&rule.log_source)).map(|(index, _)| index);
    apply(building, options, budget, (filter.filter, &filter.document), &covered.collect::<Vec<_>>())
}

fn apply(
    building: &mut Building<'_>,
    options: &CompileOptions<'_>,
    budget: &mut Budget<'_>,
    (filter, document): (usize, &FilterDocument),
    rules: &[usize],
) -> Result<(), Fault> {
    // Field names depend on the rule's log source, so that one program serves all rules of one.
    let mut programs: HashMap<RuleLogSource, u32> = HashMap::new();
    let (filter, mut applied) = (index(filter), Vec::new());
    budget.filtered_rules(rules.len())?;
    let mut values = Values::new(options.placeholders, document.author, budget);
    for &rule in rules {
        let Some(log_source) = building.rule(rule).map(|rule| &rule.log_source) else { continue };
        let program = match programs.get(log_source) {
            Some(known) => *known,
            None => {
                let log_source = log_source.clone();
                let (detection, fields) = (&document.detection, &mut building.own.fields);
                let made = detection::program(detection, &log_source, options.mapping, fields, &mut values)?;
                let place = index(building.own.filter_programs.len());
                programs.insert(log_source, place);
                building.own.filter_programs.push(made);
                place
            }
        };
        applied.push((rule, AppliedFilter { filter, program }));
    }
    applied.into_iter().for_each(|(rule, filter)| building.apply(rule, filter));
    Ok(())
}

/// Far fewer filters than 2^32 fit into the memory rules may take.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn targets(
    building: &Building<'_>,
    names: &Names<'_>,
    document: &FilterDocument,
) -> Result<Vec<usize>, Fault> {
    let FilterTarget::Rules(wanted) = &document.target else {
        let rules = building.rules().enumerate();
        let covered = rules.filter(|(_, rule)| document.log_source.covers(&rule.log_source));
        return Ok(covered.map(|(index, _)| index).collect());
    };
    let mut rules = Vec::new();
    for text in wanted {
        let Reference::Rule(index) = names.resolved(text)? else {
            return Err(Cause::Unsupported("filtering a correlation".into()).into());
        };
        let rule = building.rule(index).ok_or_else(|| Cause::UnknownReference(text.as_str().into()))?;
        if !document.log_source.covers(&rule.log_source) {
            return Err(Cause::LogSource(text.as_str().into()).into());
        }
        rules.push(index);
    }
    rules.sort_unstable();
    rules.dedup();
    Ok(rules)
}

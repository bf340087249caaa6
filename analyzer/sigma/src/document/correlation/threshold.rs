//! The condition of a correlation: bounds of its measure, or an expression over rules.

use super::{CorrelationCondition, CorrelationType, names};
use crate::bounds::{Bounds, Operator};
use crate::document::condition;
use crate::number::Number;
use crate::refusal::{Cause, Fault};
use crate::yaml::Node;

/// The condition where it is an expression over rules.
pub(super) fn expression(node: &Node, measure: CorrelationType) -> Result<Option<&str>, Fault> {
    let Node::Text(_) = node else { return Ok(None) };
    match measure {
        CorrelationType::Temporal => node.as_text().map(Some),
        CorrelationType::TemporalOrdered => {
            Err(Cause::Unsupported("an expression over rules in order".into()).into())
        }
        _ => Err(Cause::invalid("a map", node.describe()).into()),
    }
}

/// An expression in which every rule of the list has a part.
pub(super) fn over_rules(node: &Node, rules: &[String]) -> Result<CorrelationCondition, Fault> {
    let names: Vec<&str> = rules.iter().map(String::as_str).collect();
    let condition = condition::parse(node, &names)?;
    let named = condition.selections();
    if let Some(idle) = names.iter().find(|name| !named.contains(*name)) {
        return Err(Cause::invalid("every rule of the list in it", format!("none of `{idle}`")).into());
    }
    Ok(CorrelationCondition::Rules(condition))
}

/// Bounds of the measure, and its other parameters in a condition: fields, percentile.
pub(super) fn bounds(
    node: &Node,
    measure: &mut CorrelationType,
    rules: usize,
    fields: &mut Vec<String>,
) -> Result<CorrelationCondition, Fault> {
    let is_temporal = matches!(measure, CorrelationType::Temporal | CorrelationType::TemporalOrdered);
    if node == &Node::Null {
        let every = || CorrelationCondition::Bounds(Bounds::at_least(rules as u64));
        return if is_temporal { Ok(every()) } else { Err(Cause::Missing.into()) };
    }
    let looks_at_values = !is_temporal && *measure != CorrelationType::EventCount;
    let mut stated = Vec::new();
    let mut percentile = None;
    for (key, node) in node.as_map()? {
        let read = match key.as_str() {
            "field" if looks_at_values => value_fields(node, *measure).map(|names| *fields = names),
            "percentile" if matches!(measure, CorrelationType::ValuePercentile(_)) => {
                rank(node).map(|rank| percentile = Some(rank))
            }
            word => match Operator::parse(word) {
                Some(operator) => bound(node, operator, *measure).map(|bound| stated.push((operator, bound))),
                None => Err(Cause::UnknownKey.into()),
            },
        };
        read.map_err(|fault: Fault| fault.within(key))?;
    }
    if looks_at_values && fields.is_empty() {
        return Err(Fault::from(Cause::Missing).within("field"));
    }
    if matches!(measure, CorrelationType::ValuePercentile(_)) {
        let rank = percentile.ok_or_else(|| Fault::from(Cause::Missing).within("percentile"))?;
        *measure = CorrelationType::ValuePercentile(rank);
    }
    if stated.is_empty() {
        return Err(Fault::from(Cause::Missing).within("gte"));
    }
    let bounds = Bounds::new(&stated).ok_or_else(|| {
        Cause::invalid("one of gt, gte, lt, lte, eq and neq, or a range", "others together")
    })?;
    satisfiable(bounds, *measure, rules).map(CorrelationCondition::Bounds)
}

fn value_fields(node: &Node, measure: CorrelationType) -> Result<Vec<String>, Fault> {
    let fields = names(node)?;
    if measure != CorrelationType::ValueCount && fields.len() > 1 {
        return Err(Cause::invalid("one field, whose values are numbers", "several").into());
    }
    Ok(fields)
}

fn rank(node: &Node) -> Result<u8, Fault> {
    let expected = "a whole number from 1 to 100";
    let Node::Int(value) = node else { return Err(Cause::invalid(expected, node.describe()).into()) };
    let rank = u8::try_from(*value).ok().filter(|rank| (1..=100).contains(rank));
    rank.ok_or_else(|| Cause::invalid(expected, value.to_string()).into())
}

fn bound(node: &Node, operator: Operator, measure: CorrelationType) -> Result<Number, Fault> {
    if is_count(measure) {
        let least = i128::from(operator == Operator::GreaterOrEqual);
        return match node {
            Node::Int(value) if (least..=i128::from(u32::MAX)).contains(value) => Ok(Number::Int(*value)),
            Node::Int(value) => Err(Cause::invalid(
                "a count that a window with at least one event can have",
                value.to_string(),
            )
            .into()),
            other => Err(Cause::invalid("a whole number", other.describe()).into()),
        };
    }
    match node {
        Node::Int(value) => Ok(Number::Int(*value)),
        Node::Double(value) => Ok(Number::Double(*value)),
        other => Err(Cause::invalid("a number", other.describe()).into()),
    }
}

fn is_count(measure: CorrelationType) -> bool {
    matches!(
        measure,
        CorrelationType::EventCount
            | CorrelationType::ValueCount
            | CorrelationType::Temporal
            | CorrelationType::TemporalOrdered
    )
}

/// A window begins with an event: that there is none is never seen.
fn satisfiable(bounds: Bounds, measure: CorrelationType, rules: usize) -> Result<Bounds, Fault> {
    let can_hold = match measure {
        CorrelationType::EventCount | CorrelationType::ValueCount => bounds.least_count().is_some(),
        CorrelationType::Temporal | CorrelationType::TemporalOrdered => {
            bounds.least_count().is_some_and(|least| least <= rules as u64)
        }
        _ => bounds.can_hold(),
    };
    if !can_hold {
        let found = "one that no window can satisfy: a window begins with an event, and counts no more rules than there are";
        return Err(Cause::invalid("a condition that can be satisfied", found).into());
    }
    Ok(bounds)
}

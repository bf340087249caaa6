//! Correlation documents: which rules, grouped by what, within which time, how many.

use std::time::Duration;

use super::{metadata, required};
use crate::refusal::{Cause, Fault, Origin};
use crate::rule::RuleInfo;
use crate::yaml::{self, Map, Node};

/// The longest timespan: windows keep their events for as long.
const MAX_TIMESPAN: Duration = Duration::from_secs(31 * 24 * 3_600);
/// Rules of one correlation, and fields it groups by or counts; each is looked at for every event.
const MAX_ITEMS: usize = 64;

/// A correlation of rules.
#[derive(Clone, Debug)]
pub struct CorrelationDocument {
    /// Where it was read.
    pub origin: Origin,
    /// What it says about itself; its level is that of a match.
    pub info: RuleInfo,
    /// What is counted.
    pub kind: CorrelationKind,
    /// Ids or names of rules and other correlations, in the order they were written.
    pub rules: Vec<String>,
    /// Fields or aliases whose values must be equal.
    pub group_by: Vec<String>,
    /// Within which time, at most 31 days.
    pub timespan: Duration,
    /// Names for fields that differ between rules.
    pub aliases: Vec<Alias>,
    /// How many events, distinct values or rules in order; at least 1.
    pub at_least: u64,
    /// The fields whose distinct values are counted; several are counted as tuples.
    pub value_fields: Vec<String>,
    /// Whether the rules also match on their own.
    pub generate: bool,
}

/// What a correlation counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CorrelationKind {
    /// Events.
    EventCount,
    /// Distinct values.
    ValueCount,
    /// Every rule, one after the other.
    TemporalOrdered,
}

/// One name for fields that differ between rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// Id or name of a rule, and the field it stands for there.
    pub fields: Vec<(String, String)>,
}

const KEYS: [&str; 7] = ["type", "rules", "group-by", "timespan", "aliases", "condition", "generate"];

/// Reads a correlation document.
pub(super) fn parse(map: &Map, origin: &Origin) -> Result<CorrelationDocument, Fault> {
    let info = metadata::info(map, &["correlation", "generate"])?;
    let outer = yaml::get(map, "generate").map(Node::as_bool).transpose();
    let outer = outer.map_err(|fault| fault.within("generate"))?;
    let body = required(map, "correlation")?;
    let mut read = correlation(body, origin, info).map_err(|fault| fault.within("correlation"))?;
    read.generate |= outer.unwrap_or(false);
    Ok(read)
}

fn correlation(body: &Node, origin: &Origin, info: RuleInfo) -> Result<CorrelationDocument, Fault> {
    let body = body.as_map()?;
    if let Some((key, _)) = body.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        return Err(Fault::from(Cause::UnknownKey).within(key));
    }
    let optional = |key| yaml::get(body, key).unwrap_or(&Node::Null);
    let kind = kind(required(body, "type")?).map_err(|fault| fault.within("type"))?;
    let rules = rules(required(body, "rules")?, kind).map_err(|fault| fault.within("rules"))?;
    let group_by = names(optional("group-by")).map_err(|fault| fault.within("group-by"))?;
    let timespan = timespan(required(body, "timespan")?).map_err(|fault| fault.within("timespan"))?;
    let aliases = aliases(optional("aliases")).map_err(|fault| fault.within("aliases"))?;
    let (at_least, value_fields) =
        condition(optional("condition"), kind, rules.len()).map_err(|fault| fault.within("condition"))?;
    let generate = match yaml::get(body, "generate") {
        Some(node) => node.as_bool().map_err(|fault| fault.within("generate"))?,
        None => false,
    };
    let origin = origin.clone();
    Ok(CorrelationDocument {
        origin,
        info,
        kind,
        rules,
        group_by,
        timespan,
        aliases,
        at_least,
        value_fields,
        generate,
    })
}

fn kind(node: &Node) -> Result<CorrelationKind, Fault> {
    let unsupported = |name: &str| Cause::Unsupported(format!("correlation type `{name}`").into());
    match node.as_text()? {
        "event_count" => Ok(CorrelationKind::EventCount),
        "value_count" => Ok(CorrelationKind::ValueCount),
        "temporal_ordered" => Ok(CorrelationKind::TemporalOrdered),
        name @ ("temporal" | "value_sum" | "value_avg" | "value_percentile" | "value_median") => {
            Err(unsupported(name).into())
        }
        name => Err(Cause::invalid("a correlation type", format!("`{name}`")).into()),
    }
}

fn rules(node: &Node, kind: CorrelationKind) -> Result<Vec<String>, Fault> {
    let rules = names(node)?;
    if rules.is_empty() {
        return Err(Cause::invalid("at least one rule", "none").into());
    }
    if kind == CorrelationKind::TemporalOrdered && rules.len() < 2 {
        return Err(Cause::invalid("two or more rules in order", "one").into());
    }
    Ok(rules)
}

/// A list of names without repetition.
fn names(node: &Node) -> Result<Vec<String>, Fault> {
    let names = node.as_texts()?;
    if names.len() > MAX_ITEMS {
        return Err(Cause::TooLarge { what: "items", limit: MAX_ITEMS }.into());
    }
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(Cause::Duplicate { what: name.as_str().into(), by: "the same list".into() }.into());
        }
    }
    Ok(names)
}

fn timespan(node: &Node) -> Result<Duration, Fault> {
    let text = node.as_text()?;
    let expected = "a number followed by s, m, h, d or w, from 1s to 31d";
    let invalid = || Cause::invalid(expected, format!("`{text}`"));
    let unit = text.chars().next_back().ok_or_else(invalid)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        'M' | 'y' => return Err(Cause::Unsupported("a timespan in months or years".into()).into()),
        _ => return Err(invalid().into()),
    };
    let digits = &text[..text.len() - unit.len_utf8()];
    let count =
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u64>().ok()).flatten();
    let span = count.and_then(|count| count.checked_mul(seconds)).map(Duration::from_secs);
    let span = span.filter(|span| !span.is_zero() && *span <= MAX_TIMESPAN);
    span.ok_or_else(|| invalid().into())
}

fn aliases(node: &Node) -> Result<Vec<Alias>, Fault> {
    if node == &Node::Null {
        return Ok(Vec::new());
    }
    let entries = node.as_map()?;
    if entries.len() > MAX_ITEMS {
        return Err(Cause::TooLarge { what: "items", limit: MAX_ITEMS }.into());
    }
    let alias = |(name, fields): &(String, Node)| {
        let fields = alias_fields(fields).map_err(|fault| fault.within(name))?;
        Ok(Alias { name: name.clone(), fields })
    };
    entries.iter().map(alias).collect()
}

fn alias_fields(node: &Node) -> Result<Vec<(String, String)>, Fault> {
    let field = |(rule, field): &(String, Node)| {
        Ok((rule.clone(), field.as_text().map_err(|fault| fault.within(rule))?.to_owned()))
    };
    node.as_map()?.iter().map(field).collect()
}

/// The least number that satisfies the condition, and the fields whose values it counts.
fn condition(node: &Node, kind: CorrelationKind, rules: usize) -> Result<(u64, Vec<String>), Fault> {
    if kind == CorrelationKind::TemporalOrdered {
        if node != &Node::Null {
            return Err(Cause::Unsupported("a condition of `temporal_ordered`".into()).into());
        }
        return Ok((rules as u64, Vec::new()));
    }
    if node == &Node::Null {
        return Err(Cause::Missing.into());
    }
    let map = node.as_map()?;
    let mut at_least = None;
    let mut fields = Vec::new();
    for (key, node) in map {
        let read = match key.as_str() {
            "field" if kind == CorrelationKind::ValueCount => names(node).map(|names| fields = names),
            "gte" | "gt" => bound(node, key == "gt").and_then(|bound| match at_least.replace(bound) {
                Some(_) => Err(Cause::Unsupported("a range".into()).into()),
                None => Ok(()),
            }),
            "lt" | "lte" | "eq" | "neq" => {
                let words = format!("`{key}`, which can only be decided at the end of a window,");
                Err(Cause::Unsupported(words.into()).into())
            }
            _ => Err(Cause::UnknownKey.into()),
        };
        read.map_err(|fault: Fault| fault.within(key))?;
    }
    if kind == CorrelationKind::ValueCount && fields.is_empty() {
        return Err(Fault::from(Cause::Missing).within("field"));
    }
    Ok((at_least.ok_or_else(|| Fault::from(Cause::Missing).within("gte"))?, fields))
}

fn bound(node: &Node, exclusive: bool) -> Result<u64, Fault> {
    let expected = "a whole number that at least one event is needed for";
    let value = match node {
        Node::Int(value) => value.saturating_add(i128::from(exclusive)),
        other => return Err(Cause::invalid(expected, other.describe()).into()),
    };
    u64::try_from(value)
        .ok()
        .filter(|value| *value >= 1)
        .ok_or_else(|| Cause::invalid(expected, value.to_string()).into())
}

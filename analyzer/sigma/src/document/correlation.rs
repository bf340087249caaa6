//! Correlation documents: rules, group-by fields, timespan and condition.

mod threshold;

use std::time::Duration;

use super::condition::{self, Condition};
use super::{metadata, required};
use crate::bounds::Bounds;
use crate::refusal::{Cause, Fault, Origin};
use crate::rule::RuleInfo;
use crate::yaml::{self, Map, Node};

/// The longest timespan: windows keep their events for as long.
const MAX_TIMESPAN: Duration = Duration::from_secs(31 * 24 * 3_600);
/// Rules of one correlation, and fields it groups by or counts; each is read for every event.
const MAX_ITEMS: usize = 64;

/// A correlation of rules.
#[derive(Clone, Debug)]
pub struct CorrelationDocument {
    /// File and position of the document.
    pub origin: Origin,
    /// Its metadata; its level is that of a match.
    pub info: RuleInfo,
    /// The measure.
    pub measure: CorrelationType,
    /// Ids or names of rules and other correlations, in the order they were written.
    pub rules: Vec<String>,
    /// Fields or aliases whose values must be equal.
    pub group_by: Vec<String>,
    /// Within which time, at most 31 days.
    pub timespan: Duration,
    /// Names for fields that differ between rules.
    pub aliases: Vec<Alias>,
    /// When the correlation matches.
    pub condition: CorrelationCondition,
    /// The fields whose values are measured; several are counted as tuples.
    pub value_fields: Vec<String>,
    /// Whether the rules also match on their own.
    pub generate: bool,
    /// The document's text, for the line of a later refusal.
    pub(crate) text: std::sync::Arc<str>,
}

/// The types of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CorrelationType {
    /// Number of events.
    EventCount,
    /// Number of distinct values.
    ValueCount,
    /// The sum of a field's numbers.
    ValueSum,
    /// Their average.
    ValueAverage,
    /// Their percentile, from 1 to 100, by the nearest rank.
    ValuePercentile(u8),
    /// Their median; of an even number of values the mean of the two in the middle.
    ValueMedian,
    /// Number of the rules, in any order.
    Temporal,
    /// Number of the rules, one after the other.
    TemporalOrdered,
}

/// When a correlation matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorrelationCondition {
    /// The measure is within bounds.
    Bounds(Bounds),
    /// The rules that matched within the time satisfy an expression over their names.
    Rules(Condition),
}

/// One name for fields that differ between rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// Id or name of a rule, and its field for the alias.
    pub fields: Vec<(String, String)>,
}

const KEYS: [&str; 7] = ["type", "rules", "group-by", "timespan", "aliases", "condition", "generate"];

/// Reads a correlation document.
pub(super) fn parse(map: &Map, origin: &Origin, text: &str) -> Result<CorrelationDocument, Fault> {
    let info = metadata::info(map, &["correlation", "generate"])?;
    let outer = yaml::get(map, "generate").map(Node::as_bool).transpose();
    let outer = outer.map_err(|fault| fault.within("generate"))?;
    let body = required(map, "correlation")?;
    let mut read = correlation(body, origin, info, text).map_err(|fault| fault.within("correlation"))?;
    read.generate |= outer.unwrap_or(false);
    Ok(read)
}

fn correlation(
    body: &Node,
    origin: &Origin,
    info: RuleInfo,
    text: &str,
) -> Result<CorrelationDocument, Fault> {
    let body = body.as_map()?;
    if let Some((key, _)) = body.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        return Err(Fault::from(Cause::UnknownKey).within(key));
    }
    let optional = |key| yaml::get(body, key).unwrap_or(&Node::Null);
    let mut measure = measure(required(body, "type")?).map_err(|fault| fault.within("type"))?;
    let expression =
        threshold::expression(optional("condition"), measure).map_err(|fault| fault.within("condition"))?;
    let rules = match expression {
        Some(text) if optional("rules") == &Node::Null => condition::names(text),
        _ => names(required(body, "rules")?),
    };
    let rules = rules.and_then(|rules| enough(rules, measure)).map_err(|fault| fault.within("rules"))?;
    let group_by = names(optional("group-by")).map_err(|fault| fault.within("group-by"))?;
    let timespan = timespan(required(body, "timespan")?).map_err(|fault| fault.within("timespan"))?;
    let aliases = aliases(optional("aliases")).map_err(|fault| fault.within("aliases"))?;
    let mut value_fields = Vec::new();
    let condition = match expression {
        Some(_) => threshold::over_rules(optional("condition"), &rules),
        None => threshold::bounds(optional("condition"), &mut measure, rules.len(), &mut value_fields),
    };
    let condition = condition.map_err(|fault| fault.within("condition"))?;
    let generate = match yaml::get(body, "generate") {
        Some(node) => node.as_bool().map_err(|fault| fault.within("generate"))?,
        None => false,
    };
    let origin = origin.clone();
    Ok(CorrelationDocument {
        origin,
        info,
        measure,
        rules,
        group_by,
        timespan,
        aliases,
        condition,
        value_fields,
        generate,
        text: text.into(),
    })
}

fn measure(node: &Node) -> Result<CorrelationType, Fault> {
    Ok(match node.as_text()? {
        "event_count" => CorrelationType::EventCount,
        "value_count" => CorrelationType::ValueCount,
        "value_sum" => CorrelationType::ValueSum,
        "value_avg" => CorrelationType::ValueAverage,
        // The percentile is part of the condition.
        "value_percentile" => CorrelationType::ValuePercentile(50),
        "value_median" => CorrelationType::ValueMedian,
        "temporal" => CorrelationType::Temporal,
        "temporal_ordered" => CorrelationType::TemporalOrdered,
        name => return Err(Cause::invalid("a correlation type", format!("`{name}`")).into()),
    })
}

fn enough(rules: Vec<String>, measure: CorrelationType) -> Result<Vec<String>, Fault> {
    if rules.is_empty() {
        return Err(Cause::invalid("at least one rule", "none").into());
    }
    if measure == CorrelationType::TemporalOrdered && rules.len() < 2 {
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
    let expected = "a number followed by s, m, h, d, w, M or y, from 1s to 31d";
    let invalid = || Cause::invalid(expected, format!("`{text}`"));
    let unit = text.chars().next_back().ok_or_else(invalid)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        // A twelfth of the year, and the year, of the Gregorian calendar on average.
        'M' => 2_629_746,
        'y' => 31_556_952,
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

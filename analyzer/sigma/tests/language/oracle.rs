//! The meaning of a rule as it is written, implemented as directly as possible: no compilation, no sharing, no shortcuts, no
//! part of the tested matcher except reading documents and regular expressions. Slow.

// The paths are written out for files elsewhere that include this one.
#[path = "oracle/dates.rs"]
mod dates;
#[path = "oracle/encodings.rs"]
mod encodings;
#[path = "oracle/text.rs"]
pub(crate) mod text;

use std::cell::RefCell;
use std::collections::HashMap;

use sigma::document::{
    Comparison, Condition, Detection, FieldTest, Flags, Modifiers, Placement, Quantifier, Relation, Scalar,
    Selection, Subject,
};
use sigma::{Event, Number, Value};

use text::{Atom, alternatives, atoms_of_name, glob};

/// Whether an event satisfies a detection.
pub(crate) fn matches(detection: &Detection, event: &Event<'_>) -> bool {
    condition(&detection.condition, detection, event)
}

fn condition(node: &Condition, detection: &Detection, event: &Event<'_>) -> bool {
    match node {
        Condition::And(parts) => parts.iter().filter(|part| !condition(part, detection, event)).count() == 0,
        Condition::Or(parts) => parts.iter().filter(|part| condition(part, detection, event)).count() > 0,
        Condition::Not(part) => !condition(part, detection, event),
        Condition::Selection(wanted) => {
            let (_, found) = detection.selections.iter().find(|(name, _)| name == wanted).unwrap();
            selection(found, event)
        }
        Condition::Of(quantifier, subject) => {
            let meant = detection.selections.iter().filter(|(name, _)| match subject {
                Subject::Them => !name.starts_with('_'),
                Subject::Named(pattern) => glob(&atoms_of_name(pattern), name, true),
            });
            let results: Vec<bool> = meant.map(|(_, meant)| selection(meant, event)).collect();
            match quantifier {
                Quantifier::Any => results.contains(&true),
                Quantifier::All => !results.contains(&false),
            }
        }
    }
}

fn selection(node: &Selection, event: &Event<'_>) -> bool {
    match node {
        Selection::All(tests) => tests.iter().all(|test| field(test, event)),
        Selection::Any(parts) => parts.iter().any(|part| selection(part, event)),
    }
}

fn field(test: &FieldTest, event: &Event<'_>) -> bool {
    let found = match &test.field {
        None => Some(event.fields.iter().flat_map(|(_, value)| leaves(value, true)).collect()),
        Some(name) => lookup_either(event, name),
    };
    let values = found.clone().unwrap_or_default();
    let modifiers = &test.modifiers;
    let mut results = Vec::new();
    for wanted in &test.values {
        results.push(match (modifiers.kind, wanted) {
            (Relation::Exists, Scalar::Bool(wanted)) => *wanted == found.is_some(),
            (_, Scalar::Null) => values.is_empty() != modifiers.negated,
            _ if values.is_empty() => false,
            (Relation::FieldReference(placement), Scalar::Text(other)) => {
                let others = lookup_either(event, other.trim()).unwrap_or_default();
                let pair = |value: &&Value<'_>| {
                    others.iter().take(64).any(|other| refers(value, other, placement, modifiers.cased))
                };
                !others.is_empty() && values.iter().any(pair) != modifiers.negated
            }
            _ => {
                let holds = |value: &&Value<'_>| one(wanted, modifiers, test.field.is_none(), value);
                values.iter().any(holds) != modifiers.negated
            }
        });
    }
    if modifiers.every || modifiers.negated { !results.contains(&false) } else { results.contains(&true) }
}

/// Value at a name without its spaces, or else with them; `None` where neither is there.
fn lookup_either<'e>(event: &'e Event<'_>, name: &str) -> Option<Vec<&'e Value<'e>>> {
    let (bare, full) = (follow(&event.fields, &name.replace(' ', "")), follow(&event.fields, name));
    match bare {
        Some(values) if values.is_empty() => full.or(Some(values)),
        Some(values) => Some(values),
        None => full,
    }
}

/// The values at a name: the literal field, else every way the path can be taken, in order.
fn follow<'e>(
    entries: &'e [(std::borrow::Cow<'_, str>, Value<'_>)],
    name: &str,
) -> Option<Vec<&'e Value<'e>>> {
    if let Some((_, value)) = entries.iter().find(|(own, _)| own == name) {
        return Some(leaves(value, false));
    }
    let dots = name.match_indices('.').map(|(at, _)| at);
    let mut ways = Vec::new();
    for dot in dots {
        for (position, (own, value)) in entries.iter().enumerate() {
            if *own == name[..dot] && dot + 1 < name.len() {
                ways.push((position, below(value, &name[dot + 1..])));
            }
        }
    }
    ways.sort_by_key(|(position, _)| *position);
    ways.into_iter().find_map(|(_, found)| found)
}

fn below<'e>(value: &'e Value<'_>, name: &str) -> Option<Vec<&'e Value<'e>>> {
    match value {
        Value::Map(entries) => follow(entries, name),
        Value::Array(items) => {
            let found: Vec<_> = items.iter().filter_map(|item| below(item, name)).collect();
            if found.is_empty() { None } else { Some(found.concat()) }
        }
        _ => None,
    }
}

fn leaves<'e>(value: &'e Value<'_>, into_maps: bool) -> Vec<&'e Value<'e>> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().flat_map(|item| leaves(item, into_maps)).collect(),
        Value::Map(entries) if into_maps => {
            entries.iter().flat_map(|(_, value)| leaves(value, true)).collect()
        }
        single => vec![single],
    }
}

/// Whether one value of the rule holds for one value of the event.
fn one(wanted: &Scalar, modifiers: &Modifiers, keyword: bool, value: &Value<'_>) -> bool {
    let Some(text) = written(value) else { return false };
    match (modifiers.kind, wanted) {
        (Relation::Regex(flags), Scalar::Text(wanted)) => {
            compiled(wanted, flags).find_iter(&text).next().is_some()
        }
        (Relation::Network, Scalar::Text(wanted)) => value.as_str().is_some_and(|text| within(wanted, text)),
        (Relation::TimePart(part, relation), Scalar::Number(wanted)) => {
            let found = value.as_str().and_then(|text| dates::time_part(text, part));
            let found = found.map(|found| double(&Number::Int(found.into())));
            found.is_some_and(|found| match relation {
                Some(relation) => compares(relation, found, double(wanted)),
                None => found == double(wanted),
            })
        }
        (Relation::Compare(relation), Scalar::Number(wanted)) => {
            number(value, &text).is_some_and(|own| compares(relation, own, double(wanted)))
        }
        (_, Scalar::Number(Number::Int(wanted))) if keyword => text.contains(&wanted.to_string()),
        (_, Scalar::Number(wanted)) => number(value, &text) == Some(double(wanted)),
        (_, Scalar::Bool(wanted)) => {
            matches!(value, Value::Bool(_) | Value::String(_))
                && text.to_ascii_lowercase() == wanted.to_string()
        }
        (kind, Scalar::Text(wanted)) => alternatives(wanted, modifiers).into_iter().any(|mut atoms| {
            if keyword || matches!(kind, Relation::Contains | Relation::EndsWith) {
                atoms.insert(0, Atom::Run);
            }
            if keyword || matches!(kind, Relation::Contains | Relation::StartsWith) {
                atoms.push(Atom::Run);
            }
            glob(&atoms, &text, modifiers.cased)
        }),
        (_, Scalar::Null) => unreachable!("decided without looking at values"),
    }
}

/// Expressions are the one thing that is remembered: compiling one takes longer than all else together.
fn compiled(text: &str, flags: Flags) -> regex::Regex {
    thread_local!(static KNOWN: RefCell<HashMap<(String, Flags), regex::Regex>> = RefCell::default());
    let fresh = || {
        let mut builder = regex::RegexBuilder::new(text);
        builder.case_insensitive(flags.ignore_case).multi_line(flags.multi_line);
        builder.dot_matches_new_line(flags.dot_all).size_limit(4 << 20).build().unwrap()
    };
    KNOWN.with_borrow_mut(|known| known.entry((text.to_owned(), flags)).or_insert_with(fresh).clone())
}

fn written(value: &Value<'_>) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Int(value) => Some(format!("{value}")),
        Value::Double(value) => Some(format!("{value}")),
        Value::Bool(value) => Some(format!("{value}")),
        _ => None,
    }
}

fn refers(value: &Value<'_>, other: &Value<'_>, placement: Placement, cased: bool) -> bool {
    let (Some(text), Some(wanted)) = (written(value), written(other)) else { return false };
    let is_number = |value: &Value<'_>| matches!(value, Value::Int(_) | Value::Double(_));
    if placement == Placement::Whole && (is_number(value) || is_number(other)) {
        let own = number(value, &text);
        return own.is_some() && own == number(other, &wanted);
    }
    let mut atoms: Vec<Atom> = wanted.chars().map(Atom::Same).collect();
    if matches!(placement, Placement::Anywhere | Placement::End) {
        atoms.insert(0, Atom::Run);
    }
    if matches!(placement, Placement::Anywhere | Placement::Start) {
        atoms.push(Atom::Run);
    }
    glob(&atoms, &text, cased)
}

fn compares(relation: Comparison, own: f64, wanted: f64) -> bool {
    match relation {
        Comparison::Less => own < wanted,
        Comparison::LessOrEqual => own <= wanted,
        Comparison::Greater => own > wanted,
        Comparison::GreaterOrEqual => own >= wanted,
    }
}

/// Enough for the numbers of the tests, which doubles hold exactly.
fn number(value: &Value<'_>, text: &str) -> Option<f64> {
    let digits = text.chars().last().is_some_and(|last| last.is_ascii_digit());
    let writes_one = matches!(value, Value::Int(_) | Value::Double(_)) || digits;
    if writes_one && !matches!(value, Value::Bool(_)) { text.parse().ok() } else { None }
}

#[expect(clippy::cast_precision_loss, reason = "the tests use small numbers")]
fn double(number: &Number) -> f64 {
    match number {
        Number::Int(value) => *value as f64,
        Number::Double(value) => *value,
    }
}

/// The leading bits of both addresses are the same; IPv4 written as IPv6 counts as both.
fn within(network: &str, address: &str) -> bool {
    let bits = |address: std::net::IpAddr| -> Vec<bool> {
        let bytes = match address {
            std::net::IpAddr::V4(address) => address.octets().to_vec(),
            std::net::IpAddr::V6(address) => address.octets().to_vec(),
        };
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect()
    };
    let (first, length) = network.split_once('/').unwrap_or((network, "128"));
    let first = bits(first.parse().unwrap());
    let length = first.len().min(length.parse().unwrap());
    let Ok(address) = address.parse::<std::net::IpAddr>() else { return false };
    [address, address.to_canonical()].into_iter().any(|address| {
        let address = bits(address);
        address.len() == first.len() && address[..length] == first[..length]
    })
}

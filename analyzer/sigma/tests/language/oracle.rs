//! The meaning of a parsed rule, written down as directly as possible: no compilation, no sharing, no
//! shortcuts. Slow, and independent of the matcher it is compared with.

use sigma::document::{
    Comparison, Condition, Detection, FieldTest, Part, Quantifier, Selection, Subject, ValueTest,
};
use sigma::{Event, Number, Value};

/// Whether an event is what a detection looks for.
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
                Subject::Named(pattern) => {
                    glob(&atoms_of_name(pattern), &name.chars().collect::<Vec<_>>(), true)
                }
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
    let values = match &test.field {
        None => event.fields.iter().flat_map(|(_, value)| leaves(value, true)).collect(),
        Some(name) => {
            let bare = name.replace(' ', "");
            let found = lookup(event, &bare);
            if found.is_empty() { lookup(event, name) } else { found }
        }
    };
    let results = test.values.iter().map(|wanted| holds(wanted, &values, test.negated));
    let results: Vec<bool> = results.collect();
    if test.every { !results.contains(&false) } else { results.contains(&true) }
}

/// The values at a name: the literal field, else every way the path can be taken, in order.
fn lookup<'e>(event: &'e Event<'_>, name: &str) -> Vec<&'e Value<'e>> {
    follow(&event.fields, name).unwrap_or_default()
}

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

fn holds(test: &ValueTest, values: &[&Value<'_>], negated: bool) -> bool {
    match test {
        ValueTest::Null if negated => !values.is_empty(),
        ValueTest::Null => values.is_empty(),
        ValueTest::Exists(wanted) => *wanted != values.is_empty(),
        _ if values.is_empty() => false,
        _ => {
            values.iter().filter(|value| one(test, value)).count() > 0 && !negated
                || negated && values.iter().all(|value| !one(test, value))
        }
    }
}

fn one(test: &ValueTest, value: &Value<'_>) -> bool {
    let text = match value {
        Value::String(text) => text.to_string(),
        Value::Int(value) => format!("{value}"),
        Value::Double(value) => format!("{value}"),
        Value::Bool(value) => format!("{value}"),
        _ => return false,
    };
    match test {
        ValueTest::Text { pattern, cased } => {
            glob(&atoms(&pattern.parts), &text.chars().collect::<Vec<_>>(), *cased)
        }
        ValueTest::Regex(regex) => regex.find_iter(&text).next().is_some(),
        ValueTest::Bool(wanted) => match value {
            Value::Bool(_) | Value::String(_) => text.to_ascii_lowercase() == wanted.to_string(),
            _ => false,
        },
        ValueTest::Network(network) => match value.as_str().map(str::parse::<std::net::IpAddr>) {
            Some(Ok(address)) => network.contains(&address) || network.contains(&address.to_canonical()),
            _ => false,
        },
        ValueTest::Number(wanted) => number(value, &text) == Some(double(wanted)),
        ValueTest::Compare(comparison, wanted) => number(value, &text).is_some_and(|own| match comparison {
            Comparison::Less => own < double(wanted),
            Comparison::LessOrEqual => own <= double(wanted),
            Comparison::Greater => own > double(wanted),
            Comparison::GreaterOrEqual => own >= double(wanted),
        }),
        ValueTest::Null | ValueTest::Exists(_) => unreachable!("decided without looking at values"),
    }
}

/// Enough for the numbers of the tests, which doubles hold exactly.
fn number(value: &Value<'_>, text: &str) -> Option<f64> {
    let digits = text.chars().last().is_some_and(|last| last.is_ascii_digit());
    let writes_one = matches!(value, Value::Int(_) | Value::Double(_)) || digits;
    if writes_one { text.parse().ok() } else { None }
}

#[expect(clippy::cast_precision_loss, reason = "the tests use small numbers")]
fn double(number: &Number) -> f64 {
    match number {
        Number::Int(value) => *value as f64,
        Number::Double(value) => *value,
    }
}

#[derive(Clone, Copy)]
enum Atom {
    Same(char),
    One,
    Run,
}

fn atoms(parts: &[Part]) -> Vec<Atom> {
    let atoms = |part: &Part| match part {
        Part::Literal(text) => text.chars().map(Atom::Same).collect(),
        Part::One => vec![Atom::One],
        Part::Run => vec![Atom::Run],
    };
    parts.iter().flat_map(atoms).collect()
}

fn atoms_of_name(pattern: &str) -> Vec<Atom> {
    pattern.chars().map(|c| if c == '*' { Atom::Run } else { Atom::Same(c) }).collect()
}

fn glob(pattern: &[Atom], text: &[char], cased: bool) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((Atom::Run, rest)), None) => glob(rest, text, cased),
        (Some((Atom::Run, rest)), Some((_, shorter))) => {
            glob(rest, text, cased) || glob(pattern, shorter, cased)
        }
        (Some(_), None) => false,
        (Some((Atom::One, rest)), Some((_, shorter))) => glob(rest, shorter, cased),
        (Some((Atom::Same(own), rest)), Some((other, shorter))) => {
            same(*own, *other, cased) && glob(rest, shorter, cased)
        }
    }
}

/// Equal, or equal in lower case where that is one character; ASCII equals ASCII only.
fn same(own: char, other: char, cased: bool) -> bool {
    if cased || own.is_ascii() != other.is_ascii() {
        return own == other;
    }
    let lower = |c: char| if c.to_lowercase().count() == 1 { c.to_lowercase().next().unwrap() } else { c };
    let non_ascii = |c: char| if !c.is_ascii() && lower(c).is_ascii() { c } else { lower(c) };
    non_ascii(own) == non_ascii(other)
}

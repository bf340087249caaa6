//! Matching one event against one compiled rule. Everything that could be decided before an event
//! arrives (names, patterns, encodings, quantifiers) was decided by `compile`; which rules are tried
//! at all is `rule_set`'s. Nothing here changes state.

pub(crate) mod allowance;
mod date;
pub(crate) mod fields;
pub(crate) mod keys;
pub(crate) mod literal;
pub(crate) mod lookup;
pub(crate) mod metered;
mod taken;
pub(crate) mod text;
mod three_valued;

use std::cmp::Ordering;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use memchr::memmem;

use crate::document::{Author, Comparison, Placement, TimePart};
use crate::event::Value;
use crate::expression::{Regex, Required};
use crate::number::Number;
use crate::pattern::Pattern;

use fields::FieldIndex;
use lookup::{Found, Lookup, Reading};
use text::TextMatcher;

/// Values of another field that a value is compared with, the first ones: each is compared with each.
const MOST_REFERENCED: usize = 64;

/// A compiled detection.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) condition: Expression,
    pub(crate) selections: Vec<Check>,
    /// Author of the document: the steps of an organization's are metered.
    pub(crate) author: Author,
}

/// Combination of selections.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Not(Box<Expression>),
    /// Index into the program's selections.
    Selection(usize),
}

/// A compiled selection or a part of it.
#[derive(Clone, Debug)]
pub(crate) enum Check {
    All(Vec<Check>),
    Any(Vec<Check>),
    Field(FieldCheck),
}

/// The tests of one field.
#[derive(Clone, Debug)]
pub(crate) struct FieldCheck {
    /// The field; none means every value of the event.
    pub(crate) field: Option<FieldIndex>,
    /// All tests must hold, not just one.
    pub(crate) every: bool,
    /// The field must be there, and no test hold.
    pub(crate) negated: bool,
    pub(crate) tests: Vec<Test>,
}

/// One test of a field's values.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Text(TextMatcher),
    Number(Number),
    Bool(bool),
    Null,
    Exists(bool),
    /// An expression, and the requirements on the texts that it matches.
    Regex(Regex, Arc<[Required]>),
    Network(IpNet),
    Compare(Comparison, Number),
    /// A part of a date; equal where no comparison is given.
    TimePart(TimePart, Option<Comparison>, Number),
    /// The values of another field.
    Reference(Reference),
    /// One of several texts of one value of the rule.
    Any(Vec<Test>),
}

/// A comparison with another field of the event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    pub(crate) field: FieldIndex,
    pub(crate) placement: Placement,
    pub(crate) cased: bool,
}

impl Program {
    /// Whether the event of `lookup` satisfies this detection.
    pub(crate) fn matches(&self, lookup: &mut Lookup<'_, '_>) -> bool {
        self.holds(&self.condition, lookup)
    }

    /// Appends the fields it reads, some of them several times.
    pub(crate) fn fields(&self, out: &mut Vec<FieldIndex>) {
        self.selections.iter().for_each(|selection| selection.fields(out));
    }

    fn holds(&self, expression: &Expression, lookup: &mut Lookup<'_, '_>) -> bool {
        match expression {
            Expression::All(parts) => parts.iter().all(|part| self.holds(part, lookup)),
            Expression::Any(parts) => parts.iter().any(|part| self.holds(part, lookup)),
            Expression::Not(part) => !self.holds(part, lookup),
            Expression::Selection(index) => {
                self.selections.get(*index).is_some_and(|selection| selection.holds(lookup))
            }
        }
    }
}

impl Check {
    fn fields(&self, out: &mut Vec<FieldIndex>) {
        match self {
            Self::All(checks) | Self::Any(checks) => checks.iter().for_each(|check| check.fields(out)),
            Self::Field(check) => {
                out.extend(check.field);
                check.tests.iter().for_each(|test| test.fields(out));
            }
        }
    }

    fn holds(&self, lookup: &mut Lookup<'_, '_>) -> bool {
        match self {
            Self::All(checks) => checks.iter().all(|check| check.holds(lookup)),
            Self::Any(checks) => checks.iter().any(|check| check.holds(lookup)),
            Self::Field(check) => check.holds(lookup),
        }
    }
}

impl FieldCheck {
    pub(crate) fn holds(&self, lookup: &mut Lookup<'_, '_>) -> bool {
        let found = lookup.find(self.field);
        let mut results = self.tests.iter().map(|test| self.test_holds(test, found, lookup));
        if self.every || self.negated { results.all(|holds| holds) } else { results.any(|holds| holds) }
    }

    fn test_holds(&self, test: &Test, found: Found, lookup: &mut Lookup<'_, '_>) -> bool {
        let holds = match test {
            Test::Null => return found.is_empty() != self.negated,
            Test::Exists(wanted) => return found.present == *wanted,
            Test::Reference(reference) => {
                let others = lookup.find(Some(reference.field));
                if others.is_empty() {
                    return false;
                }
                let others = lookup.readings(others).take(MOST_REFERENCED);
                lookup
                    .readings(found)
                    .any(|reading| others.clone().any(|other| reference.holds(reading, other)))
            }
            test => lookup.readings(found).any(|reading| test.holds(reading)),
        };
        !found.is_empty() && holds != self.negated
    }
}

impl Test {
    fn fields(&self, out: &mut Vec<FieldIndex>) {
        match self {
            Self::Reference(reference) => out.push(reference.field),
            Self::Any(tests) => tests.iter().for_each(|test| test.fields(out)),
            _ => {}
        }
    }

    /// Whether the test holds for one value, which is neither null nor an array.
    fn holds(&self, reading: Reading<'_, '_>) -> bool {
        let value = reading.value;
        match self {
            Self::Text(matcher) => text_matches(matcher, reading),
            Self::Regex(regex, _) => value.to_text().is_some_and(|text| regex.is_match(&text)),
            Self::Number(number) => compared(value, *number) == Some(Ordering::Equal),
            Self::Compare(comparison, number) => {
                compared(value, *number).is_some_and(|order| satisfies(*comparison, order))
            }
            Self::TimePart(part, comparison, number) => {
                let found = value.as_str().and_then(|text| date::part(text, *part));
                let order = found.and_then(|found| Number::Int(found.into()).compare(*number));
                order.is_some_and(|order| {
                    comparison.map_or(order.is_eq(), |comparison| satisfies(comparison, order))
                })
            }
            Self::Bool(wanted) => is_boolean(value, *wanted),
            Self::Network(network) => value.as_str().is_some_and(|text| contains(network, text)),
            Self::Any(tests) => tests.iter().any(|test| test.holds(reading)),
            // Not about one value: decided by the field's check.
            Self::Null | Self::Exists(_) | Self::Reference(_) => false,
        }
    }
}

impl Reference {
    /// Where one of two values is a number, both must be, and the same; else their texts are compared.
    fn holds(self, reading: Reading<'_, '_>, other: Reading<'_, '_>) -> bool {
        let is_number = |value: &Value<'_>| matches!(value, Value::Int(_) | Value::Double(_));
        if self.placement == Placement::Whole && (is_number(reading.value) || is_number(other.value)) {
            let other = Number::of(other.value);
            return other.is_some_and(|other| compared(reading.value, other) == Some(Ordering::Equal));
        }
        let (Some(text), Some(wanted)) = (reading.folded, other.folded) else { return false };
        if !self.cased && text.is_ascii() && wanted.is_ascii() {
            return self.placed(text, wanted);
        }
        let (Some(text), Some(wanted)) = (reading.value.to_text(), other.value.to_text()) else {
            return false;
        };
        if self.cased {
            return self.placed(&text, &wanted);
        }
        self.matcher(&wanted).matches(&text.to_ascii_lowercase())
    }

    fn placed(self, text: &str, wanted: &str) -> bool {
        match self.placement {
            Placement::Whole => text == wanted,
            Placement::Anywhere => memmem::find(text.as_bytes(), wanted.as_bytes()).is_some(),
            Placement::Start => text.starts_with(wanted),
            Placement::End => text.ends_with(wanted),
        }
    }

    fn matcher(self, wanted: &str) -> TextMatcher {
        let pattern = Pattern::literal(wanted);
        let pattern = match self.placement {
            Placement::Whole => pattern,
            Placement::Anywhere => pattern.after_anything().before_anything(),
            Placement::Start => pattern.before_anything(),
            Placement::End => pattern.after_anything(),
        };
        TextMatcher::new(&pattern, false)
    }
}

fn text_matches(matcher: &TextMatcher, reading: Reading<'_, '_>) -> bool {
    if matcher.is_cased() {
        return reading.value.to_text().is_some_and(|text| matcher.matches(&text));
    }
    reading.folded.is_some_and(|text| matcher.matches(text))
}

fn compared(value: &Value<'_>, number: Number) -> Option<Ordering> {
    Number::of(value)?.compare(number)
}

fn satisfies(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}

fn is_boolean(value: &Value<'_>, wanted: bool) -> bool {
    match value {
        Value::Bool(value) => *value == wanted,
        Value::String(text) => text.eq_ignore_ascii_case(if wanted { "true" } else { "false" }),
        _ => false,
    }
}

/// An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is within both kinds of network.
fn contains(network: &IpNet, text: &str) -> bool {
    let Ok(address) = text.parse::<IpAddr>() else { return false };
    network.contains(&address) || network.contains(&address.to_canonical())
}

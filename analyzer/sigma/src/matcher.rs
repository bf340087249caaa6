//! Matching one event against one compiled rule. Everything that could be decided before an event
//! arrives (names, patterns, quantifiers) was decided by `compile`; which rules are tried at all is
//! `rule_set`'s. Nothing here changes state, and nothing is allocated for a field that is one text.

pub(crate) mod lookup;
pub(crate) mod text;

use std::cmp::Ordering;
use std::net::IpAddr;

use ipnet::IpNet;
use regex::Regex;

use crate::document::Comparison;
use crate::event::Value;
use crate::number::Number;

use lookup::{FieldIndex, Lookup};
use text::TextMatcher;

/// A compiled detection.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) condition: Expression,
    pub(crate) selections: Vec<Check>,
}

/// How selections are combined.
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
    /// Which field; none stands for every value of the event.
    pub(crate) field: Option<FieldIndex>,
    pub(crate) every: bool,
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
    Regex(Regex),
    Network(IpNet),
    Compare(Comparison, Number),
}

impl Program {
    /// Whether the event of `lookup` is what this detection looks for.
    pub(crate) fn matches(&self, lookup: &mut Lookup<'_, '_>) -> bool {
        self.holds(&self.condition, lookup)
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
    fn holds(&self, lookup: &mut Lookup<'_, '_>) -> bool {
        match self {
            Self::All(checks) => checks.iter().all(|check| check.holds(lookup)),
            Self::Any(checks) => checks.iter().any(|check| check.holds(lookup)),
            Self::Field(check) => check.holds(lookup),
        }
    }
}

impl FieldCheck {
    fn holds(&self, lookup: &mut Lookup<'_, '_>) -> bool {
        let values = lookup.values(self.field);
        if self.every {
            self.tests.iter().all(|test| self.test_holds(test, values))
        } else {
            self.tests.iter().any(|test| self.test_holds(test, values))
        }
    }

    fn test_holds(&self, test: &Test, values: &[&Value<'_>]) -> bool {
        match test {
            Test::Null => values.is_empty() != self.negated,
            Test::Exists(wanted) => values.is_empty() != *wanted,
            test => !values.is_empty() && values.iter().any(|value| test.holds(value)) != self.negated,
        }
    }
}

impl Test {
    /// Whether the test holds for one value, which is neither null nor an array.
    fn holds(&self, value: &Value<'_>) -> bool {
        match self {
            Self::Text(matcher) => value.to_text().is_some_and(|text| matcher.matches(&text)),
            Self::Regex(regex) => value.to_text().is_some_and(|text| regex.is_match(&text)),
            Self::Number(number) => compared(value, *number) == Some(Ordering::Equal),
            Self::Compare(comparison, number) => {
                compared(value, *number).is_some_and(|order| satisfies(*comparison, order))
            }
            Self::Bool(wanted) => is_boolean(value, *wanted),
            Self::Network(network) => value.as_str().is_some_and(|text| contains(network, text)),
            Self::Null | Self::Exists(_) => false,
        }
    }
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

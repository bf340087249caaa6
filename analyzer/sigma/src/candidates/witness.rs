//! Literals of which a rule must find at least one, and which set of them is the rarest.

use std::collections::HashMap;

use crate::matcher::lookup::FieldIndex;
use crate::matcher::text::Anchor;
use crate::matcher::{Check, Expression, FieldCheck, Program, Test};

/// More witnesses than these are worth less than always evaluating the rule.
const MOST_WITNESSES: usize = 4_096;

/// Something that must be found in a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Witness {
    /// The field; none stands for any value of the event.
    pub(super) field: Option<FieldIndex>,
    /// What must be found in it.
    pub(super) literal: Literal,
}

/// What must be found in a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Literal {
    /// This text, lower-case where it is ASCII.
    Text(Anchor, String),
    /// This number, by the bits of the nearest double.
    Number(u64),
    /// Anything: the field is there.
    Present,
}

/// How many rules of a route look for each literal: what many look for is found often.
#[derive(Debug, Default)]
pub(super) struct Frequencies {
    counts: HashMap<Witness, u32>,
}

impl Frequencies {
    /// Counts everything that a rule looks for.
    pub(super) fn count(&mut self, program: &Program) {
        let mut found = Vec::new();
        program.selections.iter().for_each(|selection| every_witness(selection, &mut found));
        found.sort_unstable_by(|one, other| format!("{one:?}").cmp(&format!("{other:?}")));
        found.dedup();
        for witness in found {
            *self.counts.entry(witness).or_default() += 1;
        }
    }

    /// The cheapest set of witnesses of which a match has at least one; `None` where there is no such set.
    pub(super) fn best_witnesses(&self, program: &Program) -> Option<Vec<Witness>> {
        self.of_expression(&program.condition, program)
    }

    fn of_expression(&self, expression: &Expression, program: &Program) -> Option<Vec<Witness>> {
        match expression {
            Expression::All(parts) => self.best(parts.iter().map(|part| self.of_expression(part, program))),
            Expression::Any(parts) => union(parts.iter().map(|part| self.of_expression(part, program))),
            // That something is not there tells nothing about what is.
            Expression::Not(_) => None,
            Expression::Selection(index) => self.of_check(program.selections.get(*index)?),
        }
    }

    fn of_check(&self, check: &Check) -> Option<Vec<Witness>> {
        match check {
            Check::All(checks) => self.best(checks.iter().map(|check| self.of_check(check))),
            Check::Any(checks) => union(checks.iter().map(|check| self.of_check(check))),
            Check::Field(check) => self.of_field(check),
        }
    }

    fn of_field(&self, check: &FieldCheck) -> Option<Vec<Witness>> {
        let sets = || check.tests.iter().map(|test| of_test(check.field, test));
        if check.negated {
            // The field must have a value, unless it is only asked whether it exists.
            let valued = check.tests.iter().any(|test| !matches!(test, Test::Exists(_)));
            return valued.then(|| vec![present(check.field)]);
        }
        if check.every { self.best(sets()) } else { union(sets()) }
    }

    fn best(&self, sets: impl Iterator<Item = Option<Vec<Witness>>>) -> Option<Vec<Witness>> {
        sets.flatten().min_by(|one, other| self.cost(one).total_cmp(&self.cost(other)))
    }

    /// How likely, about, one of them is found in an event for nothing.
    fn cost(&self, witnesses: &[Witness]) -> f64 {
        witnesses.iter().map(|witness| self.cost_of(witness)).sum()
    }

    /// Guesses, of which only the order matters: a literal is the rarer the longer it is and the fewer rules
    /// look for it. Thousands of hashes are still better than looking at every value.
    #[expect(clippy::cast_precision_loss, reason = "lengths of literals")]
    fn cost_of(&self, witness: &Witness) -> f64 {
        let shared = f64::from(self.counts.get(witness).copied().unwrap_or(1));
        let chance = match &witness.literal {
            Literal::Text(Anchor::Whole | Anchor::NotAscii, _) => 0.02,
            Literal::Number(_) => 0.05,
            Literal::Text(Anchor::Start | Anchor::End, text) => {
                0.005 + 0.5 * (-(text.len() as f64) / 3.0).exp()
            }
            Literal::Text(Anchor::Anywhere, text) => 0.0005 + (-(text.len() as f64) / 4.0).exp(),
            Literal::Present => 100.0,
        };
        chance * (1.0 + shared.log2())
    }
}

/// What one test needs; `None` where it may hold without any value.
fn of_test(field: Option<FieldIndex>, test: &Test) -> Option<Vec<Witness>> {
    let witness = |literal| Some(vec![Witness { field, literal }]);
    match test {
        Test::Text(matcher) => match matcher.anchor() {
            Some((anchor, text)) => witness(Literal::Text(anchor, text)),
            None => witness(Literal::Present),
        },
        Test::Number(number) => witness(Literal::Number(number_key(number.to_double()))),
        Test::Bool(value) => witness(Literal::Text(Anchor::Whole, value.to_string())),
        Test::Any(tests) => union(tests.iter().map(|test| of_test(field, test))),
        Test::Regex(_)
        | Test::Network(_)
        | Test::Compare(..)
        | Test::TimePart(..)
        | Test::Reference(_)
        | Test::Exists(true) => witness(Literal::Present),
        Test::Null | Test::Exists(false) => None,
    }
}

/// The key under which equal numbers are found: zero has one sign.
pub(super) fn number_key(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

fn present(field: Option<FieldIndex>) -> Witness {
    Witness { field, literal: Literal::Present }
}

fn union(sets: impl Iterator<Item = Option<Vec<Witness>>>) -> Option<Vec<Witness>> {
    let mut all = Vec::new();
    for set in sets {
        all.extend(set?);
        if all.len() > MOST_WITNESSES {
            return None;
        }
    }
    Some(all)
}

fn every_witness(check: &Check, found: &mut Vec<Witness>) {
    match check {
        Check::All(checks) | Check::Any(checks) => {
            checks.iter().for_each(|check| every_witness(check, found))
        }
        Check::Field(check) if !check.negated => {
            found.extend(check.tests.iter().filter_map(|test| of_test(check.field, test)).flatten());
        }
        Check::Field(_) => {}
    }
}

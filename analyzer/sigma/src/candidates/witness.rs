//! Literals of which a rule must find at least one, as its condition and tests have it.

use super::rarity::Rarity;
use crate::document::Comparison;
use crate::expression::{NotAscii, Required};
use crate::matcher::fields::FieldIndex;
use crate::matcher::text::Anchor;
use crate::matcher::{Check, Expression, FieldCheck, Program, Test};

/// More witnesses than these are worth less than always evaluating the rule.
const MOST_WITNESSES: usize = 1 << 16;

/// Something that must be found in a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Witness {
    /// The field; none means any value of the event.
    pub(super) field: Option<FieldIndex>,
    /// The literal that must be found in it.
    pub(super) literal: Literal,
}

/// A literal that must be found in a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Literal {
    /// This text, ASCII letters in lower case.
    Text(Anchor, Box<[u8]>),
    /// This number, by the bits of the nearest double.
    Number(u64),
    /// A number not below this one, by the [`threshold_key`] of the nearest double.
    AtLeast(u64),
    /// A text of this number of bytes.
    Length(usize),
    /// Anything: the field is there.
    Present,
}

/// The rarest set of witnesses of which a match has at least one; `None` where there is no such set.
pub(super) fn best_witnesses(program: &Program, rarity: &Rarity) -> Option<Vec<Witness>> {
    Choice { rarity, program }.of_expression(&program.condition)
}

/// Everything that a rule looks for.
pub(super) fn every_witness(program: &Program) -> Vec<Witness> {
    let mut found = Vec::new();
    program.selections.iter().for_each(|selection| gather(selection, &mut found));
    found.sort_unstable();
    found.dedup();
    found
}

fn gather(check: &Check, found: &mut Vec<Witness>) {
    match check {
        Check::All(checks) | Check::Any(checks) => checks.iter().for_each(|check| gather(check, found)),
        Check::Field(check) if !check.negated => {
            let sets = check.tests.iter().flat_map(|test| sets_of_test(check.field, test));
            found.extend(sets.flatten());
        }
        Check::Field(_) => {}
    }
}

struct Choice<'c> {
    rarity: &'c Rarity,
    program: &'c Program,
}

impl Choice<'_> {
    fn of_expression(&self, expression: &Expression) -> Option<Vec<Witness>> {
        match expression {
            Expression::All(parts) => self.best(parts.iter().map(|part| self.of_expression(part))),
            Expression::Any(parts) => union(parts.iter().map(|part| self.of_expression(part))),
            // The absence of one text implies no presence of another.
            Expression::Not(_) => None,
            Expression::Selection(index) => self.of_check(self.program.selections.get(*index)?),
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
        if check.negated {
            // The field must have a value, unless only its existence is tested.
            let valued = check.tests.iter().any(|test| !matches!(test, Test::Exists(_)));
            return valued.then(|| vec![Witness { field: check.field, literal: Literal::Present }]);
        }
        let sets = check.tests.iter().map(|test| self.of_test(check.field, test));
        if check.every { self.best(sets) } else { union(sets) }
    }

    fn of_test(&self, field: Option<FieldIndex>, test: &Test) -> Option<Vec<Witness>> {
        match test {
            Test::Any(tests) => union(tests.iter().map(|test| self.of_test(field, test))),
            test => self.best(sets_of_test(field, test).into_iter().map(Some)),
        }
    }

    fn best(&self, sets: impl Iterator<Item = Option<Vec<Witness>>>) -> Option<Vec<Witness>> {
        let costed = sets.flatten().map(|set| (self.rarity.cost(&set), set));
        costed.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, set)| set)
    }
}

/// The sets of which a test needs one each; none where it may hold without any value. All values of an event are searched as
/// one text, in which only literals at any position can be found.
fn sets_of_test(field: Option<FieldIndex>, test: &Test) -> Vec<Vec<Witness>> {
    let mut sets = sets_of_value(field, test);
    for witness in sets.iter_mut().flatten().filter(|witness| witness.field.is_none()) {
        match &mut witness.literal {
            Literal::Text(anchor @ (Anchor::Start | Anchor::End), _) => *anchor = Anchor::Anywhere,
            literal @ (Literal::Text(Anchor::Whole, _) | Literal::Number(_) | Literal::AtLeast(_)) => {
                *literal = Literal::Present
            }
            _ => {}
        }
    }
    sets
}

fn sets_of_value(field: Option<FieldIndex>, test: &Test) -> Vec<Vec<Witness>> {
    let witness = |literal| Witness { field, literal };
    let only = |literal| vec![vec![witness(literal)]];
    match test {
        Test::Text(matcher) => {
            let anchors = matcher.anchors().into_iter();
            let texts = anchors.map(|(anchor, text)| Literal::Text(anchor, text.into_bytes().into()));
            texts.chain([Literal::Present]).map(|literal| vec![witness(literal)]).collect()
        }
        Test::Number(number) => only(Literal::Number(number_key(number.to_double()))),
        Test::Compare(Comparison::Greater | Comparison::GreaterOrEqual, number) => {
            let literals = [Literal::AtLeast(threshold_key(number.to_double())), Literal::Present];
            literals.into_iter().map(|literal| vec![witness(literal)]).collect()
        }
        Test::Bool(value) => only(Literal::Text(Anchor::Whole, value.to_string().into_bytes().into())),
        Test::Regex(_, required) => {
            let sets =
                required.iter().map(|required| of_required(required).into_iter().map(witness).collect());
            sets.chain(only(Literal::Present)).collect()
        }
        Test::Any(tests) => tests.iter().flat_map(|test| sets_of_value(field, test)).collect(),
        Test::Network(_)
        | Test::Compare(..)
        | Test::TimePart(..)
        | Test::Reference(_)
        | Test::Exists(true) => only(Literal::Present),
        Test::Null | Test::Exists(false) => Vec::new(),
    }
}

fn of_required(required: &Required) -> Vec<Literal> {
    let (texts, not_ascii) = match required {
        Required::Length(bytes) => return vec![Literal::Length(*bytes)],
        Required::Texts(texts, not_ascii) => (texts, not_ascii),
    };
    let literals = texts.iter().map(|text| Literal::Text(Anchor::Anywhere, text.as_slice().into()));
    let other =
        matches!(not_ascii, NotAscii::Suffices).then(|| Literal::Text(Anchor::NotAscii, Box::default()));
    literals.chain(other).collect()
}

/// The key under which equal numbers are found: zero has one sign.
pub(super) fn number_key(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// A key that is greater for a greater number, and the same for equal ones.
pub(super) fn threshold_key(number: f64) -> u64 {
    let bits = number_key(number);
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The number of a [`threshold_key`].
pub(super) fn threshold(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
}

const SIGN: u64 = 1 << 63;

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::number::Number;

    proptest! {
        #[test]
        fn keys_of_thresholds_are_in_the_order_of_their_numbers(
            one in any::<f64>().prop_filter("not a number", |number| !number.is_nan()),
            other in any::<f64>().prop_filter("not a number", |number| !number.is_nan()),
        ) {
            for (one, other) in [(one, other), (one, -one), (one, one), (0.0, -0.0), (one, 0.0)] {
                prop_assert_eq!(threshold_key(one).cmp(&threshold_key(other)), one.partial_cmp(&other).unwrap());
                prop_assert_eq!(threshold(threshold_key(one)), one);
            }
        }

        /// Whole numbers that a double cannot distinguish: the greater one is never below.
        #[test]
        fn a_greater_whole_number_never_has_a_lesser_key(one in any::<i64>(), more in 0..1_000_i128) {
            let key = |more| threshold_key(Number::Int(i128::from(one) + more).to_double());
            prop_assert!(key(more) >= key(0));
        }
    }
}

//! The order in which the parts of a detection are tried: of parts that must all hold, or of which one is enough, the quickest
//! to try come first. The result is the same in any order.

use crate::matcher::{Check, Expression, FieldCheck, Program, Test};

/// Puts the quickest first.
pub(super) fn quickest_first(program: &mut Program) {
    program.selections.iter_mut().for_each(order_check);
    let costs: Vec<usize> = program.selections.iter().map(cost_of_check).collect();
    order_expression(&mut program.condition, &costs);
}

fn order_check(check: &mut Check) {
    match check {
        Check::All(checks) | Check::Any(checks) => {
            checks.iter_mut().for_each(order_check);
            checks.sort_by_cached_key(cost_of_check);
        }
        Check::Field(check) => check.tests.sort_by_cached_key(cost_of_test),
    }
}

fn order_expression(expression: &mut Expression, selections: &[usize]) {
    match expression {
        Expression::All(parts) | Expression::Any(parts) => {
            parts.iter_mut().for_each(|part| order_expression(part, selections));
            parts.sort_by_cached_key(|part| cost_of_expression(part, selections));
        }
        Expression::Not(part) => order_expression(part, selections),
        Expression::Selection(_) => {}
    }
}

fn cost_of_expression(expression: &Expression, selections: &[usize]) -> usize {
    match expression {
        Expression::All(parts) | Expression::Any(parts) => {
            parts.iter().map(|part| cost_of_expression(part, selections)).sum()
        }
        Expression::Not(part) => cost_of_expression(part, selections),
        Expression::Selection(index) => selections.get(*index).copied().unwrap_or(0),
    }
}

fn cost_of_check(check: &Check) -> usize {
    match check {
        Check::All(checks) | Check::Any(checks) => checks.iter().map(cost_of_check).sum(),
        Check::Field(FieldCheck { field, tests, .. }) => {
            // A keyword is searched for in every value of the event.
            let values = if field.is_some() { 1 } else { 20 };
            tests.iter().map(cost_of_test).sum::<usize>() * values
        }
    }
}

/// Cost of a test, about, nanoseconds.
fn cost_of_test(test: &Test) -> usize {
    match test {
        Test::Null | Test::Exists(_) | Test::Bool(_) | Test::Number(_) | Test::Compare(..) => 2,
        Test::Text(matcher) if matcher.is_at_an_edge() => 4,
        Test::Text(_) => 20,
        Test::Network(_) | Test::TimePart(..) => 40,
        Test::Reference(_) => 100,
        Test::Regex(..) => 300,
        Test::Any(tests) => tests.iter().map(cost_of_test).sum(),
    }
}

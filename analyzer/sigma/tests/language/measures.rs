//! Conditions of correlations: measures, time of decision, refusals.

use sigma::Counted;
use sigma::window::{Condition, Measure, StepFormula};

use crate::correlations::{check_refused, with};
use crate::front_door::{event, rule_set};

#[test]
fn types_become_conditions_that_are_decided_at_once_where_that_is_possible() {
    let condition = |body: &str| rule_set(&with(body)).correlations()[0].condition.clone();
    let count = |condition: &str| {
        format!("{{type: event_count, rules: [failed], timespan: 5m, condition: {condition}}}")
    };
    let both = |kind: &str, condition: &str| {
        format!("{{type: {kind}, rules: [failed, accepted], timespan: 5m, condition: {condition}}}")
    };
    let number = |kind: &str, condition: &str| {
        format!("{{type: {kind}, rules: [failed], timespan: 5m, condition: {{field: a, {condition}}}}}")
    };
    assert_eq!(condition(&count("{gt: 9}")), Condition::Events { at_least: 10 });
    assert_eq!(condition(&number("value_count", "gte: 3")), Condition::Values { at_least: 3 });
    assert_eq!(condition(&both("temporal", "null")), Condition::Steps { at_least: 2 });
    assert_eq!(condition(&both("temporal", "{gte: 1}")), Condition::Steps { at_least: 1 });
    assert_eq!(condition(&both("temporal_ordered", "{gt: 1}")), Condition::Ordered { steps: 2 });
    let every = StepFormula::All(vec![StepFormula::Step(0), StepFormula::Step(1)]);
    assert_eq!(condition(&both("temporal", "failed and accepted")), Condition::Formula(every));
    let unlisted = "{type: temporal, timespan: 5m, condition: accepted or failed}";
    let either = StepFormula::Any(vec![StepFormula::Step(0), StepFormula::Step(1)]);
    assert_eq!(condition(unlisted), Condition::Formula(either));
    assert!(matches!(condition(&number("value_sum", "gte: 1.5")), Condition::Sum { .. }));
    let at_end = [
        (count("{lt: 3}"), Measure::Events),
        (count("{neq: 3}"), Measure::Events),
        (count("{gte: 3, lte: 5}"), Measure::Events),
        (number("value_count", "eq: 3"), Measure::Values),
        (number("value_sum", "lt: 3"), Measure::Sum),
        (number("value_avg", "gt: 3"), Measure::Average),
        (number("value_median", "gt: -0.5"), Measure::Median),
        (number("value_percentile", "gt: 3, percentile: 95"), Measure::Percentile(95)),
        (both("temporal", "{eq: 1}"), Measure::Steps),
        (both("temporal_ordered", "{lt: 2}"), Measure::OrderedSteps),
        (
            both("temporal", "failed and not accepted"),
            Measure::Formula(StepFormula::All(vec![
                StepFormula::Step(0),
                StepFormula::Not(Box::new(StepFormula::Step(1))),
            ])),
        ),
    ];
    for (body, expected) in at_end {
        let Condition::AtEnd { measure, .. } = condition(&body) else { panic!("{body}") };
        assert_eq!(measure, expected, "{body}");
    }
}

#[test]
fn numbers_are_read_from_numbers_and_from_text() {
    let set = rule_set(&with(
        "{type: value_sum, rules: [failed], timespan: 5m, condition: {field: bytes, gte: 10}}",
    ));
    let counted = |json| set.correlations()[0].counted(0, &event(json));
    assert_eq!(counted(r#"{"bytes": 5}"#), Counted::Number(5.0));
    assert_eq!(counted(r#"{"bytes": "2.5"}"#), Counted::Number(2.5));
    assert_eq!(counted(r#"{"bytes": [7, 8]}"#), Counted::Number(7.0));
    for missing in [r#"{"bytes": "many"}"#, r#"{"bytes": true}"#, r#"{"bytes": null}"#, "{}"] {
        assert_eq!(counted(missing), Counted::Missing, "{missing}");
    }
    let events = rule_set(&with("{type: event_count, rules: [failed], timespan: 5m, condition: {gte: 10}}"));
    assert_eq!(events.correlations()[0].counted(0, &event("{}")), Counted::Event);
}

#[test]
fn conditions_without_a_meaning_are_refused() {
    let count = |rest: &str| format!("{{type: event_count, rules: [failed], timespan: 5m, {rest}}}");
    let values = |kind: &str, condition: &str| {
        format!("{{type: {kind}, rules: [failed], timespan: 5m, condition: {condition}}}")
    };
    let both = |kind: &str, condition: &str| {
        format!("{{type: {kind}, rules: [failed, accepted], timespan: 5m, condition: {condition}}}")
    };
    let table = [
        (count("condition: {gte: 1, gt: 5}"), "condition", "invalid"),
        (count("condition: {eq: 1, lt: 5}"), "condition", "invalid"),
        (count("condition: {gt: 1, lt: 5, neq: 3}"), "condition", "invalid"),
        (count("condition: {gt: 5, lt: 6}"), "condition", "invalid"),
        (count("condition: {lt: 1}"), "condition", "invalid"),
        (count("condition: {eq: 0}"), "condition", "invalid"),
        (count("condition: {gte: 1.5}"), "condition.gte", "invalid"),
        (count("condition: {lt: -1}"), "condition.lt", "invalid"),
        (count("condition: {gte: 8193}"), "condition", "too_large"),
        (count("condition: failed"), "condition", "invalid"),
        (count("condition: {gte: 0}"), "condition.gte", "invalid"),
        (values("value_avg", "{gte: 5}"), "condition.field", "missing"),
        (values("value_sum", "{field: [a, b], gte: 5}"), "condition.field", "invalid"),
        (values("value_sum", "{field: a, gte: many}"), "condition.gte", "invalid"),
        (values("value_avg", "{field: a, percentile: 5, gte: 5}"), "condition.percentile", "unknown_key"),
        (values("value_percentile", "{field: a, gte: 5}"), "condition.percentile", "missing"),
        (
            values("value_percentile", "{field: a, gte: 5, percentile: 101}"),
            "condition.percentile",
            "invalid",
        ),
        (values("value_median", "{field: a, gt: 5, lt: 5}"), "condition", "invalid"),
        (both("temporal", "{gte: 3}"), "condition", "invalid"),
        (both("temporal", "{field: a, gte: 2}"), "condition.field", "unknown_key"),
        (both("temporal", "failed"), "condition", "invalid"),
        (both("temporal", "failed or nobody"), "condition", "unknown_selection"),
        (both("temporal", "failed and"), "condition", "condition"),
        (both("temporal", "failed or accepted or all of *ed"), "condition", "condition"),
        (both("temporal_ordered", "failed and accepted"), "condition", "unsupported"),
        (both("temporal_ordered", "{gte: 3}"), "condition", "invalid"),
    ];
    check_refused(&table);
}

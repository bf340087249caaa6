//! Windows against their definition: an event is a member when it lies in any span that satisfies
//! the condition, whatever the order of arrival.

mod closing;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::bounds::{Bounds, Operator};
use crate::number::Number;

type Event = (i64, u32, u16, u64);

fn arrival((time, id, step, value): Event) -> Arrival<u32, u32> {
    Arrival { time, id, step, value, note: Some(id) }
}

/// The arrival of an event with the value that the condition reads: a hash, or a number.
fn arrival_for(spec: &WindowSpec, (time, id, step, value): Event) -> Arrival<u32, u32> {
    let value = if spec.condition.measures_numbers() { number(signed(value)) } else { value };
    arrival((time, id, step, value))
}

/// A value as a number: some are below zero.
fn signed(value: u64) -> f64 {
    f64::from(u32::try_from(value).unwrap()) - 1.0
}

/// The definition, word by word.
fn members(spec: &WindowSpec, events: &[Event]) -> BTreeSet<u32> {
    let mut members = BTreeSet::new();
    for start in events {
        let span: Vec<&Event> =
            events.iter().filter(|event| event.0 >= start.0 && event.0 <= start.0 + spec.timespan).collect();
        if satisfied(&spec.condition, &span) {
            members.extend(span.iter().map(|event| event.1));
        }
    }
    members
}

fn satisfied(condition: &Condition, span: &[&Event]) -> bool {
    let steps = || span.iter().map(|event| event.2).collect::<BTreeSet<_>>();
    match condition {
        Condition::Events { at_least } => span.len() as u64 >= *at_least,
        Condition::Values { at_least } => {
            span.iter().map(|event| event.3).collect::<BTreeSet<_>>().len() as u64 >= *at_least
        }
        Condition::Ordered { steps } => ordered(span, None, *steps, i64::MIN),
        Condition::Steps { at_least } => steps().len() >= usize::from(*at_least),
        Condition::Sum { bounds } => bounds.hold(span.iter().map(|event| event.3.saturating_sub(1)).sum()),
        Condition::Formula(formula) => formula_holds(formula, &steps()),
        Condition::AtEnd { .. } => unreachable!("tested in closing"),
    }
}

fn formula_holds(formula: &StepFormula, steps: &BTreeSet<u16>) -> bool {
    match formula {
        StepFormula::Step(step) => steps.contains(step),
        StepFormula::All(parts) => parts.iter().all(|part| formula_holds(part, steps)),
        StepFormula::Any(parts) => parts.iter().any(|part| formula_holds(part, steps)),
        StepFormula::Not(part) => !formula_holds(part, steps),
    }
}

/// Whether so many more steps come in order, each greater than the one before.
fn ordered(span: &[&Event], before: Option<u16>, more: u16, not_before: i64) -> bool {
    more == 0
        || span
            .iter()
            .filter(|event| before.is_none_or(|before| event.2 > before) && event.0 >= not_before)
            .any(|event| ordered(span, Some(event.2), more - 1, event.0))
}

fn formulas(negated: bool) -> impl Strategy<Value = StepFormula> {
    let leaf = (0_u16..3).prop_map(StepFormula::Step);
    leaf.prop_recursive(3, 8, 3, move |inner| {
        let parts = || proptest::collection::vec(inner.clone(), 1..3);
        let negation = if negated { 1 } else { 0 };
        prop_oneof![
            2 => parts().prop_map(StepFormula::All),
            2 => parts().prop_map(StepFormula::Any),
            negation => inner.clone().prop_map(|part| StepFormula::Not(Box::new(part))),
        ]
    })
}

fn specs() -> impl Strategy<Value = WindowSpec> {
    let condition = prop_oneof![
        (1_u64..6).prop_map(|at_least| Condition::Events { at_least }),
        (1_u64..5).prop_map(|at_least| Condition::Values { at_least }),
        (1_u16..4).prop_map(|steps| Condition::Ordered { steps }),
        (1_u16..4).prop_map(|at_least| Condition::Steps { at_least }),
        (prop::sample::select(vec![Operator::Greater, Operator::GreaterOrEqual]), -1_i128..12).prop_map(
            |(operator, sum)| Condition::Sum {
                bounds: Bounds::new(&[(operator, Number::Int(sum))]).unwrap()
            }
        ),
        formulas(false).prop_map(Condition::Formula),
    ];
    (condition, 0_i64..30).prop_map(|(condition, timespan)| WindowSpec { condition, timespan, patience: 0 })
}

fn events(count: usize) -> impl Strategy<Value = Vec<Event>> {
    proptest::collection::vec((0_i64..200, 0_u16..3, 0_u64..5), 0..count).prop_map(|drawn| {
        drawn
            .into_iter()
            .enumerate()
            .map(|(id, (time, step, value))| (time, u32::try_from(id).unwrap(), step, value))
            .collect()
    })
}

fn feed(spec: &WindowSpec, events: &[Event]) -> (BTreeSet<u32>, Vec<(i64, u32)>) {
    let mut window = Window::default();
    let (mut joined, mut points) = (BTreeSet::new(), Vec::new());
    for event in events {
        let growth = window.insert(spec, arrival_for(spec, *event));
        joined.extend(growth.joined.iter().map(|member| member.id));
        points.extend(growth.points.iter().map(|point| (point.time, point.id)));
    }
    (joined, points)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn members_are_those_of_the_definition_in_any_order(
        spec in specs(),
        (events, shuffled) in events(60).prop_flat_map(|events| (Just(events.clone()), Just(events).prop_shuffle())),
    ) {
        let expected = members(&spec, &events);
        prop_assert_eq!(&feed(&spec, &events).0, &expected);
        prop_assert_eq!(&feed(&spec, &shuffled).0, &expected);
        let twice: Vec<Event> = shuffled.iter().chain(&events).copied().collect();
        prop_assert_eq!(&feed(&spec, &twice).0, &expected);
    }

    #[test]
    fn thinning_loses_no_crossing(spec in specs(), events in events(400)) {
        let mut window = Window::default();
        let mut crossed = false;
        for event in &events {
            crossed |= !window.insert(&spec, arrival_for(&spec, *event)).joined.is_empty();
        }
        prop_assert_eq!(crossed, !members(&spec, &events).is_empty());
    }

    #[test]
    fn points_are_the_same_in_any_order(
        spec in specs(),
        (events, shuffled) in events(40).prop_flat_map(|events| (Just(events.clone()), Just(events).prop_shuffle())),
    ) {
        let points = |events: &[Event]| feed(&spec, events).1.into_iter().collect::<BTreeSet<_>>();
        prop_assert_eq!(points(&events), points(&shuffled));
    }

    #[test]
    fn points_are_members_from_the_completion_on(spec in specs(), events in events(60)) {
        let (joined, points) = feed(&spec, &events);
        for (time, id) in &points {
            prop_assert!(joined.contains(id));
            prop_assert!(events.iter().any(|event| event.1 == *id && event.0 == *time));
        }
        for event in &events {
            let back: Vec<&Event> =
                events.iter().filter(|other| other.0 <= event.0 && other.0 >= event.0 - spec.timespan).collect();
            if satisfied(&spec.condition, &back) && !matches!(spec.condition, Condition::Ordered { .. }) {
                prop_assert!(points.iter().any(|point| point.0 <= event.0), "no point up to {:?}", event);
            }
        }
        prop_assert_eq!(points.is_empty(), joined.is_empty());
    }
}

#[test]
fn a_crossing_gives_back_what_was_held_and_later_members_their_own() {
    let spec = WindowSpec { condition: Condition::Events { at_least: 3 }, timespan: 10, patience: 0 };
    let mut window = Window::default();
    assert_eq!(window.insert(&spec, arrival((0, 1, 0, 0))).joined, vec![]);
    assert_eq!(window.insert(&spec, arrival((4, 2, 0, 0))).joined, vec![]);
    assert_eq!(window.notes().count(), 2);
    let growth = window.insert(&spec, arrival((9, 3, 0, 0)));
    assert_eq!(
        growth.joined.iter().map(|member| member.note).collect::<Vec<_>>(),
        vec![Some(1), Some(2), Some(3)]
    );
    assert_eq!(growth.points, vec![Joined { time: 9, id: 3, note: Some(3) }]);
    let growth = window.insert(&spec, arrival((12, 4, 0, 0)));
    assert_eq!(growth.joined, vec![Joined { time: 12, id: 4, note: Some(4) }]);
    assert_eq!(window.insert(&spec, arrival((60, 5, 0, 0))).joined, vec![]);
}

#[test]
fn events_are_late_only_when_their_state_is_gone() {
    let spec = WindowSpec { condition: Condition::Events { at_least: 2 }, timespan: 10, patience: 0 };
    let mut window = Window::default();
    window.insert(&spec, arrival((ALLOWED_LATENESS + 100, 1, 0, 0)));
    assert!(!window.insert(&spec, arrival((90, 2, 0, 0))).late);
    assert!(window.insert(&spec, arrival((89, 3, 0, 0))).late);
}

#[test]
fn a_busy_window_stays_small() {
    let sum = Condition::Sum { bounds: Bounds::at_least(1_000) };
    for condition in [Condition::Events { at_least: 50 }, Condition::Values { at_least: 50 }, sum] {
        let spec = WindowSpec { condition: condition.clone(), timespan: 60_000, patience: 0 };
        let mut window = Window::default();
        for id in 0..20_000_u32 {
            window.insert(
                &spec,
                arrival_for(
                    &spec,
                    (i64::from(id), id, 0, u64::from(id % 3) + u64::from(id % 90 == 0) * u64::from(id)),
                ),
            );
        }
        assert!(window.len() < 2_000, "{condition:?} holds {}", window.len());
    }
}

#[test]
fn a_record_that_two_rules_match_is_one_event() {
    let spec = WindowSpec { condition: Condition::Events { at_least: 3 }, timespan: 10, patience: 0 };
    let mut window = Window::default();
    for (time, id) in [(0, 1), (1, 2)] {
        for step in 0..2 {
            assert_eq!(window.insert(&spec, arrival((time, id, step, 0))).joined, vec![]);
        }
    }
    assert_eq!(window.insert(&spec, arrival((2, 3, 0, 0))).joined.len(), 3);
}

#[test]
fn just_below_the_threshold_a_window_stays_bounded() {
    let spec =
        WindowSpec { condition: Condition::Events { at_least: 100_000 }, timespan: 60_000, patience: 0 };
    let mut window = Window::default();
    let mut crowded_out = 0;
    let count = u32::try_from(MOST_HELD).unwrap() + 10;
    for id in 0..count {
        crowded_out += window.insert(&spec, arrival((i64::from(id), id, 0, 0))).crowded_out;
    }
    assert_eq!((window.len(), crowded_out), (MOST_HELD, 10));
}

#[test]
fn a_satisfied_span_may_take_in_what_comes_within_a_timespan_after_it() {
    let spec = WindowSpec { condition: Condition::Events { at_least: 2 }, timespan: 10, patience: 0 };
    let mut window = Window::default();
    let taken_in = |window: &Window<u32, u32>| -> Vec<i64> {
        (-5..40).filter(|time| window.may_take_in(&spec, *time)).collect()
    };
    window.insert(&spec, arrival((5, 1, 0, 0)));
    assert_eq!(taken_in(&window), Vec::<i64>::new(), "one event is no attack");
    window.insert(&spec, arrival((8, 2, 0, 0)));
    assert_eq!(taken_in(&window), (5..=18).collect::<Vec<i64>>());
    assert!(window.covers(8) && !window.covers(9));
    window.insert(&spec, arrival((18, 3, 0, 0)));
    assert_eq!(taken_in(&window), (5..=28).collect::<Vec<i64>>(), "it goes on");
}

#[test]
fn what_is_written_is_read() {
    let spec = WindowSpec { condition: Condition::Events { at_least: 2 }, timespan: 10, patience: 0 };
    let mut window = Window::default();
    for id in 0..3_u32 {
        window.insert(&spec, arrival((i64::from(id) * 20, id, 0, 0)));
    }
    window.insert(&spec, arrival((41, 3, 0, 0)));
    let text = serde_json::to_string(&window).unwrap();
    let read: Window<u32, u32> = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    assert_eq!(read.notes().copied().collect::<Vec<_>>(), vec![0, 1, 2]);
}

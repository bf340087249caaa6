//! Windows that are decided when they have ended, against their definition: from the first event on, one
//! timespan after the other, each beginning with an event.

use super::*;

fn measures() -> impl Strategy<Value = Measure> {
    prop_oneof![
        Just(Measure::Events),
        Just(Measure::Values),
        Just(Measure::Steps),
        Just(Measure::OrderedSteps),
        Just(Measure::Sum),
        Just(Measure::Average),
        (1_u8..=100).prop_map(Measure::Percentile),
        Just(Measure::Median),
        formulas(true).prop_map(Measure::Formula),
    ]
}

fn bounds() -> impl Strategy<Value = (Vec<(Operator, i32)>, Bounds)> {
    use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let one =
        (prop::sample::select(vec![Less, LessOrEqual, Greater, GreaterOrEqual, Equal, NotEqual]), 0_i32..5)
            .prop_map(|bound| vec![bound]);
    let range =
        (prop::sample::select(vec![(Greater, Less), (GreaterOrEqual, LessOrEqual)]), 0_i32..3, 1_i32..4)
            .prop_map(|((below, above), from, more)| vec![(below, from), (above, from + more)]);
    prop_oneof![one, range].prop_map(|stated| {
        let numbers: Vec<_> =
            stated.iter().map(|(operator, bound)| (*operator, Number::Int((*bound).into()))).collect();
        let bounds = Bounds::new(&numbers).unwrap();
        (stated, bounds)
    })
}

/// The windows of all events: each takes the events within one timespan of its first. Events of the same moment stand in the
/// order of their steps, where steps matter.
fn windows(timespan: i64, measure: &Measure, events: &[Event]) -> Vec<Vec<Event>> {
    let by_step =
        matches!(measure, Measure::Values | Measure::Steps | Measure::OrderedSteps | Measure::Formula(_));
    let mut sorted = events.to_vec();
    sorted.sort_unstable_by_key(|event| (event.0, if by_step { event.2 } else { 0 }, event.1));
    let mut windows: Vec<Vec<Event>> = Vec::new();
    for event in sorted {
        match windows.last_mut() {
            Some(window) if event.0 <= window[0].0 + timespan => window.push(event),
            _ => windows.push(vec![event]),
        }
    }
    windows
}

/// The measure in words: doubles hold the numbers of the tests exactly.
#[expect(clippy::cast_precision_loss, reason = "the tests use small numbers")]
fn measured(measure: &Measure, window: &[Event]) -> f64 {
    let mut numbers: Vec<f64> = window.iter().map(|event| signed(event.3)).collect();
    numbers.sort_by(f64::total_cmp);
    let count = |count: usize| count as f64;
    let steps: BTreeSet<u16> = window.iter().map(|event| event.2).collect();
    let span: Vec<&Event> = window.iter().collect();
    match measure {
        Measure::Events => count(window.len()),
        Measure::Values => count(window.iter().map(|event| event.3).collect::<BTreeSet<_>>().len()),
        Measure::Steps => count(steps.len()),
        Measure::OrderedSteps => {
            let longest = (0..=3).filter(|steps| ordered(&span, None, *steps, i64::MIN)).max();
            f64::from(longest.unwrap())
        }
        Measure::Sum => numbers.iter().map(|number| number.max(0.0)).sum(),
        Measure::Average => numbers.iter().sum::<f64>() / count(numbers.len()),
        Measure::Percentile(rank) => *numbers
            .iter()
            .find(|value| {
                let not_above = numbers.iter().filter(|other| other <= value).count();
                not_above * 100 >= usize::from(*rank) * numbers.len()
            })
            .unwrap(),
        Measure::Median if numbers.len() % 2 == 1 => numbers[numbers.len() / 2],
        Measure::Median => f64::midpoint(numbers[numbers.len() / 2 - 1], numbers[numbers.len() / 2]),
        Measure::Formula(formula) => f64::from(u8::from(formula_holds(formula, &steps))),
    }
}

fn within(bounds: &[(Operator, i32)], measured: f64) -> bool {
    bounds.iter().all(|(operator, bound)| {
        let bound = f64::from(*bound);
        match operator {
            Operator::Less => measured < bound,
            Operator::LessOrEqual => measured <= bound,
            Operator::Greater => measured > bound,
            Operator::GreaterOrEqual => measured >= bound,
            Operator::Equal => (measured - bound).abs() < 1e-9,
            Operator::NotEqual => (measured - bound).abs() >= 1e-9,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn closed_windows_are_those_of_the_definition_in_any_order(
        measure in measures(),
        (stated, bounds) in bounds(),
        timespan in 0_i64..60,
        (events, shuffled) in events(60).prop_flat_map(|events| (Just(events.clone()), Just(events).prop_shuffle())),
    ) {
        let spec = WindowSpec { condition: Condition::AtEnd { measure: measure.clone(), bounds }, timespan, patience: 0 };
        let (mut members, mut points) = (BTreeSet::new(), BTreeSet::new());
        for window in windows(timespan, &measure, &events) {
            // An average of thirds is not compared with a double that only comes near it.
            if within(&stated, measured(&measure, &window)) {
                members.extend(window.iter().map(|event| event.1));
                points.extend(window.last().map(|event| event.1));
            }
        }
        for arrivals in [&events, &shuffled] {
            let mut window = Window::default();
            for event in arrivals.iter().chain(arrivals.iter()) {
                let growth = window.insert_received(&spec, arrival_for(&spec, *event), 200);
                prop_assert_eq!(growth, Growth::default());
            }
            prop_assert_eq!(window.due(&spec).is_some(), !events.is_empty());
            let growth = window.close(&spec, 1_000);
            prop_assert_eq!(growth.joined.iter().map(|member| member.id).collect::<BTreeSet<_>>(), members.clone());
            prop_assert_eq!(growth.points.iter().map(|point| point.id).collect::<BTreeSet<_>>(), points.clone());
            prop_assert_eq!(window.due(&spec), None);
            prop_assert!(window.is_empty());
        }
    }

    #[test]
    fn closing_often_decides_what_closing_once_does(
        measure in measures(),
        (_, bounds) in bounds(),
        timespan in 0_i64..60,
        mut events in events(60),
    ) {
        let spec = WindowSpec { condition: Condition::AtEnd { measure, bounds }, timespan, patience: 0 };
        events.sort_unstable();
        let (mut often, mut once) = (Window::default(), Window::default());
        let mut decided = Vec::new();
        for event in &events {
            decided.extend(often.close(&spec, event.0).joined);
            prop_assert!(!often.insert(&spec, arrival_for(&spec, *event)).late);
            once.insert(&spec, arrival_for(&spec, *event));
            let written = serde_json::to_string(&often).unwrap();
            often = serde_json::from_str(&written).unwrap();
        }
        decided.extend(often.close(&spec, 1_000).joined);
        prop_assert_eq!(decided, once.close(&spec, 1_000).joined);
    }
}

fn fewer_than(count: i128) -> WindowSpec {
    let bounds = Bounds::new(&[(Operator::Less, Number::Int(count))]).unwrap();
    WindowSpec {
        condition: Condition::AtEnd { measure: Measure::Events, bounds },
        timespan: 100,
        patience: 0,
    }
}

#[test]
fn a_window_is_due_when_the_log_has_passed_its_end_and_one_timespan_since_it_opened() {
    let spec = fewer_than(3);
    let mut window = Window::default();
    assert_eq!(window.due(&spec), None);
    // Sent 5 later than it happened, so that others are waited for as long.
    window.insert_received(&spec, arrival((1_000, 1, 0, 0)), 1_005);
    assert_eq!(window.due(&spec), Some(1_105));
    assert_eq!(window.close(&spec, 1_105), Growth::default());
    window.insert_received(&spec, arrival((1_100, 2, 0, 0)), 1_103);
    let growth = window.close(&spec, 1_106);
    assert_eq!(growth.joined.iter().map(|member| member.id).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(growth.points, [Joined { time: 1_100, id: 2, note: Some(2) }]);
    assert_eq!(window.close(&spec, 9_999), Growth::default());
}

#[test]
fn what_was_decided_is_not_decided_again() {
    let spec = fewer_than(3);
    let mut window = Window::default();
    window.insert(&spec, arrival((1_000, 1, 0, 0)));
    assert_eq!(window.close(&spec, 2_000).joined.len(), 1);
    assert!(window.insert_received(&spec, arrival((1_100, 2, 0, 0)), 2_000).late);
    assert!(!window.insert_received(&spec, arrival((1_101, 3, 0, 0)), 2_000).late);
    assert_eq!(window.due(&spec), Some(2_100));
}

#[test]
fn a_host_that_was_away_is_heard_out() {
    let spec = fewer_than(3);
    let mut window = Window::default();
    for id in 0..5_u32 {
        assert!(!window.insert_received(&spec, arrival((i64::from(id), id, 0, 0)), 50_000).late);
        assert_eq!(window.close(&spec, 50_000), Growth::default());
    }
    assert_eq!(window.close(&spec, 50_101), Growth::default());
    assert!(window.is_empty());
}

#[test]
fn a_flood_is_not_taken_for_a_few_events() {
    let (few, many) = (fewer_than(3), {
        let bounds = Bounds::new(&[(Operator::NotEqual, Number::Int(3))]).unwrap();
        WindowSpec {
            condition: Condition::AtEnd { measure: Measure::Events, bounds },
            timespan: 100,
            patience: 0,
        }
    });
    for (spec, expected) in [(few, 0), (many, MOST_HELD_UNTIL_END)] {
        let mut window = Window::default();
        let mut crowded_out = 0;
        for id in 0..u32::try_from(MOST_HELD_UNTIL_END).unwrap() + 7 {
            let time = i64::from(id / 100);
            crowded_out += window.insert_received(&spec, arrival((time, id, 0, 0)), time).crowded_out;
        }
        // One of the next window has no room either: a window of a single event is no reason to report it.
        crowded_out += window.insert_received(&spec, arrival((150, 100_000, 0, 0)), 99).crowded_out;
        assert_eq!((window.len(), crowded_out), (MOST_HELD_UNTIL_END, 8));
        assert_eq!(window.close(&spec, 300).joined.len(), expected);
        window.insert_received(&spec, arrival((140, 100_001, 0, 0)), 140);
        assert_eq!(window.close(&spec, 10_000).joined.len(), expected.min(1));
        window.insert_received(&spec, arrival((11_000, 100_002, 0, 0)), 11_000);
        assert_eq!(window.close(&spec, 20_000).joined.len(), 1);
    }
}

#[test]
fn what_waited_for_another_windows_end_is_waited_for_longer() {
    let spec = WindowSpec { patience: 50, ..fewer_than(3) };
    let mut window = Window::default();
    window.insert_received(&spec, arrival((1_000, 1, 0, 0)), 1_000);
    assert_eq!(window.due(&spec), Some(1_150));
    assert_eq!(window.close_next(&spec, 1_150), None);
    window.insert_received(&spec, arrival((1_090, 2, 0, 0)), 1_140);
    assert_eq!(window.close_next(&spec, 1_151).unwrap().joined.len(), 2);
    // So much later may an event be than the newest of its group, too.
    let newest = 10 * ALLOWED_LATENESS;
    window.insert_received(&spec, arrival((newest, 3, 0, 0)), newest);
    let oldest = newest - ALLOWED_LATENESS - 100 - 50;
    assert!(window.insert_received(&spec, arrival((oldest - 1, 4, 0, 0)), newest).late);
    assert!(!window.insert_received(&spec, arrival((oldest, 5, 0, 0)), newest).late);
}

#[test]
fn windows_are_closed_one_by_one_or_all_at_once() {
    let spec = fewer_than(3);
    let mut one_by_one = Window::default();
    for id in 0..4_u32 {
        one_by_one.insert_received(&spec, arrival((i64::from(id) * 1_000, id, 0, 0)), 3_000);
    }
    let mut at_once = one_by_one.clone();
    let mut joined = Vec::new();
    while let Some(growth) = one_by_one.close_next(&spec, 9_000) {
        assert_eq!((growth.joined.len(), growth.points.len()), (1, 1));
        joined.extend(growth.joined);
    }
    assert_eq!(joined.len(), 4);
    assert_eq!(at_once.close(&spec, 9_000).joined, joined);
}

//! Correlations from YAML to members: rules, windows, chains and closing put together as a caller does.

use std::collections::{BTreeMap, BTreeSet};

use sigma::window::{Arrival, Growth, Window, number};
use sigma::{Counted, Reference, RuleSet};

use crate::front_door::{event, rule_set};

const SECOND: i64 = 1_000_000_000;

const RULES: &str = "\
title: failed
name: failed
logsource: {product: linux}
detection: {a: {outcome: failure}, condition: a}
---
title: accepted
name: accepted
logsource: {product: linux}
detection: {a: {outcome: success}, condition: a}
---
title: changed
name: changed
logsource: {product: linux}
detection: {a: {outcome: change}, condition: a}
---
";

/// Data that an event carries through an inner correlation: the event itself, for the groups of outer ones.
type Note = &'static str;

/// Counts events of a set; the results are kept by the correlation's name.
struct Counter {
    set: RuleSet,
    windows: BTreeMap<(usize, Vec<String>), Window<u32, Note>>,
    members: BTreeMap<String, BTreeSet<u32>>,
}

impl Counter {
    fn new(correlations: &str) -> Self {
        let set = rule_set(&format!("{RULES}{correlations}"));
        Self { set, windows: BTreeMap::new(), members: BTreeMap::new() }
    }

    fn event(&mut self, id: u32, seconds: i64, json: Note) {
        let mut found = Vec::new();
        self.set.matches(&event(json), &mut found);
        for rule in found {
            self.count(Reference::Rule(rule), id, seconds * SECOND, json);
        }
    }

    /// Gives an event to every window that counts its rule or correlation; windows of a correlation pass their points on to
    /// those that count it.
    fn count(&mut self, through: Reference, id: u32, time: i64, json: Note) {
        for index in 0..self.set.correlations().len() {
            let correlation = &self.set.correlations()[index];
            let Some(step) = correlation.references.iter().position(|own| *own == through) else { continue };
            let Some(group) = correlation.group_values(step, &event(json)) else { continue };
            let value = match correlation.counted(step, &event(json)) {
                Counted::Event => 0,
                Counted::Value(text) => text.bytes().fold(7, |hash, byte| hash * 31 + u64::from(byte)),
                Counted::Number(value) => number(value),
                Counted::Missing => continue,
            };
            let step = u16::try_from(step).unwrap();
            let spec = correlation.window_spec();
            let window = self.windows.entry((index, group)).or_default();
            let growth = window.insert(&spec, Arrival { time, id, step, value, note: Some(json) });
            self.grow(index, growth);
        }
    }

    fn grow(&mut self, index: usize, growth: Growth<u32, Note>) {
        let name = self.set.correlations()[index].info.title.clone();
        self.members.entry(name).or_default().extend(growth.joined.iter().map(|member| member.id));
        for point in growth.points {
            self.count(Reference::Correlation(index), point.id, point.time, point.note.unwrap());
        }
    }

    /// Advances the log's time: inner correlations come before those that count them.
    fn pass(&mut self, seconds: i64) {
        for key in self.windows.keys().cloned().collect::<Vec<_>>() {
            let spec = self.set.correlations()[key.0].window_spec();
            let window = self.windows.get_mut(&key).unwrap();
            let is_due = window.due(&spec).is_some_and(|due| due < seconds * SECOND);
            let growth = window.close(&spec, seconds * SECOND);
            assert!(is_due || growth == Growth::default());
            self.grow(key.0, growth);
        }
    }

    fn members(&self, name: &str) -> Vec<u32> {
        self.members.get(name).into_iter().flatten().copied().collect()
    }
}

fn correlation(title: &str, body: &str) -> String {
    format!("---\ntitle: {title}\nname: {title}\ncorrelation: {{{body}}}\n")
}

const EVE_FAILS: Note = r#"{"outcome": "failure", "user": "eve", "host": "a", "bytes": 40}"#;
const EVE_SUCCEEDS: Note = r#"{"outcome": "success", "user": "eve", "host": "b", "bytes": 70}"#;
const EVE_CHANGES: Note = r#"{"outcome": "change", "user": "eve", "host": "a", "bytes": "x"}"#;
const BOB_FAILS: Note = r#"{"outcome": "failure", "user": "bob", "host": "a", "bytes": 1}"#;
const NOBODY_FAILS: Note = r#"{"outcome": "failure", "host": "a", "bytes": 1}"#;

/// Members of one correlation after these events, a second apart, and after all windows have ended.
fn members(body: &str, events: &[Note]) -> (Vec<u32>, Vec<u32>) {
    let mut counter = Counter::new(&correlation("c", body));
    for (id, json) in events.iter().enumerate() {
        counter.event(u32::try_from(id).unwrap(), i64::try_from(id).unwrap(), json);
    }
    let at_once = counter.members("c");
    counter.pass(1_000);
    (at_once, counter.members("c"))
}

const EVENTS: [Note; 6] = [EVE_FAILS, BOB_FAILS, EVE_SUCCEEDS, NOBODY_FAILS, EVE_FAILS, EVE_CHANGES];

#[test]
fn conditions_from_below_are_met_as_events_come() {
    let table: [(&str, &[u32]); 9] = [
        ("type: event_count, rules: [failed], group-by: [user], timespan: 1m, condition: {gte: 2}", &[0, 4]),
        ("type: event_count, rules: [failed], timespan: 1m, condition: {gt: 3}", &[0, 1, 3, 4]),
        ("type: event_count, rules: [failed], timespan: 1s, condition: {gte: 2}", &[0, 1, 3, 4]),
        (
            "type: value_count, rules: [failed, accepted], timespan: 1m, condition: {field: user, gte: 2}",
            &[0, 1, 2, 4],
        ),
        (
            "type: value_sum, rules: [failed, accepted], group-by: [user], timespan: 1m, condition: {field: bytes, gte: 110}",
            &[0, 2, 4],
        ),
        ("type: temporal, rules: [changed, failed], group-by: [user], timespan: 1m", &[0, 4, 5]),
        (
            "type: temporal, rules: [changed, failed, accepted], timespan: 1m, condition: {gte: 2}",
            &[0, 1, 2, 3, 4, 5],
        ),
        (
            "type: temporal_ordered, rules: [failed, accepted, changed], group-by: [user], timespan: 1m",
            &[0, 2, 4, 5],
        ),
        (
            "type: temporal, timespan: 1m, group-by: [user], condition: changed and (failed or accepted)",
            &[0, 2, 4, 5],
        ),
    ];
    for (body, expected) in table {
        let (at_once, at_end) = members(body, &EVENTS);
        assert_eq!((&at_once[..], &at_end[..]), (expected, expected), "{body}");
    }
    let (_, never) = members("type: temporal_ordered, rules: [changed, failed], timespan: 1m", &EVENTS);
    assert!(never.is_empty());
}

#[test]
fn other_conditions_are_met_when_their_window_has_ended() {
    let table: [(&str, &[u32]); 12] = [
        ("type: event_count, rules: [failed], group-by: [user], timespan: 1m, condition: {lt: 2}", &[1]),
        ("type: event_count, rules: [failed], group-by: [user], timespan: 1m, condition: {eq: 2}", &[0, 4]),
        ("type: event_count, rules: [failed], group-by: [user], timespan: 1m, condition: {neq: 1}", &[0, 4]),
        ("type: event_count, rules: [failed], timespan: 1m, condition: {gte: 2, lte: 3}", &[]),
        ("type: value_count, rules: [failed], timespan: 1m, condition: {field: user, lte: 2}", &[0, 1, 4]),
        ("type: value_sum, rules: [failed], timespan: 1m, condition: {field: bytes, lt: 83}", &[0, 1, 3, 4]),
        (
            "type: value_avg, rules: [failed], timespan: 1m, condition: {field: bytes, eq: 20.5}",
            &[0, 1, 3, 4],
        ),
        (
            "type: value_median, rules: [failed], timespan: 1m, condition: {field: bytes, gte: 20.5}",
            &[0, 1, 3, 4],
        ),
        (
            "type: value_percentile, rules: [failed], timespan: 1m, condition: {field: bytes, percentile: 50, lte: 1}",
            &[0, 1, 3, 4],
        ),
        (
            "type: value_percentile, rules: [failed], timespan: 1m, condition: {field: bytes, percentile: 51, lte: 1}",
            &[],
        ),
        (
            "type: temporal, rules: [failed, accepted], group-by: [user], timespan: 1m, condition: {eq: 1}",
            &[1],
        ),
        ("type: temporal, group-by: [user], timespan: 1m, condition: failed and not accepted", &[1]),
    ];
    for (body, expected) in table {
        let (at_once, at_end) = members(body, &EVENTS);
        assert_eq!((&at_once[..], &at_end[..]), (&[][..], expected), "{body}");
    }
}

#[test]
fn an_outer_correlation_has_groups_of_its_own() {
    let inner = "type: event_count, rules: [failed], group-by: [host], timespan: 1m, condition: {gte: 2}";
    let outer = "type: temporal_ordered, rules: [many, accepted], group-by: [user], timespan: 10m";
    let mut counter = Counter::new(&(correlation("many", inner) + &correlation("then", outer)));
    counter.event(0, 0, BOB_FAILS);
    counter.event(1, 1, EVE_FAILS);
    counter.event(2, 2, r#"{"outcome": "success", "user": "bob", "host": "b"}"#);
    // Bob's failure is a member on host `a`, but the count was reached with Eve's.
    assert_eq!((counter.members("many"), counter.members("then")), (vec![0, 1], vec![]));
    counter.event(3, 3, EVE_SUCCEEDS);
    assert_eq!(counter.members("then"), [1, 3]);
}

#[test]
fn a_closed_window_counts_for_an_outer_correlation() {
    let inner = "type: event_count, rules: [failed], group-by: [user], timespan: 10s, condition: {lte: 2}";
    let outer = "type: event_count, rules: [few], group-by: [user], timespan: 5m, condition: {gte: 2}";
    let last = "type: temporal, timespan: 1h, rules: [again, changed]";
    let yaml = correlation("last", last) + &correlation("again", outer) + &correlation("few", inner);
    let mut counter = Counter::new(&yaml);
    counter.event(0, 0, EVE_FAILS);
    counter.event(1, 1, EVE_FAILS);
    counter.pass(30);
    counter.event(2, 40, EVE_FAILS);
    assert!(counter.members("again").is_empty());
    counter.pass(60);
    assert_eq!(counter.members("few"), [0, 1, 2]);
    assert_eq!(counter.members("again"), [1, 2]);
    counter.event(3, 70, EVE_CHANGES);
    assert_eq!(counter.members("last"), [2, 3]);
}

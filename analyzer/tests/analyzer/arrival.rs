//! Incidents, their counts and severities, and the tallies of rules do not depend on the order in which records arrive,
//! as long as none is later than is allowed.

use std::collections::BTreeMap;

use ::ledger::Kind;
use common::row::{self, RuleTally};
use proptest::prelude::*;

use super::harness::{Delivery, Line, Outcome, START, World, difference, in_paused_time, rules};

const ADDRESS: &str = "203.0.113.9";
/// A record arrives so many seconds after it happened, at most: a little less than the lateness that windows allow.
const LATEST: u64 = 590;
const DAY: u64 = 24 * 3_600;
/// Beginning of the ids of correlations: before those of rules, as of equal rules the first counts.
const CORRELATION_IDS: &str = "00000000-0000-4000-8000-0000000000";

/// Weak signs of several tactics, two rules for one record, and correlations that add little to the findings of others.
fn weak_rules() -> String {
    let low = |number, sign: &str, tactic: &str| {
        rules::sign(number, sign, &format!("level: low\ntags: [attack.{tactic}]"))
    };
    let beside = |number: u32, level: &str, tactic: &str| {
        format!(
            "\n---\ntitle: Beside {number}\nid: 00000000-0000-4000-8000-0000000005{number:02}\nname: beside{number}\n\
             logsource: {{category: application}}\n\
             detection: {{selection: {{also: beside}}, condition: selection}}\nlevel: {level}\n\
             tags: [attack.{tactic}]\n"
        )
    };
    let several = |number: u32, counted: &str, field: &str| {
        format!(
            "\n---\ntitle: Several {number}\nid: {CORRELATION_IDS}{number:02}\ncorrelation:\n  \
             type: event_count\n  rules: [{counted}]\n  group-by: [{field}]\n  timespan: 5m\n  \
             condition: {{gte: 3}}\n  generate: true\nlevel: low\n"
        )
    };
    low(1, "a", "discovery")
        + &low(2, "b", "execution")
        + &low(3, "c", "persistence")
        + &low(4, "d", "discovery")
        + &beside(1, "medium", "discovery")
        + &beside(2, "low\nstatus: experimental", "collection")
        + &several(1, "a", "client.address")
        + &several(2, "beside2", "client.address")
}

/// A record, and the seconds after which it arrives in one order and in another.
type Happening = (Line, u64, [u64; 2]);

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    // Within one episode of incidents.
    let near = prop_oneof![Just(0), Just(DAY), Just(DAY - 200), Just(5 * DAY), 0..6 * DAY];
    let one = (0_usize..5, 0_u8..2, near, 0_u64..400, any::<bool>(), [0..=LATEST, 0..=LATEST]);
    proptest::collection::vec(one, 1..40).prop_map(|happened| {
        let numbered = happened.into_iter().enumerate();
        numbered
            .map(|(number, (kind, address, near, second, beside, delays))| {
                let sign = ["a", "b", "c", "d", "none"][kind];
                let line = Line::sign(sign, &format!("203.0.113.{address}"));
                let line = if beside { line.with("also", "beside") } else { line };
                (line.at(near + second).uid(number.to_string()), near + second, delays)
            })
            .collect()
    })
}

/// One delivery for each record, in the order of their arrival.
fn arriving(happened: &[Happening], order: usize) -> Vec<Delivery> {
    let mut arrivals: Vec<(u64, &Line)> =
        happened.iter().map(|(line, second, delays)| (second + delays[order], line)).collect();
    arrivals.sort_by_key(|(arrival, _)| *arrival);
    arrivals.into_iter().map(|(arrival, line)| Delivery::new(arrival, [line.clone()])).collect()
}

/// The tallies of single rules. Findings of a correlation are counted whenever its members grow, which depends on the order.
fn tallies(world: &World) -> BTreeMap<Vec<u8>, RuleTally> {
    let of_rules = |((kind, key), body): ((u8, Vec<u8>), Vec<u8>)| {
        let is_tally = kind == Kind::State.number() && key.starts_with(row::TALLIES_PREFIX);
        let is_correlation = String::from_utf8_lossy(&key).contains(CORRELATION_IDS);
        (is_tally && !is_correlation).then(|| (key, row::decode(&body).unwrap()))
    };
    world.rows().into_iter().filter_map(of_rules).collect()
}

/// Incidents, without the times at which their records were accepted.
fn outcomes(world: &World) -> Vec<Outcome> {
    let mut outcomes = world.outcomes();
    for evidence in outcomes.iter_mut().flat_map(|outcome| &mut outcome.evidence) {
        evidence.received_at = START;
    }
    outcomes
}

async fn found(yaml: &str, deliveries: &[Delivery]) -> (Vec<Outcome>, BTreeMap<Vec<u8>, RuleTally>) {
    let world = World::new(yaml);
    world.take(deliveries).await;
    (outcomes(&world), tallies(&world))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lateness_changes_neither_incidents_nor_tallies(happened in happenings()) {
        in_paused_time(async {
            let yaml = weak_rules();
            let expected = found(&yaml, &arriving(&happened, 0)).await;
            let other = found(&yaml, &arriving(&happened, 1)).await;
            assert!(other == expected, "{}", difference(&other, &expected));
        });
    }
}

fn signs(happened: &[(&str, bool, u64, u64)]) -> Vec<Delivery> {
    let numbered = happened.iter().enumerate();
    let delivery = |(number, (sign, beside, second, arrival)): (usize, &(&str, bool, u64, u64))| {
        let line = Line::sign(sign, ADDRESS).at(*second).uid(number.to_string());
        let line = if *beside { line.with("also", "beside") } else { line };
        Delivery::new(*arrival, [line])
    };
    let mut deliveries: Vec<_> = numbered.map(delivery).collect();
    deliveries.sort_by_key(|delivery| delivery.batch().headers.received_at);
    deliveries
}

#[tokio::test(start_paused = true)]
async fn a_record_counts_for_the_rule_that_says_most_whenever_it_arrives() {
    let in_order = [("none", true, 0, 0), ("none", true, 1, 1), ("a", true, 2, 2)];
    let reversed = [("a", true, 2, 2), ("none", true, 1, 3), ("none", true, 0, 4)];
    for happened in [in_order, reversed] {
        let (incidents, _) = found(&weak_rules(), &signs(&happened)).await;
        assert!(incidents.is_empty(), "two medium signs count, the third record adds nothing: {incidents:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_correlation_that_completes_late_takes_nothing_from_what_its_records_count_for() {
    // 21 + 21 of the sign, 47 of the other rule and 21 of a second sign: with or without the correlation, which adds nothing to
    // its records.
    let before = [
        ("a", false, 0, 0),
        ("a", false, 1, 1),
        ("none", true, 3, 3),
        ("b", false, 4, 4),
        ("a", false, 2, 5),
    ];
    let after = [
        ("a", false, 0, 0),
        ("a", false, 1, 1),
        ("a", false, 2, 2),
        ("none", true, 3, 3),
        ("b", false, 4, 4),
    ];
    for happened in [before, after] {
        let (incidents, _) = found(&weak_rules(), &signs(&happened)).await;
        assert_eq!(incidents.len(), 1, "{incidents:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_record_completes_a_week_that_is_nearly_forgotten() {
    let week = 7 * DAY;
    let of_week = [("a", false, 0, 0), ("b", false, 1, 1), ("c", false, 2, 2)];
    let late =
        of_week.into_iter().chain([("none", false, week, week + 60), ("d", false, week - 60, week + 300)]);
    let newer = of_week
        .into_iter()
        .chain([("a", false, week + 240, week + 240), ("d", false, week - 60, week + 300)]);
    for happened in [late.collect::<Vec<_>>(), newer.collect()] {
        let (incidents, _) = found(&weak_rules(), &signs(&happened)).await;
        assert_eq!(incidents.len(), 1, "{happened:?}");
        assert_eq!(incidents[0].event_count, 4, "{happened:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn signs_that_others_complete_are_counted_as_qualified() {
    let happened = [("none", true, 0, 0), ("none", true, 1, 1), ("b", false, 2, 2)];
    let world = World::new(&weak_rules());
    world.take(&signs(&happened)).await;
    assert_eq!(world.heads().len(), 1);
    let routine: u64 = tallies(&world).values().map(|tally| tally.routine).sum();
    let qualified: u64 = tallies(&world).values().map(|tally| tally.qualified).sum();
    assert_eq!((routine, qualified), (0, 5), "two rules of each of two records, and one of the third");
}

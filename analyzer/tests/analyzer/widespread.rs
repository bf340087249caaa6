//! Findings of one rule about more than ten entities of a source within a day.

use common::incident::{IncidentHead, Qualification};
use common::severity::Severity;
use proptest::prelude::*;

use super::crash::faults;
use super::harness::{Delivery, Line, Outcome, World, difference, in_paused_time, rules};

const HOUR: u64 = 3_600;

fn address(number: u64) -> String {
    format!("203.0.113.{number}")
}

fn signs(sign: &str, numbers: impl IntoIterator<Item = u64>, second: u64) -> Delivery {
    Delivery::new(second, numbers.into_iter().map(|number| Line::sign(sign, &address(number)).at(second)))
}

/// The incident about a rule.
fn of_rule(world: &World) -> IncidentHead {
    let mut heads = world.heads();
    heads.retain(|head| head.entity.kind == "many_entities");
    assert_eq!(heads.len(), 1, "{heads:#?}");
    heads.remove(0)
}

/// The incidents that lists show.
fn listed(world: &World) -> Vec<IncidentHead> {
    world.heads().into_iter().filter(|head| !head.analysis.superseded).collect()
}

#[tokio::test(start_paused = true)]
async fn the_eleventh_entity_makes_a_rule_widespread() {
    let world = World::new(&rules::all());
    world.take(&[signs("loud", 0..10, 1)]).await;
    assert_eq!(listed(&world).len(), 10);
    world.take(&[signs("loud", 10..11, 2)]).await;
    let head = of_rule(&world);
    assert_eq!((head.analysis.event_count, head.analysis.severity), (11, Severity::High));
    assert_eq!(head.analysis.title, "Sign loud: many entities");
    let assessment = world.detail(&head).assessment;
    assert_eq!(assessment.qualified_by, Qualification::ManyEntities);
    assert_eq!(assessment.facts["entity"].len(), 10, "as many as are shown");
    world.take(&[signs("loud", 5..40, 3)]).await;
    assert_eq!(of_rule(&world).analysis.event_count, 46);
    assert_eq!(listed(&world), [of_rule(&world)], "no more incidents about anybody");
}

#[tokio::test(start_paused = true)]
async fn a_superseded_incident_states_it_and_returns_with_other_findings() {
    let other = rules::sign(9, "other", "level: high\nincident_family: loud\ntags: [attack.execution]");
    let world = World::new(&(rules::all() + &other));
    world.take(&[signs("loud", 0..3, 1), signs("other", [0], 1), signs("loud", 3..11, 2)]).await;
    let left: Vec<String> = listed(&world).into_iter().map(|head| head.entity.value).collect();
    assert_eq!(left, ["*".to_owned(), address(0)], "one rests on another rule as well");
    let heads = world.heads();
    let head = heads.iter().find(|head| head.entity.value == address(1)).unwrap();
    assert_eq!((head.analysis.severity, head.analysis.revision), (Severity::Low, 2));
    let assessment = world.detail(head).assessment;
    assert!(assessment.summary.contains("belong to the incident about the rule"), "{}", assessment.summary);
    assert_eq!(assessment.peak_severity, Severity::High);
    world.take(&[signs("other", [1], 3)]).await;
    let heads = listed(&world);
    let head = heads.iter().find(|head| head.entity.value == address(1)).unwrap();
    assert_eq!((head.analysis.severity, head.analysis.event_count), (Severity::High, 2));
}

#[tokio::test(start_paused = true)]
async fn entities_of_several_days_or_sources_are_counted_separately() {
    let world = World::new(&rules::all());
    for number in 0..20 {
        world.send(&signs("loud", [number], number * 3 * HOUR)).await;
    }
    world.analyze().await;
    assert_eq!(world.heads().len(), 20);
    let world = World::new(&rules::all());
    world.take(&[signs("loud", 0..10, 1), signs("loud", 10..20, 1).of_source(2)]).await;
    assert_eq!(world.heads().len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_rule_is_widespread_no_longer_after_a_day_without_matches() {
    let world = World::new(&rules::all());
    world.take(&[signs("loud", 0..12, 1)]).await;
    let before = world.heads().len();
    world.take(&[signs("loud", [50], 30 * HOUR)]).await;
    assert_eq!(world.heads().len(), before + 1);
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_stays_widespread_opens_one_incident() {
    let world = World::new(&rules::all());
    // A dozen machines, one every two hours, day after day.
    for turn in 0..48 {
        world.send(&signs("loud", [turn % 12], turn * 2 * HOUR)).await;
    }
    world.analyze().await;
    assert_eq!(world.heads().len(), 11, "ten before it was known, and one about the rule");
    assert_eq!(of_rule(&world).analysis.event_count, 48);
}

#[tokio::test(start_paused = true)]
async fn a_critical_rule_is_never_widespread() {
    let world = World::new(&rules::critical());
    world.take(&[signs("loud", 0..30, 1)]).await;
    assert_eq!(world.heads().len(), 30);
}

#[tokio::test(start_paused = true)]
async fn a_widespread_rule_adds_no_risk() {
    let world = World::new(&rules::all());
    // The sum of each would be 47 + 47 + 47, but the first rule is widespread.
    world.take(&[signs("odd", 0..12, 1), signs("odd", 0..12, 2), signs("strange", 0..3, 3)]).await;
    assert!(world.heads().is_empty(), "what is weak by itself is nothing when everybody has it");
    world.take(&[signs("queer", 0..1, 4)]).await;
    assert!(world.heads().is_empty(), "47 + 47");
    world.take(&[signs("queer", 0..1, 5)]).await;
    let head = world.head();
    assert_eq!((head.family.as_str(), head.entity.value.clone()), ("entity_risk", address(0)), "47 + 94");
    assert_eq!(head.analysis.event_count, 3);
}

#[tokio::test(start_paused = true)]
async fn an_incident_by_risk_of_a_widespread_rule_is_superseded() {
    let world = World::new(&rules::all());
    let enough = [("odd", 1), ("odd", 2), ("strange", 3)];
    for (sign, second) in enough {
        world.take(&[signs(sign, 0..2, second)]).await;
    }
    world.take(&[signs("queer", [1], 4), signs("strange", [1], 5)]).await;
    assert_eq!(listed(&world).len(), 2);
    world.take(&[signs("odd", 0..11, 6)]).await;
    let left: Vec<String> = listed(&world).into_iter().map(|head| head.entity.value).collect();
    assert_eq!(left, [address(1)], "94 + 47 without it");
    world.take(&[signs("queer", [0], 7), signs("queer", [0], 8)]).await;
    assert_eq!(listed(&world).len(), 2, "it adds up again");
}

#[tokio::test(start_paused = true)]
async fn repetitions_do_not_make_a_rule_widespread() {
    let world = World::new(&rules::all());
    let lines = |numbers: std::ops::Range<u64>| {
        numbers.map(|number| Line::sign("loud", &address(number)).uid(format!("{number}")).at(number))
    };
    world.take(&[Delivery::new(60, lines(0..11)), Delivery::new(60, lines(11..30))]).await;
    let heads = world.heads();
    let again = lines(0..30).collect::<Vec<_>>();
    let again: Vec<Delivery> =
        again.chunks(7).map(|chunk| Delivery::new(61, chunk.iter().cloned())).collect();
    world.take(&again).await;
    let counts =
        |heads: &[IncidentHead]| -> Vec<u64> { heads.iter().map(|head| head.analysis.event_count).collect() };
    assert_eq!(counts(&world.heads()), counts(&heads));
}

/// Signs of up to sixteen entities over a day, which is as late as anything may come, in the order of acceptance.
fn happenings() -> impl Strategy<Value = Vec<Line>> {
    let one = (0_usize..3, 0_u64..16, 0_u64..25);
    proptest::collection::vec(one, 1..120).prop_map(|happened| {
        let line = |(number, (sign, entity, hour)): (usize, (usize, u64, u64))| {
            let sign = ["loud", "odd", "strange"][sign];
            Line::sign(sign, &address(entity)).at(hour * HOUR).uid(number.to_string())
        };
        happened.into_iter().enumerate().map(line).collect()
    })
}

fn deliveries(lines: &[Line], most: usize) -> Vec<Delivery> {
    lines.chunks(most).map(|chunk| Delivery::new(24 * HOUR, chunk.iter().cloned())).collect()
}

async fn after(deliveries: &[Delivery]) -> World {
    // Some records match two rules.
    let either =
        rules::sign(8, "either", "level: medium").replace("{sign: either}", "{sign: [odd, strange]}");
    let world = World::new(&(rules::all() + &either));
    world.take(deliveries).await;
    world
}

/// The incidents about rules.
fn about_rules(world: &World) -> Vec<Outcome> {
    world.outcomes().into_iter().filter(|outcome| outcome.entity.starts_with("many_entities")).collect()
}

/// Content of lists. The further records of an incident about an entity, from before a rule was widespread, depend on the order
/// of arrival.
fn shown(world: &World) -> Vec<(String, String, Severity)> {
    let shown = |head: IncidentHead| (head.family, head.entity.value, head.analysis.severity);
    listed(world).into_iter().map(shown).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn widespread_rules_do_not_depend_on_order_or_repetition(
        (lines, shuffled, per_batch, other_per_batch) in happenings().prop_flat_map(|lines| {
            (Just(lines.clone()), Just(lines).prop_shuffle(), 1_usize..30, 1_usize..30)
        }),
    ) {
        in_paused_time(async {
            let plain = deliveries(&lines, per_batch);
            let first = after(&plain).await;
            let expected = about_rules(&first);
            let other = deliveries(&shuffled, other_per_batch);
            let both: Vec<Delivery> = other.iter().chain(&plain).cloned().collect();
            for (deliveries, how) in [(other, "split otherwise"), (both, "and sent again")] {
                let world = after(&deliveries).await;
                let found = about_rules(&world);
                assert!(found == expected, "{how}\n{}", difference(&found, &expected));
                assert_eq!(shown(&world), shown(&first), "{how}");
            }
            let again: Vec<Delivery> = plain.iter().chain(&plain).cloned().collect();
            assert_eq!(after(&again).await.outcomes(), first.outcomes(), "sent twice");
        });
    }

    #[test]
    fn faults_leave_no_trace(lines in happenings(), per_batch in 1_usize..13, faults in faults()) {
        in_paused_time(async {
            let deliveries = deliveries(&lines, per_batch);
            let undisturbed = after(&deliveries).await;
            let disturbed = super::crash::eager(undisturbed.anew());
            disturbed.ledger.plan_faults(faults);
            disturbed.take(&deliveries).await;
            assert!(disturbed.rows() == undisturbed.rows());
        });
    }
}

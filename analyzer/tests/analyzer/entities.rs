//! Entities of incidents, and the records that are their members.

use common::severity::Severity;

use super::harness::{Delivery, Line, World, at, rules};

const ADDRESS: &str = "203.0.113.9";

async fn entity_of(rule: &str, line: Line) -> String {
    let world = World::new(rule);
    world.take(&[Delivery::new(0, [line])]).await;
    let entity = world.head().entity;
    format!("{}={}", entity.kind, entity.value)
}

#[tokio::test(start_paused = true)]
async fn an_entity_is_what_the_rule_says_else_what_its_log_source_is_about() {
    let loud = |more: &str| rules::sign(1, "loud", &format!("level: high\n{more}"));
    let line = || Line::sign("loud", ADDRESS).with("host.name", "web-1").with("user.name", "ann");
    let of = |source: &str| loud("").replace("category: application", source);
    for (rule, expected) in [
        (loud(""), "client.address=203.0.113.9"),
        (of("category: webserver"), "client.address=203.0.113.9"),
        (of("category: process_creation"), "host.name=web-1"),
        (loud("incident_entity: host.name"), "host.name=web-1"),
        (loud("incident_entity: [user.name, host.name]"), "user.name+host.name=ann web-1"),
        (loud("incident_entity: none"), "none=none"),
        (loud("incident_entity: absent"), "absent=none"),
    ] {
        assert_eq!(entity_of(&rule, line()).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn long_entities_are_told_apart() {
    let rule = rules::sign(1, "loud", "level: high\nincident_entity: user.name");
    let world = World::new(&rule);
    let lines = ["a", "b"]
        .map(|end| Line::sign("loud", ADDRESS).with("user.name", format!("{}{end}", "u".repeat(100_000))));
    world.take(&[Delivery::new(0, lines)]).await;
    let heads = world.heads();
    assert_eq!(heads.len(), 2);
    assert!(heads.iter().all(|head| head.entity.value.len() <= 300));
}

#[tokio::test(start_paused = true)]
async fn logins_of_one_address_are_one_incident_that_a_success_makes_worse() {
    let world = World::new(rules::LOGINS);
    let failed = (0..8).map(|number| Line::failed(&format!("user{number}"), ADDRESS).at(number));
    world.take(&[Delivery::new(8, failed)]).await;
    let head = world.head();
    assert_eq!((head.analysis.event_count, head.analysis.severity), (8, Severity::Medium));
    assert_eq!((head.analysis.first_seen_at, head.analysis.last_activity_at), (at(0), at(7)));
    let rules: Vec<String> =
        world.detail(&head).assessment.rules.iter().map(|rule| rule.title.clone()).collect();
    assert_eq!(rules, ["Many failed logins", "Failed logins by many names"]);

    world.take(&[Delivery::new(60, [Line::accepted("user3", ADDRESS).at(60)])]).await;
    let head = world.head();
    assert_eq!((head.analysis.event_count, head.analysis.severity), (9, Severity::Critical));
    assert_eq!(head.analysis.title, format!("Login after many failed ones from {ADDRESS}"));
    assert_eq!(world.detail(&head).assessment.tactics, ["credential-access", "initial-access"]);
}

#[tokio::test(start_paused = true)]
async fn a_success_before_the_failures_is_no_sign_of_any() {
    let world = World::new(rules::LOGINS);
    let failed = (0..8).map(|number| Line::failed("root", ADDRESS).at(100 + number));
    let lines = [Line::accepted("root", ADDRESS).at(1)].into_iter().chain(failed);
    world.take(&[Delivery::new(110, lines)]).await;
    assert_eq!(world.head().analysis.severity, Severity::Medium);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_two_counted_rules_match_is_one_event() {
    let rules = rules::LOGINS.to_owned()
        + "\n---\ntitle: Either\nid: 00000000-0000-4000-8000-000000000099\ncorrelation:\n  type: event_count\n  \
           rules: [login_failed, root_failed]\n  group-by: [client.address]\n  timespan: 5m\n  \
           condition: {gte: 4}\nlevel: high\nincident_family: either\n---\ntitle: Root failed\n\
           id: 00000000-0000-4000-8000-000000000098\nname: root_failed\n\
           logsource: {product: linux, service: sshd}\n\
           detection: {selection: {event.action: ssh_login_failed, user.name: root}, condition: selection}\nlevel: low\n";
    let world = World::new(&rules);
    world.take(&[Delivery::new(0, vec![Line::failed("root", ADDRESS); 3])]).await;
    assert!(world.heads().is_empty());
    world.take(&[Delivery::new(1, vec![Line::failed("root", ADDRESS)])]).await;
    assert_eq!(world.head().analysis.event_count, 4);
}

#[tokio::test(start_paused = true)]
async fn members_are_counted_once_exactly_to_ten_thousand_and_by_position_beyond() {
    let world = World::new(rules::LOGINS);
    let lines = |from: u64, count: u64| {
        let line = |number: u64| Line::failed(&format!("user{}", number % 50), ADDRESS).at(number / 100);
        Delivery::new(130, (from..from + count).map(line))
    };
    world.take(&[lines(0, 5_000), lines(5_000, 5_000)]).await;
    assert_eq!(world.head().analysis.event_count, 10_000);
    world.take(&[lines(10_000, 2_000), lines(5_000, 5_000)]).await;
    assert_eq!(world.head().analysis.event_count, 12_000, "two rules match each, and a delivery is repeated");
    assert_eq!(world.detail(&world.head()).evidence.len(), 10);
    let reasons: Vec<String> =
        world.revisions(&world.head()).iter().flat_map(|revision| revision.reasons.clone()).collect();
    assert!(reasons.contains(&"event_count_reached_10000".to_owned()), "{reasons:?}");
}

//! Escalations of incidents, by policy, and that each is sent once despite any failure.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ::analyzer::Catalogue;
use common::event::{EventKind, SourceGroup};
use common::ids::SourceId;
use common::severity::Severity;
use common::triage::TriageStatus;
use directory::{EscalationTrigger, MonitoringPolicy};
use ledger::Kind;
use proptest::prelude::*;

use super::crash::{eager, faults};
use super::harness::ledger::Ended;
use super::harness::policies::policy;
use super::harness::{Delivery, Fault, Line, Rows, World, at, compiled, in_paused_time, rules};
use super::once::{deliveries, happenings};
use super::people::review;

const ADDRESS: &str = "203.0.113.9";

/// A high sign, and a critical one of the same family.
fn two_levels() -> String {
    rules::sign(1, "loud", "level: high\nincident_family: loud")
        + &rules::sign(9, "worse", "level: critical\nincident_family: loud")
}

/// The same severities, found by counting to one: correlations are never widespread.
fn two_counted_levels() -> String {
    let level = |number: u32, sign: &str, level: &str| {
        let counted = format!(
            "\n---\ntitle: Counted {sign}\nid: 00000000-0000-4000-8000-0000000002{number:02}\ncorrelation:\n  \
             type: event_count\n  rules: [{sign}]\n  group-by: [client.address]\n  timespan: 1m\n  \
             condition: {{gte: 1}}\nlevel: {level}\nincident_family: loud\n"
        );
        rules::sign(number, sign, "level: informational") + &counted
    };
    level(1, "loud", "high") + &level(9, "worse", "critical")
}

fn sign(sign: &str, second: u64) -> Delivery {
    Delivery::new(second, [Line::sign(sign, ADDRESS).at(second)])
}

async fn world_under(policies: Vec<MonitoringPolicy>) -> World {
    world_of(&two_levels(), policies).await
}

async fn world_of(rules: &str, policies: Vec<MonitoringPolicy>) -> World {
    let world = World::new(rules);
    world.set_policies(policies).await;
    world
}

/// The escalated severities, in order.
fn severities(world: &World) -> Vec<String> {
    world.events().iter().map(|event| event.object["severity"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn nothing_is_told_until_somebody_wants_it() {
    let world = World::new(&two_levels());
    world.take(&[sign("loud", 1), sign("worse", 2)]).await;
    assert_eq!(world.events(), []);
    let versions: Vec<_> = world.revisions(&world.head()).iter().map(|made| made.policies_version).collect();
    assert_eq!(versions, [0, 0]);
}

#[tokio::test(start_paused = true)]
async fn an_incident_is_told_when_it_opens_and_when_it_grows_worse() {
    let world = world_under(vec![policy(Severity::High)]).await;
    world.take(&[sign("loud", 1), sign("loud", 2), sign("worse", 3), sign("loud", 4)]).await;
    let head = world.head();
    let events = world.events();
    let [opened, raised] = events.as_slice() else { panic!("{events:#?}") };
    for event in [opened, raised] {
        assert_eq!(event.kind, EventKind::InfrastructureIncidentEscalated);
        assert_eq!((event.organization, event.incident), (head.organization, Some(head.id)));
        let source = event.source.clone().unwrap();
        assert_eq!((source.group, source.id), (SourceGroup::Infrastructure, Some(head.source.to_string())));
        assert_eq!(event.object["id"], head.id.to_string());
        assert_eq!(event.object["object"], "incident");
        assert_eq!(event.object["assessment"]["severity"], event.object["severity"]);
        assert!(event.object["evidence"].is_null());
    }
    // Both were made before one commit, and each has the state of its own time.
    assert_eq!((opened.created_at, raised.created_at), (at(1), at(3)));
    assert_eq!((&opened.object["severity"], &opened.object["event_count"]), (&"high".into(), &1.into()));
    assert_eq!((&raised.object["severity"], &raised.object["event_count"]), (&"critical".into(), &3.into()));
    assert_eq!(
        raised.object["dashboard_url"],
        format!("http://127.0.0.1:8080/console/incidents/{}", head.id)
    );
    assert_ne!(opened.id, raised.id);
    let versions: Vec<_> = world.revisions(&head).iter().map(|made| made.policies_version).collect();
    assert_eq!(versions, [1, 1]);
}

#[tokio::test(start_paused = true)]
async fn every_part_of_a_policy_decides() {
    let named = |name: &str| Some(vec![name.to_owned()]);
    let high = || policy(Severity::High);
    let table: [(MonitoringPolicy, &[&str]); 9] = [
        (policy(Severity::Critical), &["critical"]),
        (MonitoringPolicy { enabled: false, ..high() }, &[]),
        (MonitoringPolicy { escalate_on: vec![EscalationTrigger::SeverityRaised], ..high() }, &["critical"]),
        (MonitoringPolicy { escalate_on: vec![EscalationTrigger::Reopened], ..high() }, &[]),
        (MonitoringPolicy { application_groups: named("shop"), ..high() }, &["high", "critical"]),
        (MonitoringPolicy { application_groups: named("bank"), ..high() }, &[]),
        (MonitoringPolicy { environments: named("staging"), ..high() }, &[]),
        (MonitoringPolicy { source_ids: Some(vec![SourceId::from_bytes([2; 16])]), ..high() }, &[]),
        // Accepted before it was there.
        (MonitoringPolicy { in_force_since: at(2), ..high() }, &["critical"]),
    ];
    for (number, (policy, expected)) in table.into_iter().enumerate() {
        let world = world_under(vec![policy]).await;
        world.take(&[sign("loud", 1), sign("worse", 2)]).await;
        assert_eq!(severities(&world), expected, "line {number}");
    }
    // Several policies that agree escalate once.
    let world = world_under(vec![high(), policy(Severity::Low)]).await;
    world.take(&[sign("loud", 1)]).await;
    assert_eq!(severities(&world), ["high"]);
}

#[tokio::test(start_paused = true)]
async fn a_policy_governs_the_next_batch_and_no_earlier_one() {
    let world = World::new(&two_levels());
    let running = world.start();
    world.send(&sign("loud", 1)).await;
    world.caught_up().await;
    // Not a moment passes between the policy and the batch.
    world.set_policies(vec![policy(Severity::High)]).await;
    world.send(&Delivery::new(2, [Line::sign("loud", "203.0.113.8")])).await;
    world.caught_up().await;
    assert_eq!(world.events().len(), 1, "the first incident is no news");
    world.set_policies(Vec::new()).await;
    world.send(&Delivery::new(3, [Line::sign("loud", "203.0.113.7")])).await;
    world.caught_up().await;
    running.stop().await;
    let entities: Vec<_> =
        world.events().iter().map(|event| event.object["entity"]["value"].clone()).collect();
    assert_eq!(entities, ["203.0.113.8"]);
    assert_eq!(world.heads().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn policies_of_one_organization_concern_no_other() {
    let world = World::new(&two_levels());
    world.set_policies_of([8; 16], vec![policy(Severity::Unknown)]).await;
    world.take(&[sign("loud", 1), sign("worse", 2)]).await;
    assert_eq!(world.events(), []);
}

#[tokio::test(start_paused = true)]
async fn policies_that_cannot_be_read_stop_no_analysis() {
    let world = world_under(vec![policy(Severity::High)]).await;
    world.write_policies([9; 16], b"\x09{}".to_vec()).await;
    world.take(&[sign("loud", 1)]).await;
    assert_eq!((world.heads().len(), world.events().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_told_of_a_resolved_incident_until_it_is_reopened() {
    for (while_resolved, after, expected) in
        [("loud", "worse", vec!["high", "critical"]), ("worse", "loud", vec!["high"])]
    {
        let world = world_under(vec![policy(Severity::High)]).await;
        let running = world.start();
        world.send(&sign("loud", 1)).await;
        world.caught_up().await;
        review(&world.ledger, &world.head(), TriageStatus::Resolved, at(2)).await;
        world.send(&sign(while_resolved, 3)).await;
        world.caught_up().await;
        assert_eq!(world.head().recurred_worse(), while_resolved == "worse");
        assert_eq!(severities(&world), ["high"]);
        review(&world.ledger, &world.head(), TriageStatus::InProgress, at(4)).await;
        world.send(&sign(after, 5)).await;
        world.caught_up().await;
        running.stop().await;
        assert_eq!(severities(&world), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_person_says_between_fold_and_commit_decides() {
    for (before, meanwhile, expected) in
        [(None, TriageStatus::Resolved, 1), (Some(TriageStatus::Resolved), TriageStatus::InProgress, 2)]
    {
        let world = world_under(vec![policy(Severity::High)]).await;
        world.take(&[sign("loud", 0)]).await;
        if let Some(status) = before {
            review(&world.ledger, &world.head(), status, at(1)).await;
        }
        world.ledger.revising.notified().await;
        world.ledger.set_latency(Duration::from_millis(100));
        world.send(&sign("worse", 5)).await;
        let running = world.start();
        world.ledger.revising.notified().await;
        review(&world.ledger, &world.head(), meanwhile, at(6)).await;
        world.caught_up().await;
        running.stop().await;
        let conflicts = world.ledger.book().iter().filter(|commit| commit.outcome == Ended::Conflict).count();
        assert!(conflicts > 0, "the review came too late");
        assert_eq!(world.events().len(), expected, "{meanwhile:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_is_there_again_is_told_when_it_makes_it_worse() {
    let worse = two_levels();
    let milder = rules::sign(1, "loud", "level: high\nincident_family: loud");
    let catalogue = |yaml: &str| Catalogue::new(Arc::new(compiled(yaml)), BTreeSet::new());
    let world = world_under(vec![policy(Severity::High)]).await;
    let running = world.start();
    for delivery in [sign("loud", 1), sign("worse", 2)] {
        world.send(&delivery).await;
    }
    world.caught_up().await;
    world.adopt(catalogue(&milder)).await;
    assert_eq!(world.head().analysis.severity, Severity::High);
    assert_eq!(world.events().len(), 2, "that it looks milder is not told");
    world.adopt(catalogue(&worse)).await;
    running.stop().await;
    assert_eq!(severities(&world), ["high", "critical", "critical"]);
    world.told();
}

#[tokio::test(start_paused = true)]
async fn a_storm_is_told_as_far_as_a_person_can_hear_and_fits_its_commits() {
    let world = world_of(&two_counted_levels(), vec![policy(Severity::High)]).await;
    let address = |number: usize| format!("10.0.{}.{}", number / 250, number % 250);
    let lines =
        |sign: &'static str, most: usize| (0..most).map(move |number| Line::sign(sign, &address(number)));
    world.take(&[Delivery::new(0, lines("loud", 260))]).await;
    let events = world.events();
    assert_eq!(events.len(), 201);
    assert_eq!(events.iter().filter(|event| event.object["entity"]["kind"] == "many_entities").count(), 1);
    world.take(&[Delivery::new(60, lines("worse", 260))]).await;
    assert_eq!(severities(&world).iter().filter(|severity| *severity == "critical").count(), 201);
    assert!(world.ledger.book().iter().all(|commit| commit.rows <= 1_000 && commit.bytes <= 1 << 20));
    world.told();
}

#[tokio::test(start_paused = true)]
async fn escalations_of_one_severity_are_bounded_by_the_hour() {
    let world = world_of(&two_counted_levels(), vec![policy(Severity::High)]).await;
    let address = |number: usize| format!("10.0.{}.{}", number / 250, number % 250);
    // Two hundred in one hour and a hundred in the next grow worse together.
    let lines = |sign: &'static str, numbers: std::ops::Range<usize>| {
        numbers.map(move |number| Line::sign(sign, &address(number))).collect::<Vec<_>>()
    };
    world.take(&[Delivery::new(0, lines("loud", 0..200))]).await;
    world.take(&[Delivery::new(3_600, lines("loud", 200..300))]).await;
    assert_eq!(world.events().len(), 300);
    world.take(&[Delivery::new(3_700, lines("worse", 0..300))]).await;
    assert_eq!(world.heads().iter().filter(|head| head.analysis.severity == Severity::Critical).count(), 300);
    assert_eq!(world.events().len(), 300 + 200);
    world.take(&[Delivery::new(7_200, [Line::sign("worse", "198.51.100.1")])]).await;
    assert_eq!(world.events().len(), 300 + 200 + 1, "another hour");
}

/// Everything but the outbox, whose keys depend on the number of commits.
fn rows_beside(world: &World) -> Rows {
    let mut rows = world.rows();
    rows.retain(|(kind, _), _| *kind != Kind::Outbox.number());
    rows
}

async fn told_of_all() -> World {
    let world = World::new(&rules::all());
    world.set_policies(vec![policy(Severity::Unknown)]).await;
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_event_is_written_once_with_the_same_bytes(
        lines in happenings(60),
        per_batch in 1_usize..12,
        other_per_batch in 1_usize..12,
        faults in faults(),
        start in any::<prop::sample::Index>(),
    ) {
        in_paused_time(async {
            let sent = deliveries(&lines, per_batch);
            let undisturbed = told_of_all().await;
            undisturbed.take(&sent).await;
            let expected = undisturbed.told();

            let disturbed = eager(told_of_all().await);
            disturbed.ledger.plan_faults(faults.clone());
            disturbed.take(&sent).await;
            assert!(disturbed.told() == expected, "after faults");
            assert!(rows_beside(&disturbed) == rows_beside(&undisturbed), "after faults");

            // Repeated in other batches, from anywhere in the middle.
            let mut again = sent.clone();
            again.extend(deliveries(&lines[..start.index(lines.len())], other_per_batch));
            let repeated = eager(told_of_all().await);
            repeated.ledger.plan_faults(faults);
            repeated.take(&again).await;
            assert!(repeated.told() == expected, "sent again");

            let shared = eager(told_of_all().await);
            for delivery in &sent {
                shared.send(delivery).await;
            }
            let (first, second) = (shared.start(), shared.start());
            shared.caught_up().await;
            first.stop().await;
            second.stop().await;
            assert!(shared.told() == expected, "after two owners at once");
        });
    }
}

#[test]
fn dying_at_any_commit_tells_everything_once() {
    let kinds = ["loud", "worse", "loud"];
    let line = |number: usize| {
        Line::sign(kinds[number % 3], &format!("203.0.113.{}", number / 3))
            .at(number as u64)
            .uid(number.to_string())
    };
    let sent: Vec<Delivery> = (0..9).map(|number| Delivery::new(number as u64, [line(number)])).collect();
    in_paused_time(async {
        let undisturbed = world_under(vec![policy(Severity::High)]).await;
        undisturbed.take(&sent).await;
        let expected = undisturbed.told();
        assert_eq!(expected.len(), 6);
        let plain = eager(world_under(vec![policy(Severity::High)]).await);
        plain.take(&sent).await;
        // The first is the take-over.
        let commits = plain.ledger.book().len() + 1;
        assert!(commits > 8, "{commits}");
        for (number, fault) in (0..commits).flat_map(|number| Fault::ALL.map(|fault| (number, fault))) {
            let disturbed = eager(world_under(vec![policy(Severity::High)]).await);
            disturbed.ledger.plan_faults([(number, fault)]);
            disturbed.take(&sent).await;
            assert!(disturbed.told() == expected, "{fault:?} at commit {number}");
            assert!(rows_beside(&disturbed) == rows_beside(&undisturbed), "{fault:?} at commit {number}");
        }
    });
}

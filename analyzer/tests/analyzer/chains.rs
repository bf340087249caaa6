//! Correlations of correlations: each groups by its own fields and counts its own values, whatever the one
//! it refers to groups by, and whether that is decided as events come or when its window has ended.

use super::closing::correlation;
use super::harness::{Delivery, Line, World, rules};

const END: u64 = 100_000;

fn world(correlations: &str) -> World {
    let signs = [(1, "failed"), (2, "accepted")]
        .map(|(number, name)| rules::sign(number, name, "level: informational"));
    World::new(&(signs.concat() + correlations))
}

fn line(sign: &str, host: &str, user: &str, second: u64) -> Line {
    Line::sign(sign, "203.0.113.9").with("host.name", host).with("user.name", user).at(second)
}

/// Title, entity and members of the findings.
fn found(world: &World) -> Vec<(String, String, u64)> {
    let found = world
        .heads()
        .into_iter()
        .map(|head| (head.analysis.title, head.entity.value, head.analysis.event_count));
    found.collect()
}

const MANY: &str =
    "type: event_count, rules: [failed], group-by: [host.name], timespan: 1m, condition: {gte: 2}";

#[tokio::test(start_paused = true)]
async fn an_outer_correlation_has_groups_of_its_own() {
    let then = "type: temporal_ordered, rules: [many, accepted], group-by: [user.name], timespan: 10m";
    let world = world(&(correlation(1, "many", MANY, "") + &correlation(2, "then", then, "")));
    let failures = [line("failed", "a", "bob", 0), line("failed", "a", "eve", 1)];
    world.take(&[Delivery::new(1, failures)]).await;
    // Bob's failure is a member on host `a`, but the count was reached with Eve's.
    world.take(&[Delivery::new(2, [line("accepted", "b", "bob", 2)])]).await;
    assert_eq!(found(&world), []);
    // All of it was read back from the ledger meanwhile.
    world.take(&[Delivery::new(3, [line("accepted", "b", "eve", 3)])]).await;
    let [(_, entity, members)] = &found(&world)[..] else { panic!("{:?}", found(&world)) };
    assert_eq!((entity.as_str(), *members), ("eve", 2));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_becomes_a_point_late_has_kept_what_the_outer_one_reads() {
    let spread = "type: value_count, rules: [many], group-by: [client.address], timespan: 10m, condition: {field: user.name, gte: 3}";
    let world = world(&(correlation(1, "many", MANY, "") + &correlation(2, "spread", spread, "")));
    world.take(&[Delivery::new(9, [line("failed", "a", "ann", 10)])]).await;
    world.take(&[Delivery::new(9, [line("failed", "a", "bob", 11)])]).await;
    world.take(&[Delivery::new(9, [line("failed", "a", "eve", 12)])]).await;
    assert_eq!(found(&world), [], "Ann's completed nothing");
    // An earlier one arrives, so that it was Ann's that completed the two.
    world.take(&[Delivery::new(9, [line("failed", "a", "dan", 9)])]).await;
    let [(_, entity, members)] = &found(&world)[..] else { panic!("{:?}", found(&world)) };
    assert_eq!((entity.as_str(), *members), ("203.0.113.9", 3));
}

#[tokio::test(start_paused = true)]
async fn a_closed_window_counts_in_outer_ones_that_are_closed_themselves() {
    let few = "type: event_count, rules: [failed], group-by: [host.name], timespan: 10s, condition: {lte: 2}";
    let rare = "type: event_count, rules: [few], group-by: [user.name], timespan: 5m, condition: {lte: 2}";
    let both = "type: temporal, rules: [rare, accepted], group-by: [client.address], timespan: 1h";
    for (failures, expected) in [(2_u64, 2), (3, 0)] {
        let world = world(
            &(correlation(3, "both", both, "")
                + &correlation(2, "rare", rare, "")
                + &correlation(1, "few", few, "")),
        );
        for number in 0..failures {
            let second = number * 20;
            world.take(&[Delivery::new(second, [line("failed", "a", "eve", second)])]).await;
        }
        world.take(&[Delivery::new(400, [line("accepted", "b", "eve", 400)])]).await;
        for second in [420, 500, 600, 700, END] {
            world.take(&[Delivery::tick(second)]).await;
        }
        // The last of the few, and the login: three failures in five minutes are not rare.
        let members: u64 = found(&world).iter().map(|(_, _, members)| members).sum();
        assert_eq!(members, expected, "{failures} failures: {:?}", found(&world));
    }
}

#[tokio::test(start_paused = true)]
async fn numbers_are_measured_through_a_chain() {
    let sum = "type: value_sum, rules: [many], group-by: [user.name], timespan: 10m, condition: {field: bytes, gte: 50}";
    let many = MANY.replace("gte: 2", "gte: 1");
    for (bytes, expected) in [("25", 1), ("24.9", 0), ("many", 0)] {
        let world = world(&(correlation(1, "many", &many, "") + &correlation(2, "sum", sum, "")));
        let lines = (0..2).map(|second| line("failed", "a", "eve", second).with("bytes", bytes));
        world.take(&[Delivery::new(2, lines)]).await;
        assert_eq!(found(&world).len(), expected, "{bytes}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_carried_is_bounded_and_the_newest_keep_it() {
    // Nine hundred long names below the threshold of one host, then the one that reaches it.
    let many = MANY.replace("gte: 2", "gte: 901");
    let then = "type: temporal_ordered, rules: [many, accepted], group-by: [user.name], timespan: 1h";
    let world = world(&(correlation(1, "many", &many, "") + &correlation(2, "then", then, "")));
    let name = |number: u64| format!("{number:04}{}", "n".repeat(200));
    let lines = (0..901).map(|number| line("failed", "a", &name(number), 1));
    world.take(&[Delivery::new(2, lines.collect::<Vec<_>>())]).await;
    let rows = world.bodies(ledger::Kind::State, b"window");
    assert!(rows.iter().all(|row| row.len() < 400 * 1024), "{:?}", rows.iter().map(Vec::len).max());
    assert!(world.quarantined().is_empty());
    world.take(&[Delivery::new(3, [line("accepted", "b", &name(900), 3)])]).await;
    assert_eq!(found(&world).len(), 1);
}

//! More incidents or groups than anybody could read or hold.

use super::harness::{Delivery, Fault, Line, World, rules};

fn address(number: usize) -> String {
    format!("10.0.{}.{}", number / 250, number % 250)
}

#[tokio::test(start_paused = true)]
async fn after_two_hundred_new_incidents_an_hour_one_stands_for_the_others() {
    let world = World::new(&rules::critical());
    let lines: Vec<Line> = (0..260)
        .map(|number| Line::sign("loud", &address(number)))
        .chain(vec![Line::sign("loud", &address(230)); 4])
        .chain([Line::sign("loud", &address(3))])
        .collect();
    world.take(&[Delivery::new(0, lines.clone())]).await;
    let heads = world.heads();
    assert_eq!(heads.len(), 201);
    let many = heads.iter().find(|head| head.entity.kind == "many_entities").unwrap();
    assert_eq!(many.analysis.event_count, 64);
    assert!(many.analysis.title.ends_with("many entities"), "{}", many.analysis.title);
    let facts = &world.detail(many).assessment.facts["entity"];
    assert_eq!((facts[0].value.as_str(), facts[0].count), (address(230).as_str(), 5));
    let known = heads.iter().find(|head| head.entity.value == address(3)).unwrap();
    assert_eq!(known.analysis.event_count, 2, "an incident that is there goes on by itself");

    world.take(&[Delivery::new(3_600, [Line::sign("loud", &address(999))])]).await;
    assert_eq!(world.heads().len(), 202, "another hour");
    world.take(&[Delivery::new(3_601, [Line::sign("loud", &address(998))]).of_source(2)]).await;
    assert_eq!(world.heads().len(), 203, "another source");

    let disturbed = world.anew();
    disturbed.ledger.plan_faults([(2, Fault::DiesAfter), (4, Fault::DiesBefore), (7, Fault::Lost)]);
    disturbed.take(&[Delivery::new(0, lines)]).await;
    assert_eq!(disturbed.heads(), heads);
}

#[tokio::test(start_paused = true)]
async fn batches_accepted_out_of_order_do_not_begin_the_hour_anew() {
    let world = World::new(&rules::critical());
    for (batch, second) in [3_599, 3_601, 3_598, 3_602].into_iter().enumerate() {
        let lines = (batch * 150..(batch + 1) * 150).map(|number| Line::sign("loud", &address(number)));
        world.send(&Delivery::new(second + 3_560, lines)).await;
    }
    world.analyze().await;
    assert!(world.heads().len() <= 2 * 201, "{}", world.heads().len());
}

#[tokio::test(start_paused = true)]
async fn too_many_groups_fall_to_their_network() {
    let mut world = World::new(rules::LOGINS);
    world.config.groups_per_rule = 12;
    let first = (0..10).map(|number| Line::failed("root", &format!("198.51.100.{number}")));
    let crowd = (0..40).map(|number| Line::failed("root", &format!("203.0.113.{number}")));
    let known = (0..5).map(|_| Line::failed("root", "198.51.100.3"));
    world.take(&[Delivery::new(0, first.chain(crowd).chain(known))]).await;
    let mut entities: Vec<(String, u64)> =
        world.heads().iter().map(|head| (head.entity.value.clone(), head.analysis.event_count)).collect();
    entities.sort();
    assert_eq!(entities, [("198.51.100.3".to_owned(), 6), ("203.0.113.0/24".to_owned(), 40)]);
}

#[tokio::test(start_paused = true)]
async fn an_organization_with_too_many_groups_coarsens_its_own_and_nobody_elses() {
    const LOUD: u8 = 7;
    let mut world = World::new(rules::LOGINS);
    world.config.groups_per_rule = 24;
    let crowd = (0..60).map(|number| Line::failed("root", &format!("203.0.113.{number}")));
    // Each in a network of its own.
    let networks = (0..60).map(|number| Line::failed("root", &format!("192.0.{number}.1")));
    let crowd = Delivery::new(0, crowd.chain(networks)).of_organization(LOUD);
    let quiet = ["198.51.100.1", "198.51.100.2", "198.51.100.3"];
    let deliveries = [vec![crowd], quiet.map(|address| attack(1, address)).to_vec()].concat();
    world.take(&deliveries).await;
    assert_same_when_restarted(&world, &deliveries).await;
    let mut entities: Vec<(String, u64)> =
        world.heads().iter().map(|head| (head.entity.value.clone(), head.analysis.event_count)).collect();
    entities.sort();
    let told_apart = quiet.map(|address| (address.to_owned(), 5));
    assert_eq!(entities[..3], told_apart);
    // Four fifths of so few groups were its own.
    assert_eq!(entities[3..], [("203.0.113.0/24".to_owned(), 41)]);
}

/// Failed logins from many addresses, once each: twenty a second from this second on, a delivery for each five seconds.
fn crowd(from: u64, addresses: usize) -> Vec<Delivery> {
    let lines: Vec<Line> = (0..addresses)
        .map(|number| Line::failed("root", &format!("203.0.{}.{}", number / 250, number % 250)))
        .zip((from..).flat_map(|second| [second; 20]))
        .map(|(line, second)| line.at(second))
        .collect();
    let ends = (from..).step_by(5).map(|second| second + 4);
    lines.chunks(100).zip(ends).map(|(lines, end)| Delivery::new(end, lines.iter().cloned())).collect()
}

/// Five failed logins from an address, one a second from this second on.
fn attack(from: u64, address: &str) -> Delivery {
    Delivery::new(from + 4, (from..from + 5).map(|second| Line::failed("root", address).at(second)))
}

/// Asserts that an analyzer that restarts for each delivery has the same result.
async fn assert_same_when_restarted(world: &World, deliveries: &[Delivery]) {
    let restarted = world.anew();
    for delivery in deliveries {
        restarted.take(std::slice::from_ref(delivery)).await;
    }
    assert!(restarted.outcomes() == world.outcomes(), "windows that are read back take as much");
}

#[tokio::test(start_paused = true)]
async fn windows_that_take_too_much_leave_the_rest_to_the_source_and_known_attackers_where_they_are() {
    const ATTACKER: &str = "198.51.100.3";
    let mut world = World::new(rules::LOGINS);
    // Two windows for each: there is room for about fifteen.
    world.config.window_bytes = 24 * 1024;
    // It pauses for less than the five minutes that the rule looks at, and then for longer.
    let goes_on = [attack(110, ATTACKER), attack(400, ATTACKER), attack(800, ATTACKER)];
    let deliveries = [vec![attack(0, ATTACKER)], crowd(5, 2_000), goes_on.to_vec()].concat();
    world.take(&deliveries).await;
    assert_same_when_restarted(&world, &deliveries).await;
    let mut entities: Vec<(String, u64)> =
        world.heads().iter().map(|head| (head.entity.value.clone(), head.analysis.event_count)).collect();
    entities.sort();
    let [(all, counted), (attacker, failed)] = entities.as_slice() else { panic!("{entities:?}") };
    assert_eq!((all.as_str(), attacker.as_str(), *failed), ("*", ATTACKER, 15));
    assert!((1_900..2_010).contains(counted), "{counted}");
    let windows = world.bodies(ledger::Kind::State, b"window").len();
    assert!(windows < 64, "{windows}");
}

#[tokio::test(start_paused = true)]
async fn an_organization_that_fills_the_bound_coarsens_itself_and_nobody_else() {
    const LOUD: u8 = 7;
    let mut world = World::new(rules::LOGINS);
    world.config.window_bytes = 256 * 1024;
    let loud = |deliveries: Vec<Delivery>| {
        deliveries.into_iter().map(|delivery| delivery.of_organization(LOUD)).collect::<Vec<_>>()
    };
    let quiet: Vec<Delivery> = (1..=5).map(|host| attack(150, &format!("198.51.100.{host}"))).collect();
    // One attack began before, one is spread over the time in which the crowd comes.
    let begun = Delivery::new(2, (0..3).map(|second| Line::failed("root", "192.0.2.1").at(second)));
    let ended = Delivery::new(160, (158..160).map(|second| Line::failed("root", "192.0.2.1").at(second)));
    let flood = loud(crowd(5, 2_800));
    let deliveries = [vec![begun], flood, quiet, vec![ended]].concat();
    world.take(&deliveries).await;
    assert_same_when_restarted(&world, &deliveries).await;

    let alone = world.anew();
    let of_loud = common::ids::OrganizationId::from_bytes([LOUD; 16]);
    let without: Vec<Delivery> = deliveries
        .iter()
        .filter(|delivery| delivery.batch().headers.organization != of_loud)
        .cloned()
        .collect();
    alone.take(&without).await;
    assert_eq!(alone.heads().len(), 6, "five addresses, and the one that had begun before");
    let (of_crowd, others): (Vec<_>, Vec<_>) =
        world.heads().into_iter().partition(|head| head.organization == of_loud);
    let entities = |heads: &[common::incident::IncidentHead]| {
        heads.iter().map(|head| (head.entity.value.clone(), head.analysis.event_count)).collect::<Vec<_>>()
    };
    assert_eq!(entities(&others), entities(&alone.heads()));
    let [(all, counted)] = entities(&of_crowd).try_into().unwrap();
    assert!(all == "*" && (2_400..2_800).contains(&counted), "{all} {counted}");
}

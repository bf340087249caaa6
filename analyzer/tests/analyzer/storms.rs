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
    world.config.groups_per_rule = 10;
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
async fn windows_that_take_too_much_leave_the_rest_to_the_source_and_known_attackers_where_they_are() {
    let mut world = World::new(rules::LOGINS);
    world.config.window_bytes = 24 * 1024;
    let known = || (0..5).map(|_| Line::failed("root", "198.51.100.3"));
    // Two windows for each: there is room for about twenty.
    let crowd =
        (0..2_000).map(|number| Line::failed("root", &format!("203.0.{}.{}", number / 250, number % 250)));
    let lines: Vec<Line> = known().chain(crowd).chain(known()).collect();
    let deliveries: Vec<Delivery> =
        lines.chunks(100).map(|lines| Delivery::new(0, lines.iter().cloned())).collect();
    world.take(&deliveries).await;
    let restarted = world.anew();
    for delivery in &deliveries {
        restarted.take(std::slice::from_ref(delivery)).await;
    }
    assert!(restarted.outcomes() == world.outcomes(), "windows that are read back take as much");
    let mut entities: Vec<(String, u64)> =
        world.heads().iter().map(|head| (head.entity.value.clone(), head.analysis.event_count)).collect();
    entities.sort();
    let [(all, counted), (attacker, failed)] = entities.as_slice() else { panic!("{entities:?}") };
    assert_eq!((all.as_str(), attacker.as_str(), *failed), ("*", "198.51.100.3", 10));
    assert!((1_900..2_000).contains(counted), "{counted}");
    let windows = world.bodies(ledger::Kind::State, b"window").len();
    assert!(windows < 64, "{windows}");
}

//! Bounds of the remembered state.

use ledger::Kind;

use super::harness::{Delivery, Line, World, rules};

const ADDRESS: &str = "203.0.113.9";
const HOUR: u64 = 3_600;

#[tokio::test(start_paused = true)]
async fn a_delivery_is_remembered_for_a_day() {
    let world = World::new(&rules::all());
    // The same key, and each time another address, so that it shows whether the delivery was taken.
    let keyed = |address: &str| Delivery::new(0, [Line::sign("loud", address)]).keyed(7);
    let addresses = || world.heads().iter().map(|head| head.entity.value.clone()).collect::<Vec<_>>();
    world.take(&[keyed("203.0.113.1")]).await;
    // A row of deliveries goes as a whole, so others must have filled it.
    let other = |key: u8| Delivery::new(1, [Line::new("nothing")]).of_source(3).keyed(key);
    world.take(&(0..=255).map(other).collect::<Vec<_>>()).await;
    world.take(&[Delivery::tick(23 * HOUR), keyed("203.0.113.2")]).await;
    assert_eq!(addresses(), ["203.0.113.1"]);
    world.take(&[Delivery::tick(25 * HOUR), keyed("203.0.113.3")]).await;
    assert_eq!(addresses(), ["203.0.113.1", "203.0.113.3"]);
    assert_eq!(world.bodies(Kind::State, b"deliveries").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_incident_shows_ten_records_of_a_level_at_most() {
    let world = World::new(&rules::all());
    let lines = (0..500).map(|second| Line::sign("loud", ADDRESS).at(second));
    world.take(&[Delivery::new(500, lines)]).await;
    let evidence = world.detail(&world.head()).evidence;
    let seconds: Vec<u64> =
        evidence.iter().map(|one| one.event_time.since(super::harness::START).as_secs()).collect();
    assert_eq!(seconds, [0, 1, 2, 3, 4, 495, 496, 497, 498, 499]);
    let revisions = world.revisions(&world.head());
    assert_eq!(revisions.len(), 3, "opened, ten, a hundred");
    assert!(revisions.iter().zip(1..).all(|(revision, number)| revision.revision == number));
}

#[tokio::test(start_paused = true)]
async fn incidents_that_left_memory_are_read_back_whole() {
    let mut small = World::new(&rules::all());
    small.config.cached_incidents = 2;
    small.config.flush_interval_ms = 0;
    let large = small.anew();
    let deliveries: Vec<Delivery> = (0..60)
        .map(|number| {
            Delivery::new(number, [Line::sign("loud", &format!("203.0.113.{}", number * 7 % 10)).at(number)])
        })
        .collect();
    small.take(&deliveries).await;
    let large = World { config: analyzer::Config { threads: 1, ..analyzer::Config::default() }, ..large };
    large.take(&deliveries).await;
    assert_eq!(small.rows(), large.rows());
    assert!(small.heads().iter().all(|head| head.analysis.event_count == 6));
}

#[tokio::test(start_paused = true)]
async fn an_entitys_weak_signs_stay_bounded() {
    let world = World::new(&rules::all());
    let lines = (0..1_500).map(|second| Line::sign("odd", ADDRESS).at(second));
    world.take(&[Delivery::new(1_500, lines)]).await;
    let rows = world.bodies(Kind::State, b"risk");
    assert!(rows.len() == 1 && rows[0].len() < 128 * 1024, "{}", rows[0].len());
}

#[tokio::test(start_paused = true)]
async fn the_built_in_rules_find_the_same_attack() {
    let world = World::of_rules(analyzer::pack::built_in().unwrap());
    let failed = (0..40).map(|number| Line::failed(&format!("user{}", number % 12), ADDRESS).at(number));
    let lines = failed.chain([Line::accepted("user3", ADDRESS).at(50)]);
    world.take(&[Delivery::new(50, lines)]).await;
    let heads = world.heads();
    assert_eq!(heads.len(), 1, "{heads:#?}");
    assert_eq!((heads[0].entity.value.as_str(), heads[0].analysis.event_count), (ADDRESS, 41));
    assert!(heads[0].analysis.severity >= common::severity::Severity::High);
}

//! The deliverer dies between any two steps; its successor lets every event arrive, with the same id and bytes.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use common::event::EventId;
use common::ids::IncidentId;
use deliver::{Config, DeliveryStatus};
use directory::ReceiverKind::{Telemetry, Webhook};
use directory::TelemetryProtocol;
use ledger::memory::UnknownOutcome;
use tokio::sync::watch;

use crate::collector;
use crate::house::{House, PARTITION, quick};
use crate::ledgers::Mortal;
use crate::records::publish_record;

/// Collectors, one of which fails at first.
const COLLECTORS: [(&str, TelemetryProtocol); 2] =
    [("/status/202", TelemetryProtocol::Protobuf), ("/flaky/2", TelemetryProtocol::Json)];

/// Tries again at once: the clock stands still.
fn impatient() -> Config {
    Config { retry_seconds: vec![0, 0], ..quick() }
}

/// Whether every delivery of every event is written down as final.
async fn all_final(house: &House, events: &[EventId]) -> bool {
    let mut finals = 0;
    for target in house.directory.receivers(Webhook).list(house.organization).await.unwrap() {
        let deliveries = house.deliveries(target.id).await;
        finals += deliveries.iter().filter(|one| one.delivery.status != DeliveryStatus::Pending).count();
        assert!(deliveries.len() <= events.len(), "a delivery is there twice");
    }
    for endpoint in house.directory.receivers(Telemetry).list(house.organization).await.unwrap() {
        let exports = house.exports(&endpoint).await;
        finals += exports.iter().filter(|one| one.status != DeliveryStatus::Pending).count();
        assert!(exports.len() <= events.len(), "a record is there twice");
    }
    finals == 5 * events.len()
}

/// One life that ends at a call of the ledger, and the next that finishes. Whether the first one died at all.
async fn lives(at_call: i64, after: bool) -> bool {
    let house = House::new().await;
    for path in ["/status/200", "/flaky/1", "/status/404"] {
        house.target(path).await;
    }
    for (path, protocol) in COLLECTORS {
        house.collector(path, protocol).await;
    }
    let incident = IncidentId::new(PARTITION, &[7; 32]);
    let events = [house.publish_about(Some(incident)).await.id, publish_record(&house, 1).await.id];
    let (died, mut dies) = watch::channel(false);
    let ledger = Arc::new(Mortal { inner: house.ledger.clone(), left: AtomicI64::new(at_call), after, died });
    let first = house.run_on(ledger, impatient());
    let has_died = tokio::select! {
        _ = dies.wait_for(|died| *died) => true,
        () = house.when(async || all_final(&house, &events).await.then_some(())) => false,
    };
    first.kill().await;
    let second = house.run(impatient());
    house.when(async || all_final(&house, &events).await.then_some(())).await;
    second.stop().await;
    for path in ["/status/200", "/flaky/1", "/status/404"] {
        let received = house.receiver.received(path);
        for event in &events {
            let mut copies = received.iter().filter(|one| one.event_id() == event.to_string());
            let first =
                copies.next().unwrap_or_else(|| panic!("{event} never came to {path}, died at {at_call}"));
            assert!(copies.all(|copy| copy.body == first.body), "two bodies of one event, died at {at_call}");
        }
    }
    for (path, _) in COLLECTORS {
        let received = house.receiver.received(path);
        for event in &events {
            let copies = received.iter().flat_map(collector::records);
            let mut copies =
                copies.filter(|one| collector::attribute(one, "log.record.uid") == Some(event.to_string()));
            let first =
                copies.next().unwrap_or_else(|| panic!("{event} never came to {path}, died at {at_call}"));
            assert!(copies.all(|copy| copy == first), "two records of one event, died at {at_call}");
        }
    }
    let logged = house.log.of_incident(house.organization, incident).await.unwrap();
    assert_eq!(logged.iter().map(|event| event.id).collect::<Vec<_>>(), [events[0]]);
    assert_eq!(logged[0].deliveries.len(), 3);
    has_died
}

#[tokio::test]
async fn every_event_arrives_wherever_the_deliverer_dies() {
    for after in [false, true] {
        let mut calls = 0;
        while lives(calls, after).await {
            calls += 1;
        }
        assert!(calls > 10, "only {calls} calls were died at");
    }
}

#[tokio::test]
async fn nothing_is_sent_twice_when_nobody_dies() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    for _ in 0..5 {
        house.publish().await;
    }
    let running = house.run(quick());
    house.receiver.wait_for("/status/200", 5).await;
    running.stop().await;
    let deliveries = house.deliveries(target.id).await;
    assert!(deliveries.iter().all(|one| one.delivery.status == DeliveryStatus::Succeeded), "{deliveries:?}");
    house.run(quick()).stop().await;
    let again = house.run(quick());
    house.publish().await;
    house.receiver.wait_for("/status/200", 6).await;
    again.stop().await;
    assert_eq!(house.receiver.received("/status/200").len(), 6);
}

#[tokio::test]
async fn whoever_was_taken_for_dead_changes_nothing_any_more() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    let (first, second) = (house.run(quick()), house.run(quick()));
    for _ in 0..20 {
        house.publish().await;
    }
    let all = house.when(async || {
        let all = house.deliveries(target.id).await;
        let done = all.iter().filter(|one| one.delivery.status == DeliveryStatus::Succeeded).count();
        (done == 20).then_some(all)
    });
    assert_eq!(all.await.len(), 20);
    first.stop().await;
    second.stop().await;
}

#[tokio::test]
async fn a_commit_of_unknown_outcome_is_looked_up() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let house = House::new().await;
        let (target, _) = house.target("/status/200").await;
        let running = house.run(quick());
        let first = house.publish().await;
        house.standing(target.id, DeliveryStatus::Succeeded).await;
        let second = house.publish().await;
        house.ledger.memory.make_next_commit_unknown(outcome);
        let newest = house
            .when(async || {
                let all = house.deliveries(target.id).await;
                let done = all.iter().filter(|one| one.delivery.status == DeliveryStatus::Succeeded).count();
                (done == 2).then(|| all[0].delivery.event)
            })
            .await;
        assert_eq!(newest, second.id);
        running.stop().await;
        assert_eq!(house.receiver.received("/status/200")[0].event_id(), first.id.to_string());
    }
}

#[tokio::test]
async fn what_was_under_way_at_the_end_is_tried_again_by_the_next() {
    let house = House::new().await;
    let (target, _) = house.target("/hang").await;
    house.publish().await;
    let running = house.run(quick());
    house.receiver.wait_for("/hang", 1).await;
    running.stop().await;
    let logged = house.deliveries(target.id).await.remove(0).delivery;
    assert_eq!((logged.status, logged.attempts.len()), (DeliveryStatus::Pending, 1));
    let running = house.run(quick());
    house.clock.advance(std::time::Duration::from_secs(5));
    house.attempted(target.id, 2).await;
    running.stop().await;
}

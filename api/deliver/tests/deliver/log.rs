//! Deliveries as users see them, and operations on them.

use std::time::Duration;

use common::clock::Clock;
use common::event::EventKind;
use common::ids::{IncidentId, OrganizationId};
use deliver::{Config, DeliveryFilter, DeliveryLogError, DeliveryStatus};
use ledger::{Kind, Ledger, LedgerId, Range};

use crate::house::{House, PARTITION, quick};

#[tokio::test]
async fn deliveries_are_listed_newest_first_by_status_and_kind() {
    let house = House::new().await;
    let (well, _) = house.target("/status/200").await;
    let (broken, _) = house.target("/status/404").await;
    let running = house.run(quick());
    let mut events = Vec::new();
    for _ in 0..3 {
        events.push(house.publish().await.id);
        house.clock.advance(Duration::from_secs(1));
        let newest = *events.last().unwrap();
        house
            .when(async || {
                let seen = [house.deliveries(well.id).await, house.deliveries(broken.id).await];
                seen.iter()
                    .all(|one| one.first().is_some_and(|one| one.delivery.event == newest))
                    .then_some(())
            })
            .await;
    }
    running.stop().await;
    let both = [well.id, broken.id];
    let list = async |filter, offset, limit| {
        house.log.list(house.organization, &both, filter, offset, limit).await.unwrap()
    };
    let all = list(DeliveryFilter::default(), 0, 100).await;
    assert_eq!((all.total, all.deliveries.len()), (6, 6));
    let newest_first: Vec<_> = all.deliveries.iter().map(|one| one.delivery.event).collect();
    let expected: Vec<_> = events.iter().rev().flat_map(|event| [*event, *event]).collect();
    assert_eq!(newest_first, expected);
    let page = list(DeliveryFilter::default(), 2, 2).await;
    assert_eq!((page.total, page.deliveries.as_slice()), (6, &all.deliveries[2..4]));
    let failed = DeliveryFilter { status: Some(DeliveryStatus::Failed), event_type: None };
    assert!(list(failed, 0, 100).await.deliveries.iter().all(|one| one.webhook == broken.id));
    let other = DeliveryFilter { status: None, event_type: Some(EventKind::ReportStarted) };
    assert_eq!(list(other, 0, 100).await.total, 0);
    let stranger = OrganizationId::from_bytes([9; 16]);
    let foreign = house.log.list(stranger, &both, DeliveryFilter::default(), 0, 100).await.unwrap();
    assert_eq!(foreign.total, 0);
    assert_eq!(house.log.get(stranger, all.deliveries[0].id).await.unwrap(), None);
    assert!(matches!(
        house.log.redeliver(stranger, all.deliveries[0].id).await,
        Err(DeliveryLogError::NotFound)
    ));
}

#[tokio::test]
async fn an_incident_shows_its_events_and_who_was_told() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    let incident = IncidentId::new(PARTITION, &[1; 32]);
    let other = IncidentId::new(PARTITION, &[2; 32]);
    let running = house.run(quick());
    let first = house.publish_about(Some(incident)).await;
    house.publish_about(Some(other)).await;
    let last = house.publish_about(Some(incident)).await;
    house.receiver.wait_for("/status/200", 3).await;
    running.stop().await;
    let events = house.log.of_incident(house.organization, incident).await.unwrap();
    assert_eq!(events.iter().map(|event| event.id).collect::<Vec<_>>(), [last.id, first.id]);
    for event in &events {
        assert_eq!((event.kind, event.created_at), (first.kind, first.created_at));
        assert_eq!(event.deliveries.len(), 1);
        let delivery = &event.deliveries[0];
        assert_eq!((delivery.webhook, delivery.delivery.status), (target.id, DeliveryStatus::Succeeded));
    }
    let foreign = OrganizationId::from_bytes([9; 16]);
    assert!(house.log.of_incident(foreign, incident).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_delivery_is_sent_again_as_it_was_first() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    house.publish().await;
    let running = house.run(quick());
    let first = house.standing(target.id, DeliveryStatus::Succeeded).await;
    house.clock.advance(Duration::from_secs(60));
    let again = house.log.redeliver(house.organization, first.id).await.unwrap();
    assert_eq!(
        (again.delivery.status, again.delivery.next_attempt_at),
        (DeliveryStatus::Pending, Some(house.clock.now()))
    );
    let sent = house.receiver.wait_for("/status/200", 2).await;
    assert_eq!((&sent[0].body, sent[0].event_id()), (&sent[1].body, sent[1].event_id()));
    let logged = house.attempted(target.id, 2).await;
    assert_eq!((logged.id, logged.delivery.status), (first.id, DeliveryStatus::Succeeded));
    running.stop().await;
}

#[tokio::test]
async fn what_was_asked_for_while_nobody_worked_is_sent_too() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    for _ in 0..3 {
        house.publish().await;
    }
    let running = house.run(quick());
    house.receiver.wait_for("/status/200", 3).await;
    running.stop().await;
    let oldest = house.deliveries(target.id).await.pop().unwrap();
    house.log.redeliver(house.organization, oldest.id).await.unwrap();
    let running = house.run(quick());
    let sent = house.receiver.wait_for("/status/200", 4).await;
    assert_eq!(sent[3].event_id(), oldest.delivery.event.to_string());
    running.stop().await;
}

#[tokio::test]
async fn what_is_old_is_forgotten_with_everything_that_belongs_to_it() {
    let house = House::new().await;
    let (target, _) = house.target("/status/503").await;
    house.publish_about(Some(IncidentId::new(PARTITION, &[1; 32]))).await;
    let config = Config { retention_days: 1, retry_seconds: vec![1_000_000], ..quick() };
    let running = house.run(config);
    house.attempted(target.id, 1).await;
    house.clock.advance(Duration::from_secs(86_401));
    house.when(async || house.deliveries(target.id).await.is_empty().then_some(())).await;
    running.stop().await;
    for kind in [Kind::Head, Kind::History, Kind::Detail, Kind::Outbox] {
        let rows =
            house.ledger.scan(LedgerId::Deliveries(PARTITION), kind, Range::default(), 10).await.unwrap();
        assert!(rows.is_empty(), "{kind:?}: {rows:?}");
    }
}

#[tokio::test]
async fn a_burst_beyond_the_backlog_arrives_whole_and_leaves_no_row_in_the_outbox() {
    let house = House::new().await;
    house.target("/status/200").await;
    for _ in 0..1_100 {
        house.publish().await;
    }
    let running = house.run(quick());
    let outbox = LedgerId::Partition(PARTITION);
    house.receiver.wait_for("/status/200", 1_100).await;
    house.clock.advance(Duration::from_secs(60));
    house
        .when(async || {
            let rows = house.ledger.scan(outbox, Kind::Outbox, Range::default(), 1).await.unwrap();
            rows.is_empty().then_some(())
        })
        .await;
    running.stop().await;
}

#[tokio::test]
async fn more_than_is_kept_is_forgotten_oldest_first() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    let running = house.run(Config { kept_deliveries: 3, ..quick() });
    for sent in 1..=10 {
        house.publish().await;
        house.receiver.wait_for("/status/200", sent).await;
    }
    running.stop().await;
    // Forgetting goes on with the next round.
    let running = house.run(Config { kept_deliveries: 3, ..quick() });
    house.when(async || (house.deliveries(target.id).await.len() == 3).then_some(())).await;
    let outbox = LedgerId::Partition(PARTITION);
    house
        .when(async || {
            let rows = house.ledger.scan(outbox, Kind::Outbox, Range::default(), 100).await.unwrap();
            rows.is_empty().then_some(())
        })
        .await;
    running.stop().await;
}

#[tokio::test]
async fn a_delivery_that_takes_its_time_is_listed_as_pending() {
    let house = House::new().await;
    let (target, _) = house.target("/hang").await;
    house.publish().await;
    let running = house.run(Config { target_concurrency: 1, ..quick() });
    house.receiver.wait_for("/hang", 1).await;
    house.publish().await;
    house.clock.advance(Duration::from_secs(31));
    let logged = house.standing(target.id, DeliveryStatus::Pending).await;
    assert!(logged.delivery.next_attempt_at.is_some());
    running.kill().await;
    let running = house.run(quick());
    house.receiver.wait_for("/hang", 3).await;
    running.kill().await;
}

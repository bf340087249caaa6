//! Targets that are disabled: by themselves, by people, by their silence.

use std::time::Duration;

use deliver::{Config, DeliveryStatus, LoggedDelivery};
use directory::ReceiverKind::Webhook;

use crate::house::{House, quick};

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn a_target_that_is_gone_is_disabled() {
    let house = House::new().await;
    let (target, _) = house.target("/status/410").await;
    house.publish().await;
    let running = house.run(quick());
    let disabled = house
        .when(async || {
            let target = house.directory.receivers(Webhook).get(house.organization, target.id).await.unwrap();
            target.filter(|target| !target.enabled)
        })
        .await;
    assert!(disabled.disabled_reason.unwrap().contains("410"));
    house.clock.advance(Duration::from_secs(2));
    house.publish().await;
    let (other, _) = house.target("/status/200").await;
    house.publish().await;
    house.clock.advance(Duration::from_secs(2));
    house.publish().await;
    house.standing(other.id, DeliveryStatus::Succeeded).await;
    running.stop().await;
    assert_eq!(house.receiver.received("/status/410").len(), 1);
}

fn reason(logged: &LoggedDelivery) -> Option<&str> {
    logged.delivery.reason.as_deref()
}

#[tokio::test]
async fn disabling_cancels_what_waits_even_when_it_is_undone() {
    let house = House::new().await;
    let (target, _) = house.target("/flaky/1").await;
    house.publish().await;
    let running = house.run(quick());
    house.attempted(target.id, 1).await;
    house.clock.advance(Duration::from_secs(1));
    house.set_enabled(&target, false).await;
    house.clock.advance(Duration::from_secs(1));
    house.set_enabled(&target, true).await;
    house.clock.advance(Duration::from_secs(4));
    let logged = house.standing(target.id, DeliveryStatus::Failed).await;
    assert_eq!(reason(&logged), Some("the target was disabled"));
    assert_eq!(house.receiver.received("/flaky/1").len(), 1);
    house.log.redeliver(house.organization, logged.id).await.unwrap();
    house.standing(target.id, DeliveryStatus::Succeeded).await;
    running.stop().await;
}

#[tokio::test]
async fn deleting_cancels_what_waits() {
    let house = House::new().await;
    let (target, _) = house.target("/status/503").await;
    house.publish().await;
    let running = house.run(quick());
    house.attempted(target.id, 1).await;
    assert!(house.directory.receivers(Webhook).delete(house.organization, target.id).await.unwrap());
    house.clock.advance(Duration::from_secs(5));
    let logged = house.standing(target.id, DeliveryStatus::Failed).await;
    assert_eq!(reason(&logged), Some("the target was deleted"));
    running.stop().await;
}

#[tokio::test]
async fn five_days_of_failure_disable_a_target_and_one_success_starts_anew() {
    let house = House::new().await;
    let (dead, _) = house.target("/status/500").await;
    let (weak, _) = house.target("/flaky/6").await;
    house.publish().await;
    let running = house.run(Config { retry_seconds: vec![13 * 3_600; 20], ..quick() });
    for attempts in 1..=10 {
        house.attempted(dead.id, attempts).await;
        let enabled = house
            .directory
            .receivers(Webhook)
            .get(house.organization, dead.id)
            .await
            .unwrap()
            .unwrap()
            .enabled;
        assert!(enabled, "disabled after {attempts} attempts");
        house.attempted(weak.id, attempts.min(7)).await;
        house.clock.advance(HOUR * 13);
    }
    let disabled = house
        .when(async || {
            let target = house.directory.receivers(Webhook).get(house.organization, dead.id).await.unwrap();
            target.filter(|target| !target.enabled)
        })
        .await;
    assert_eq!(disabled.disabled_reason.as_deref(), Some("it has not answered for 120 hours"));
    let weak = house.directory.receivers(Webhook).get(house.organization, weak.id).await.unwrap().unwrap();
    assert!(weak.enabled);
    running.stop().await;
}

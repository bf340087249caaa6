//! Targets that are slow or dead: they delay nobody else, and what waits for them is bounded.

use deliver::{Config, DeliveryStatus};

use crate::house::{House, quick};

#[tokio::test]
async fn a_target_that_hangs_delays_no_other() {
    let house = House::new().await;
    let (hanging, _) = house.target("/hang").await;
    let (well, _) = house.target("/status/200").await;
    let config = Config { concurrency: 8, target_concurrency: 2, ..quick() };
    let running = house.run(config);
    for _ in 0..50 {
        house.publish().await;
    }
    house.receiver.wait_for("/status/200", 50).await;
    house
        .when(async || {
            let all = house.deliveries(well.id).await;
            let done = all.iter().filter(|one| one.delivery.status == DeliveryStatus::Succeeded).count();
            (done == 50).then_some(())
        })
        .await;
    let asked = house.receiver.received("/hang").len();
    assert!(asked < 25, "{asked} requests to a target that answered none of them");
    assert!(house.deliveries(hanging.id).await.len() < 25);
    running.kill().await;
}

#[tokio::test]
async fn what_there_is_no_room_for_fails_with_a_reason_and_can_be_recovered() {
    let house = House::new().await;
    let (target, _) = house.target("/flaky/1").await;
    let config = Config { target_backlog: 5, ..quick() };
    let running = house.run(config);
    for _ in 0..2 {
        house.publish().await;
    }
    house.attempted(target.id, 1).await;
    running.stop().await;
    // All at once, so that one round reads them.
    for _ in 0..20 {
        house.publish().await;
    }
    let running = house.run(Config { target_backlog: 5, target_concurrency: 1, ..quick() });
    let refused = house
        .when(async || {
            let all = house.deliveries(target.id).await;
            let refused: Vec<_> =
                all.into_iter().filter(|one| one.delivery.status == DeliveryStatus::Failed).collect();
            (refused.len() >= 15).then_some(refused)
        })
        .await;
    assert!(
        refused
            .iter()
            .all(|one| one.delivery.reason.as_deref()
                == Some("too many deliveries are pending for this target"))
    );
    assert!(refused.iter().all(|one| one.delivery.attempts.is_empty()));
    running.stop().await;
    let now = refused[0].delivery.created_at;
    let until = now.plus(std::time::Duration::from_secs(1));
    let recovered = house.log.recover(house.organization, target.id, now, until).await.unwrap();
    assert_eq!((recovered.recovered, recovered.more), (refused.len(), false));
    let running = house.run(Config { retry_seconds: vec![0; 7], ..quick() });
    house.clock.advance(std::time::Duration::from_secs(3_600));
    house
        .when(async || {
            let all = house.deliveries(target.id).await;
            let done = all.iter().filter(|one| one.delivery.status == DeliveryStatus::Succeeded).count();
            (done == 22).then_some(())
        })
        .await;
    running.stop().await;
}

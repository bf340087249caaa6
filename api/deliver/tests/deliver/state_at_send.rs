//! The state of a target at the moment of a request: what was changed before by anybody is in force, with the clock
//! standing still. People change targets through another process over the same ledger, which shares no memory with the
//! deliverer.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use deliver::DeliveryStatus::{Failed, Succeeded};
use deliver::{AddressChange, SigningSecret};
use directory::Receiver;
use directory::ReceiverKind::Webhook;
use ledger::{Commit, Kind, Ledger, LedgerId, Op};

use crate::house::{House, quick};
use crate::signatures::is_genuine;

/// The time until the second attempt of a delivery.
const SLOT: Duration = Duration::from_secs(5);

/// Lets the deliverer read the targets just before an attempt that is due, so that it knows them as they are.
async fn refresh(house: &House) {
    house.clock.advance(SLOT - Duration::from_millis(1));
    let (fresh, _) = house.target("/status/200").await;
    house.publish().await;
    house.standing(fresh.id, Succeeded).await;
}

#[tokio::test]
async fn no_request_is_signed_with_a_secret_that_was_rotated_before() {
    let house = House::new().await;
    let (target, old) = house.target("/flaky/1").await;
    house.publish().await;
    let running = house.run(quick());
    house.attempted(target.id, 1).await;
    refresh(&house).await;
    let (_, new) = house.receivers.rotate_secret(house.organization, target.id).await.unwrap();
    house.clock.advance(Duration::from_millis(1));
    let sent = house.receiver.wait_for("/flaky/1", 3).await;
    running.stop().await;
    let repeated: Vec<_> = sent.iter().filter(|one| one.event_id() == sent[0].event_id()).collect();
    assert_eq!(repeated.len(), 2);
    assert!(is_genuine(old.expose(), repeated[0]));
    assert!(is_genuine(new.expose(), repeated[1]));
}

#[tokio::test]
async fn no_request_starts_after_a_target_was_disabled() {
    let house = House::new().await;
    let (target, _) = house.target("/status/503").await;
    house.publish().await;
    let running = house.run(quick());
    house.attempted(target.id, 1).await;
    refresh(&house).await;
    let before = house.receiver.wait_for("/status/503", 2).await.len();
    house.set_enabled(&target, false).await;
    house.clock.advance(SLOT);
    house
        .when(async || {
            let all = house.deliveries(target.id).await;
            (all.len() == 2 && all.iter().all(|one| one.delivery.status == Failed)).then_some(())
        })
        .await;
    running.stop().await;
    assert_eq!(house.receiver.received("/status/503").len(), before);
    let all = house.deliveries(target.id).await;
    assert!(all.iter().all(|one| one.delivery.reason.as_deref() == Some("the target was disabled")));
}

#[tokio::test]
async fn a_change_while_an_attempt_reads_its_rows_is_in_force() {
    let house = House::new().await;
    let (rotated, _) = house.target("/flaky/1").await;
    house.publish().await;
    let running = house.run(quick());
    house.attempted(rotated.id, 1).await;
    house.ledger.gate.close();
    house.clock.advance(SLOT);
    house.ledger.gate.reached().await;
    let (_, new) = house.receivers.rotate_secret(house.organization, rotated.id).await.unwrap();
    house.ledger.gate.open();
    let sent = house.receiver.wait_for("/flaky/1", 2).await;
    assert!(is_genuine(new.expose(), &sent[1]));

    let (disabled, _) = house.target("/flaky/2").await;
    house.publish().await;
    house.attempted(disabled.id, 1).await;
    house.ledger.gate.close();
    house.clock.advance(SLOT);
    house.ledger.gate.reached().await;
    house.set_enabled(&disabled, false).await;
    house.ledger.gate.open();
    house.standing(disabled.id, Failed).await;
    running.stop().await;
    assert_eq!(house.receiver.received("/flaky/2").len(), 1);
}

/// A target with a name of its own, whose next look-up is held up.
async fn held_up(house: &House) -> (Receiver, SigningSecret) {
    let name = "receiver.example".to_owned();
    house.names.known.lock().unwrap().insert(name.clone(), Ipv4Addr::LOCALHOST.into());
    let url = house.receiver.url("/status/200").replace("127.0.0.1", &name);
    let made = house.target_at(url).await;
    house.names.gate.close();
    house.publish().await;
    made
}

#[tokio::test]
async fn a_change_while_the_connection_is_opened_is_in_force() {
    let house = House::new().await;
    let (rotated, _) = held_up(&house).await;
    let running = house.run(quick());
    house.names.gate.reached().await;
    let (_, new) = house.receivers.rotate_secret(house.organization, rotated.id).await.unwrap();
    house.names.gate.open();
    let sent = house.receiver.wait_for("/status/200", 1).await;
    running.stop().await;
    assert!(is_genuine(new.expose(), &sent[0]));

    let house = House::new().await;
    let (disabled, _) = held_up(&house).await;
    let running = house.run(quick());
    house.names.gate.reached().await;
    house.set_enabled(&disabled, false).await;
    house.names.gate.open();
    house.standing(disabled.id, Failed).await;
    running.stop().await;
    assert_eq!(house.receiver.received("/status/200").len(), 0);
}

#[tokio::test]
async fn a_target_that_moves_while_the_connection_is_opened_is_told_where_it_is() {
    let house = House::new().await;
    let (target, _) = held_up(&house).await;
    let running = house.run(quick());
    house.names.gate.reached().await;
    let url = Some(house.receiver.url("/status/201"));
    let address = AddressChange { url, ..AddressChange::default() };
    house.receivers.change(Webhook, house.organization, target.id, address, |_| Ok(())).await.unwrap();
    house.names.gate.open();
    house.receiver.wait_for("/status/201", 1).await;
    house.standing(target.id, Succeeded).await;
    running.stop().await;
    assert_eq!(house.receiver.received("/status/200").len(), 0);
}

#[tokio::test]
async fn other_changes_of_the_organization_do_not_cause_targets_to_be_read() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    let running = house.run(quick());
    house.publish().await;
    house.standing(target.id, Succeeded).await;
    let before = house.ledger.target_lists_read.load(Ordering::SeqCst);
    let ledger = Arc::clone(&house.ledger);
    for number in 0..20_usize {
        let id = LedgerId::Organization(house.organization);
        let seq = ledger.seq(id).await.unwrap();
        let op = Op::Put { kind: Kind::State, key: format!("another/{number}").into(), body: "x".into() };
        assert!(matches!(ledger.commit(id, seq, vec![op]).await.unwrap(), Commit::Done(_)));
        house.publish().await;
        house
            .when(async || {
                let all = house.deliveries(target.id).await;
                let done = all.iter().filter(|one| one.delivery.status == Succeeded).count();
                (done == number + 2).then_some(())
            })
            .await;
    }
    assert_eq!(house.ledger.target_lists_read.load(Ordering::SeqCst), before);
    // A feed with a gap says nothing, so that they are read again.
    let id = LedgerId::Organization(house.organization);
    let seq = ledger.seq(id).await.unwrap();
    assert!(matches!(ledger.commit(id, seq, Vec::new()).await.unwrap(), Commit::Done(_)));
    let seq = ledger.seq(id).await.unwrap();
    assert!(matches!(ledger.commit(id, seq, Vec::new()).await.unwrap(), Commit::Done(_)));
    ledger.memory.truncate_feed(id, seq);
    house.publish().await;
    house.receiver.wait_for("/status/200", 22).await;
    running.stop().await;
    assert_eq!(house.ledger.target_lists_read.load(Ordering::SeqCst), before + 1);
}

//! A record that breaks a stage is set aside, and the others continue.

use ledger::Kind;

use super::harness::{Delivery, Fault, Line, World, rules};

/// The row of the incident that takes in the findings about an address: folding such a finding reads it first.
async fn episode_key(address: &str) -> bytes::Bytes {
    let world = World::new(&rules::all());
    world.take(&[Delivery::new(0, [Line::sign("loud", address)])]).await;
    let dump = world.ledger.memory.dump();
    let rows = dump.into_iter().filter(|(_, kind, _)| *kind == Kind::State).map(|(_, _, row)| row.key);
    rows.into_iter().find(|key| key.starts_with(b"episode")).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_record_whose_folding_panics_is_set_aside() {
    let world = World::new(&rules::all());
    world.ledger.panic_at(episode_key("203.0.113.2").await);
    let lines = (0..5).map(|number| Line::sign("loud", &format!("203.0.113.{number}")));
    world.take(&[Delivery::new(0, lines)]).await;
    assert_eq!(world.quarantined(), ["the store broke on this row"]);
    let addresses: Vec<String> = world.heads().iter().map(|head| head.entity.value.clone()).collect();
    assert_eq!(addresses, ["203.0.113.0", "203.0.113.1", "203.0.113.3", "203.0.113.4"]);
    assert!(world.position().offset.0 == 2 && world.position().record == 0);
}

#[tokio::test(start_paused = true)]
async fn two_of_them_in_one_batch_are_two_even_while_commits_fail() {
    let world = World::new(&rules::all());
    world.ledger.panic_at(episode_key("203.0.113.2").await);
    world.ledger.plan_faults([(1, Fault::Lost), (3, Fault::AnswerLost), (5, Fault::DiesAfter)]);
    let lines = ["203.0.113.2", "203.0.113.1", "203.0.113.2", "203.0.113.3"]
        .map(|address| Line::sign("loud", address));
    world.take(&[Delivery::new(0, lines)]).await;
    assert_eq!(world.quarantined().len(), 2);
    assert_eq!(world.heads().len(), 2);
    world.take(&[Delivery::new(1, [Line::sign("loud", "203.0.113.4")])]).await;
    assert_eq!(world.heads().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_payload_that_is_not_what_it_should_be_is_passed_over() {
    let world = World::new(&rules::all());
    let whole = Delivery::new(0, [Line::sign("loud", "203.0.113.1")]);
    let mut payload = whole.encoded();
    payload.truncate(payload.len() / 2);
    let broken = [vec![0xff; 40], Vec::new(), payload].map(|payload| whole.clone().raw(payload));
    world.take(&broken).await;
    world.take(&[whole]).await;
    assert_eq!(world.heads().len(), 1);
    assert!(world.quarantined().is_empty());
}

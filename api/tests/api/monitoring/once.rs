//! Each action is one count of a finding and one event, whatever is repeated, lost or done twice at a time.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{ALERTING, BLOCKING, Client, action, events, finding, findings, monitored};
use crate::harness::{Tenant, World};
use crate::stage::Fate;

/// Pseudo-random numbers (xorshift), the same in every run.
fn next(state: &mut u64, below: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % below
}

/// Counts of all findings of the agent together, and the ids of all events.
async fn totals(world: &World, tenant: &Tenant, agent: &Value) -> (u64, Vec<String>) {
    let mut count = 0;
    for one in findings(world, tenant, agent).await {
        count += finding(world, tenant, &one["id"]).await["observed_count"].as_u64().unwrap();
    }
    (count, events(world).await.iter().map(|event| event.id.to_string()).collect())
}

#[tokio::test(start_paused = true)]
async fn a_replay_is_a_duplicate_in_every_process_and_changes_nothing() {
    let world = World::new();
    let tenant = world.tenant("replay").await;
    let (agent, client) = monitored(&world, &tenant).await;
    let actions: Vec<Value> = (1..=20).map(|number| action(number, "blocked", &[BLOCKING])).collect();
    assert_eq!(client.outcomes(&world, &actions[5..]).await, ["accepted"; 15]);
    let before = world.ledger.memory.dump().len();
    let neighbour = world.neighbour();
    assert_eq!(client.outcomes(&neighbour, &actions[5..]).await, ["duplicate"; 15]);
    assert_eq!(world.ledger.memory.dump().len(), before);
    // Earlier actions that arrive late are not replays.
    let late = client.outcomes(&neighbour, &actions).await;
    assert_eq!(
        (&late[..5], &late[5..]),
        (&vec!["accepted".to_owned(); 5][..], &vec!["duplicate".to_owned(); 15][..])
    );
    // Twice in one request.
    let twice = action(21, "blocked", &[BLOCKING]);
    assert_eq!(client.outcomes(&world, &[twice.clone(), twice]).await, ["accepted", "duplicate"]);
    let (count, ids) = totals(&world, &tenant, &agent).await;
    assert_eq!((count, ids.len(), ids.iter().collect::<BTreeSet<_>>().len()), (21, 21, 21));
}

#[tokio::test(start_paused = true)]
async fn two_servers_that_get_the_same_actions_at_a_time_record_each_once() {
    let world = World::new();
    let tenant = world.tenant("servers").await;
    let (agent, client) = monitored(&world, &tenant).await;
    let neighbour = world.neighbour();
    let actions: Vec<Value> = (1..=300)
        .map(|number| action(number, "blocked", &[if number % 2 == 0 { BLOCKING } else { ALERTING }]))
        .collect();
    let (here, there) =
        tokio::join!(client.outcomes(&world, &actions), client.outcomes(&neighbour, &actions));
    let accepted = here.iter().chain(&there).filter(|outcome| *outcome == "accepted").count();
    assert_eq!(accepted, 300);
    let (count, ids) = totals(&world, &tenant, &agent).await;
    assert_eq!((count, ids.len()), (300, 60), "30 events of each rule");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 60);
}

/// A client that sends each batch until it is answered, over two servers and a ledger that loses answers.
async fn history(seed: u64) {
    let world = World::new();
    let tenant = world.tenant("history").await;
    let (agent, client) = monitored(&world, &tenant).await;
    let neighbour = world.neighbour();
    let (mut random, mut sequence) = (seed, 0);
    for _ in 0..12 {
        let size = 1 + next(&mut random, 12);
        let batch: Vec<Value> = (0..size)
            .map(|_| {
                sequence += 1 + next(&mut random, 2);
                let rule = if next(&mut random, 2) == 0 { BLOCKING } else { ALERTING };
                action(sequence, "blocked", &[rule])
            })
            .collect();
        let fates = [Fate::Done, Fate::AnswerLost, Fate::Lost, Fate::Refused];
        let dealt: Vec<Fate> =
            (0..3).map(|_| fates[usize::try_from(next(&mut random, 4)).unwrap()]).collect();
        world.ledger.deal(&dealt);
        send_until_answered(&client, [&world, &neighbour], &batch).await;
        world.ledger.deal(&[]);
        if next(&mut random, 3) == 0 {
            let again = client.outcomes(&neighbour, &batch).await;
            assert!(again.iter().all(|outcome| outcome == "duplicate"), "seed {seed}: {again:?}");
        }
        world.clock.advance(Duration::from_secs(3_600));
    }
    let reported: u64 = world
        .get(&tenant.key, &format!("{}/alerts?limit=1", crate::agents::path(&agent)))
        .await
        .ok(200)["pagination"]["total"]
        .as_u64()
        .unwrap();
    let (count, ids) = totals(&world, &tenant, &agent).await;
    let distinct = ids.iter().collect::<BTreeSet<_>>().len();
    assert_eq!((count, ids.len() as u64, distinct as u64), (reported, reported, reported), "seed {seed}");
    assert!(reported >= 12, "seed {seed}");
}

async fn send_until_answered(client: &Client, worlds: [&World; 2], batch: &[Value]) {
    for attempt in 0..20 {
        let reply = client.report(worlds[attempt % 2], batch).await;
        if reply.status == 200 {
            let results = reply.json()["data"]["results"].clone();
            let is_known = |result: &Value| result["outcome"] != json!("rejected");
            assert!(results.as_array().unwrap().iter().all(is_known), "{results}");
            return;
        }
        assert!(reply.status.is_server_error(), "{}", String::from_utf8_lossy(&reply.body));
    }
    panic!("no attempt was answered");
}

#[tokio::test(start_paused = true)]
async fn each_action_is_counted_once_over_a_ledger_that_loses_answers() {
    for seed in 1..=25 {
        history(seed * 7_919).await;
    }
}

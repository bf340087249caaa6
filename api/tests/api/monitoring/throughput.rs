//! Processor time of reported actions, over the ledger in memory. Alone:
//! `cargo test --release -p api --test api -- --ignored --nocapture detections_per_second`.

use std::io::Write;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::client::{ALERTING, BLOCKING, Client, DETECTIONS, action};
use crate::agents::{self, path};
use crate::harness::{World, request};

const CLIENTS: u8 = 10;
const ACTIONS: u64 = 2_000;
const BATCH: usize = 500;

/// Processor time of this process, in clock ticks of 10 ms (proc(5), fields 14 and 15 of `stat`).
fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().skip(11);
    fields.take(2).map(|field| field.parse::<u64>().unwrap()).sum()
}

#[tokio::test]
#[ignore = "a measurement"]
async fn detections_per_second_of_processor_time() {
    let world = World::new();
    let tenant = world.tenant("throughput").await;
    let agent = agents::create(&world, &tenant, "Coder", "coding_agent").await;
    let codes = format!("{}/pairing-codes", path(&agent));
    let body = json!({"max_uses": CLIENTS});
    let code = world.post(&tenant.key, &codes, body).await.ok(201)["code"].clone();
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        clients.push(Client::pair(&world, &code, number).await);
    }
    let batches: Vec<Vec<Value>> = (1..=ACTIONS)
        .map(|number| action(number, "blocked", &[if number % 3 == 0 { ALERTING } else { BLOCKING }]))
        .collect::<Vec<_>>()
        .chunks(BATCH)
        .map(<[Value]>::to_vec)
        .collect();
    let report = |token: &str, batch| {
        request(Method::POST, DETECTIONS, Some(token), Some(json!({"detections": batch})))
    };
    let requests: Vec<_> =
        clients.iter().flat_map(|client| batches.iter().map(|batch| report(&client.token, batch))).collect();
    let began = ticks();
    let mut accepted = 0;
    for request in requests {
        let reply = world.send_unchecked(request).await;
        accepted += String::from_utf8(reply.body).unwrap().matches("accepted").count();
    }
    let spent = Duration::from_millis((ticks() - began) * 10);
    let elements = u64::from(CLIENTS) * ACTIONS;
    assert_eq!(accepted as u64, elements);
    let rate = f64::from(u32::try_from(elements).unwrap()) / spent.as_secs_f64();
    writeln!(std::io::stderr(), "{elements} elements in {spent:?} of processor time: {rate:.0} a second")
        .unwrap();
    assert!(rate >= 5_000.0, "{rate}");
}

//! Signatures, verified by receivers that know the specification and nothing of this program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use deliver::DeliveryStatus;
use sha2::{Digest, Sha256};

use crate::house::{House, quick};
use crate::receiver::Received;

/// HMAC as RFC 2104 section 2 writes it down.
fn hmac_sha256(key: &[u8], message: &[u8]) -> String {
    let mut block = [0_u8; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    let outer = Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize();
    outer.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn is_genuine(secret: &str, received: &Received) -> bool {
    let timestamp = received.header("x-service-timestamp");
    let signed = [timestamp.as_bytes(), b".", &received.body].concat();
    let expected = format!("t={timestamp},v1={}", hmac_sha256(secret.as_bytes(), &signed));
    received.header("x-service-signature") == expected
}

/// Whether a script takes the request for genuine; `None` when what runs it is not installed.
fn script_says(program: &str, script: &str, secret: &str, received: &Received) -> Option<bool> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/receivers").join(script);
    let mut child = Command::new(program)
        .arg(script)
        .args([secret, received.header("x-service-timestamp"), received.header("x-service-signature")])
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().unwrap().write_all(&received.body).unwrap();
    Some(child.wait().unwrap().success())
}

#[tokio::test]
async fn every_request_is_signed_with_the_secret_that_was_shown() {
    let house = House::new().await;
    let (target, secret) = house.target("/status/200").await;
    let event = house.publish().await;
    let running = house.run(quick());
    house.standing(target.id, DeliveryStatus::Succeeded).await;
    let (_, rotated) = house.receivers.rotate_secret(house.organization, target.id).await.unwrap();
    house.clock.advance(std::time::Duration::from_secs(2));
    house.publish().await;
    let sent = house.receiver.wait_for("/status/200", 2).await;
    running.stop().await;
    assert!(secret.expose().starts_with("whsec_") && secret.expose() != rotated.expose());
    assert!(is_genuine(secret.expose(), &sent[0]) && !is_genuine(rotated.expose(), &sent[0]));
    assert!(is_genuine(rotated.expose(), &sent[1]) && !is_genuine(secret.expose(), &sent[1]));
    let first = &sent[0];
    assert_eq!(first.event_id(), event.id.to_string());
    assert_eq!(first.header("x-service-event-type"), "infrastructure.incident.escalated");
    assert_eq!(first.header("x-service-timestamp"), "1800000000");
    assert_eq!(first.header("content-type"), "application/json");
    assert!(first.header("user-agent").starts_with("Palisade/"));
    assert_eq!(first.header("authorization"), "Bearer of-the-target");
    for (program, script) in [("python3", "verify.py"), ("node", "verify.mjs")] {
        let Some(genuine) = script_says(program, script, secret.expose(), first) else {
            let required = std::env::var("PALISADE_REQUIRE_DAEMONS").is_ok_and(|value| value == "1");
            assert!(!required, "{program} is not installed, and PALISADE_REQUIRE_DAEMONS is 1");
            // The output of the macros is not shown for tests that pass.
            writeln!(std::io::stderr(), "SKIPPED {script}: {program} is not installed").unwrap();
            continue;
        };
        assert!(genuine, "{script} refuses a genuine request");
        let forged = Received { body: [&first.body[..], b" "].concat().into(), ..first.clone() };
        assert_eq!(script_says(program, script, secret.expose(), &forged), Some(false), "{script}");
    }
}

#[tokio::test]
async fn no_secret_is_written_down_or_shown() {
    let house = House::new().await;
    let (target, secret) = house.target("/status/503").await;
    house.publish().await;
    let running = house.run(quick());
    house.attempted(target.id, 1).await;
    running.stop().await;
    let random = secret.expose().strip_prefix("whsec_").unwrap();
    for (ledger, kind, row) in house.ledger.memory.dump() {
        let text = String::from_utf8_lossy(&row.body);
        assert!(!text.contains(random) && !text.contains("of-the-target"), "{ledger:?} {kind:?}");
    }
    assert!(!format!("{target:?} {secret:?}").contains(random));
}

//! Bounds of remembered idempotency keys: number, time and cost.

use std::time::Duration;

use api::Config;
use http::Method;
use ledger::Kind;
use serde_json::json;

use crate::creation::forget_reply;
use crate::harness::{Reply, Tenant, World, request};

const SOURCES: &str = "/infrastructure/sources";

/// A world in which few keys are remembered: twelve of an organization, five of an API key.
fn small() -> World {
    World::with(Config {
        idempotency_keys_per_organization: 12,
        idempotency_keys_per_api_key: 5,
        ..Config::default()
    })
}

/// Creates a source under an idempotency key, a second after the last one.
async fn create(world: &World, api_key: &str, key: &str) -> Reply {
    world.clock.advance(Duration::from_secs(1));
    let mut request = request(Method::POST, SOURCES, Some(api_key), Some(json!({"name": key})));
    request.headers_mut().insert("idempotency-key", key.parse().unwrap());
    world.send(request).await
}

/// Whether a key was remembered; where it was not, its request is carried out again.
async fn is_repeated(world: &World, api_key: &str, key: &str) -> bool {
    let reply = create(world, api_key, key).await;
    reply.ok(201);
    reply.headers.contains_key("idempotency-replayed")
}

/// Rows that requests with idempotency keys have left.
fn rows(world: &World) -> usize {
    let all = world.ledger.memory.dump();
    all.iter().filter(|(_, kind, row)| *kind == Kind::State && row.key.starts_with(b"idempotency")).count()
}

#[tokio::test]
async fn a_thousand_keys_in_a_day_are_no_reason_to_refuse_the_next() {
    let world = World::with(Config { requests_per_minute: 100_000, ..Config::default() });
    let tenant = world.tenant("busy").await;
    for number in 0..1_100 {
        let created = create(&world, &tenant.key, &format!("k-{number}")).await.ok(201);
        let path = format!("{SOURCES}/{}", created["id"].as_str().unwrap());
        assert_eq!(world.delete(&tenant.key, &path).await.status, 204);
    }
    assert!(is_repeated(&world, &tenant.key, "k-0").await);
    assert!(is_repeated(&world, &tenant.key, "k-1099").await);
}

#[tokio::test]
async fn a_key_is_found_by_reading_its_row_however_many_there_are() {
    let world = World::new();
    let tenant = world.tenant("reads").await;
    create(&world, &tenant.key, "first").await.ok(201);
    let before = world.ledger.state_scans();
    for number in 0..20 {
        create(&world, &tenant.key, &format!("k-{number}")).await.ok(201);
    }
    assert!(is_repeated(&world, &tenant.key, "first").await);
    assert_eq!(world.ledger.state_scans(), before);
}

#[tokio::test]
async fn a_narrow_key_displaces_its_own_oldest_and_nothing_of_others() {
    let world = small();
    let tenant = world.tenant("narrow").await;
    let narrow = world.narrowed(&tenant, &["sources:write"]).await;
    create(&world, &tenant.key, "first").await.ok(201);
    for number in 0..30 {
        create(&world, &narrow, &format!("k-{number}")).await.ok(201);
    }
    assert!(is_repeated(&world, &tenant.key, "first").await);
    for number in 25..30 {
        assert!(is_repeated(&world, &narrow, &format!("k-{number}")).await, "{number}");
    }
    assert!(!is_repeated(&world, &narrow, "k-24").await, "forgotten, since five are remembered of a key");
    assert!(!is_repeated(&world, &narrow, "k-25").await, "the oldest had to give way to that");
    assert!(is_repeated(&world, &narrow, "k-27").await);
}

#[tokio::test]
async fn beyond_the_organizations_limit_the_oldest_of_all_is_forgotten() {
    let world = small();
    let tenant = world.tenant("full").await;
    let mut keys = vec![tenant.key.clone()];
    for _ in 0..3 {
        keys.push(world.narrowed(&tenant, &["sources:write"]).await);
    }
    // Twelve of four API keys, one after the other.
    for number in 0..12 {
        create(&world, &keys[number % 4], &format!("k-{number}")).await.ok(201);
    }
    create(&world, &keys[3], "one-more").await.ok(201);
    assert!(is_repeated(&world, &keys[3], "one-more").await);
    for number in 1..12 {
        assert!(is_repeated(&world, &keys[number % 4], &format!("k-{number}")).await, "{number}");
    }
    assert!(!is_repeated(&world, &keys[0], "k-0").await);
}

#[tokio::test]
async fn a_request_that_runs_is_not_forgotten() {
    let world = small();
    let tenant = world.tenant("running").await;
    create(&world, &tenant.key, "running").await.ok(201);
    forget_reply(&world, &tenant, "running").await;
    for number in 0..10 {
        create(&world, &tenant.key, &format!("k-{number}")).await.ok(201);
    }
    create(&world, &tenant.key, "running").await.refused(409, "conflict");
    for number in 6..10 {
        forget_reply(&world, &tenant, &format!("k-{number}")).await;
    }
    let refused = create(&world, &tenant.key, "all-five-run").await;
    refused.refused(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "2");
    // Their process is taken for dead after a minute.
    world.clock.advance(Duration::from_secs(60));
    create(&world, &tenant.key, "afterwards").await.ok(201);
}

#[tokio::test]
async fn nothing_is_left_of_a_key_a_day_later() {
    let world = World::new();
    let tenant = world.tenant("expiry").await;
    create(&world, &tenant.key, "alone").await.ok(201);
    let of_one = rows(&world);
    let other = world.narrowed(&tenant, &["sources:write"]).await;
    for number in 0..100 {
        create(&world, &other, &format!("k-{number}")).await.ok(201);
    }
    assert_eq!(rows(&world), of_one + 1 + 100 * (of_one - 2), "an API key has a tally of its own");
    world.clock.advance(Duration::from_secs(24 * 60 * 60));
    // Removed in portions, so that no request has to do all of it.
    assert!(!is_repeated(&world, &tenant.key, "alone").await);
    assert!(!is_repeated(&world, &tenant.key, "later").await);
    assert!(is_repeated(&world, &tenant.key, "alone").await);
    assert_eq!(rows(&world), of_one + (of_one - 2));
}

#[tokio::test]
async fn a_refused_request_leaves_nothing() {
    let world = World::new();
    let tenant: Tenant = world.tenant("refused").await;
    create(&world, &tenant.key, "kept").await.ok(201);
    let before = rows(&world);
    let mut request = request(Method::POST, SOURCES, Some(&tenant.key), Some(json!({"name": " "})));
    request.headers_mut().insert("idempotency-key", "refused".parse().unwrap());
    world.send(request).await.refused(400, "invalid_request");
    assert_eq!(rows(&world), before);
}

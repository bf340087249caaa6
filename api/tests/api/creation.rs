//! Creations that broke off between what they made and what is remembered of it: a repeat finds what was made.

use std::time::Duration;

use common::row;
use http::Method;
use ledger::{Kind, Ledger, LedgerId, Range};
use serde_json::{Value, json};

use crate::harness::{Reply, Tenant, World, request};
use crate::seed::put;

/// Everything that takes an `Idempotency-Key`.
fn creations() -> [(&'static str, Value); 6] {
    [
        ("/infrastructure/sources", json!({"name": "bastion"})),
        ("/monitoring-policies", json!({"name": "on call"})),
        ("/applications", json!({"name": "shop", "url": "https://shop.example.com/"})),
        ("/agents", json!({"name": "bot", "agent_type": "chatbot"})),
        ("/detection-rules", json!({"yaml": "title: One\nid: one\n"})),
        ("/suppressions", json!({"yaml": "title: Ours\nid: ours\nneeds: one\n", "reason": "ours"})),
    ]
}

async fn create(world: &World, tenant: &Tenant, path: &str, body: &Value) -> Reply {
    let mut request = request(Method::POST, path, Some(&tenant.key), Some(body.clone()));
    request.headers_mut().insert("idempotency-key", path.parse().unwrap());
    world.send(request).await
}

/// Brings what is remembered of a request back to what it was while it ran.
pub(crate) async fn forget_reply(world: &World, tenant: &Tenant, path: &str) {
    let id = LedgerId::Organization(tenant.organization);
    let range = Range { prefix: b"idempotency/", ..Range::default() };
    let rows = world.ledger.scan(id, Kind::State, range, 100).await.unwrap();
    let remembered = rows.iter().find(|row| row.key.ends_with(path.as_bytes())).unwrap();
    let mut body: Value = row::decode(&remembered.body).unwrap();
    body["reply"] = Value::Null;
    let seq = world.ledger.seq(id).await.unwrap();
    world.ledger.commit(id, seq, vec![put(Kind::State, remembered.key.to_vec(), &body)]).await.unwrap();
}

#[tokio::test]
async fn a_request_whose_process_died_blocks_for_a_minute_and_is_then_carried_out_to_its_end() {
    let world = World::new();
    let tenant = world.tenant("crash").await;
    for (path, body) in creations() {
        let first = create(&world, &tenant, path, &body).await.ok(201);
        forget_reply(&world, &tenant, path).await;
        create(&world, &tenant, path, &body).await.refused(409, "conflict");
        world.clock.advance(Duration::from_secs(60));
        let other = json!({"name": "another", "yaml": "title: Two\nid: two\n", "reason": "x"});
        assert_eq!(
            create(&world, &tenant, path, &other).await.status,
            400,
            "{path}: nobody knows how far the first came"
        );
        let second = create(&world, &tenant, path, &body).await.ok(201);
        assert_eq!(first, second, "{path}");
        assert_eq!(world.get(&tenant.key, path).await.ok(200)["pagination"]["total"], 1, "{path}");
        let third = create(&world, &tenant, path, &body).await;
        assert_eq!((third.header("idempotency-replayed"), &third.ok(201)), ("true", &first), "{path}");
    }
}

#[tokio::test]
async fn a_creation_that_failed_may_have_taken_effect_and_is_found_at_once() {
    let world = World::new();
    let tenant = world.tenant("failure").await;
    let (path, body) = ("/infrastructure/sources", json!({"name": "bastion"}));
    // The source is there, and nobody can say when it last sent: the answer is a failure.
    world.ledger.take_partitions_away(true);
    create(&world, &tenant, path, &body).await.refused(503, "service_unavailable");
    world.ledger.take_partitions_away(false);
    create(&world, &tenant, path, &json!({"name": "another"})).await.refused(400, "invalid_request");
    create(&world, &tenant, path, &body).await.ok(201);
    assert_eq!(world.get(&tenant.key, path).await.ok(200)["pagination"]["total"], 1);
}

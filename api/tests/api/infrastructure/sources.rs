//! `/infrastructure/sources`.

use std::time::Duration;

use common::partition::Partition;
use common::row::{self, SourceActivity};
use http::Method;
use ledger::Kind;
use ledger::memory::UnknownOutcome;
use serde_json::{Value, json};

use crate::harness::{PARTITIONS, Reply, Tenant, World, request, start};
use crate::seed::{commit, put};

const SOURCES: &str = "/infrastructure/sources";

fn path(source: &Value) -> String {
    format!("{SOURCES}/{}", source["id"].as_str().unwrap())
}

async fn create_idempotently(world: &World, tenant: &Tenant, key: &str, body: Value) -> Reply {
    let mut request = request(Method::POST, SOURCES, Some(&tenant.key), Some(body));
    request.headers_mut().insert("idempotency-key", key.parse().unwrap());
    world.send(request).await
}

async fn total(world: &World, tenant: &Tenant) -> u64 {
    world.get(&tenant.key, SOURCES).await.ok(200)["pagination"]["total"].as_u64().unwrap()
}

#[tokio::test]
async fn a_source_lives_from_post_to_delete() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    let created = world.post(&tenant.key, SOURCES, json!({"name": "bastion"})).await.ok(201);
    let id = created["id"].as_str().unwrap();
    let expected = json!({
        "id": id,
        "object": "infrastructure_source",
        "name": "bastion",
        "application_group": "default",
        "environment": "production",
        "enabled": true,
        "logs_url": format!("http://127.0.0.1:8080/api/v1/infrastructure/sources/{id}/v1/logs"),
        "last_received_at": null,
        "created_at": "2026-07-08T09:00:00.000Z",
        "updated_at": "2026-07-08T09:00:00.000Z",
    });
    assert_eq!(created, expected);
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), created);

    world.clock.advance(Duration::from_secs(1));
    let change =
        json!({"name": "gate", "application_group": "pay", "environment": "staging", "enabled": false});
    let changed = world.patch(&tenant.key, &path(&created), change).await.ok(200);
    assert_eq!(changed["name"], "gate");
    assert_eq!(changed["application_group"], "pay");
    assert_eq!(changed["environment"], "staging");
    assert_eq!(changed["enabled"], false);
    assert_eq!(changed["updated_at"], "2026-07-08T09:00:01.000Z");
    assert_eq!(changed["created_at"], created["created_at"]);
    let only = world.patch(&tenant.key, &path(&created), json!({"enabled": true})).await.ok(200);
    assert_eq!((&only["name"], &only["enabled"]), (&json!("gate"), &json!(true)));

    let deleted = world.delete(&tenant.key, &path(&created)).await;
    assert_eq!((deleted.status.as_u16(), deleted.body.len()), (204, 0));
    world.get(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.patch(&tenant.key, &path(&created), json!({"enabled": true})).await.refused(404, "not_found");
    world.delete(&tenant.key, &path(&created)).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_list_has_pages_newest_first() {
    let world = World::new();
    let tenant = world.tenant("pages").await;
    for number in 0..3 {
        world.clock.advance(Duration::from_millis(5));
        world.source(&tenant, &format!("source {number}")).await;
    }
    let body = world.get(&tenant.key, &format!("{SOURCES}?limit=2")).await.ok(200);
    assert_eq!(body["pagination"], json!({"limit": 2, "offset": 0, "total": 3, "has_more": true}));
    assert_eq!(
        (&body["data"][0]["name"], &body["data"][1]["name"]),
        (&json!("source 2"), &json!("source 1"))
    );
    let body = world.get(&tenant.key, &format!("{SOURCES}?limit=2&offset=2")).await.ok(200);
    assert_eq!(body["pagination"]["has_more"], false);
    assert_eq!(body["data"][0]["name"], "source 0");
    for query in ["?limit=0", "?offset=x", "?name=source", "?limit=1&limit=1"] {
        world.get(&tenant.key, &format!("{SOURCES}{query}")).await.refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn it_tells_when_a_batch_was_last_accepted() {
    let world = World::new();
    let tenant = world.tenant("activity").await;
    let source = world.source(&tenant, "one").await;
    let partition = Partition::of_source(source.id, PARTITIONS);
    let activity = SourceActivity { last_received_at: start().plus(Duration::from_millis(1500)) };
    let key = row::source_activity_key(tenant.organization, source.id);
    commit(world.ledger.as_ref(), partition, vec![put(Kind::State, key, &activity)]).await;
    let shown = world.get(&tenant.key, &format!("{SOURCES}/{}", source.id)).await.ok(200);
    assert_eq!(shown["last_received_at"], "2026-07-08T09:00:01.500Z");
    let listed = world.get(&tenant.key, SOURCES).await.ok(200);
    assert_eq!(listed["data"][0], shown);
}

#[tokio::test]
async fn what_is_not_a_source_is_refused() {
    let world = World::new();
    let tenant = world.tenant("invalid").await;
    for body in [
        json!({}),
        json!({"name": ""}),
        json!({"name": "   "}),
        json!({"name": "x".repeat(101)}),
        json!({"name": 5}),
        json!({"name": "a", "application_group": ""}),
        json!({"name": "a", "application_group": null}),
        json!({"name": "a", "environment": "x".repeat(51)}),
        json!({"name": "a", "enabled": "yes"}),
        json!({"name": "a", "id": "67e55044-10b1-426f-9247-bb680e5fe0c8"}),
    ] {
        world.post(&tenant.key, SOURCES, body).await.refused(400, "invalid_request");
    }
    assert_eq!(total(&world, &tenant).await, 0);
    let created = world.post(&tenant.key, SOURCES, json!({"name": "a"})).await.ok(201);
    for body in [json!({}), json!({"name": null}), json!({"name": ""}), json!({"logs_url": "x"})] {
        world.patch(&tenant.key, &path(&created), body).await.refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn a_foreign_or_malformed_id_is_not_found() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let source = world.source(&theirs, "one").await;
    for id in [source.id.to_string(), "7".to_owned(), "%ff".to_owned()] {
        let path = format!("{SOURCES}/{id}");
        world.get(&ours.key, &path).await.refused(404, "not_found");
        world.patch(&ours.key, &path, json!({"enabled": false})).await.refused(404, "not_found");
        world.delete(&ours.key, &path).await.refused(404, "not_found");
    }
    assert_eq!(total(&world, &ours).await, 0);
    assert_eq!(total(&world, &theirs).await, 1);
}

#[tokio::test]
async fn a_narrowed_key_manages_no_sources() {
    let world = World::new();
    let tenant = world.tenant("scopes").await;
    let source = world.source(&tenant, "one").await;
    let narrowed = world.narrowed(&tenant, &["incidents:read", "incidents:write"]).await;
    let path = format!("{SOURCES}/{}", source.id);
    world.get(&narrowed, SOURCES).await.refused(403, "forbidden");
    world.post(&narrowed, SOURCES, json!({"name": "two"})).await.refused(403, "forbidden");
    world.get(&narrowed, &path).await.refused(403, "forbidden");
    world.patch(&narrowed, &path, json!({"enabled": false})).await.refused(403, "forbidden");
    world.delete(&narrowed, &path).await.refused(403, "forbidden");
}

#[tokio::test]
async fn a_repeat_with_the_same_idempotency_key_creates_nothing() {
    let world = World::new();
    let (tenant, other) = (world.tenant("idempotent").await, world.tenant("other").await);
    let body = json!({"name": "once"});
    let first = create_idempotently(&world, &tenant, "k-1", body.clone()).await;
    assert!(first.headers.get("idempotency-replayed").is_none());
    let again = create_idempotently(&world, &tenant, "k-1", body.clone()).await;
    assert_eq!(again.ok(201), first.ok(201));
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(total(&world, &tenant).await, 1);

    let message = create_idempotently(&world, &tenant, "k-1", json!({"name": "twice"})).await;
    message.refused(400, "invalid_request");
    create_idempotently(&world, &tenant, "k-2", body.clone()).await.ok(201);
    create_idempotently(&world, &other, "k-1", body.clone()).await.ok(201);
    assert_eq!((total(&world, &tenant).await, total(&world, &other).await), (2, 1));

    world.clock.advance(Duration::from_secs(24 * 60 * 60));
    create_idempotently(&world, &tenant, "k-1", json!({"name": "tomorrow"})).await.ok(201);
    assert_eq!(total(&world, &tenant).await, 3);
}

#[tokio::test]
async fn a_refused_creation_may_be_repeated_with_its_idempotency_key() {
    let world = World::new();
    let tenant = world.tenant("retry").await;
    create_idempotently(&world, &tenant, "k", json!({"name": " "})).await.refused(400, "invalid_request");
    create_idempotently(&world, &tenant, "k", json!({"name": "better"})).await.ok(201);
    assert_eq!(total(&world, &tenant).await, 1);
}

#[tokio::test]
async fn an_unknown_outcome_creates_one_source() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let world = World::new();
        let tenant = world.tenant("unknown").await;
        world.ledger.memory.make_next_commit_unknown(outcome);
        create_idempotently(&world, &tenant, "k", json!({"name": "once"})).await.ok(201);
        let again = create_idempotently(&world, &tenant, "k", json!({"name": "once"})).await;
        assert_eq!(again.header("idempotency-replayed"), "true");
        assert_eq!(total(&world, &tenant).await, 1);
    }
}

#[tokio::test]
async fn what_is_not_an_idempotency_key_is_refused() {
    let world = World::new();
    let tenant = world.tenant("malformed").await;
    for key in ["", "two words", &"x".repeat(256)] {
        let reply = create_idempotently(&world, &tenant, key, json!({"name": "a"})).await;
        reply.refused(400, "invalid_request");
    }
    assert_eq!(total(&world, &tenant).await, 0);
}

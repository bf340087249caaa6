//! `/monitoring-policies`.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::harness::{Tenant, World, request};

const POLICIES: &str = "/monitoring-policies";

fn path(policy: &Value) -> String {
    format!("{POLICIES}/{}", policy["id"].as_str().unwrap())
}

async fn create(world: &World, tenant: &Tenant, name: &str) -> Value {
    world.post(&tenant.key, POLICIES, json!({"name": name})).await.ok(201)
}

#[tokio::test]
async fn a_policy_lives_from_post_to_delete() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    assert_eq!(world.get(&tenant.key, POLICIES).await.ok(200)["data"], json!([]), "opt-in");
    let created = create(&world, &tenant, "on call").await;
    let expected = json!({
        "id": created["id"],
        "object": "monitoring_policy",
        "name": "on call",
        "enabled": true,
        "source_ids": null,
        "application_groups": null,
        "environments": null,
        "minimum_severity": "high",
        "escalate_on": ["opened", "severity_raised", "reopened"],
        "created_at": "2026-07-08T09:00:00.000Z",
        "updated_at": "2026-07-08T09:00:00.000Z",
    });
    assert_eq!(created, expected);
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), created);

    world.clock.advance(Duration::from_secs(1));
    let source = world.source(&tenant, "bastion").await.id.to_string();
    let change = json!({
        "name": "nights",
        "enabled": false,
        "source_ids": [source],
        "application_groups": ["checkout"],
        "environments": ["production", "staging"],
        "minimum_severity": "unknown",
        "escalate_on": ["reopened"],
    });
    let changed = world.patch(&tenant.key, &path(&created), change.clone()).await.ok(200);
    for (property, value) in change.as_object().unwrap() {
        assert_eq!(&changed[property], value, "{property}");
    }
    assert_eq!(changed["updated_at"], "2026-07-08T09:00:01.000Z");
    let all = json!({"source_ids": null, "environments": null});
    let widened = world.patch(&tenant.key, &path(&created), all).await.ok(200);
    assert_eq!((&widened["source_ids"], &widened["environments"]), (&Value::Null, &Value::Null));
    assert_eq!(widened["application_groups"], json!(["checkout"]), "what is left out stays");
    assert_eq!(world.get(&tenant.key, POLICIES).await.ok(200)["data"], json!([widened]));

    assert_eq!(world.delete(&tenant.key, &path(&created)).await.status, 204);
    world.delete(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.get(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.patch(&tenant.key, &path(&created), json!({"name": "a"})).await.refused(404, "not_found");
}

#[tokio::test]
async fn lists_are_newest_first_and_creations_are_repeated_once() {
    let world = World::new();
    let tenant = world.tenant("list").await;
    for name in ["one", "two", "three"] {
        create(&world, &tenant, name).await;
    }
    let list = world.get(&tenant.key, &format!("{POLICIES}?limit=2&offset=1")).await.ok(200);
    let names: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|policy| policy["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["two", "one"]);
    assert_eq!(list["pagination"], json!({"limit": 2, "offset": 1, "total": 3, "has_more": false}));
    let mut replies = Vec::new();
    for _ in 0..2 {
        let mut again = request(Method::POST, POLICIES, Some(&tenant.key), Some(json!({"name": "four"})));
        again.headers_mut().insert("idempotency-key", "k".parse().unwrap());
        replies.push(world.send(again).await.ok(201));
    }
    assert_eq!(replies[0], replies[1]);
    assert_eq!(world.get(&tenant.key, POLICIES).await.ok(200)["pagination"]["total"], 4);
}

#[tokio::test]
async fn what_is_not_a_policy_is_refused() {
    let world = World::new();
    let tenant = world.tenant("invalid").await;
    let foreign = world.tenant("foreign").await;
    let theirs = world.source(&foreign, "theirs").await.id.to_string();
    let policy = create(&world, &tenant, "plain").await;
    for (property, value) in [
        ("name", json!("")),
        ("name", json!("n".repeat(101))),
        ("name", json!(null)),
        ("enabled", json!("yes")),
        ("enabled", json!(null)),
        ("source_ids", json!([])),
        ("source_ids", json!(["bastion"])),
        ("source_ids", json!("67e55044-10b1-426f-9247-bb680e5fe0c8")),
        ("source_ids", json!(["67e55044-10b1-426f-9247-bb680e5fe0c8"])),
        ("source_ids", json!([theirs])),
        ("application_groups", json!([])),
        ("application_groups", json!(["a", "a"])),
        ("application_groups", json!(["g".repeat(101)])),
        ("environments", json!(["e".repeat(51)])),
        ("environments", json!((0..21).map(|number| number.to_string()).collect::<Vec<_>>())),
        ("minimum_severity", json!("urgent")),
        ("minimum_severity", json!(null)),
        ("escalate_on", json!([])),
        ("escalate_on", json!(["closed"])),
        ("escalate_on", json!(["opened", "opened"])),
        ("escalate_on", json!(null)),
        ("in_force_since", json!("2020-01-01T00:00:00.000Z")),
    ] {
        let mut body = json!({"name": "a"});
        body[property] = value.clone();
        let message = world.post(&tenant.key, POLICIES, body).await.refused(400, "invalid_request");
        let change = json!({property: value});
        let same = world.patch(&tenant.key, &path(&policy), change).await.refused(400, "invalid_request");
        // Of what JSON itself does not allow there, the place is told.
        for message in [message, same] {
            assert!(message.contains(property) || message.contains("column"), "{property}: {message}");
        }
    }
    world.post(&tenant.key, POLICIES, json!({})).await.refused(400, "invalid_request");
    world.patch(&tenant.key, &path(&policy), json!({})).await.refused(400, "invalid_request");
    assert_eq!(world.get(&tenant.key, POLICIES).await.ok(200)["data"], json!([policy]));
}

#[tokio::test]
async fn those_of_another_organization_are_not_there_and_scopes_are_needed() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let policy = create(&world, &ours, "ours").await;
    world.get(&theirs.key, &path(&policy)).await.refused(404, "not_found");
    world.patch(&theirs.key, &path(&policy), json!({"enabled": false})).await.refused(404, "not_found");
    world.delete(&theirs.key, &path(&policy)).await.refused(404, "not_found");
    assert_eq!(world.get(&theirs.key, POLICIES).await.ok(200)["data"], json!([]));
    world.get(&ours.key, &format!("{POLICIES}/on-call")).await.refused(404, "not_found");

    let reader = world.narrowed(&ours, &["policies:read"]).await;
    world.get(&reader, POLICIES).await.ok(200);
    world.get(&reader, &path(&policy)).await.ok(200);
    world.post(&reader, POLICIES, json!({"name": "a"})).await.refused(403, "forbidden");
    world.patch(&reader, &path(&policy), json!({"name": "a"})).await.refused(403, "forbidden");
    world.delete(&reader, &path(&policy)).await.refused(403, "forbidden");
    let other = world.narrowed(&ours, &["sources:write", "sources:read"]).await;
    world.get(&other, POLICIES).await.refused(403, "forbidden");
}

#[tokio::test]
async fn there_are_at_most_fifty() {
    let world = World::new();
    let tenant = world.tenant("full").await;
    for number in 0..50 {
        create(&world, &tenant, &number.to_string()).await;
    }
    let refusal = world.post(&tenant.key, POLICIES, json!({"name": "more"})).await.refused(409, "conflict");
    assert!(refusal.contains("50 monitoring policies"), "{refusal}");
}

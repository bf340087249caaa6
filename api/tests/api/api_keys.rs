//! `/api-keys`.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::harness::{World, request};

const KEYS: &str = "/api-keys";

fn text<'a>(body: &'a Value, name: &str) -> &'a str {
    body[name].as_str().unwrap()
}

#[tokio::test]
async fn a_key_is_shown_once_and_works_until_it_is_revoked() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    let new =
        json!({"name": "reader", "scopes": ["incidents:read"], "expires_at": "2026-07-09T11:00:00.5+02:00"});
    let created = world.post(&tenant.key, KEYS, new).await.ok(201);
    let key = text(&created, "key");
    let expected = json!({
        "id": created["id"],
        "object": "api_key",
        "name": "reader",
        "scopes": ["incidents:read"],
        "last_four": &key[key.len() - 4..],
        "created_by": tenant.key_id.to_string(),
        "created_at": "2026-07-08T09:00:00.000Z",
        "expires_at": "2026-07-09T09:00:00.500Z",
        "revoked_at": null,
        "replaced_by": null,
        "key": key,
    });
    assert_eq!(created, expected);
    world.get(key, "/incidents").await.ok(200);

    world.clock.advance(Duration::from_millis(3));
    let path = format!("{KEYS}/{}", text(&created, "id"));
    assert_eq!(world.delete(&tenant.key, &path).await.status, 204);
    assert_eq!(world.delete(&tenant.key, &path).await.status, 204, "revoked stays revoked");
    // Authorizations are cached for five seconds.
    world.clock.advance(Duration::from_secs(5));
    world.get(key, "/incidents").await.refused(401, "unauthorized");

    let listed = world.get(&tenant.key, KEYS).await.ok(200);
    assert_eq!(listed["pagination"]["total"], 2);
    let revoked =
        listed["data"].as_array().unwrap().iter().find(|listed| listed["id"] == created["id"]).unwrap();
    assert_eq!(revoked["revoked_at"], "2026-07-08T09:00:00.003Z");
    assert!(revoked.get("key").is_none());
}

#[tokio::test]
async fn an_expired_key_is_unknown() {
    let world = World::new();
    let tenant = world.tenant("expiry").await;
    let new = json!({"name": "short", "expires_at": "2026-07-08T09:01:00.000Z"});
    let created = world.post(&tenant.key, KEYS, new).await.ok(201);
    let key = text(&created, "key");
    world.get(key, "/organization").await.ok(200);
    world.clock.advance(Duration::from_secs(60));
    world.get(key, "/organization").await.refused(401, "unauthorized");
}

#[tokio::test]
async fn rotation_overlaps_for_as_long_as_asked() {
    let world = World::new();
    let tenant = world.tenant("rotation").await;
    for (body, overlap) in
        [(None, 24 * 60 * 60), (Some(json!({})), 24 * 60 * 60), (Some(json!({"overlap_seconds": 60})), 60)]
    {
        let old = world
            .post(&tenant.key, KEYS, json!({"name": "sender", "scopes": ["ingest:write", "incidents:read"]}))
            .await
            .ok(201);
        let path = format!("{KEYS}/{}/rotate", text(&old, "id"));
        let new = world.send(request(Method::POST, &path, Some(&tenant.key), body)).await.ok(200);
        assert_eq!((&new["name"], &new["scopes"]), (&old["name"], &old["scopes"]));
        assert_ne!(new["key"], old["key"]);
        world.get(text(&old, "key"), "/incidents").await.ok(200);
        world.get(text(&new, "key"), "/incidents").await.ok(200);
        let listed = world.get(&tenant.key, &format!("{KEYS}?limit=100")).await.ok(200);
        let replaced = listed["data"].as_array().unwrap().iter().find(|key| key["id"] == old["id"]).unwrap();
        assert_eq!(replaced["replaced_by"], new["id"]);
        world.post(&tenant.key, &path, json!({})).await.refused(400, "invalid_request");
        world.clock.advance(Duration::from_secs(overlap));
        world.get(text(&old, "key"), "/incidents").await.refused(401, "unauthorized");
        world.get(text(&new, "key"), "/incidents").await.ok(200);
    }
}

#[tokio::test]
async fn what_is_not_a_key_is_refused() {
    let world = World::new();
    let tenant = world.tenant("invalid").await;
    for body in [
        json!({}),
        json!({"name": ""}),
        json!({"name": "a", "scopes": []}),
        json!({"name": "a", "scopes": ["everything"]}),
        json!({"name": "a", "scopes": "incidents:read"}),
        json!({"name": "a", "expires_at": "tomorrow"}),
        json!({"name": "a", "expires_at": "2026-07-08T09:00:00.000Z"}),
        json!({"name": "a", "key": "pal_live_mine"}),
    ] {
        world.post(&tenant.key, KEYS, body).await.refused(400, "invalid_request");
    }
    let path = format!("{KEYS}/{}/rotate", tenant.key_id);
    for body in [
        json!({"overlap_seconds": 604_801}),
        json!({"overlap_seconds": -1}),
        json!({"overlap_seconds": null}),
        json!({"overlap": 1}),
    ] {
        world.post(&tenant.key, &path, body).await.refused(400, "invalid_request");
    }
    world.get(&tenant.key, &format!("{KEYS}?scope=all")).await.refused(400, "invalid_request");
    assert_eq!(world.get(&tenant.key, KEYS).await.ok(200)["pagination"]["total"], 1);
}

#[tokio::test]
async fn an_idempotency_key_is_refused_because_the_secret_is_not_stored() {
    let world = World::new();
    let tenant = world.tenant("secret").await;
    for path in [KEYS.to_owned(), format!("{KEYS}/{}/rotate", tenant.key_id)] {
        let mut request = request(Method::POST, &path, Some(&tenant.key), Some(json!({"name": "a"})));
        request.headers_mut().insert("idempotency-key", "k".parse().unwrap());
        world.send(request).await.refused(400, "invalid_request");
    }
    let created = world.post(&tenant.key, KEYS, json!({"name": "a"})).await.ok(201);
    let key = text(&created, "key").as_bytes();
    let stored = world.ledger.memory.dump();
    assert!(stored.iter().all(|(_, _, row)| !row.body.windows(key.len()).any(|part| part == key)));
}

#[tokio::test]
async fn a_foreign_or_malformed_id_is_not_found() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    for id in [theirs.key_id.to_string(), "7".to_owned()] {
        world.delete(&ours.key, &format!("{KEYS}/{id}")).await.refused(404, "not_found");
        let rotate = request(Method::POST, &format!("{KEYS}/{id}/rotate"), Some(&ours.key), None);
        world.send(rotate).await.refused(404, "not_found");
    }
    world.get(&theirs.key, "/organization").await.ok(200);
    let listed = world.get(&ours.key, KEYS).await.ok(200);
    assert_eq!(listed["pagination"]["total"], 1);
    assert_eq!(listed["data"][0]["id"], ours.key_id.to_string());
}

#[tokio::test]
async fn a_narrowed_key_manages_no_keys() {
    let world = World::new();
    let tenant = world.tenant("scopes").await;
    let narrowed = world.narrowed(&tenant, &["incidents:read"]).await;
    world.get(&narrowed, KEYS).await.refused(403, "forbidden");
    world.post(&narrowed, KEYS, json!({"name": "a"})).await.refused(403, "forbidden");
    world.delete(&narrowed, &format!("{KEYS}/{}", tenant.key_id)).await.refused(403, "forbidden");
    let rotate = request(Method::POST, &format!("{KEYS}/{}/rotate", tenant.key_id), Some(&narrowed), None);
    world.send(rotate).await.refused(403, "forbidden");
}

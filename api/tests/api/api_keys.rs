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
        world.post(&tenant.key, &path, json!({})).await.refused(409, "conflict");
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
        json!({"name": "nimda\u{202e}"}),
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

#[tokio::test]
async fn a_revoked_key_works_for_five_seconds_in_another_process_and_makes_no_key_there() {
    let world = World::new();
    let (tenant, elsewhere) = (world.tenant("processes").await, world.neighbour());
    let created = world.post(&tenant.key, KEYS, json!({"name": "leaked"})).await.ok(201);
    let leaked = text(&created, "key");
    elsewhere.get(leaked, "/organization").await.ok(200);
    let path = format!("{KEYS}/{}", text(&created, "id"));
    assert_eq!(world.delete(&tenant.key, &path).await.status, 204);
    world.get(leaked, "/organization").await.refused(401, "unauthorized");
    elsewhere.get(leaked, "/organization").await.ok(200);
    elsewhere.post(leaked, KEYS, json!({"name": "to stay"})).await.refused(401, "unauthorized");
    let rotate = format!("{KEYS}/{}/rotate", tenant.key_id);
    elsewhere.post(leaked, &rotate, json!({})).await.refused(401, "unauthorized");
    let other = format!("{KEYS}/{}", tenant.key_id);
    elsewhere.delete(leaked, &other).await.refused(401, "unauthorized");
    world.clock.advance(Duration::from_secs(5));
    elsewhere.get(leaked, "/organization").await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_rotation_without_overlap_ends_the_old_key_at_once() {
    let world = World::new();
    let tenant = world.tenant("at once").await;
    let old = world.post(&tenant.key, KEYS, json!({"name": "old"})).await.ok(201);
    world.get(text(&old, "key"), "/incidents").await.ok(200);
    let path = format!("{KEYS}/{}/rotate", text(&old, "id"));
    let new = world.post(&tenant.key, &path, json!({"overlap_seconds": 0})).await.ok(200);
    world.get(text(&old, "key"), "/incidents").await.refused(401, "unauthorized");
    world.get(text(&new, "key"), "/incidents").await.ok(200);
    let again = world.post(&tenant.key, &path, json!({"overlap_seconds": 0})).await;
    assert!(again.refused(409, "conflict").contains("rotate its successor"));
}

#[tokio::test]
async fn a_key_gives_no_other_a_later_expiry_than_its_own() {
    let world = World::new();
    let tenant = world.tenant("outlive").await;
    let new = |expires_at: Option<&str>| match expires_at {
        Some(expires_at) => json!({"name": "made", "expires_at": expires_at}),
        None => json!({"name": "made"}),
    };
    let short = world.post(&tenant.key, KEYS, new(Some("2026-07-08T10:00:00.000Z"))).await.ok(201);
    let short_key = text(&short, "key");
    for expires_at in [None, Some("2026-07-08T10:00:00.001Z")] {
        let message = world.post(short_key, KEYS, new(expires_at)).await.refused(403, "forbidden");
        assert!(message.contains("expires_at of at most 2026-07-08T10:00:00.000Z"), "{message}");
    }
    for expires_at in ["2026-07-08T10:00:00.000Z", "2026-07-08T09:30:00.000Z"] {
        world.post(short_key, KEYS, new(Some(expires_at))).await.ok(201);
    }

    let rotate = |id: &str| format!("{KEYS}/{id}/rotate");
    let lasting = rotate(&tenant.key_id.to_string());
    world.post(short_key, &lasting, json!({})).await.refused(403, "forbidden");
    let own = world.post(short_key, &rotate(text(&short, "id")), json!({})).await.ok(200);
    assert_eq!(own["expires_at"], short["expires_at"]);
    // The tenant's key has no successor, so it can still be rotated.
    world.post(&tenant.key, &lasting, json!({})).await.ok(200);
}

#[tokio::test]
async fn a_key_gives_no_other_more_scopes_than_its_own() {
    let world = World::new();
    let tenant = world.tenant("more").await;
    let narrow = world.narrowed(&tenant, &["keys:write", "incidents:read"]).await;
    for (scopes, missing) in
        [(json!(null), "every scope"), (json!(["incidents:read", "incidents:write"]), "incidents:write")]
    {
        let refused = world.post(&narrow, KEYS, json!({"name": "a", "scopes": scopes})).await;
        let message = refused.refused(403, "forbidden");
        assert!(message.contains(missing) && message.contains("keys:write"), "{message}");
    }
    let made = world.post(&narrow, KEYS, json!({"name": "a", "scopes": ["incidents:read"]})).await.ok(201);
    let rotate = |id: &str| format!("{KEYS}/{id}/rotate");
    world.post(&narrow, &rotate(&tenant.key_id.to_string()), json!({})).await.refused(403, "forbidden");
    world.post(&narrow, &rotate(text(&made, "id")), json!({})).await.ok(200);
}

#[tokio::test]
async fn a_key_revokes_itself_but_no_other_with_more_scopes() {
    let world = World::new();
    let tenant = world.tenant("revoke").await;
    let new = json!({"name": "narrow", "scopes": ["keys:write", "incidents:read"]});
    let narrow = world.post(&tenant.key, KEYS, new.clone()).await.ok(201);
    let (own, equal) = (text(&narrow, "key"), world.post(&tenant.key, KEYS, new).await.ok(201));
    let path = |key: &Value| format!("{KEYS}/{}", text(key, "id"));
    for scopes in [json!(null), json!(["keys:write", "incidents:read", "sources:read"])] {
        let wider = world.post(&tenant.key, KEYS, json!({"name": "wider", "scopes": scopes})).await.ok(201);
        let message = world.delete(own, &path(&wider)).await.refused(403, "forbidden");
        assert!(message.contains("more scopes"), "{message}");
        assert_ne!(world.get(text(&wider, "key"), KEYS).await.status, 401, "it is still accepted");
        // It stays out of reach after it was revoked.
        assert_eq!(world.delete(&tenant.key, &path(&wider)).await.status, 204);
        world.delete(own, &path(&wider)).await.refused(403, "forbidden");
    }
    assert_eq!(world.delete(own, &path(&equal)).await.status, 204);
    assert_eq!(world.delete(own, &path(&narrow)).await.status, 204);
    world.delete(own, &path(&narrow)).await.refused(401, "unauthorized");
}

#[tokio::test]
async fn of_several_rotations_at_the_same_time_one_succeeds() {
    let world = World::new();
    let tenant = world.tenant("race").await;
    for overlap in [0, 3_600] {
        let old = world.post(&tenant.key, KEYS, json!({"name": "contended"})).await.ok(201);
        let path = format!("{KEYS}/{}/rotate", text(&old, "id"));
        let body = json!({"overlap_seconds": overlap});
        let rotations = (0..8).map(|_| world.post(&tenant.key, &path, body.clone()));
        let replies = futures_util::future::join_all(rotations).await;
        let won: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
        assert_eq!(won.len(), 1);
        for lost in replies.iter().filter(|reply| reply.status != 200) {
            lost.refused(409, "conflict");
        }
        world.get(text(&won[0].json(), "key"), "/incidents").await.ok(200);
    }
}

//! `/applications`.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::harness::{Tenant, World, request};

const APPLICATIONS: &str = "/applications";

fn path(application: &Value) -> String {
    format!("{APPLICATIONS}/{}", application["id"].as_str().unwrap())
}

async fn create(world: &World, tenant: &Tenant, name: &str) -> Value {
    let body = json!({"name": name, "url": format!("https://{name}.example.com")});
    world.post(&tenant.key, APPLICATIONS, body).await.ok(201)
}

#[tokio::test]
async fn an_application_lives_from_post_to_delete() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    world.repositories(&tenant, &[(42, "acme/shop")]).await;
    let body = json!({"name": "Shop", "url": "https://SHOP.example.com:443/a/../b", "repository_id": "42"});
    let created = world.post(&tenant.key, APPLICATIONS, body).await.ok(201);
    let mut expected = json!({
        "id": created["id"],
        "object": "application",
        "name": "Shop",
        "url": "https://shop.example.com/b",
        "repository_id": "42",
        "credentials_set": false,
        "header_names": [],
        "request_throttle_rpm": null,
        "red_team_schedule": "off",
        "inventory": {
            "assets": {"host": 0, "subdomain": 0, "endpoint": 0, "technology": 0, "certificate": 0},
            "run": null,
        },
        "schedule": {"window": null, "next_run_at": null, "last_run": null, "last_skip": null},
        "specific_prompt": null,
        "created_at": "2026-07-08T09:00:00.000Z",
        "updated_at": "2026-07-08T09:00:00.000Z",
    });
    assert_eq!(created, expected);
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), expected);
    world.clock.advance(Duration::from_secs(1));
    let change = json!({
        "name": "Store",
        "repository_id": null,
        "login_email": "tester@example.com",
        "login_password": "correct horse",
        "headers": {"X-Token": "of-the-shop"},
        "request_throttle_rpm": 600,
        "specific_prompt": "Try the checkout.\nThen the search.",
    });
    let changed = world.patch(&tenant.key, &path(&created), change).await.ok(200);
    for (property, value) in [
        ("name", json!("Store")),
        ("repository_id", json!(null)),
        ("credentials_set", json!(true)),
        ("header_names", json!(["x-token"])),
        ("request_throttle_rpm", json!(600)),
        ("specific_prompt", json!("Try the checkout.\nThen the search.")),
        ("updated_at", json!("2026-07-08T09:00:01.000Z")),
    ] {
        expected[property] = value;
    }
    assert_eq!(changed, expected);
    let second = create(&world, &tenant, "second").await;
    assert_eq!(world.get(&tenant.key, APPLICATIONS).await.ok(200)["data"], json!([second, changed]));
    let page = world.get(&tenant.key, &format!("{APPLICATIONS}?limit=1&offset=1")).await.ok(200);
    assert_eq!(page["pagination"], json!({"limit": 1, "offset": 1, "total": 2, "has_more": false}));

    assert_eq!(world.delete(&tenant.key, &path(&created)).await.status, 204);
    world.delete(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.get(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.patch(&tenant.key, &path(&created), json!({"name": "a"})).await.refused(404, "not_found");
    create(&world, &tenant, "shop").await;
}

#[tokio::test]
async fn credentials_are_in_no_reply_and_no_row_and_null_clears_them() {
    let world = World::new();
    let tenant = world.tenant("secret").await;
    let application = create(&world, &tenant, "shop").await;
    let all = json!({
        "login_email": "tester@example.com",
        "login_password": "correct horse",
        "headers": {"Authorization": "Bearer of-the-shop"},
    });
    let set = world.patch(&tenant.key, &path(&application), all.clone()).await.ok(200);
    assert_eq!((&set["credentials_set"], &set["header_names"]), (&json!(true), &json!(["authorization"])));
    let replies = [
        world.get(&tenant.key, &path(&application)).await.body,
        world.get(&tenant.key, APPLICATIONS).await.body,
        world.patch(&tenant.key, &path(&application), all.clone()).await.body,
    ];
    let rows = world.ledger.memory.dump();
    for hidden in ["tester@", "correct horse", "of-the-shop"] {
        let holds = |bytes: &[u8]| bytes.windows(hidden.len()).any(|window| window == hidden.as_bytes());
        assert!(replies.iter().all(|reply| !holds(reply)), "{hidden}");
        assert!(rows.iter().all(|(_, _, row)| !holds(&row.body) && !holds(&row.key)), "{hidden}");
    }
    let change = async |body| world.patch(&tenant.key, &path(&application), body).await.ok(200);
    assert_eq!(change(json!({"login_email": null})).await["credentials_set"], true, "the password is left");
    assert_eq!(change(json!({"login_password": null})).await["credentials_set"], false);
    assert_eq!(change(json!({"headers": null})).await["header_names"], json!([]));
    // Another path of the same origin keeps them; another origin does not, except for those that come with it.
    change(all).await;
    let same = change(json!({"url": "https://shop.example.com/login"})).await;
    assert_eq!((&same["credentials_set"], &same["header_names"]), (&json!(true), &json!(["authorization"])));
    let moved = change(json!({"url": "https://shop.example.com:8443/", "headers": {"x-new": "a"}})).await;
    assert_eq!((&moved["credentials_set"], &moved["header_names"]), (&json!(false), &json!(["x-new"])));
    let moved = change(json!({"url": "http://shop.example.com:8443/"})).await;
    assert_eq!(moved["header_names"], json!([]));
}

#[tokio::test]
async fn values_that_are_not_allowed_are_refused() {
    let world = World::new();
    let (tenant, foreign) = (world.tenant("invalid").await, world.tenant("foreign").await);
    world.repositories(&foreign, &[(42, "acme/shop")]).await;
    let application = create(&world, &tenant, "shop").await;
    for (property, value) in [
        ("name", json!("")),
        ("name", json!("n".repeat(101))),
        ("name", json!(null)),
        ("url", json!("shop")),
        ("url", json!("ftp://example.com/")),
        ("url", json!("https://user:word@example.com/")),
        ("url", json!("https://10.0.0.1/")),
        ("url", json!("http://[fd00::1]:8080/")),
        ("url", json!("https://shop.example.com:22/")),
        ("url", json!(null)),
        ("repository_id", json!("42")),
        ("repository_id", json!("acme/shop")),
        ("repository_id", json!(42)),
        ("id", json!("mine")),
    ] {
        let mut body = json!({"name": "a", "url": "https://a.example.com/"});
        body[property] = value.clone();
        let message = world.post(&tenant.key, APPLICATIONS, body).await.refused(400, "invalid_request");
        let change = json!({property: value});
        let same =
            world.patch(&tenant.key, &path(&application), change).await.refused(400, "invalid_request");
        for message in [message, same] {
            assert!(message.contains(property) || message.contains("column"), "{property}: {message}");
            assert!(!message.contains("word@"), "{message}");
        }
    }
    for (property, value) in [
        ("login_email", json!("")),
        ("login_email", json!("e".repeat(255))),
        ("login_password", json!("a\nb")),
        ("headers", json!({"Content-Type": "text/plain"})),
        ("headers", json!({"x-a": "of-the-shop\r\nx-b: c"})),
        ("request_throttle_rpm", json!(0)),
        ("request_throttle_rpm", json!(601)),
        ("red_team_schedule", json!("hourly")),
        ("red_team_schedule", json!(null)),
        ("schedule", json!(null)),
        ("schedule", json!({})),
        ("schedule", json!({"window": {"start": "22:00"}})),
        ("schedule", json!({"window": {"start": "22:00", "end": "24:00"}})),
        ("schedule", json!({"window": {"start": "22:00", "end": "22:00"}})),
        ("schedule", json!({"window": null, "next_run_at": null})),
        ("specific_prompt", json!(" ")),
        ("specific_prompt", json!("p".repeat(10_001))),
    ] {
        let change = json!({property: value});
        let message =
            world.patch(&tenant.key, &path(&application), change).await.refused(400, "invalid_request");
        assert!(message.contains(property) || message.contains("column"), "{property}: {message}");
        assert!(!message.contains("a\nb") && !message.contains("of-the-shop"), "{message}");
        let body = json!({"name": "a", "url": "https://a.example.com/", property: value});
        world.post(&tenant.key, APPLICATIONS, body).await.refused(400, "invalid_request");
    }
    world.patch(&tenant.key, &path(&application), json!({})).await.refused(400, "invalid_request");
    world
        .patch(&tenant.key, &format!("{APPLICATIONS}/x"), json!({"name": "a"}))
        .await
        .refused(400, "invalid_request");
    world.get(&tenant.key, &format!("{APPLICATIONS}/x")).await.refused(404, "not_found");
    assert_eq!(world.get(&tenant.key, APPLICATIONS).await.ok(200)["data"], json!([application]));
}

#[tokio::test]
async fn a_taken_name_or_url_is_a_conflict() {
    let world = World::new();
    let (tenant, other) = (world.tenant("one").await, world.tenant("other").await);
    let shop = create(&world, &tenant, "shop").await;
    let site = create(&world, &tenant, "site").await;
    for (name, url, field) in
        [("SHOP", "https://new.example.com/", "name"), ("new", "https://shop.example.com/#top", "url")]
    {
        let body = json!({"name": name, "url": url});
        let message = world.post(&tenant.key, APPLICATIONS, body).await.refused(409, "conflict");
        assert!(message.starts_with(field), "{message}");
        let change = json!({field: if field == "name" { name } else { url }});
        world.patch(&tenant.key, &path(&site), change).await.refused(409, "conflict");
    }
    create(&world, &other, "shop").await;
    assert_eq!(world.patch(&tenant.key, &path(&shop), json!({"name": "Shop"})).await.ok(200)["name"], "Shop");
}

#[tokio::test(start_paused = true)]
async fn a_schedule_shows_its_next_run_and_the_slot_that_was_skipped() {
    let world = World::new();
    let tenant = world.tenant("schedule").await;
    let application = create(&world, &tenant, "shop").await;
    let window = json!({"start": "22:00", "end": "02:00"});
    let change = json!({"red_team_schedule": "daily", "schedule": {"window": window}});
    let changed = world.patch(&tenant.key, &path(&application), change).await.ok(200);
    assert_eq!((&changed["red_team_schedule"], &changed["schedule"]["window"]), (&json!("daily"), &window));
    let next = changed["schedule"]["next_run_at"].as_str().unwrap();
    assert!(("2026-07-08T22:00:00.000Z".."2026-07-09T02:00:00.000Z").contains(&next), "{next}");
    world.clock.advance(Duration::from_secs(17 * 3_600));
    world.work().await;
    let shown = world.get(&tenant.key, &path(&application)).await.ok(200);
    let skip = &shown["schedule"]["last_skip"];
    assert_eq!(skip["reason"], "reports_unavailable");
    let (run, requested) = (&shown["schedule"]["last_run"], &shown["inventory"]["run"]);
    assert!(run["at"].as_str().unwrap().starts_with("2026-07-09T02:00:00."), "the discovery: {run}");
    assert!(requested["id"].is_string(), "{requested}");
    assert!(skip["at"].as_str().unwrap().starts_with("2026-07-09T02:00:00."), "{skip}");
    let due = shown["schedule"]["next_run_at"].as_str().unwrap();
    assert_eq!(due[10..], next[10..], "at the same time");
    assert!(("2026-07-09T22:00:00.000Z".."2026-07-10T02:00:00.000Z").contains(&due), "{due}");
    let off =
        world.patch(&tenant.key, &path(&application), json!({"red_team_schedule": "off"})).await.ok(200);
    assert_eq!((&off["schedule"]["next_run_at"], &off["schedule"]["last_skip"]), (&json!(null), skip));
    let anytime = world.patch(&tenant.key, &path(&application), json!({"schedule": {"window": null}})).await;
    assert_eq!(anytime.ok(200)["schedule"]["window"], json!(null));
}

#[tokio::test]
async fn those_of_another_organization_are_not_there_and_scopes_are_needed() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let application = create(&world, &ours, "shop").await;
    let path = path(&application);
    world.get(&theirs.key, &path).await.refused(404, "not_found");
    world.patch(&theirs.key, &path, json!({"login_password": "a"})).await.refused(404, "not_found");
    world.delete(&theirs.key, &path).await.refused(404, "not_found");
    assert_eq!(world.get(&theirs.key, APPLICATIONS).await.ok(200)["pagination"]["total"], 0);
    let reader = world.narrowed(&ours, &["applications:read"]).await;
    let writer = world.narrowed(&ours, &["applications:write"]).await;
    let stranger = world.narrowed(&ours, &["agents:read", "agents:write"]).await;
    let body = json!({"name": "a", "url": "https://a.example.com/"});
    for (method, path, body) in [
        (Method::POST, APPLICATIONS, Some(body)),
        (Method::PATCH, &*path, Some(json!({"name": "b"}))),
        (Method::DELETE, &*path, None),
    ] {
        for key in [&reader, &stranger] {
            let request = request(method.clone(), path, Some(key), body.clone());
            world.send(request).await.refused(403, "forbidden");
        }
    }
    for path in [APPLICATIONS, &*path] {
        world.get(&reader, path).await.ok(200);
        for key in [&writer, &stranger] {
            world.get(key, path).await.refused(403, "forbidden");
        }
    }
    world.patch(&writer, &path, json!({"name": "b"})).await.ok(200);
}

//! `/webhooks`, and `/webhook-deliveries`.

mod deliveries;
pub(crate) mod receiver;

use std::time::Duration;

use common::event::EventKind;
use common::ids::SourceId;
use http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{Tenant, World, request};

const WEBHOOKS: &str = "/webhooks";
/// Nobody listens there: creating a target sends nothing.
const URL: &str = "https://127.0.0.1:9009/hook";

fn path(webhook: &Value) -> String {
    format!("{WEBHOOKS}/{}", webhook["id"].as_str().unwrap())
}

async fn create(world: &World, tenant: &Tenant, name: &str) -> Value {
    let mut created = world.post(&tenant.key, WEBHOOKS, json!({"name": name, "url": URL})).await.ok(201);
    assert!(created.as_object_mut().unwrap().remove("secret").is_some());
    created
}

/// Creates a resource; its id.
async fn created(world: &World, tenant: &Tenant, path: &str, body: Value) -> String {
    world.post(&tenant.key, path, body).await.ok(201)["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_selected_source_that_is_deleted_stays_selected_and_is_shown_as_deleted() {
    let world = World::new();
    let tenant = world.tenant("deleted").await;
    let source = world.source(&tenant, "bastion").await.id.to_string();
    let application = created(&world, &tenant, "/applications", json!({"name": "a", "url": URL})).await;
    let agent = created(&world, &tenant, "/agents", json!({"name": "a", "agent_type": "other"})).await;
    world.repositories(&tenant, &[(12, "acme/shop"), (13, "acme/site")]).await;
    let sources = json!({
        "repositories": ["12"], "applications": [application], "agents": [agent], "infrastructure": [source],
    });
    let body = json!({"name": "exact", "url": URL, "sources": sources});
    let webhook = world.post(&tenant.key, WEBHOOKS, body).await.ok(201);
    assert_eq!((&webhook["sources"], &webhook["deleted_sources"]), (&sources, &json!([])));
    let other = create(&world, &tenant, "all").await;
    assert_eq!(world.delete(&tenant.key, &format!("/applications/{application}")).await.status, 204);
    assert_eq!(world.delete(&tenant.key, &format!("/agents/{agent}")).await.status, 204);
    assert_eq!(world.delete(&tenant.key, &format!("/infrastructure/sources/{source}")).await.status, 204);
    world.repositories(&tenant, &[(13, "acme/site")]).await;
    let mut deleted = vec!["12".to_owned(), application.clone(), agent, source];
    deleted.sort();
    let shown = world.get(&tenant.key, &path(&webhook)).await.ok(200);
    assert_eq!((&shown["sources"], &shown["deleted_sources"]), (&sources, &json!(deleted)));
    assert_eq!(world.get(&tenant.key, WEBHOOKS).await.ok(200)["data"], json!([other, shown]));
    // Other changes, and further sources beside the deleted ones, are still allowed.
    let change = json!({"name": "renamed", "sources": {"repositories": ["12", "13"]}});
    let changed = world.patch(&tenant.key, &path(&webhook), change).await.ok(200);
    assert_eq!(changed["sources"]["repositories"], json!(["12", "13"]));
    assert_eq!(changed["deleted_sources"], json!(deleted));
    let cleaned = json!({"sources": {"repositories": "all", "applications": [], "agents": "all", "infrastructure": "all"}});
    let cleaned = world.patch(&tenant.key, &path(&webhook), cleaned).await.ok(200);
    assert_eq!(cleaned["deleted_sources"], json!([]));
    let again = json!({"sources": {"applications": [application]}});
    world.patch(&tenant.key, &path(&webhook), again).await.refused(400, "invalid_request");
}

fn kinds(but: Option<EventKind>) -> Vec<&'static str> {
    EventKind::ALL.iter().filter(|kind| Some(**kind) != but).map(|kind| kind.as_str()).collect()
}

#[tokio::test]
async fn a_target_lives_from_post_to_delete() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    let source = world.source(&tenant, "bastion").await.id.to_string();
    let body = json!({"name": "pager", "url": URL, "headers": {"Authorization": "Bearer of-the-pager", "x-team": "a"}});
    let created = world.post(&tenant.key, WEBHOOKS, body).await.ok(201);
    let secret = created["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "32 bytes");
    let expected = json!({
        "id": created["id"],
        "object": "webhook_target",
        "name": "pager",
        "url": URL,
        "header_names": ["authorization", "x-team"],
        "events": kinds(Some(EventKind::InfrastructureIncidentEscalated)),
        "sources": {"repositories": "all", "applications": "all", "agents": "all", "infrastructure": "all"},
        "deleted_sources": [],
        "enabled": true,
        "disabled_reason": null,
        "created_at": "2026-07-08T09:00:00.000Z",
        "updated_at": "2026-07-08T09:00:00.000Z",
        "secret": secret,
    });
    assert_eq!(created, expected);
    let mut shown = expected;
    shown.as_object_mut().unwrap().remove("secret");
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), shown);
    assert_eq!(world.get(&tenant.key, WEBHOOKS).await.ok(200)["data"], json!([shown]));

    world.clock.advance(Duration::from_secs(1));
    let change = json!({
        "name": "nights",
        "url": "https://127.0.0.1:9010/other",
        "events": ["infrastructure.incident.escalated"],
        "sources": {"infrastructure": [source], "agents": []},
        "enabled": false,
    });
    let changed = world.patch(&tenant.key, &path(&created), change).await.ok(200);
    shown["name"] = json!("nights");
    shown["url"] = json!("https://127.0.0.1:9010/other");
    shown["events"] = json!(["infrastructure.incident.escalated"]);
    shown["sources"]["infrastructure"] = json!([source]);
    shown["sources"]["agents"] = json!([]);
    shown["enabled"] = json!(false);
    shown["updated_at"] = json!("2026-07-08T09:00:01.000Z");
    assert_eq!(changed, shown, "what is left out stays, header values included");
    let narrowed =
        world.patch(&tenant.key, &path(&created), json!({"sources": {"agents": "all"}})).await.ok(200);
    assert_eq!(
        (&narrowed["sources"]["agents"], &narrowed["sources"]["infrastructure"]),
        (&json!("all"), &json!([source]))
    );
    for nothing in [json!({}), json!(null)] {
        let headers = json!({"headers": {"x-a": "b"}});
        world.patch(&tenant.key, &path(&created), headers).await.ok(200);
        let cleared = world.patch(&tenant.key, &path(&created), json!({"headers": nothing})).await.ok(200);
        assert_eq!(cleared["header_names"], json!([]));
    }

    assert_eq!(world.delete(&tenant.key, &path(&created)).await.status, 204);
    world.delete(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.get(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.patch(&tenant.key, &path(&created), json!({"name": "a"})).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_secret_is_shown_when_it_is_made_and_lies_in_no_row() {
    let world = World::new();
    let tenant = world.tenant("secret").await;
    let body = json!({"name": "a", "url": URL, "headers": {"authorization": "Bearer of-the-target"}});
    let created = world.post(&tenant.key, WEBHOOKS, body.clone()).await.ok(201);
    let rotated =
        world.post(&tenant.key, &format!("{}/rotate-secret", path(&created)), json!({})).await.ok(200);
    let secrets = [created["secret"].as_str().unwrap(), rotated["secret"].as_str().unwrap()];
    assert_ne!(secrets[0], secrets[1]);
    assert_eq!(rotated["id"], created["id"]);
    let rows = world.ledger.memory.dump();
    assert!(rows.len() > 3);
    for hidden in [secrets[0], secrets[1], "of-the-target"] {
        let holds = |bytes: &[u8]| bytes.windows(hidden.len()).any(|window| window == hidden.as_bytes());
        assert!(rows.iter().all(|(_, _, row)| !holds(&row.body) && !holds(&row.key)), "{hidden}");
    }
    for (path, body) in
        [(WEBHOOKS.to_owned(), body), (format!("{}/rotate-secret", path(&created)), json!({}))]
    {
        let mut again = request(Method::POST, &path, Some(&tenant.key), Some(body));
        again.headers_mut().insert("idempotency-key", "k".parse().unwrap());
        let refusal = world.send(again).await.refused(400, "invalid_request");
        assert!(refusal.contains("Idempotency-Key"), "{refusal}");
    }
}

#[tokio::test]
async fn lists_are_newest_first() {
    let world = World::new();
    let tenant = world.tenant("list").await;
    for name in ["one", "two", "three"] {
        create(&world, &tenant, name).await;
        world.clock.advance(Duration::from_secs(1));
    }
    let list = world.get(&tenant.key, &format!("{WEBHOOKS}?limit=2&offset=1")).await.ok(200);
    let names: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|webhook| webhook["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["two", "one"]);
    assert_eq!(list["pagination"], json!({"limit": 2, "offset": 1, "total": 3, "has_more": false}));
}

#[tokio::test]
async fn what_is_not_a_target_is_refused() {
    let world = World::new();
    let (tenant, foreign) = (world.tenant("invalid").await, world.tenant("foreign").await);
    let theirs = world.source(&foreign, "theirs").await.id.to_string();
    let their_application =
        created(&world, &foreign, "/applications", json!({"name": "a", "url": URL})).await;
    world.repositories(&foreign, &[(12, "acme/shop")]).await;
    let webhook = create(&world, &tenant, "plain").await;
    for (property, value) in [
        ("name", json!("")),
        ("name", json!("n".repeat(101))),
        ("name", json!(null)),
        ("url", json!("hook")),
        ("url", json!("http://93.184.216.34/")),
        ("url", json!("https://10.0.0.1/")),
        ("url", json!("https://0x0a.1/")),
        ("url", json!("https://user:word@example.com/")),
        ("url", json!("https://example.com:25/")),
        ("url", json!(null)),
        ("headers", json!({"Content-Type": "text/plain"})),
        ("headers", json!({"X-Service-Signature": "t=1"})),
        ("headers", json!({"a b": "c"})),
        ("headers", json!({"x-a": "line\r\nx-b: c"})),
        ("headers", json!({"x-a": 5})),
        ("events", json!([])),
        ("events", json!(["incident.opened"])),
        ("events", json!(["report.started", "report.started"])),
        ("events", json!(null)),
        ("sources", json!("all")),
        ("sources", json!({"servers": "all"})),
        ("sources", json!({"agents": "some"})),
        ("sources", json!({"agents": null})),
        ("sources", json!({"agents": ["a", "a"]})),
        ("sources", json!({"agents": [""]})),
        ("sources", json!({"infrastructure": ["bastion"]})),
        ("sources", json!({"infrastructure": [SourceId(Uuid::nil()).to_string()]})),
        ("sources", json!({"infrastructure": [theirs]})),
        ("sources", json!({"applications": ["shop"]})),
        ("sources", json!({"applications": [their_application]})),
        ("sources", json!({"agents": [SourceId(Uuid::nil()).to_string()]})),
        ("sources", json!({"repositories": ["12"]})),
        ("sources", json!({"repositories": ["acme/shop"]})),
        ("enabled", json!("yes")),
        ("enabled", json!(null)),
        ("secret", json!("mine")),
        ("disabled_reason", json!("mine")),
    ] {
        let mut body = json!({"name": "a", "url": URL});
        body[property] = value.clone();
        let message = world.post(&tenant.key, WEBHOOKS, body).await.refused(400, "invalid_request");
        let change = json!({property: value});
        let same = world.patch(&tenant.key, &path(&webhook), change).await.refused(400, "invalid_request");
        // Of what JSON itself does not allow there, the place is told.
        for message in [message, same] {
            assert!(message.contains(property) || message.contains("column"), "{property}: {message}");
            assert!(!message.contains("word@"), "{message}");
        }
    }
    world.post(&tenant.key, WEBHOOKS, json!({"url": URL})).await.refused(400, "invalid_request");
    world.post(&tenant.key, WEBHOOKS, json!({"name": "a"})).await.refused(400, "invalid_request");
    world.patch(&tenant.key, &path(&webhook), json!({})).await.refused(400, "invalid_request");
    assert_eq!(world.get(&tenant.key, WEBHOOKS).await.ok(200)["data"], json!([webhook]));
}

#[tokio::test]
async fn those_of_another_organization_are_not_there_and_scopes_are_needed() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let webhook = create(&world, &ours, "ours").await;
    let path = path(&webhook);
    let range = json!({"since": "2026-07-08T00:00:00.000Z", "until": "2026-07-09T00:00:00.000Z"});
    let writes = [
        (Method::PATCH, path.clone(), json!({"enabled": false})),
        (Method::POST, format!("{path}/rotate-secret"), json!({})),
        (Method::POST, format!("{path}/test"), json!({})),
        (Method::POST, format!("{path}/recover"), range),
    ];
    let reads = [path.clone(), format!("{path}/deliveries")];
    for (method, path, body) in &writes {
        let request = request(method.clone(), path, Some(&theirs.key), Some(body.clone()));
        world.send(request).await.refused(404, "not_found");
    }
    for path in &reads {
        world.get(&theirs.key, path).await.refused(404, "not_found");
    }
    world.delete(&theirs.key, &path).await.refused(404, "not_found");
    assert_eq!(world.get(&theirs.key, WEBHOOKS).await.ok(200)["data"], json!([]));
    world.get(&ours.key, &format!("{WEBHOOKS}/pager")).await.refused(404, "not_found");

    let reader = world.narrowed(&ours, &["webhooks:read"]).await;
    for path in reads.iter().map(String::as_str).chain([WEBHOOKS, "/webhook-deliveries"]) {
        world.get(&reader, path).await.ok(200);
    }
    let create = (Method::POST, WEBHOOKS.to_owned(), json!({"name": "a", "url": URL}));
    let again = (Method::POST, format!("/webhook-deliveries/dlv_{}/redeliver", "0".repeat(52)), json!({}));
    for (method, path, body) in writes.into_iter().chain([create, again]) {
        let request = request(method, &path, Some(&reader), Some(body));
        world.send(request).await.refused(403, "forbidden");
    }
    world.delete(&reader, &path).await.refused(403, "forbidden");
    let other = world.narrowed(&ours, &["webhooks:write"]).await;
    world.get(&other, WEBHOOKS).await.refused(403, "forbidden");
    world.get(&other, "/webhook-deliveries").await.refused(403, "forbidden");
}

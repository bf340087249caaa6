//! `/code-host/installations`, `/repositories`, the callback of the code host and its webhooks.

mod browser;
mod connecting;
mod events;

use code_host::memory::repository;
use code_host::{HostedInstallation, HostedRepository, InstallationId};
use http::Method;
use serde_json::{Value, json};

use crate::harness::{Tenant, World, request};
use browser::Page;
use events::deliver;

const INSTALLATIONS: &str = "/code-host/installations";
const REPOSITORIES: &str = "/repositories";

fn id(number: u64) -> InstallationId {
    number.to_string().parse().unwrap()
}

fn hosted(number: u64, full_name: &str) -> HostedRepository {
    repository(number.to_string().parse().unwrap(), full_name.parse().unwrap())
}

/// The state of a connection that a tenant begins.
async fn begin(world: &World, tenant: &Tenant) -> String {
    let begun = world.send(request(Method::POST, INSTALLATIONS, Some(&tenant.key), None)).await.ok(201);
    let url = begun["install_url"].as_str().unwrap();
    url.strip_prefix("https://host.example/apps/palisade/installations/new?state=").unwrap().to_owned()
}

/// Connects an installation as a user who administers it and confirms the connection.
async fn connect(world: &World, tenant: &Tenant, number: u64) -> (u16, String) {
    world.code_host.issue_code("a-code", vec![id(number)]);
    let state = begin(world, tenant).await;
    let query = format!("code=a-code&installation_id={number}&setup_action=install&state={state}");
    let page = Page::open(world, &query).await;
    if page.status != 200 {
        return (page.status, page.html);
    }
    let page = page.confirm(world).await;
    (page.status, page.html)
}

async fn names(world: &World, tenant: &Tenant) -> Vec<Value> {
    let page = world.get(&tenant.key, REPOSITORIES).await.ok(200);
    page["data"].as_array().unwrap().iter().map(|repository| repository["full_name"].clone()).collect()
}

#[tokio::test]
async fn an_installation_is_connected_followed_and_disconnected() {
    let world = World::new();
    let tenant = world.tenant("acme & co").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop")]);
    let (status, page) = connect(&world, &tenant, 7).await;
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("<b>account</b>") && page.contains("<b>acme &amp; co</b>"), "{page}");
    world.work().await;
    let mut expected = json!({
        "id": "7",
        "object": "code_host_installation",
        "account": "account",
        "state": "active",
        "synced_at": null,
        "created_at": "2026-07-08T09:00:00.000Z",
        "updated_at": "2026-07-08T09:00:00.000Z",
    });
    let listed = world.get(&tenant.key, INSTALLATIONS).await.ok(200);
    assert!(listed["data"][0]["synced_at"].is_string(), "{listed}");
    expected["synced_at"] = listed["data"][0]["synced_at"].clone();
    assert_eq!(listed["data"], json!([expected]));
    let shown = world.get(&tenant.key, "/repositories/42").await.ok(200);
    let expected = json!({
        "id": "42",
        "object": "repository",
        "full_name": "acme/shop",
        "private": true,
        "default_branch": "main",
        "installation_id": "7",
        "state": "active",
        "active": true,
        "inactive_reason": null,
        "enabled": true,
        "schedule": "off",
        "ecosystems": null,
        "cooldown_days": 7,
        "majors": true,
        "ignore": [],
        "groups": [],
        "open_pull_requests": 10,
        "allow_trust_downgrade": false,
        "package_manager": "when_needed",
        "created_at": shown["created_at"],
        "updated_at": shown["updated_at"],
    });
    assert_eq!(shown, expected);
    assert_eq!(world.get(&tenant.key, REPOSITORIES).await.ok(200)["data"], json!([expected]));
    assert_eq!(world.delete(&tenant.key, "/code-host/installations/7").await.status, 204);
    world.delete(&tenant.key, "/code-host/installations/7").await.refused(404, "not_found");
    world.get(&tenant.key, "/repositories/42").await.refused(404, "not_found");
    assert!(names(&world, &tenant).await.is_empty());
    let (status, _) = connect(&world, &tenant, 7).await;
    assert_eq!(status, 200, "it can be connected again");
}

#[tokio::test]
async fn settings_of_a_repository_are_changed_and_bounded() {
    let world = World::new();
    let tenant = world.tenant("settings").await;
    world.repositories(&tenant, &[(42, "acme/shop")]).await;
    let change = json!({
        "enabled": false,
        "schedule": "weekly",
        "ecosystems": ["npm", "github-actions"],
        "cooldown_days": 14,
        "majors": false,
        "ignore": ["left-pad", "@acme/*"],
        "groups": [{"name": "lint", "patterns": ["eslint*"]}],
        "open_pull_requests": 3,
        "allow_trust_downgrade": true,
        "package_manager": "never",
    });
    let changed = world.patch(&tenant.key, "/repositories/42", change.clone()).await.ok(200);
    for (name, value) in change.as_object().unwrap() {
        assert_eq!(&changed[name], value, "{name}");
    }
    let reset = world.patch(&tenant.key, "/repositories/42", json!({"ecosystems": null})).await.ok(200);
    assert_eq!((&reset["ecosystems"], &reset["cooldown_days"]), (&json!(null), &json!(14)));
    // The host has no say in them.
    world.repositories(&tenant, &[(42, "acme/store")]).await;
    let shown = world.get(&tenant.key, "/repositories/42").await.ok(200);
    assert_eq!((&shown["full_name"], &shown["schedule"]), (&json!("acme/store"), &json!("weekly")));
    let many: Vec<String> = (0..101).map(|number| format!("p{number}")).collect();
    for (name, value) in [
        ("enabled", json!(null)),
        ("schedule", json!("hourly")),
        ("ecosystems", json!([])),
        ("ecosystems", json!(["npm", "npm"])),
        ("ecosystems", json!(["maven"])),
        ("cooldown_days", json!(366)),
        ("cooldown_days", json!(-1)),
        ("majors", json!("no")),
        ("ignore", json!(many)),
        ("ignore", json!([""])),
        ("ignore", json!(["a\u{202e}b"])),
        ("ignore", json!(["a", "a"])),
        ("groups", json!([{"name": "lint", "patterns": []}])),
        ("groups", json!([{"name": "a", "patterns": ["b"]}, {"name": "a", "patterns": ["c"]}])),
        ("groups", json!([{"name": "a", "patterns": ["b"], "colour": "red"}])),
        ("open_pull_requests", json!(0)),
        ("open_pull_requests", json!(101)),
        ("package_manager", json!(true)),
        ("full_name", json!("acme/mine")),
    ] {
        let body = json!({name: value});
        let message =
            world.patch(&tenant.key, "/repositories/42", body.clone()).await.refused(400, "invalid_request");
        assert!(message.contains(name) || message.contains("column"), "{body}: {message}");
    }
    world.patch(&tenant.key, "/repositories/42", json!({})).await.refused(400, "invalid_request");
    for path in
        ["/repositories/43", "/repositories/042", "/repositories/acme", "/repositories/9007199254740992"]
    {
        world.get(&tenant.key, path).await.refused(404, "not_found");
        world.patch(&tenant.key, path, json!({"enabled": true})).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn inactive_repositories_say_why() {
    let world = World::new();
    let tenant = world.tenant("inactive").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop"), hosted(43, "acme/site")]);
    connect(&world, &tenant, 7).await;
    world.work().await;
    let archived = HostedRepository { archived: true, ..hosted(42, "acme/shop") };
    world.code_host.put(id(7), vec![archived]);
    deliver(&world, "repository", "1", &json!({"action": "archived", "installation": {"id": 7}}))
        .await
        .ok(202);
    world.work().await;
    let reason = async |path: &str| {
        let shown = world.get(&tenant.key, path).await.ok(200);
        assert_eq!(shown["active"], json!(shown["inactive_reason"].is_null()));
        shown["inactive_reason"].clone()
    };
    assert_eq!(reason("/repositories/42").await, "archived");
    assert_eq!(reason("/repositories/43").await, "removed");
    let suspended = |suspended| HostedInstallation { id: id(7), account: "acme".to_owned(), suspended };
    world.code_host.put_installation(suspended(true));
    deliver(&world, "installation", "2", &json!({"action": "suspend", "installation": {"id": 7}}))
        .await
        .ok(202);
    world.work().await;
    assert_eq!(reason("/repositories/42").await, "installation_suspended");
    world.code_host.remove(id(7));
    deliver(&world, "installation", "3", &json!({"action": "deleted", "installation": {"id": 7}}))
        .await
        .ok(202);
    world.work().await;
    assert_eq!(reason("/repositories/42").await, "installation_removed");
    assert_eq!(world.get(&tenant.key, INSTALLATIONS).await.ok(200)["data"][0]["state"], "removed");
}

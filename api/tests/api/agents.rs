//! `/agents`, and the pairing of their clients.

use std::time::Duration;

use http::{Method, Request};
use rest::address_limit::ClientAddress;
use serde_json::{Value, json};

use crate::harness::{Reply, Tenant, World, request};

const AGENTS: &str = "/agents";
const PAIR: &str = "/agent-monitoring/pair";

pub(crate) fn path(agent: &Value) -> String {
    format!("{AGENTS}/{}", agent["id"].as_str().unwrap())
}

pub(crate) async fn create(world: &World, tenant: &Tenant, name: &str, agent_type: &str) -> Value {
    world.post(&tenant.key, AGENTS, json!({"name": name, "agent_type": agent_type})).await.ok(201)
}

/// Pairs a client from an address of its own, so that tries do not add up.
pub(crate) async fn pair(world: &World, code: &Value, number: u8) -> Reply {
    pair_from(world, code, [192, 0, 2, number], &format!("laptop-{number}")).await
}

pub(crate) async fn pair_from(world: &World, code: &Value, address: [u8; 4], name: &str) -> Reply {
    let body = json!({"pairing_code": code, "client": {"name": name, "os": "Linux", "version": "0.1.0"}});
    let mut request: Request<_> = request(Method::POST, PAIR, None, Some(body));
    request.extensions_mut().insert(ClientAddress((address, 1).into()));
    world.send(request).await
}

#[tokio::test]
async fn an_agent_lives_from_post_to_delete() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    world.repositories(&tenant, &[(42, "acme/bot")]).await;
    let body = json!({"name": "Bot", "agent_type": "chatbot", "repository_id": "42"});
    let created = world.post(&tenant.key, AGENTS, body).await.ok(201);
    let mut expected = json!({
        "id": created["id"],
        "object": "agent",
        "name": "Bot",
        "agent_type": "chatbot",
        "repository_id": "42",
        "target_kind": null,
        "target_url": null,
        "credentials_set": false,
        "header_names": [],
        "request_throttle_rpm": null,
        "red_team_schedule": "off",
        "schedule": {"window": null, "next_run_at": null, "last_run": null, "last_skip": null},
        "mode": "monitor",
        "evidence": "redacted",
        "created_at": "2026-07-08T09:00:00.000Z",
        "updated_at": "2026-07-08T09:00:00.000Z",
    });
    assert_eq!(created, expected, "no pairing details");
    world.clock.advance(Duration::from_secs(1));
    let change = json!({
        "name": "Helper",
        "agent_type": "voice_agent",
        "repository_id": null,
        "target_kind": "api",
        "target_url": "https://BOT.example.com",
        "login_email": "tester@example.com",
        "headers": {"X-Token": "of-the-bot"},
        "request_throttle_rpm": 1,
        "mode": "enforce",
        "evidence": "none",
    });
    let changed = world.patch(&tenant.key, &path(&created), change).await.ok(200);
    for (property, value) in [
        ("name", json!("Helper")),
        ("agent_type", json!("voice_agent")),
        ("repository_id", json!(null)),
        ("target_kind", json!("api")),
        ("target_url", json!("https://bot.example.com/")),
        ("credentials_set", json!(true)),
        ("header_names", json!(["x-token"])),
        ("request_throttle_rpm", json!(1)),
        ("mode", json!("enforce")),
        ("evidence", json!("none")),
        ("updated_at", json!("2026-07-08T09:00:01.000Z")),
    ] {
        expected[property] = value;
    }
    assert_eq!(changed, expected);
    assert_eq!(world.get(&tenant.key, AGENTS).await.ok(200)["data"], json!([expected]));
    expected["runtime"] = json!({
        "clients": 0,
        "active_clients": 0,
        "last_seen_at": null,
        "rules_version": null,
        "attention": [],
    });
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), expected);
    // Credentials are for one origin.
    let moved = json!({"target_url": "https://bot.example.org/"});
    let moved = world.patch(&tenant.key, &path(&created), moved).await.ok(200);
    assert_eq!((&moved["credentials_set"], &moved["header_names"]), (&json!(false), &json!([])));
    assert_eq!(world.delete(&tenant.key, &path(&created)).await.status, 204);
    world.delete(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.get(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.patch(&tenant.key, &path(&created), json!({"name": "a"})).await.refused(404, "not_found");
}

#[tokio::test]
async fn values_that_are_not_allowed_are_refused() {
    let world = World::new();
    let tenant = world.tenant("invalid").await;
    let agent = create(&world, &tenant, "Bot", "chatbot").await;
    let coder = create(&world, &tenant, "Coder", "coding_agent").await;
    world
        .post(&tenant.key, AGENTS, json!({"name": "bOT", "agent_type": "other"}))
        .await
        .refused(409, "conflict");
    world.patch(&tenant.key, &path(&coder), json!({"name": "BOT"})).await.refused(409, "conflict");
    for body in [
        json!({"name": "a"}),
        json!({"agent_type": "chatbot"}),
        json!({"name": "a", "agent_type": "robot"}),
        json!({"name": "a", "agent_type": "chatbot", "repository_id": "42"}),
        json!({"name": "a", "agent_type": "chatbot", "target_url": "https://a.example.com/"}),
    ] {
        world.post(&tenant.key, AGENTS, body).await.refused(400, "invalid_request");
    }
    for change in [
        json!({}),
        json!({"mode": "block"}),
        json!({"mode": null}),
        json!({"evidence": "all"}),
        json!({"target_kind": "telnet"}),
        json!({"target_url": "bot"}),
        json!({"target_url": "https://10.0.0.1/"}),
        json!({"repository_id": "42"}),
        json!({"request_throttle_rpm": 601}),
        json!({"specific_prompt": "a"}),
        json!({"red_team_schedule": "daily"}),
    ] {
        let reply = world.patch(&tenant.key, &path(&agent), change.clone()).await;
        reply.refused(400, "invalid_request");
    }
    let scheduled = json!({"target_url": "https://bot.example.com/", "red_team_schedule": "daily"});
    let message =
        world.patch(&tenant.key, &path(&coder), scheduled.clone()).await.refused(400, "invalid_request");
    assert!(message.starts_with("red_team_schedule"), "{message}");
    let scheduled = world.patch(&tenant.key, &path(&agent), scheduled).await.ok(200);
    assert!(scheduled["schedule"]["next_run_at"].is_string());
    let message = world.patch(&tenant.key, &path(&agent), json!({"target_url": null})).await;
    assert!(message.refused(400, "invalid_request").starts_with("red_team_schedule"));
    let gone = json!({"target_url": null, "red_team_schedule": "off"});
    assert_eq!(
        world.patch(&tenant.key, &path(&agent), gone).await.ok(200)["schedule"]["next_run_at"],
        json!(null)
    );
    world.get(&tenant.key, &format!("{AGENTS}/x")).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_coding_agent_is_paired_once_with_its_code() {
    let world = World::new();
    let tenant = world.tenant("pairing").await;
    let agent = create(&world, &tenant, "Coder", "coding_agent").await;
    let pairing = &agent["pairing"];
    let code = pairing["code"].as_str().unwrap();
    assert_eq!((code.len(), &pairing["max_uses"]), (12, &json!(1)));
    assert_eq!(pairing["expires_at"], "2026-07-08T09:15:00.000Z");
    assert_eq!(pairing["server_url"], "http://127.0.0.1:8080/api/v1/agent-monitoring");
    assert!(pairing["command"].as_str().unwrap().contains(code));
    let rows = world.ledger.memory.dump();
    let holds = |bytes: &[u8]| bytes.windows(12).any(|window| window == code.as_bytes());
    assert!(rows.iter().all(|(_, _, row)| !holds(&row.body) && !holds(&row.key)));
    assert_eq!(world.get(&tenant.key, &path(&agent)).await.ok(200)["pairing"], json!(null));
    let mut again = request(
        Method::POST,
        AGENTS,
        Some(&tenant.key),
        Some(json!({"name": "b", "agent_type": "coding_agent"})),
    );
    again.headers_mut().insert("idempotency-key", "k".parse().unwrap());
    world.send(again).await.refused(400, "invalid_request");

    let paired = pair(&world, &pairing["code"], 1).await.ok(201);
    assert!(paired["client_token"].as_str().unwrap().starts_with("pal_agent_"));
    assert_eq!(paired["organization_key"].as_str().unwrap().len(), 44, "32 bytes in Base64");
    let refusals = [
        pair(&world, &pairing["code"], 2).await.refused(401, "unauthorized"),
        pair(&world, &json!("000000000000"), 3).await.refused(401, "unauthorized"),
        pair(&world, &json!("?"), 4).await.refused(401, "unauthorized"),
    ];
    assert!(refusals.iter().all(|message| *message == refusals[0]), "{refusals:?}");
    let clients = world.get(&tenant.key, &format!("{}/clients", path(&agent))).await.ok(200);
    let client = json!({
        "id": paired["client_id"],
        "object": "agent_client",
        "name": "laptop-1",
        "os": "Linux",
        "version": "0.1.0",
        "created_at": "2026-07-08T09:00:00.000Z",
        "last_seen_at": "2026-07-08T09:00:00.000Z",
    });
    assert_eq!(clients["data"], json!([client]));
    let runtime = json!({
        "clients": 1,
        "active_clients": 1,
        "last_seen_at": "2026-07-08T09:00:00.000Z",
        "rules_version": null,
        "attention": [],
    });
    assert_eq!(world.get(&tenant.key, &path(&agent)).await.ok(200)["runtime"], runtime);
    let client = format!("{}/clients/{}", path(&agent), paired["client_id"].as_str().unwrap());
    assert_eq!(world.delete(&tenant.key, &client).await.status, 204);
    world.delete(&tenant.key, &client).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_fleet_is_paired_with_one_code_until_it_expires_or_the_agent_is_deleted() {
    let world = World::new();
    let tenant = world.tenant("fleet").await;
    let agent = create(&world, &tenant, "Coder", "coding_agent").await;
    let codes = format!("{}/pairing-codes", path(&agent));
    let fleet = world.post(&tenant.key, &codes, json!({"max_uses": 3, "expires_in": 3_600})).await.ok(201);
    assert_eq!((&fleet["max_uses"], &fleet["expires_at"]), (&json!(3), &json!("2026-07-08T10:00:00.000Z")));
    let key = pair(&world, &fleet["code"], 1).await.ok(201)["organization_key"].clone();
    let written = fleet["code"].as_str().unwrap().to_lowercase();
    let written = json!(format!("{}-{}-{}", &written[..4], &written[4..8], &written[8..]));
    assert_eq!(pair(&world, &written, 2).await.ok(201)["organization_key"], key);
    world.clock.advance(Duration::from_secs(3_600));
    pair(&world, &fleet["code"], 3).await.refused(401, "unauthorized");
    let one = world.post(&tenant.key, &codes, json!({})).await.ok(201);
    assert_eq!((&one["max_uses"], &one["expires_at"]), (&json!(1), &json!("2026-07-08T10:15:00.000Z")));
    for (body, message) in [
        (json!({"max_uses": 0}), "max_uses: expected 1 to 1000, found 0"),
        (json!({"max_uses": 1_001}), "max_uses: expected 1 to 1000, found 1001"),
        (json!({"expires_in": 0}), "expires_in: expected 1 to 2592000 seconds, found 0"),
        (json!({"expires_in": 2_592_001}), "expires_in: expected 1 to 2592000 seconds, found 2592001"),
        (json!({"uses": 1}), "unknown field `uses`"),
    ] {
        let refused = world.post(&tenant.key, &codes, body).await.refused(400, "invalid_request");
        assert!(refused.contains(message), "{refused}");
    }
    let bot = create(&world, &tenant, "Bot", "chatbot").await;
    let refused = world.post(&tenant.key, &format!("{}/pairing-codes", path(&bot)), json!({})).await;
    refused.refused(400, "invalid_request");
    assert_eq!(world.delete(&tenant.key, &path(&agent)).await.status, 204);
    pair(&world, &one["code"], 4).await.refused(401, "unauthorized");
    world.get(&tenant.key, &format!("{}/clients", path(&agent))).await.refused(404, "not_found");
    let rows = world.ledger.memory.dump();
    assert!(
        rows.iter().all(|(_, _, row)| !row.key.starts_with(b"agent-client")),
        "clients go with the agent"
    );
}

#[tokio::test]
async fn an_agent_that_is_no_coding_agent_any_more_has_no_clients_and_no_codes() {
    let world = World::new();
    let tenant = world.tenant("retyped").await;
    let agent = create(&world, &tenant, "Coder", "coding_agent").await;
    let (path, codes) = (path(&agent), format!("{}/pairing-codes", path(&agent)));
    let fleet = world.post(&tenant.key, &codes, json!({"max_uses": 10})).await.ok(201);
    let token = pair(&world, &fleet["code"], 1).await.ok(201)["client_token"].as_str().unwrap().to_owned();
    let rules = async || world.get(&token, "/agent-monitoring/rules").await;
    rules().await.ok(200);
    // A change of another property, or to the same type, leaves them alone.
    for change in [json!({"mode": "enforce"}), json!({"agent_type": "coding_agent"})] {
        world.patch(&tenant.key, &path, change).await.ok(200);
        rules().await.ok(200);
    }
    world.patch(&tenant.key, &path, json!({"agent_type": "chatbot"})).await.ok(200);
    rules().await.refused(401, "unauthorized");
    pair(&world, &fleet["code"], 2).await.refused(401, "unauthorized");
    let message = world.post(&tenant.key, &codes, json!({})).await.refused(400, "invalid_request");
    assert_eq!(message, "expected an agent of the type coding_agent, found chatbot");
    assert_eq!(world.get(&tenant.key, &path).await.ok(200)["runtime"]["clients"], 0);
    world.patch(&tenant.key, &path, json!({"agent_type": "coding_agent"})).await.ok(200);
    rules().await.refused(401, "unauthorized");
    pair(&world, &fleet["code"], 3).await.refused(401, "unauthorized");
    let left = world.ledger.memory.dump();
    let is_left = |key: &[u8]| key.starts_with(b"agent-client") || key.starts_with(b"pairing-code");
    assert!(left.iter().all(|(_, _, row)| !is_left(&row.key)));
}

#[tokio::test]
async fn pairing_is_tried_ten_times_a_minute_from_an_address_and_is_strict() {
    let world = World::new();
    let tenant = world.tenant("tries").await;
    let agent = create(&world, &tenant, "Coder", "coding_agent").await;
    let code = &agent["pairing"]["code"];
    for _ in 0..10 {
        pair_from(&world, &json!("000000000000"), [192, 0, 2, 1], "a").await.refused(401, "unauthorized");
    }
    let refused = pair_from(&world, code, [192, 0, 2, 1], "a").await;
    refused.refused(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "6");
    for name in ["", "a\nb", &"n".repeat(256)] {
        pair_from(&world, code, [192, 0, 2, 2], name).await.refused(400, "invalid_request");
    }
    let client = json!({"name": "a", "os": "Linux", "version": "1"});
    for body in [
        json!({"pairing_code": code}),
        json!({"client": client}),
        json!({"pairing_code": code, "client": client, "organization": "x"}),
        json!({"pairing_code": code, "client": {"name": "a", "os": "Linux"}}),
    ] {
        world.send(request(Method::POST, PAIR, None, Some(body))).await.refused(400, "invalid_request");
    }
    pair_from(&world, code, [192, 0, 2, 2], "a").await.ok(201);
}

#[tokio::test]
async fn those_of_another_organization_are_not_there_and_scopes_are_needed() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let agent = create(&world, &ours, "Coder", "coding_agent").await;
    let their_agent = create(&world, &theirs, "Coder", "coding_agent").await;
    let client = pair(&world, &agent["pairing"]["code"], 1).await.ok(201)["client_id"].clone();
    let (path, client) = (path(&agent), client.as_str().unwrap().to_owned());
    let reads = [path.clone(), format!("{path}/clients"), format!("{path}/alerts")];
    let writes = [
        (Method::PATCH, path.clone(), Some(json!({"login_password": "a"}))),
        (Method::POST, format!("{path}/pairing-codes"), Some(json!({}))),
        (Method::DELETE, format!("{path}/clients/{client}"), None),
        (Method::DELETE, path.clone(), None),
    ];
    let (reader, stranger) = (
        world.narrowed(&ours, &["agents:read"]).await,
        world.narrowed(&ours, &["applications:read", "applications:write"]).await,
    );
    for path in &reads {
        world.get(&theirs.key, path).await.refused(404, "not_found");
        world.get(&reader, path).await.ok(200);
        world.get(&stranger, path).await.refused(403, "forbidden");
    }
    for (method, path, body) in writes {
        let send = async |key| world.send(request(method.clone(), &path, Some(key), body.clone())).await;
        send(&theirs.key).await.refused(404, "not_found");
        for key in [&reader, &stranger] {
            send(key).await.refused(403, "forbidden");
        }
    }
    // Nor is our client one of their agent.
    let elsewhere = format!("{}/clients/{client}", self::path(&their_agent));
    world.delete(&theirs.key, &elsewhere).await.refused(404, "not_found");
    assert_eq!(world.get(&theirs.key, AGENTS).await.ok(200)["data"].as_array().unwrap().len(), 1);
}

//! The state of clients, as `runtime` of their agent.

use std::time::Duration;

use serde_json::{Value, json};

use super::client::{ALERTING, Client, STATUS, action, monitored};
use crate::agents::path;
use crate::harness::{Tenant, World};

fn hook(program: &str, in_use: bool, configured: bool, trusted: bool, called: Value) -> Value {
    json!({
        "program": program,
        "in_use": in_use,
        "configured": configured,
        "trusted": trusted,
        "last_called_at": called,
    })
}

async fn runtime(world: &World, tenant: &Tenant, agent: &Value) -> Value {
    world.get(&tenant.key, &path(agent)).await.ok(200)["runtime"].clone()
}

#[tokio::test]
async fn a_program_in_use_whose_hook_does_not_run_needs_attention() {
    let world = World::new();
    let tenant = world.tenant("status").await;
    let (agent, client) = monitored(&world, &tenant).await;
    let version = client.rules(&world, None).await.ok(200)["version"].clone();
    let called = json!("2026-07-08T08:00:00Z");
    let status = json!({
        "rules_version": version,
        "hooks": [
            hook("claude-code", true, true, true, called),
            hook("codex", true, true, false, json!(null)),
            hook("gemini-cli", true, false, false, json!(null)),
            hook("cursor", true, true, true, json!(null)),
            hook("copilot", false, false, false, json!(null)),
        ],
        "spool": 3,
        "dropped": 1,
    });
    let reply = world.post(&client.token, STATUS, status.clone()).await.ok(200);
    assert_eq!(reply, json!({"last_sequence": 0}));
    let fault = |reason: &str, program: Value| json!({"client_id": client.id, "client_name": "laptop-1", "reason": reason, "program": program});
    let expected = json!({
        "clients": 1,
        "active_clients": 1,
        "last_seen_at": "2026-07-08T09:00:00.000Z",
        "rules_version": version,
        "attention": [
            fault("hook_not_trusted", json!("codex")),
            fault("hook_not_configured", json!("gemini-cli")),
            fault("hook_never_called", json!("cursor")),
            fault("actions_dropped", json!(null)),
        ],
    });
    assert_eq!(runtime(&world, &tenant, &agent).await, expected);
    client.outcomes(&world, &[action(7, "alerted", &[ALERTING])]).await;
    let reply = world.post(&client.token, STATUS, status).await.ok(200);
    assert_eq!(reply, json!({"last_sequence": 7}));
    // A machine that is switched off needs none.
    world.clock.advance(Duration::from_secs(24 * 3_600));
    let off = runtime(&world, &tenant, &agent).await;
    assert_eq!((&off["active_clients"], &off["attention"]), (&json!(0), &json!([])));
}

#[tokio::test]
async fn asking_for_the_rules_is_a_sign_of_life_once_a_minute() {
    let world = World::new();
    let tenant = world.tenant("seen").await;
    let (agent, client) = monitored(&world, &tenant).await;
    for (seconds, expected) in
        [(59, "2026-07-08T09:00:00.000Z"), (1, "2026-07-08T09:01:00.000Z"), (30, "2026-07-08T09:01:00.000Z")]
    {
        world.clock.advance(Duration::from_secs(seconds));
        client.rules(&world, None).await.ok(200);
        assert_eq!(runtime(&world, &tenant, &agent).await["last_seen_at"], expected);
    }
}

#[tokio::test]
async fn a_status_is_strict() {
    let world = World::new();
    let tenant = world.tenant("strict").await;
    let (_, client): (_, Client) = monitored(&world, &tenant).await;
    let valid = json!({"rules_version": null, "hooks": [], "spool": 0, "dropped": 0});
    world.post(&client.token, STATUS, valid.clone()).await.ok(200);
    let ok = hook("a", true, true, true, json!(null));
    for (property, value) in [
        ("rules_version", json!("")),
        ("rules_version", json!("x".repeat(65))),
        ("hooks", json!(vec![ok.clone(); 17])),
        ("hooks", json!([hook("", true, true, true, json!(null))])),
        ("hooks", json!([hook("a", true, true, true, json!("noon"))])),
        ("spool", json!(-1)),
        ("dropped", json!(null)),
        ("other", json!(1)),
    ] {
        let mut body = valid.clone();
        body[property] = value;
        world.post(&client.token, STATUS, body.clone()).await.refused(400, "invalid_request");
    }
    world.post(&client.token, STATUS, json!({})).await.refused(400, "invalid_request");
}

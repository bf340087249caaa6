//! Tokens: each route of a client with a foreign, damaged or revoked one, and agents of other organizations.

use http::Method;
use serde_json::json;

use super::client::{ALERTING, BLOCKING, DETECTIONS, RULES, STATUS, action, monitored};
use crate::agents::path;
use crate::harness::{Reply, World, request};

async fn ask(world: &World, token: Option<&str>) -> Vec<Reply> {
    let status = json!({"rules_version": null, "hooks": [], "spool": 0, "dropped": 0});
    let detections = json!({"detections": [action(1, "alerted", &[ALERTING])]});
    let mut replies = Vec::new();
    for (method, path, body) in [
        (Method::GET, RULES, None),
        (Method::POST, DETECTIONS, Some(detections)),
        (Method::POST, STATUS, Some(status)),
    ] {
        replies.push(world.send(request(method, path, token, body)).await);
    }
    replies
}

#[tokio::test]
async fn a_missing_damaged_foreign_or_revoked_token_is_refused_by_every_route() {
    let world = World::new();
    let tenant = world.tenant("tokens").await;
    let (agent, client) = monitored(&world, &tenant).await;
    assert!(ask(&world, Some(&client.token)).await.iter().all(|reply| reply.status == 200));
    let other = world.neighbour();
    let mut damaged = client.token.clone();
    let last = damaged.pop().unwrap();
    damaged.push(if last == 'A' { 'Q' } else { 'A' });
    let foreign = world.tenant("foreign").await;
    for token in [None, Some(damaged.as_str()), Some(&tenant.key), Some(&foreign.key), Some("pal_agent_x")] {
        for reply in ask(&world, token).await {
            reply.refused(401, "unauthorized");
            assert_eq!(reply.header("www-authenticate"), "Bearer");
        }
    }
    // The token is none of an API key.
    world.get(&client.token, &path(&agent)).await.refused(401, "unauthorized");
    let revoked = format!("{}/clients/{}", path(&agent), client.id);
    assert_eq!(world.delete(&tenant.key, &revoked).await.status, 204);
    for reply in ask(&other, Some(&client.token)).await {
        reply.refused(401, "unauthorized");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_of_an_agent_is_seen_by_another_organization() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let (agent, client) = monitored(&world, &ours).await;
    let (their_agent, their_client) = monitored(&world, &theirs).await;
    client.outcomes(&world, &[action(1, "blocked", &[BLOCKING])]).await;
    world.get(&theirs.key, &format!("{}/alerts", path(&agent))).await.refused(404, "not_found");
    world.get(&theirs.key, "/agents/x/alerts").await.refused(404, "not_found");
    let none = world.get(&theirs.key, &format!("{}/alerts", path(&their_agent))).await.ok(200);
    assert_eq!(none["data"], json!([]));
    world.one_poll_later().await;
    assert_eq!(world.get(&theirs.key, "/findings").await.ok(200)["pagination"]["total"], 0);
    // The same action of a client of theirs is another action.
    assert_eq!(their_client.outcomes(&world, &[action(1, "blocked", &[BLOCKING])]).await, ["accepted"]);
    let events = super::client::events(&world).await;
    assert!(events.len() == 2 && events[0].id != events[1].id);
}

#[tokio::test]
async fn a_client_makes_120_requests_in_a_minute() {
    let world = World::new();
    let tenant = world.tenant("rate").await;
    let (agent, client) = monitored(&world, &tenant).await;
    for _ in 0..120 {
        assert_eq!(client.rules(&world, Some("*")).await.status, 304);
    }
    client.rules(&world, None).await.refused(429, "rate_limited");
    let code = world.post(&tenant.key, &format!("{}/pairing-codes", path(&agent)), json!({})).await.ok(201);
    let second = super::client::Client::pair(&world, &code["code"], 2).await;
    second.rules(&world, None).await.ok(200);
}

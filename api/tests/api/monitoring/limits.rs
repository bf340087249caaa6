//! Bounds of what clients report.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::client::{ALERTING, BLOCKING, DETECTIONS, action, events, finding, findings, monitored};
use crate::agents::path;
use crate::harness::{World, request};

#[tokio::test(start_paused = true)]
async fn an_element_is_rejected_by_itself_with_its_reason() {
    let world = World::new();
    let tenant = world.tenant("elements").await;
    let (_, client) = monitored(&world, &tenant).await;
    let changed = |property: &str, value: Value| {
        let mut action = action(9, "alerted", &[ALERTING]);
        action[property] = value;
        action
    };
    let long = "x".repeat(201);
    let invalid = [
        (json!(1), "invalid type: integer `1`"),
        (
            changed("id", json!("67e55044-10b1-426f-9247-bb680e5fe0c8")),
            "id: expected a UUID version 7, found version 4",
        ),
        (changed("sequence", json!(0)), "sequence: expected an integer from 1 to 9007199254740991, found 0"),
        (changed("sequence", json!(9_007_199_254_740_992_u64)), "found 9007199254740992"),
        (
            changed("observed_at", json!("yesterday")),
            "observed_at: expected a time like 2027-01-01T00:00:00.000Z, found \"yesterday\"",
        ),
        (changed("program", json!("")), "program: expected 1 to 64 characters"),
        (changed("tool", json!("a\nb")), "tool: control characters"),
        (changed("decision", json!("allowed")), "unknown variant `allowed`"),
        (changed("rules", json!([])), "rules: expected 1 to 16, found 0"),
        (
            changed("rules", json!([{"id": "3f0c2c1e-0000-4a8e-9f4d-0a4d5be7a001", "version": "1"}])),
            "rules: none of them exists",
        ),
        (changed("effects", json!(["Reads"])), "effects: expected 1 to 64 lower-case letters"),
        (changed("effects", json!(vec!["a"; 17])), "effects: expected at most 16, found 17"),
        (changed("target_class", json!("a b")), "found \"a b\""),
        (changed("target_class", json!("ä".repeat(64))), "ää\"…"),
        (changed("excerpt", json!(long)), "excerpt: expected at most 200 characters, found 201"),
        (changed("command", json!("x")), "unknown field `command`"),
    ];
    let mut elements: Vec<Value> = invalid.iter().map(|(element, _)| element.clone()).collect();
    elements.push(action(1, "alerted", &[ALERTING]));
    let reply = client.report(&world, &elements).await.ok(200);
    let results = reply["data"]["results"].as_array().unwrap();
    for ((element, reason), result) in invalid.iter().zip(results) {
        assert_eq!(result["outcome"], "rejected", "{element}");
        assert!(result["reason"].as_str().unwrap().contains(reason), "{result}");
    }
    let last = results.last().unwrap();
    assert_eq!((&last["outcome"], &last["reason"]), (&json!("accepted"), &json!(null)));
    assert_eq!(events(&world).await.len(), 1);
    // A rejected action does not use up its sequence number.
    assert_eq!(client.outcomes(&world, &[action(9, "alerted", &[ALERTING])]).await, ["accepted"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_has_at_most_500_elements_and_1_mib() {
    let world = World::new();
    let tenant = world.tenant("size").await;
    let (_, client) = monitored(&world, &tenant).await;
    let many: Vec<Value> = (1..=501).map(|number| action(number, "alerted", &[ALERTING])).collect();
    client.report(&world, &many).await.refused(400, "invalid_request");
    assert_eq!(client.outcomes(&world, &many[..500]).await, vec!["accepted"; 500]);
    let body = json!({"detections": [], "padding": "x".repeat(1024 * 1024)});
    world.post(&client.token, DETECTIONS, body).await.refused(413, "invalid_request");
    world.post(&client.token, DETECTIONS, json!({})).await.refused(400, "invalid_request");
    world.post(&client.token, DETECTIONS, json!([])).await.refused(400, "invalid_request");
    let mut form = request(Method::POST, DETECTIONS, Some(&client.token), Some(json!({"detections": []})));
    form.headers_mut().insert("content-type", "text/plain".parse().unwrap());
    world.send(form).await.refused(415, "invalid_request");
    assert_eq!(client.outcomes(&world, &[]).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_client_reports_2000_actions_in_an_hour_and_replays_do_not_count() {
    let world = World::new();
    let tenant = world.tenant("hour").await;
    let (agent, client) = monitored(&world, &tenant).await;
    world.clock.advance(Duration::from_secs(600));
    let actions: Vec<Value> = (1..=2_010).map(|number| action(number, "blocked", &[BLOCKING])).collect();
    for batch in actions[..1_960].chunks(490) {
        assert!(client.outcomes(&world, batch).await.iter().all(|outcome| outcome == "accepted"));
    }
    let refused = client.report(&world, &actions[1_950..]).await;
    refused.refused(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "3000");
    // Those before the limit were recorded.
    assert!(
        client.outcomes(&world, &actions[1_500..2_000]).await.iter().all(|outcome| outcome == "duplicate")
    );
    world.clock.advance(Duration::from_secs(3_000));
    let later = client.outcomes(&world, &actions[1_990..]).await;
    assert_eq!(later.iter().filter(|outcome| *outcome == "accepted").count(), 10);
    let all = findings(&world, &tenant, &agent).await;
    assert_eq!(finding(&world, &tenant, &all[0]["id"]).await["observed_count"], 2_010);
    // 30 events in the first hour, and 10 in the second.
    assert_eq!(events(&world).await.len(), 40);
}

#[tokio::test(start_paused = true)]
async fn alerts_have_pages_newest_first_and_go_with_the_agent() {
    let world = World::new();
    let tenant = world.tenant("pages").await;
    let (agent, client) = monitored(&world, &tenant).await;
    let actions: Vec<Value> = (1..=30).map(|number| action(number, "blocked", &[BLOCKING])).collect();
    client.outcomes(&world, &actions).await;
    let alerts = format!("{}/alerts", path(&agent));
    let page = world.get(&tenant.key, &format!("{alerts}?limit=10&offset=15")).await.ok(200);
    assert_eq!(page["pagination"], json!({"limit": 10, "offset": 15, "total": 30, "has_more": true}));
    let excerpts: Vec<&str> =
        page["data"].as_array().unwrap().iter().map(|alert| alert["excerpt"].as_str().unwrap()).collect();
    assert!(excerpts[0].ends_with("/15 | sh") && excerpts[9].ends_with("/6 | sh"), "{excerpts:?}");
    let beyond = world.get(&tenant.key, &format!("{alerts}?offset=30")).await.ok(200);
    assert_eq!((&beyond["data"], &beyond["pagination"]["has_more"]), (&json!([]), &json!(false)));
    let id = findings(&world, &tenant, &agent).await[0]["id"].clone();
    assert_eq!(world.delete(&tenant.key, &path(&agent)).await.status, 204);
    let rows = world.ledger.memory.dump();
    assert!(
        rows.iter()
            .all(|(_, _, row)| !row.key.starts_with(b"agent-alert") && !row.key.starts_with(b"agent-client"))
    );
    assert_eq!(finding(&world, &tenant, &id).await["observed_count"], 30, "findings stay");
    client.report(&world, &actions[..1]).await.refused(401, "unauthorized");
}

/// An action of a rule whose texts are as long as they may be.
fn longest(sequence: u64, rule: &str, target_class: &str) -> Value {
    let mut action = action(sequence, "blocked", &[rule]);
    let rules = action["rules"].as_array_mut().unwrap();
    rules.extend(
        (0..15).map(|number| json!({"id": format!("{}{number:02}", "🦀".repeat(198)), "version": "1"})),
    );
    for (property, characters) in [("program", 64), ("session", 64), ("tool", 200), ("excerpt", 200)] {
        action[property] = json!("🦀".repeat(characters));
    }
    action["target_class"] = json!(target_class);
    action
}

#[tokio::test(start_paused = true)]
async fn the_longest_actions_are_recorded_in_as_many_commits_as_they_need() {
    let world = World::new();
    let tenant = world.tenant("longest").await;
    let agent = crate::agents::create(&world, &tenant, "Coder", "coding_agent").await;
    let name = "🦀".repeat(255);
    let client = super::client::Client::pair_as(&world, &agent["pairing"]["code"], &name).await;
    // Of several rules, so that each has an alert: more than 1 MiB of rows.
    let rule = |number: u64| format!("7c1d52e4-93ab-4f60-8d2e-5b0a6f3c{:04}", number % 4 + 1);
    let many: Vec<Value> = (1..=60).map(|number| longest(number, &rule(number), "class")).collect();
    assert_eq!(client.outcomes(&world, &many).await, vec!["accepted"; 60]);
    // Findings with as much evidence as they keep, which one request changes together.
    let classes: Vec<String> = (0..12).map(|number| format!("full-{number}")).collect();
    let mut sequence = 100;
    for class in &classes {
        let full: Vec<Value> = (0..50).map(|number| longest(sequence + number, BLOCKING, class)).collect();
        assert_eq!(client.outcomes(&world, &full).await, vec!["accepted"; 50]);
        sequence += 50;
    }
    let last = |(number, class): (u64, &String)| longest(number, BLOCKING, class);
    let together: Vec<Value> = (sequence..).zip(&classes).map(last).collect();
    assert_eq!(client.outcomes(&world, &together).await, vec!["accepted"; 12]);
    let counts = findings(&world, &tenant, &agent).await.into_iter().map(|one| one["id"].clone());
    let mut total = 0;
    for id in counts {
        total += finding(&world, &tenant, &id).await["observed_count"].as_u64().unwrap();
    }
    assert_eq!(total, 60 + 12 * 51);
}

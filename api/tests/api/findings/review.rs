//! `PATCH /findings/{finding_id}`.

use engine::Level;
use http::Method;
use serde_json::{Value, json};

use super::observed::{application, observation, record, run, seed};
use crate::harness::{Reply, Tenant, World, request};

async fn one(world: &World, tenant: &Tenant) -> String {
    let ids = seed(world, tenant, &[("/search", Level::Medium)]).await;
    format!("/findings/{}", ids[0])
}

async fn conditional(world: &World, key: &str, path: &str, tag: &str, body: Value) -> Reply {
    let mut request = request(Method::PATCH, path, Some(key), Some(body));
    request.headers_mut().insert("if-match", tag.parse().unwrap());
    world.send(request).await
}

#[tokio::test(start_paused = true)]
async fn a_review_changes_what_it_names_and_enters_the_history_with_its_actor() {
    let world = World::new();
    let tenant = world.tenant("review").await;
    let path = one(&world, &tenant).await;
    let body = json!({"triage_status": "in_progress", "assignee": "ana", "comment": "mine"});
    let reply = world.patch(&tenant.key, &path, body).await;
    assert_eq!(reply.header("etag"), "\"2\"");
    let detail = reply.ok(200);
    assert_eq!((&detail["triage_status"], &detail["assignee"]), (&"in_progress".into(), &"ana".into()));
    let entry = &detail["history"][0];
    assert_eq!(
        entry["actor"],
        json!({"type": "key", "id": tenant.key_id.to_string(), "name": "review's key"})
    );
    assert_eq!((&entry["comment"], &entry["from"]["triage_status"]), (&"mine".into(), &"new".into()));
    // The same again changes nothing, a comment alone is kept.
    let again = world.patch(&tenant.key, &path, json!({"triage_status": "in_progress"})).await;
    assert_eq!(again.header("etag"), "\"2\"");
    let commented = world.patch(&tenant.key, &path, json!({"comment": "still mine"})).await.ok(200);
    assert_eq!(commented["history"][0]["comment"], "still mine");
    // A position is not part of the history; null takes the assignee off.
    let moved = world.patch(&tenant.key, &path, json!({"board_position": 5})).await.ok(200);
    assert_eq!((&moved["board_position"], moved["history"].as_array().unwrap().len()), (&5.into(), 3));
    let freed = world.patch(&tenant.key, &path, json!({"assignee": null})).await.ok(200);
    assert!(freed["assignee"].is_null());
}

#[tokio::test(start_paused = true)]
async fn a_resolution_stands_exactly_with_the_status_resolved() {
    let world = World::new();
    let tenant = world.tenant("resolution").await;
    let path = one(&world, &tenant).await;
    let resolved = json!({"triage_status": "resolved", "triage_resolution": "wont_fix"});
    let detail = world.patch(&tenant.key, &path, resolved).await.ok(200);
    assert_eq!(detail["triage_resolution"], "wont_fix");
    let other = world.patch(&tenant.key, &path, json!({"triage_resolution": "duplicate"})).await.ok(200);
    assert_eq!(
        (&other["triage_status"], &other["triage_resolution"]),
        (&"resolved".into(), &"duplicate".into())
    );
    world.patch(&tenant.key, &path, json!({"triage_resolution": null})).await.refused(400, "invalid_request");
    let opened = world.patch(&tenant.key, &path, json!({"triage_status": "new"})).await.ok(200);
    assert!(opened["triage_resolution"].is_null(), "moving off resolved clears it");
}

#[tokio::test(start_paused = true)]
async fn bodies_of_another_form_are_refused_and_change_nothing() {
    let world = World::new();
    let tenant = world.tenant("bodies").await;
    let path = one(&world, &tenant).await;
    for body in [
        json!({}),
        json!({"triage_status": "triaging"}),
        json!({"triage_status": "closed"}),
        json!({"triage_status": null}),
        json!({"triage_status": "resolved"}),
        json!({"triage_status": "resolved", "triage_resolution": null}),
        json!({"triage_status": "triaged", "triage_resolution": "fixed"}),
        json!({"triage_resolution": "fixed"}),
        json!({"triage_resolution": "unknown"}),
        json!({"board_position": -1}),
        json!({"board_position": 1.5}),
        json!({"board_position": 9_007_199_254_740_992_u64}),
        json!({"board_position": null}),
        json!({"assignee": ""}),
        json!({"assignee": "a".repeat(201)}),
        json!({"comment": "c".repeat(4_001)}),
        json!({"comment": " "}),
        json!({"comment": null}),
        json!({"assignee": "a\nb"}),
        json!({"severity": "low"}),
        json!([]),
    ] {
        world.patch(&tenant.key, &path, body.clone()).await.refused(400, "invalid_request");
    }
    assert_eq!(world.get(&tenant.key, &path).await.header("etag"), "\"1\"");
}

#[tokio::test(start_paused = true)]
async fn a_stale_entity_tag_is_refused_and_a_current_one_is_not() {
    let world = World::new();
    let tenant = world.tenant("tags").await;
    let path = one(&world, &tenant).await;
    let body = json!({"triage_status": "triaged"});
    for malformed in ["1", "\"1", "\"2\", 1", "", "W/1"] {
        let reply = conditional(&world, &tenant.key, &path, malformed, body.clone()).await;
        reply.refused(400, "invalid_request");
    }
    for stale in ["\"7\"", "W/\"1\"", "\"x\"", "\"0\", \"2\""] {
        let reply = conditional(&world, &tenant.key, &path, stale, body.clone()).await;
        assert!(reply.refused(412, "conflict").contains("\"1\""), "{stale}");
    }
    conditional(&world, &tenant.key, &path, "\"9\", \"1\"", body.clone()).await.ok(200);
    conditional(&world, &tenant.key, &path, "*", json!({"triage_status": "new"})).await.ok(200);
    // Without a tag the last writer wins.
    world.patch(&tenant.key, &path, body).await.ok(200);
}

#[tokio::test(start_paused = true)]
async fn an_observation_never_changes_a_review() {
    let world = World::new();
    let tenant = world.tenant("kept").await;
    let path = one(&world, &tenant).await;
    let body = json!({"triage_status": "resolved", "triage_resolution": "false_positive", "assignee": "ana",
        "board_position": 9});
    world.patch(&tenant.key, &path, body).await.ok(200);
    let worse = observation("/search", Level::Critical);
    record(&world, &run(&world, &tenant, application(1), 2), vec![worse]).await;
    let detail = world.get(&tenant.key, &path).await.ok(200);
    assert_eq!(detail["triage_resolution"], "false_positive");
    assert_eq!((&detail["assignee"], &detail["board_position"]), (&"ana".into(), &9.into()));
    assert_eq!((&detail["risk_level"], &detail["recurred_worse"]), (&"critical".into(), &true.into()));
    assert_eq!(detail["history"][0]["change"], "recurred_worse");
}

#[tokio::test(start_paused = true)]
async fn a_finding_whose_weakness_has_a_later_finding_cannot_be_opened_again() {
    let world = World::new();
    let tenant = world.tenant("superseded").await;
    let path = one(&world, &tenant).await;
    let fixed = json!({"triage_status": "resolved", "triage_resolution": "fixed"});
    world.patch(&tenant.key, &path, fixed).await.ok(200);
    let again = observation("/search", Level::Medium);
    let recorded = record(&world, &run(&world, &tenant, application(1), 2), vec![again]).await;
    let reply = world.patch(&tenant.key, &path, json!({"triage_status": "new"})).await;
    let message = reply.refused(409, "conflict");
    assert!(message.contains(&recorded[0].finding.to_string()), "{message}");
    let other = json!({"triage_resolution": "duplicate", "triage_status": "resolved"});
    world.patch(&tenant.key, &path, other).await.ok(200);
}

#[tokio::test(start_paused = true)]
async fn resolving_again_acknowledges_a_higher_risk() {
    let world = World::new();
    let tenant = world.tenant("acknowledged").await;
    let path = one(&world, &tenant).await;
    let accepted = json!({"triage_status": "resolved", "triage_resolution": "accepted_risk"});
    world.patch(&tenant.key, &path, accepted.clone()).await.ok(200);
    let observe = async |number, risk| {
        let run = run(&world, &tenant, application(1), number);
        record(&world, &run, vec![observation("/search", risk)]).await;
        world.get(&tenant.key, &path).await.ok(200)["recurred_worse"].clone()
    };
    assert_eq!(observe(2, Level::Critical).await, true);
    let acknowledged = world.patch(&tenant.key, &path, accepted).await.ok(200);
    assert_eq!(acknowledged["recurred_worse"], false);
    assert_eq!(observe(3, Level::Critical).await, false);
}

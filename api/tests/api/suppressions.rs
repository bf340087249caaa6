//! `/suppressions`.

use std::collections::BTreeMap;
use std::time::Duration;

use common::ids::SourceId;
use common::partition::Partition;
use common::row::{self, RuleTally, SuspendedDocument};
use directory::Source;
use http::Method;
use ledger::Kind;
use serde_json::{Value, json};

use crate::harness::{Tenant, World, request, start};
use crate::seed::{Seed, commit, put};

const SUPPRESSIONS: &str = "/suppressions";
const YAML: &str = "title: Our scanner\nid: our-scanner\n";

fn path(suppression: &Value) -> String {
    format!("{SUPPRESSIONS}/{}", suppression["id"].as_str().unwrap())
}

async fn create(world: &World, tenant: &Tenant, reason: &str) -> Value {
    world.post(&tenant.key, SUPPRESSIONS, json!({"yaml": YAML, "reason": reason})).await.ok(201)
}

#[tokio::test]
async fn a_suppression_lives_from_post_to_delete() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    let body = json!({"yaml": YAML, "reason": "nightly scan", "expires_at": "2026-07-08T11:00:01.5+02:00"});
    let mut created = world.post(&tenant.key, SUPPRESSIONS, body).await.ok(201);
    assert_eq!(created.as_object_mut().unwrap().remove("matching_open_incidents"), Some(json!([])));
    let expected = json!({
        "id": created["id"],
        "object": "suppression",
        "title": "Our scanner",
        "yaml": YAML,
        "sigma_id": "our-scanner",
        "reason": "nightly scan",
        "suspended": null,
        "counts": {"suppressed": 0, "last_at": null},
        "created_by": {"type": "key", "id": tenant.key_id.to_string(), "name": "life's key"},
        "created_at": "2026-07-08T09:00:00.000Z",
        "expires_at": "2026-07-08T09:00:01.500Z",
    });
    assert_eq!(created, expected);
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), created, "expired, not gone");
    assert_eq!(world.get(&tenant.key, SUPPRESSIONS).await.ok(200)["data"], json!([created]));
    let put = request(Method::PUT, &path(&created), Some(&tenant.key), Some(json!({"yaml": YAML})));
    world.send(put).await.refused(405, "method_not_allowed");
    assert_eq!(world.delete(&tenant.key, &path(&created)).await.status, 204);
    world.delete(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.get(&tenant.key, &path(&created)).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_suppression_that_cannot_be_used_or_takes_too_many_steps_says_so() {
    let world = World::new();
    let tenant = world.tenant("suspended").await;
    let created = create(&world, &tenant, "nightly scan").await;
    let id = created["id"].as_str().unwrap().to_owned();
    let note =
        async |reasons| world.directory.note_unusable_documents(tenant.organization, &reasons).await.unwrap();
    note(BTreeMap::from([(id, "It cannot be used any more.".to_owned())])).await;
    let expected = json!({"reason": "It cannot be used any more.", "since": "2026-07-08T09:00:00.000Z"});
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200)["suspended"], expected);
    assert_eq!(world.get(&tenant.key, SUPPRESSIONS).await.ok(200)["data"][0]["suspended"], expected);
    note(BTreeMap::new()).await;
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200)["suspended"], Value::Null);
    let document = SuspendedDocument {
        organization: tenant.organization,
        sigma_id: "our-scanner".to_owned(),
        content_hash: "00".to_owned(),
        reason: "It took too many steps.".to_owned(),
        since: start().plus(Duration::from_secs(1)),
    };
    let key = [row::suspensions_prefix(tenant.organization).as_slice(), &[7; 32]].concat();
    commit(world.ledger.as_ref(), Partition(0), vec![put(Kind::State, key, &document)]).await;
    let expected = json!({"reason": "It took too many steps.", "since": "2026-07-08T09:00:01.000Z"});
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200)["suspended"], expected);
}

#[tokio::test]
async fn what_is_not_a_suppression_is_refused() {
    let world = World::new();
    let tenant = world.tenant("invalid").await;
    for body in [
        json!({}),
        json!({"yaml": YAML}),
        json!({"reason": "x"}),
        json!({"yaml": YAML, "reason": ""}),
        json!({"yaml": YAML, "reason": "x".repeat(1_001)}),
        json!({"yaml": YAML, "reason": "x", "expires_at": "tomorrow"}),
        json!({"yaml": YAML, "reason": "x", "expires_at": "2026-07-08T09:00:00Z"}),
        json!({"yaml": YAML, "reason": "x", "enabled": true}),
        json!({"yaml": "title: x\nfault: no filter", "reason": "x"}),
    ] {
        world.post(&tenant.key, SUPPRESSIONS, body).await.refused(400, "invalid_request");
    }
    let body = world.get(&tenant.key, SUPPRESSIONS).await.ok(200);
    assert_eq!(body["pagination"]["total"], 0);
    let longest = json!({"yaml": YAML, "reason": "x".repeat(1_000), "expires_at": null});
    world.post(&tenant.key, SUPPRESSIONS, longest).await.ok(201);
}

#[tokio::test]
async fn it_tells_what_was_taken_away() {
    let world = World::new();
    let tenant = world.tenant("counts").await;
    let created = create(&world, &tenant, "ours").await;
    for (partition, seconds) in [(0, 5), (3, 9)] {
        let last_at = start().plus(Duration::from_secs(seconds));
        let tally = RuleTally { suppressed: 21, last_at, ..RuleTally::default() };
        let key = row::rule_tally_key(tenant.organization, "our-scanner", SourceId::from_bytes([1; 16]));
        commit(world.ledger.as_ref(), Partition(partition), vec![put(Kind::State, key, &tally)]).await;
    }
    let shown = world.get(&tenant.key, &path(&created)).await.ok(200);
    assert_eq!(shown["counts"], json!({"suppressed": 42, "last_at": "2026-07-08T09:00:09.000Z"}));
    assert_eq!(world.get(&tenant.key, SUPPRESSIONS).await.ok(200)["data"], json!([shown]));
}

#[tokio::test]
async fn others_neither_see_nor_delete_it() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let created = create(&world, &theirs, "theirs").await;
    for id in [created["id"].as_str().unwrap(), "7"] {
        let path = format!("{SUPPRESSIONS}/{id}");
        world.get(&ours.key, &path).await.refused(404, "not_found");
        world.delete(&ours.key, &path).await.refused(404, "not_found");
    }
    let reader = world.narrowed(&theirs, &["rules:read"]).await;
    world.get(&reader, &path(&created)).await.ok(200);
    world.delete(&reader, &path(&created)).await.refused(403, "forbidden");
    let body = json!({"yaml": YAML, "reason": "x"});
    world.post(&reader, SUPPRESSIONS, body).await.refused(403, "forbidden");
    let stranger = world.narrowed(&theirs, &["incidents:read"]).await;
    world.get(&stranger, SUPPRESSIONS).await.refused(403, "forbidden");
    world.get(&theirs.key, &path(&created)).await.ok(200);
}

#[tokio::test]
async fn a_repeat_with_the_same_idempotency_key_creates_nothing() {
    let world = World::new();
    let tenant = world.tenant("idempotent").await;
    let body = json!({"yaml": YAML, "reason": "once"});
    let mut replies = Vec::new();
    for _ in 0..2 {
        let mut request = request(Method::POST, SUPPRESSIONS, Some(&tenant.key), Some(body.clone()));
        request.headers_mut().insert("idempotency-key", "k".parse().unwrap());
        replies.push(world.send(request).await.ok(201));
    }
    assert_eq!(replies[0], replies[1]);
    let body = world.get(&tenant.key, SUPPRESSIONS).await.ok(200);
    assert_eq!(body["pagination"]["total"], 1);
}

#[tokio::test]
async fn a_suppression_that_holds_without_fields_needs_a_flag() {
    let world = World::new();
    let tenant = world.tenant("flag").await;
    let body = json!({"yaml": format!("{YAML}holds: always\n"), "reason": "all of it"});
    let told = world.post(&tenant.key, SUPPRESSIONS, body.clone()).await;
    assert!(told.refused(400, "invalid_request").contains("it holds without fields"));
    let mut meant = body;
    meant["allow_match_without_fields"] = json!(true);
    world.post(&tenant.key, SUPPRESSIONS, meant).await.ok(201);
}

/// An open incident of a source, and what it is called.
async fn incident(world: &World, source: &Source, number: u32) -> Seed {
    Seed::new(source, number).write(world.ledger.as_ref()).await
}

#[tokio::test]
async fn a_new_suppression_names_the_open_incidents_that_it_covers_and_resolves_them_where_it_is_asked_to() {
    let world = World::new();
    let tenant = world.tenant("covering").await;
    let source = world.source(&tenant, "bastion").await;
    let (one, two) = (incident(&world, &source, 1).await, incident(&world, &source, 2).await);
    let yaml = format!("{YAML}covers: 203.0.113.1\n");
    let covered = |resolved| json!([{"id": one.id().to_string(), "title": "Failed logins number 1", "severity": "medium", "resolved": resolved}]);
    let previewed = world.post(&tenant.key, "/suppressions/preview", json!({"yaml": yaml})).await.ok(200);
    assert_eq!(previewed, json!({"matching_open_incidents": covered(false)}));
    assert_eq!(
        world.get(&tenant.key, SUPPRESSIONS).await.ok(200)["data"],
        json!([]),
        "a preview stores nothing"
    );

    let body = json!({"yaml": yaml, "reason": "nightly scan"});
    let created = world.post(&tenant.key, SUPPRESSIONS, body).await.ok(201);
    assert_eq!(created["matching_open_incidents"], covered(false));
    assert_eq!(
        world.get(&tenant.key, &one.path()).await.ok(200)["triage_status"],
        "new",
        "nothing by itself"
    );

    let body = json!({"yaml": yaml, "reason": "nightly scan", "resolve_matching": true});
    let created = world.post(&tenant.key, SUPPRESSIONS, body).await.ok(201);
    assert_eq!(created["matching_open_incidents"], covered(true));
    let resolved = world.get(&tenant.key, &one.path()).await.ok(200);
    assert_eq!(
        (&resolved["triage_status"], &resolved["triage_resolution"]),
        (&json!("resolved"), &json!("false_positive"))
    );
    let review = &resolved["review_history"][0];
    assert_eq!(review["comment"], "Covered by the suppression \"Our scanner\": nightly scan");
    assert_eq!(review["actor"]["id"], tenant.key_id.to_string());
    assert_eq!(world.get(&tenant.key, &two.path()).await.ok(200)["triage_status"], "new");
    let again = world.post(&tenant.key, "/suppressions/preview", json!({"yaml": yaml})).await.ok(200);
    assert_eq!(again["matching_open_incidents"], json!([]), "a resolved incident is not open");

    let reopened = json!({"triage_version": resolved["triage_version"], "triage_status": "new"});
    world.patch(&tenant.key, &one.path(), reopened).await.ok(200);
    let again = world.post(&tenant.key, "/suppressions/preview", json!({"yaml": yaml})).await.ok(200);
    assert_eq!(again["matching_open_incidents"], covered(false));
}

#[tokio::test]
async fn keys_without_incidents_are_not_told_of_them_and_resolve_none() {
    let world = World::new();
    let tenant = world.tenant("narrow").await;
    let source = world.source(&tenant, "bastion").await;
    incident(&world, &source, 1).await;
    let yaml = format!("{YAML}covers: 203.0.113.1\n");
    let rules_only = world.narrowed(&tenant, &["rules:read", "rules:write"]).await;
    let body = json!({"yaml": yaml, "reason": "nightly scan"});
    let created = world.post(&rules_only, SUPPRESSIONS, body).await.ok(201);
    assert_eq!(created["matching_open_incidents"], Value::Null);
    let body = json!({"yaml": yaml, "reason": "nightly scan", "resolve_matching": true});
    world.post(&rules_only, SUPPRESSIONS, body).await.refused(403, "forbidden");
    world.post(&rules_only, "/suppressions/preview", json!({"yaml": yaml})).await.refused(403, "forbidden");
    let other = world.tenant("other").await;
    let previewed = world.post(&other.key, "/suppressions/preview", json!({"yaml": yaml})).await.ok(200);
    assert_eq!(previewed["matching_open_incidents"], json!([]), "another organization's incidents");
}

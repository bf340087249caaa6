//! `PATCH /incidents/{incident_id}`.

use std::sync::Arc;
use std::time::Duration;

use common::incident::IncidentHead;
use common::partition::{Offset, Position};
use common::row::{self, Progress};
use common::severity::Severity;
use ledger::memory::UnknownOutcome;
use ledger::{Kind, Ledger, LedgerId};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Tenant, World};
use crate::seed::{Seed, commit, put};

async fn seeded(world: &World, name: &str) -> (Tenant, Seed) {
    let tenant = world.tenant(name).await;
    let source = world.source(&tenant, "one").await;
    let seed = Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    (tenant, seed)
}

fn resolve(version: u64) -> Value {
    json!({"triage_version": version, "triage_status": "resolved", "triage_resolution": "fixed"})
}

async fn stored_head(world: &World, seed: &Seed) -> IncidentHead {
    let key = row::incident_key(seed.head.organization, seed.id());
    let body = world.ledger.get(LedgerId::Partition(seed.id().partition()), Kind::Head, &key).await.unwrap();
    row::decode(&body.unwrap()).unwrap()
}

#[tokio::test]
async fn a_review_is_stored_with_its_actor_and_shown_at_once() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "review").await;
    assert_eq!(world.get(&tenant.key, "/incidents").await.ok(200)["pagination"]["total"], 1);
    world.clock.advance(Duration::from_secs(90));
    let body = json!({"triage_version": 1, "triage_status": "in_progress", "triage_resolution": null, "comment": "On it."});
    let reply = world.patch(&tenant.key, &seed.path(), body).await;
    let detail = reply.ok(200);
    assert_eq!(detail["triage_status"], "in_progress");
    assert_eq!(detail["triage_version"], 2);
    assert_eq!(detail["updated_at"], "2026-07-08T09:01:30.000Z");
    let change = json!({
        "triage_version": 2,
        "actor": {"type": "key", "id": tenant.key_id.to_string(), "name": "review's key"},
        "created_at": "2026-07-08T09:01:30.000Z",
        "from_status": "new",
        "from_resolution": null,
        "to_status": "in_progress",
        "to_resolution": null,
        "comment": "On it.",
        "request_id": reply.header("x-request-id"),
    });
    assert_eq!(detail["review_history"], json!([change]));
    assert_eq!(world.get(&tenant.key, &seed.path()).await.ok(200), detail);
    // Without a poll in between.
    let listed = world.get(&tenant.key, "/incidents?triage_status=in_progress").await.ok(200);
    assert_eq!(listed["data"][0]["triage_version"], 2);
    assert_eq!(
        world.get(&tenant.key, "/incidents?triage_status=new").await.ok(200)["pagination"]["total"],
        0
    );
}

#[tokio::test]
async fn every_state_leads_to_every_other() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "walk").await;
    let mut version = 1;
    for (status, resolution) in [
        ("triaged", None),
        ("resolved", Some("accepted_risk")),
        ("resolved", Some("duplicate")),
        ("new", None),
        ("resolved", Some("false_positive")),
        ("in_progress", None),
        ("resolved", Some("wont_fix")),
        ("triaged", None),
        ("new", None),
        ("resolved", Some("fixed")),
    ] {
        let body =
            json!({"triage_version": version, "triage_status": status, "triage_resolution": resolution});
        let detail = world.patch(&tenant.key, &seed.path(), body).await.ok(200);
        version += 1;
        assert_eq!(detail["triage_version"], version);
        assert_eq!(detail["triage_status"], status);
        assert_eq!(detail["triage_resolution"], json!(resolution));
        assert_eq!(detail["review_history"].as_array().unwrap().len() as u64, version - 1);
        assert_eq!(stored_head(&world, &seed).await.triage.resolved.is_some(), status == "resolved");
    }
}

#[tokio::test]
async fn what_is_the_state_already_changes_nothing() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "same").await;
    let body = json!({"triage_version": 1, "triage_status": "new", "comment": "lost"});
    let detail = world.patch(&tenant.key, &seed.path(), body.clone()).await.ok(200);
    assert_eq!((&detail["triage_version"], &detail["review_history"]), (&json!(1), &json!([])));
    let seq = world.ledger.seq(LedgerId::Partition(seed.id().partition())).await.unwrap();
    assert_eq!(seq.0, 1, "nothing was committed");
    world.patch(&tenant.key, &seed.path(), resolve(1)).await.ok(200);
    let detail = world.patch(&tenant.key, &seed.path(), resolve(2)).await.ok(200);
    assert_eq!(detail["triage_version"], 2);
    // A stale version is stale whatever it asks for.
    world.patch(&tenant.key, &seed.path(), resolve(1)).await.refused(409, "conflict");
    world.patch(&tenant.key, &seed.path(), resolve(3)).await.refused(409, "conflict");
    world.patch(&tenant.key, &seed.path(), resolve(u64::MAX)).await.refused(409, "conflict");
}

#[tokio::test]
async fn resolving_notes_where_it_stood_and_reopening_forgets() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "resolve").await;
    let position = Position { offset: Offset(41), record: 7 };
    let progress = Progress { position, ..Progress::default() };
    let partition = seed.id().partition();
    commit(world.ledger.as_ref(), partition, vec![put(Kind::State, row::progress_key(), &progress)]).await;
    world.patch(&tenant.key, &seed.path(), resolve(1)).await.ok(200);
    let resolved = stored_head(&world, &seed).await.triage.resolved.unwrap();
    assert_eq!(
        (resolved.position, resolved.severity, resolved.event_count),
        (position, Severity::Medium, 10)
    );

    let mut head = stored_head(&world, &seed).await;
    head.analysis.severity = Severity::Critical;
    head.analysis.event_count = 25;
    let key = row::incident_key(tenant.organization, seed.id());
    commit(world.ledger.as_ref(), partition, vec![put(Kind::Head, key, &head)]).await;
    let detail = world.get(&tenant.key, &seed.path()).await.ok(200);
    assert_eq!((&detail["recurred_worse"], &detail["events_since_resolved"]), (&json!(true), &json!(15)));

    // Another reason is not another resolution.
    let reason =
        json!({"triage_version": 2, "triage_status": "resolved", "triage_resolution": "accepted_risk"});
    let detail = world.patch(&tenant.key, &seed.path(), reason).await.ok(200);
    assert_eq!((&detail["recurred_worse"], &detail["severity"]), (&json!(true), &json!("critical")));

    let reopen = json!({"triage_version": 3, "triage_status": "new"});
    let detail = world.patch(&tenant.key, &seed.path(), reopen).await.ok(200);
    assert_eq!((&detail["recurred_worse"], &detail["events_since_resolved"]), (&json!(false), &json!(0)));
    assert_eq!(stored_head(&world, &seed).await.triage.resolved, None);
}

#[tokio::test]
async fn what_is_not_a_review_is_refused() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "invalid").await;
    for body in [
        json!({}),
        json!([]),
        json!({"triage_version": 1}),
        json!({"triage_status": "new"}),
        json!({"triage_version": "1", "triage_status": "triaged"}),
        json!({"triage_version": 1.5, "triage_status": "triaged"}),
        json!({"triage_version": -1, "triage_status": "triaged"}),
        json!({"triage_version": 1, "triage_status": "triaging"}),
        json!({"triage_version": 1, "triage_status": "closed"}),
        json!({"triage_version": 1, "triage_status": null}),
        json!({"triage_version": 1, "triage_status": "resolved"}),
        json!({"triage_version": 1, "triage_status": "resolved", "triage_resolution": null}),
        json!({"triage_version": 1, "triage_status": "resolved", "triage_resolution": "done"}),
        json!({"triage_version": 1, "triage_status": "triaged", "triage_resolution": "fixed"}),
        json!({"triage_version": 1, "triage_status": "triaged", "comment": 5}),
        json!({"triage_version": 1, "triage_status": "triaged", "comment": "ä".repeat(4001)}),
        json!({"triage_version": 1, "triage_status": "triaged", "assignee": "me"}),
    ] {
        world.patch(&tenant.key, &seed.path(), body).await.refused(400, "invalid_request");
    }
    // The body is judged before the version.
    let both = json!({"triage_version": 9, "triage_status": "resolved"});
    world.patch(&tenant.key, &seed.path(), both).await.refused(400, "invalid_request");
    world.patch(&tenant.key, "/incidents/7", resolve(1)).await.refused(400, "invalid_request");
    let longest = json!({"triage_version": 1, "triage_status": "triaged", "comment": "ä".repeat(4000)});
    let detail = world.patch(&tenant.key, &seed.path(), longest).await.ok(200);
    assert_eq!(detail["review_history"][0]["comment"], "ä".repeat(4000));
}

#[tokio::test]
async fn a_foreign_incident_cannot_be_reviewed() {
    let world = World::new();
    let (_, seed) = seeded(&world, "theirs").await;
    let ours = world.tenant("ours").await;
    world.patch(&ours.key, &seed.path(), resolve(1)).await.refused(404, "not_found");
    assert_eq!(stored_head(&world, &seed).await, seed.head);
}

#[tokio::test(start_paused = true)]
async fn an_analyzer_that_commits_in_between_loses_nothing() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "flush").await;
    for count in 11..=16 {
        let grown = seed.clone().with(|head| head.analysis.event_count = count);
        world.ledger.interrupt_next_commit(grown.ops());
    }
    let detail = world.patch(&tenant.key, &seed.path(), resolve(1)).await.ok(200);
    assert_eq!((&detail["event_count"], &detail["triage_status"]), (&json!(16), &json!("resolved")));
    let head = stored_head(&world, &seed).await;
    assert_eq!(head.triage.resolved.unwrap().event_count, 16, "decided anew on what the analyzer wrote");
}

#[tokio::test(start_paused = true)]
async fn of_two_reviews_of_one_version_one_is_refused() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "race").await;
    let theirs = seed.clone().with(|head| head.triage.version = 2);
    world.ledger.interrupt_next_commit(theirs.ops());
    let message = world.patch(&tenant.key, &seed.path(), resolve(1)).await.refused(409, "conflict");
    assert_eq!(message, "triage_version is 2, the request states 1: read the incident again");
    assert_eq!(stored_head(&world, &seed).await, theirs.head);
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_never_rests_is_told_as_such() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "busy").await;
    for _ in 0..100 {
        world.ledger.interrupt_next_commit(Vec::new());
    }
    let reply = world.patch(&tenant.key, &seed.path(), resolve(1)).await;
    reply.refused(503, "service_unavailable");
    assert_eq!(reply.header("retry-after"), "2");
    assert_eq!(stored_head(&world, &seed).await, seed.head);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_outcome_is_found_out() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let world = World::new();
        let (tenant, seed) = seeded(&world, "unknown").await;
        world.get(&tenant.key, "/incidents").await.ok(200);
        world.ledger.memory.make_next_commit_unknown(outcome);
        let detail = world.patch(&tenant.key, &seed.path(), resolve(1)).await.ok(200);
        assert_eq!(detail["triage_version"], 2, "{outcome:?}: stored once");
        assert_eq!(detail["review_history"].as_array().unwrap().len(), 1);
        let listed = world.get(&tenant.key, "/incidents?triage_status=resolved").await.ok(200);
        assert_eq!(listed["pagination"]["total"], 1, "{outcome:?}: shown at once");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_outcome_is_not_mistaken_for_somebody_elses() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "mistake").await;
    // Ours is lost, and before we look, another user resolves the incident in the same way.
    let other = world.narrowed(&tenant, &["incidents:read", "incidents:write"]).await;
    world.patch(&other, &seed.path(), resolve(1)).await.ok(200);
    let theirs = stored_head(&world, &seed).await;
    let key = row::incident_key(tenant.organization, seed.id());
    let review = row::review_key(tenant.organization, seed.id(), 2);
    let partition = LedgerId::Partition(seed.id().partition());
    let their_review = world.ledger.get(partition, Kind::History, &review).await.unwrap().unwrap();
    let undo = vec![
        put(Kind::Head, key.clone(), &seed.head),
        ledger::Op::Delete { kind: Kind::History, key: review.clone().into() },
    ];
    commit(world.ledger.as_ref(), seed.id().partition(), undo).await;
    let redo = vec![
        put(Kind::Head, key, &theirs),
        ledger::Op::Put { kind: Kind::History, key: review.into(), body: their_review },
    ];
    world.ledger.spare_next_commit();
    world.ledger.interrupt_next_commit(redo);
    world.ledger.memory.make_next_commit_unknown(UnknownOutcome::WasLost);
    world.patch(&tenant.key, &seed.path(), resolve(1)).await.refused(409, "conflict");
}

#[tokio::test]
async fn reading_is_not_enough_to_review() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "scopes").await;
    let reader = world.narrowed(&tenant, &["incidents:read"]).await;
    let writer = world.narrowed(&tenant, &["incidents:write"]).await;
    let message = world.patch(&reader, &seed.path(), resolve(1)).await.refused(403, "forbidden");
    assert_eq!(message, "this API key lacks the scope incidents:write");
    world.get(&reader, &seed.path()).await.ok(200);
    world.patch(&writer, &seed.path(), resolve(1)).await.ok(200);
    world.get(&writer, &seed.path()).await.refused(403, "forbidden");
    world.get(&writer, "/incidents").await.refused(403, "forbidden");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_reviews_at_once_exactly_one_is_stored() {
    let world = Arc::new(World::new());
    let (tenant, seed) = seeded(&world, "many").await;
    let mut reviews = JoinSet::new();
    for _ in 0..24 {
        let (world, key, path) = (Arc::clone(&world), tenant.key.clone(), seed.path());
        reviews.spawn(async move { world.patch(&key, &path, resolve(1)).await.status.as_u16() });
    }
    let mut statuses = reviews.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses[..2], [200, 409]);
    assert!(statuses[1..].iter().all(|status| *status == 409));
    let detail = world.get(&tenant.key, &seed.path()).await.ok(200);
    assert_eq!(detail["triage_version"], 2);
    assert_eq!(detail["review_history"].as_array().unwrap().len(), 1);
}

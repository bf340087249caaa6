//! Reopening an incident is told, with the review that does it, to whoever wants to know.

use std::time::Duration;

use common::event::{Event, EventKind};
use common::row;
use common::severity::Severity;
use ledger::memory::UnknownOutcome;
use ledger::{Kind, Ledger, LedgerId, Range};
use serde_json::{Value, json};

use crate::harness::{Tenant, World};
use crate::seed::Seed;

async fn seeded(world: &World, name: &str) -> (Tenant, Seed) {
    let tenant = world.tenant(name).await;
    let source = world.source(&tenant, "bastion").await;
    let seed = Seed::new(&source, 1).with(|head| head.analysis.severity = Severity::High);
    (tenant, seed.write(world.ledger.as_ref()).await)
}

async fn policy(world: &World, tenant: &Tenant, body: Value) {
    world.post(&tenant.key, "/monitoring-policies", body).await.ok(201);
}

fn resolve(version: u64) -> Value {
    json!({"triage_version": version, "triage_status": "resolved", "triage_resolution": "fixed"})
}

fn reopen(version: u64) -> Value {
    json!({"triage_version": version, "triage_status": "in_progress"})
}

/// The outbox of an incident's partition: sequence numbers and events.
async fn outbox(world: &World, seed: &Seed) -> Vec<(u64, Event)> {
    let ledger = LedgerId::Partition(seed.id().partition());
    let rows = world.ledger.scan(ledger, Kind::Outbox, Range::default(), 100).await.unwrap();
    let seq = |key: &[u8]| u64::from_be_bytes(key[..8].try_into().unwrap());
    rows.iter().map(|row| (seq(&row.key), row::decode(&row.body).unwrap())).collect()
}

#[tokio::test]
async fn reopening_is_told_with_what_lists_show_and_nothing_else_is() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "reopen").await;
    policy(&world, &tenant, json!({"name": "on call"})).await;
    world.patch(&tenant.key, &seed.path(), resolve(1)).await.ok(200);
    let other = json!({"triage_version": 2, "triage_status": "resolved", "triage_resolution": "duplicate"});
    world.patch(&tenant.key, &seed.path(), other).await.ok(200);
    assert!(outbox(&world, &seed).await.is_empty());
    world.clock.advance(Duration::from_secs(60));
    world.patch(&tenant.key, &seed.path(), reopen(3)).await.ok(200);
    let triaged = json!({"triage_version": 4, "triage_status": "triaged"});
    let seq = world.ledger.seq(LedgerId::Partition(seed.id().partition())).await.unwrap();
    let told = outbox(&world, &seed).await;
    world.patch(&tenant.key, &seed.path(), triaged).await.ok(200);
    assert_eq!(outbox(&world, &seed).await, told, "it was open already");

    let [(written_at, event)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(*written_at, seq.0, "by the commit of the review");
    assert_eq!(event.kind, EventKind::InfrastructureIncidentEscalated);
    assert_eq!(event.created_at.to_iso(), "2026-07-08T09:01:00.000Z");
    assert_eq!(event.incident, Some(seed.id()));

    // The object is the summary as it was then, and three things more.
    world.patch(&tenant.key, &seed.path(), resolve(5)).await.ok(200);
    let mut expected = world.get(&tenant.key, "/incidents").await.ok(200)["data"][0].clone();
    expected["triage_status"] = json!("in_progress");
    expected["triage_resolution"] = json!(null);
    expected["triage_version"] = json!(4);
    expected["assessment"] =
        json!({"severity": "high", "summary": "Ten logins failed.", "confidence": "high"});
    expected["dashboard_url"] = json!(format!("http://127.0.0.1:8080/console{}", seed.path()));
    expected["incident_detail_url"] = json!(format!("http://127.0.0.1:8080/api/v1{}", seed.path()));
    assert_eq!(event.object, expected);
}

#[tokio::test]
async fn every_reopening_is_another_event() {
    let world = World::new();
    let (tenant, seed) = seeded(&world, "again").await;
    policy(&world, &tenant, json!({"name": "on call"})).await;
    for version in [1, 3] {
        world.patch(&tenant.key, &seed.path(), resolve(version)).await.ok(200);
        world.patch(&tenant.key, &seed.path(), reopen(version + 1)).await.ok(200);
    }
    let told = outbox(&world, &seed).await;
    assert_eq!(told.len(), 2);
    assert_ne!(told[0].1.id, told[1].1.id);
}

#[tokio::test]
async fn only_policies_that_want_it_are_asked() {
    let world = World::new();
    for (number, (body, told)) in [
        (json!({"name": "a", "escalate_on": ["opened", "severity_raised"]}), 0),
        (json!({"name": "a", "escalate_on": ["reopened"]}), 1),
        (json!({"name": "a", "minimum_severity": "critical"}), 0),
        (json!({"name": "a", "environments": ["staging"]}), 0),
        (json!({"name": "a", "enabled": false}), 0),
    ]
    .into_iter()
    .enumerate()
    {
        let (tenant, seed) = seeded(&world, &format!("tenant {number}")).await;
        let (other, _) = seeded(&world, &format!("other {number}")).await;
        policy(&world, &other, json!({"name": "theirs"})).await;
        policy(&world, &tenant, body.clone()).await;
        world.patch(&tenant.key, &seed.path(), resolve(1)).await.ok(200);
        world.patch(&tenant.key, &seed.path(), reopen(2)).await.ok(200);
        let ours = outbox(&world, &seed).await;
        let ours = ours.iter().filter(|(_, event)| event.organization == tenant.organization);
        assert_eq!(ours.count(), told, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn lost_answers_and_rivals_tell_it_once() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let world = World::new();
        let (tenant, seed) = seeded(&world, "unknown").await;
        policy(&world, &tenant, json!({"name": "on call"})).await;
        world.patch(&tenant.key, &seed.path(), resolve(1)).await.ok(200);
        // An analyzer that flushes the same head at the same time.
        for _ in 0..3 {
            world.ledger.interrupt_next_commit(Vec::new());
        }
        world.patch(&tenant.key, &seed.path(), reopen(2)).await.ok(200);
        world.patch(&tenant.key, &seed.path(), resolve(3)).await.ok(200);
        world.ledger.memory.make_next_commit_unknown(outcome);
        world.patch(&tenant.key, &seed.path(), reopen(4)).await.ok(200);
        let told = outbox(&world, &seed).await;
        assert_eq!(told.len(), 2, "{outcome:?}");
        assert_ne!(told[0].1.id, told[1].1.id);
    }
}

//! `GET /incidents/{incident_id}`.

use std::time::Duration;

use common::incident::{Actor, Review};
use common::partition::Position;
use common::row;
use common::triage::TriageStatus;
use ledger::Kind;
use serde_json::{Value, json};

use crate::harness::{World, start};
use crate::seed::{Seed, commit, put};

/// The assessment of every seed.
fn assessment() -> Value {
    json!({
        "severity": "medium",
        "confidence": "high",
        "summary": "Ten logins failed.",
        "qualified_by": "threshold",
        "rules": [{
            "id": "6f1d6a2e-0001-4000-8000-000000000001",
            "title": "Many failed logins",
            "severity": "medium",
            "correlation": true,
        }],
        "tactics": ["credential-access"],
        "techniques": ["T1110"],
        "withdrawn_rules": [],
        "peak_severity": "medium",
        "facts": {"user.name": [{"value": "root", "count": 10}]},
        "next_steps": ["Look for a success after the failures."],
    })
}

#[tokio::test]
async fn a_detail_has_all_its_fields() {
    let world = World::new();
    let tenant = world.tenant("detail").await;
    let source = world.source(&tenant, "bastion").await;
    let seed = Seed::new(&source, 7).write(world.ledger.as_ref()).await;
    let body = world.get(&tenant.key, &seed.path()).await.ok(200);
    let assessment = assessment();
    let expected = json!({
        "id": seed.id().to_string(),
        "object": "incident",
        "title": "Failed logins number 7",
        "severity": "medium",
        "triage_status": "new",
        "triage_resolution": null,
        "triage_version": 1,
        "source": {"id": source.id.to_string(), "name": "bastion"},
        "application_group": "default",
        "environment": "production",
        "entity": {"kind": "client.address", "value": "203.0.113.7"},
        "event_count": 10,
        "first_seen_at": "2026-07-08T09:00:07.000Z",
        "last_activity_at": "2026-07-08T09:00:07.000Z",
        "created_at": "2026-07-08T09:00:07.000Z",
        "updated_at": "2026-07-08T09:00:07.000Z",
        "family": "authentication_force",
        "episode": 1,
        "quiet": false,
        "recurred_worse": false,
        "events_since_resolved": 0,
        "assessment": assessment,
        "evidence": [{
            "record_id": "00ff",
            "event_time": "2026-07-08T09:00:07.000Z",
            "time_inferred": false,
            "received_at": "2026-07-08T09:00:07.000Z",
            "severity": "medium",
            "rules": ["6f1d6a2e-0001-4000-8000-000000000001"],
            "message": "Failed password for root",
            "fields": {"client.address": "203.0.113.7", "user.name": "root"},
        }],
        "assessment_revisions": [{
            "revision": 1,
            "created_at": "2026-07-08T09:00:07.000Z",
            "reasons": ["opened"],
            "content_hash": format!("{:064x}", 1),
            "rules_version": "1",
            "policies_version": 0,
            "event_count": 1,
            "after_resolution": false,
            "assessment": assessment,
        }],
        "review_history": [],
        "webhook_events": [],
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn histories_are_cut_to_their_latest_part_newest_first() {
    let world = World::new();
    let tenant = world.tenant("histories").await;
    let source = world.source(&tenant, "one").await;
    let mut seed = Seed::new(&source, 1);
    seed.revisions = 61;
    let seed = seed.write(world.ledger.as_ref()).await;
    let review = |version: u64| Review {
        triage_version: version,
        actor: Actor { key_id: tenant.key_id, key_name: "key".to_owned() },
        created_at: start(),
        from_status: TriageStatus::New,
        from_resolution: None,
        to_status: TriageStatus::Triaged,
        to_resolution: None,
        comment: None,
        position: Position::default(),
        request_id: "r".to_owned(),
    };
    let ops = (2..=140).map(|version| {
        put(Kind::History, row::review_key(tenant.organization, seed.id(), version), &review(version))
    });
    commit(world.ledger.as_ref(), seed.id().partition(), ops.collect()).await;

    let body = world.get(&tenant.key, &seed.path()).await.ok(200);
    let numbers = |list: &str, field: &str| -> Vec<u64> {
        body[list].as_array().unwrap().iter().map(|entry| entry[field].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers("assessment_revisions", "revision"), (12..=61).rev().collect::<Vec<_>>());
    assert_eq!(numbers("review_history", "triage_version"), (41..=140).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn quiet_is_a_view_of_the_time() {
    let world = World::new();
    let tenant = world.tenant("quiet").await;
    let source = world.source(&tenant, "one").await;
    let seed = Seed::new(&source, 0).write(world.ledger.as_ref()).await;
    world.clock.advance(Duration::from_secs(24 * 60 * 60 - 1));
    assert_eq!(world.get(&tenant.key, &seed.path()).await.ok(200)["quiet"], false);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.get(&tenant.key, &seed.path()).await.ok(200)["quiet"], true);
}

#[tokio::test]
async fn a_foreign_incident_is_like_one_that_never_was() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let source = world.source(&theirs, "one").await;
    let seed = Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    let foreign = world.get(&ours.key, &seed.path()).await.refused(404, "not_found");
    let never = world.get(&ours.key, &Seed::new(&source, 2).path()).await.refused(404, "not_found");
    assert_eq!(foreign, never);
    // An id whose partition this deployment does not have.
    let beyond = "/incidents/ffff9c1e-5b7d-8f20-9d43-7a1be62c0f58";
    world.get(&ours.key, beyond).await.refused(404, "not_found");
    // The stored incident moved under our own prefix still names its owner.
    let key = row::incident_key(ours.organization, seed.id());
    commit(world.ledger.as_ref(), seed.id().partition(), vec![put(Kind::Head, key, &seed.head)]).await;
    world.get(&ours.key, &seed.path()).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_malformed_id_and_a_query_are_refused() {
    let world = World::new();
    let tenant = world.tenant("malformed").await;
    for id in ["7", "67e5504410b1426f9247bb680e5fe0c8", "%ff", "67e55044-10b1-426f-9247-bb680e5fe0c8%00"] {
        world.get(&tenant.key, &format!("/incidents/{id}")).await.refused(400, "invalid_request");
    }
    let path = "/incidents/67e55044-10b1-826f-9247-bb680e5fe0c8?details=true";
    world.get(&tenant.key, path).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn a_detail_shows_one_state_of_an_incident_that_changes_meanwhile() {
    let world = World::new();
    let tenant = world.tenant("changing").await;
    let source = world.source(&tenant, "bastion").await;
    let seed = Seed::new(&source, 7).write(world.ledger.as_ref()).await;
    for count in [11, 12] {
        let grown = Seed { revisions: count, ..seed.clone() };
        let grown = grown.with(|head| head.analysis.event_count = u64::from(count));
        world.ledger.interrupt_next_detail(grown.ops());
    }

    let body = world.get(&tenant.key, &seed.path()).await.ok(200);
    assert_eq!(body["event_count"], 12, "{body}");
    assert_eq!(body["assessment_revisions"].as_array().unwrap().len(), 12, "{body}");
}

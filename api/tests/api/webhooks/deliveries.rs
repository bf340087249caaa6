//! Tests, the log of deliveries, and delivering again, with a deliverer beside the API.

use std::time::Duration;

use common::severity::Severity;
use serde_json::{Value, json};

use super::receiver::Receiver;
use crate::harness::{Tenant, World};
use crate::seed::Seed;

const DELIVERIES: &str = "/webhook-deliveries";
const ESCALATED: &str = "infrastructure.incident.escalated";

/// An organization that is told when an incident of its own is reopened.
struct Story {
    world: World,
    receiver: Receiver,
    tenant: Tenant,
    webhook: Value,
    incident: Seed,
}

impl Story {
    async fn begin() -> Self {
        let (mut world, receiver) = (World::new(), Receiver::start().await);
        let tenant = world.tenant("told").await;
        let source = world.source(&tenant, "bastion").await;
        let incident = Seed::new(&source, 1).with(|head| head.analysis.severity = Severity::High);
        let incident = incident.write(world.ledger.as_ref()).await;
        world.post(&tenant.key, "/monitoring-policies", json!({"name": "on call"})).await.ok(201);
        let body = json!({"name": "pager", "url": receiver.url(), "events": [ESCALATED], "headers": {"x-token": "of-the-pager"}});
        let webhook = world.post(&tenant.key, "/webhooks", body).await.ok(201);
        world.deliver();
        Self { world, receiver, tenant, webhook, incident }
    }

    fn path(&self) -> String {
        format!("/webhooks/{}", self.webhook["id"].as_str().unwrap())
    }

    async fn get(&self, path: &str) -> Value {
        self.world.get(&self.tenant.key, path).await.ok(200)
    }

    /// Resolves the incident and takes it up again, which is told.
    async fn reopen(&self, version: u64) {
        let resolve =
            json!({"triage_version": version, "triage_status": "resolved", "triage_resolution": "fixed"});
        let reopen = json!({"triage_version": version + 1, "triage_status": "in_progress"});
        for body in [resolve, reopen] {
            self.world.patch(&self.tenant.key, &self.incident.path(), body).await.ok(200);
        }
    }

    /// The deliveries once the latest stands there, looking after every commit.
    async fn standing(&self, status: &str) -> Vec<Value> {
        let mut commits = self.world.ledger.commits();
        let looking = async {
            loop {
                commits.borrow_and_update();
                let list = self.get(DELIVERIES).await["data"].as_array().unwrap().clone();
                if list.first().is_some_and(|first| first["status"] == status) {
                    return list;
                }
                commits.changed().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(20), looking).await.expect("it never came to that")
    }
}

#[tokio::test]
async fn a_test_is_sent_once_and_its_outcome_is_the_reply() {
    let story = Story::begin().await;
    let test = format!("{}/test", story.path());
    let tested = story.world.post(&story.tenant.key, &test, json!({})).await.ok(200);
    assert_eq!(
        (&tested["accepted"], &tested["status_code"], &tested["reply"]),
        (&json!(true), &json!(200), &json!("noted"))
    );
    story.receiver.answer_with(500);
    let tested = story.world.post(&story.tenant.key, &test, json!({})).await.ok(200);
    assert_eq!(
        (&tested["accepted"], &tested["status_code"], &tested["error"]),
        (&json!(false), &json!(500), &json!(null))
    );
    let received = story.receiver.wait_for(2).await;
    assert_eq!(received.len(), 2, "once each");
    let last = &received[1];
    assert_eq!(last.header("x-service-event-type"), "webhook.test");
    assert_eq!(last.header("x-service-event-id"), tested["event_id"].as_str().unwrap());
    assert_eq!(last.header("x-token"), "of-the-pager");
    let body: Value = serde_json::from_slice(&last.body).unwrap();
    assert_eq!(body["data"]["object"]["object"], "webhook_test");
    assert_eq!(body["data"]["object"]["target_id"], story.webhook["id"]);
    assert_eq!(story.get(DELIVERIES).await["data"], json!([]));
}

#[tokio::test]
async fn deliveries_are_listed_with_their_attempts_and_stand_beside_their_incident() {
    let story = Story::begin().await;
    story.reopen(1).await;
    let received = story.receiver.wait_for(1).await;
    let list = story.standing("succeeded").await;
    let [delivery] = list.as_slice() else { panic!("{list:?}") };
    assert_eq!(delivery["event_id"].as_str().unwrap(), received[0].header("x-service-event-id"));
    assert_eq!((&delivery["webhook_id"], &delivery["event_type"]), (&story.webhook["id"], &json!(ESCALATED)));
    assert_eq!((&delivery["reason"], &delivery["next_attempt_at"]), (&json!(null), &json!(null)));
    let attempt = &delivery["attempts"][0];
    assert_eq!(
        (&attempt["status_code"], &attempt["reply"], &attempt["error"]),
        (&json!(200), &json!("noted"), &json!(null))
    );

    let detail = story.get(&story.incident.path()).await;
    let body: Value = serde_json::from_slice(&received[0].body).unwrap();
    let expected = json!([{
        "id": body["id"],
        "type": ESCALATED,
        "created_at": body["created_at"],
        "deliveries": [{
            "id": delivery["id"],
            "webhook_id": story.webhook["id"],
            "status": "succeeded",
            "attempts": delivery["attempts"],
        }],
    }]);
    assert_eq!(detail["webhook_events"], expected);

    let of_target = format!("{}/deliveries", story.path());
    for (query, found) in [
        ("?status=succeeded", 1),
        ("?status=failed", 0),
        ("?event_type=infrastructure.incident.escalated&limit=1", 1),
        ("?event_type=report.started", 0),
        ("?offset=1", 0),
    ] {
        for path in [DELIVERIES, of_target.as_str()] {
            let list = story.get(&format!("{path}{query}")).await;
            assert_eq!(list["data"].as_array().unwrap().len(), found, "{path}{query}");
        }
    }
    for query in ["?status=lost", "?event_type=incident.opened", "?status=failed&status=failed", "?limit=0"] {
        for path in [DELIVERIES, of_target.as_str()] {
            let path = format!("{path}{query}");
            story.world.get(&story.tenant.key, &path).await.refused(400, "invalid_request");
        }
    }
}

#[tokio::test]
async fn what_failed_is_delivered_again_one_by_one_or_by_a_range() {
    let story = Story::begin().await;
    let (world, key) = (&story.world, &story.tenant.key);
    story.receiver.answer_with(400);
    story.reopen(1).await;
    let failed = story.standing("failed").await[0].clone();
    assert!(failed["reason"].as_str().unwrap().contains("400"), "{failed}");
    story.receiver.answer_with(204);
    let again = format!("{DELIVERIES}/{}/redeliver", failed["id"].as_str().unwrap());
    let pending = world.post(key, &again, json!({})).await.ok(202);
    assert_eq!((&pending["id"], &pending["status"]), (&failed["id"], &json!("pending")));
    let succeeded = story.standing("succeeded").await[0].clone();
    assert_eq!(succeeded["attempts"].as_array().unwrap().len(), 2);

    story.receiver.answer_with(400);
    world.post(key, &again, json!({})).await.ok(202);
    story.standing("failed").await;
    story.receiver.answer_with(204);
    let recover = format!("{}/recover", story.path());
    let range = |since: &str, until: &str| json!({"since": since, "until": until});
    let morning = ("2026-07-08T08:00:00.000Z", "2026-07-08T10:00:00.000Z");
    let nothing =
        world.post(key, &recover, range("2026-07-08T10:00:00Z", "2026-07-08T11:00:00Z")).await.ok(202);
    assert_eq!(nothing, json!({"object": "webhook_recovery", "recovered": 0, "more": false}));
    let recovered = world.post(key, &recover, range(morning.0, morning.1)).await.ok(202);
    assert_eq!(recovered["recovered"], 1);
    story.standing("succeeded").await;
    let received = story.receiver.wait_for(4).await;
    assert!(received.iter().all(|one| one.body == received[0].body), "the same bytes every time");

    for body in [range(morning.1, morning.0), range("yesterday", morning.1), json!({"since": morning.0})] {
        world.post(key, &recover, body).await.refused(400, "invalid_request");
    }
    let theirs = world.tenant("theirs").await;
    world.post(&theirs.key, &again, json!({})).await.refused(404, "not_found");
    world.post(key, &format!("{DELIVERIES}/dlv_1/redeliver"), json!({})).await.refused(404, "not_found");
    world.patch(key, &story.path(), json!({"enabled": false})).await.ok(200);
    world.post(key, &again, json!({})).await.refused(409, "conflict");
    world.post(key, &recover, range(morning.0, morning.1)).await.refused(409, "conflict");
    assert_eq!(world.delete(key, &story.path()).await.status, 204);
    world.post(key, &again, json!({})).await.refused(404, "not_found");
    assert_eq!(
        story.get(DELIVERIES).await["data"],
        json!([]),
        "those of a target that is gone are not listed"
    );
}

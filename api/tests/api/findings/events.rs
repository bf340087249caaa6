//! Events of findings in the outbox, each once, in the shape of the specification.

use common::event::Event;
use common::partition::Shard;
use common::row;
use engine::Level;
use http::Method;
use ledger::{Kind, Ledger, LedgerId, Range};
use serde_json::{Value, json};

use super::observed::{observation, record, repository, run, seed};
use crate::harness::{PARTITIONS, World, request};

/// All events of findings, in the order of each shard.
async fn events(world: &World) -> Vec<Event> {
    let mut events = Vec::new();
    for shard in 0..PARTITIONS {
        let ledger = LedgerId::Records(Shard(shard));
        let rows = world.ledger.scan(ledger, Kind::Outbox, Range::default(), 1_000).await.unwrap();
        events.extend(rows.iter().map(|row| row::decode::<Event>(&row.body).unwrap()));
    }
    events
}

fn kinds(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_new_finding_is_announced_once_in_the_shape_of_the_specification() {
    let world = World::new();
    let tenant = world.tenant("created").await;
    let first = run(&world, &tenant, repository("7", "acme/shop"), 1);
    let recorded = record(&world, &first, vec![observation("src/a.php", Level::High)]).await;
    record(&world, &first, vec![observation("src/a.php", Level::High)]).await;
    let second = run(&world, &tenant, repository("7", "acme/shop"), 2);
    record(&world, &second, vec![observation("src/a.php", Level::High)]).await;
    let events = events(&world).await;
    assert_eq!(kinds(&events), ["finding.created"]);
    let source = events[0].source.clone().unwrap();
    assert_eq!((source.group.as_str(), source.id.as_deref()), ("repositories", Some("7")));
    let id = recorded[0].finding.to_string();
    let expected = json!({
        "object": "finding",
        "id": id,
        "kind": "web_app_red_team",
        "title": "Reflected cross-site scripting in src/a.php",
        "repository": "acme/shop",
        "risk_level": "high",
        "triage_status": "new",
        "triage_resolution": null,
        "triage": null,
        "remediation": {
            "files": [],
            "patch": null,
            "code_references": [{
                "file": "src/a.php",
                "start_line": 12,
                "end_line": 12,
                "snippet": "echo $_GET['q'];",
                "reason": "The parameter `q` is echoed.",
            }],
        },
        "finding_detail_url": format!("http://127.0.0.1:8080/api/v1/findings/{id}"),
    });
    assert_eq!(events[0].object, expected);
}

#[tokio::test(start_paused = true)]
async fn an_import_announces_nothing() {
    let world = World::new();
    let tenant = world.tenant("quiet").await;
    let query = format!("application_id={}", super::imports::application(&world, &tenant).await);
    let reply =
        super::imports::import(&world, &tenant.key, &query, "application/json", super::imports::BANDIT).await;
    assert!(!reply.ok(200)["data"]["results"].as_array().unwrap().is_empty());
    assert!(events(&world).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_transition_to_accepted_risk_is_one_event() {
    let world = World::new();
    let tenant = world.tenant("accepted").await;
    let ids = seed(&world, &tenant, &[("/a", Level::High)]).await;
    let path = format!("/findings/{}", ids[0]);
    let review = async |body: Value| world.patch(&tenant.key, &path, body).await.ok(200);
    let accepted = json!({"triage_status": "resolved", "triage_resolution": "accepted_risk"});
    review(accepted.clone()).await;
    review(accepted.clone()).await;
    review(json!({"comment": "still"})).await;
    review(json!({"triage_status": "new"})).await;
    review(accepted).await;
    let events = events(&world).await;
    assert_eq!(kinds(&events), ["finding.created", "finding.accepted", "finding.accepted"]);
    assert_ne!(events[1].id, events[2].id);
    assert_eq!(events[1].object["triage_resolution"], "accepted_risk");
}

#[tokio::test(start_paused = true)]
async fn a_completed_triage_is_one_event_with_its_result() {
    let world = World::new();
    let tenant = world.tenant("triaged").await;
    let ids = seed(&world, &tenant, &[("/a", Level::High)]).await;
    let triage = request(Method::POST, &format!("/findings/{}/triage", ids[0]), Some(&tenant.key), None);
    world.send(triage).await.ok(202);
    world.work().await;
    let events = events(&world).await;
    assert_eq!(kinds(&events), ["finding.created", "finding.triage_completed"]);
    let object = &events[1].object;
    assert_eq!(object["triage"]["verification_status"], "unverifiable");
    assert_eq!((&object["triage_status"], &object["remediation"]["files"]), (&"triaged".into(), &json!([])));
    assert!(object["remediation"]["patch"].is_null());
}

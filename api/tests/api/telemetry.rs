//! `/telemetry`.

use std::time::Duration;

use common::event::{Event, EventId, EventKind, outbox_key};
use common::row::encode;
use http::Method;
use ledger::{Kind, Ledger, LedgerId, Op};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{Tenant, World, request};
use crate::webhooks::receiver::{Received, Receiver};

const TELEMETRY: &str = "/telemetry";
/// Nobody listens there: creating an endpoint sends nothing.
const URL: &str = "https://127.0.0.1:9009/v1/logs";

fn path(endpoint: &Value) -> String {
    format!("{TELEMETRY}/{}", endpoint["id"].as_str().unwrap())
}

async fn create(world: &World, tenant: &Tenant, name: &str) -> Value {
    let body = json!({"name": name, "endpoint": URL, "protocol": "http/protobuf"});
    world.post(&tenant.key, TELEMETRY, body).await.ok(201)
}

fn kinds(but: Option<EventKind>) -> Vec<&'static str> {
    EventKind::ALL.iter().filter(|kind| Some(**kind) != but).map(|kind| kind.as_str()).collect()
}

#[tokio::test]
async fn an_endpoint_lives_from_post_to_delete() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    let body = json!({
        "endpoint": URL,
        "protocol": "http/json",
        "headers": {"Authorization": "Bearer of-the-collector", "x-scope-orgid": "a"},
    });
    let created = world.post(&tenant.key, TELEMETRY, body).await.ok(201);
    let mut shown = json!({
        "id": created["id"],
        "object": "telemetry_endpoint",
        "name": null,
        "endpoint": URL,
        "protocol": "http/json",
        "events": kinds(Some(EventKind::InfrastructureIncidentEscalated)),
        "header_names": ["authorization", "x-scope-orgid"],
        "enabled": true,
        "disabled_reason": null,
        "last_delivery": null,
        "created_at": "2026-07-08T09:00:00.000Z",
        "updated_at": "2026-07-08T09:00:00.000Z",
    });
    assert_eq!(created, shown);
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), shown);
    assert_eq!(world.get(&tenant.key, TELEMETRY).await.ok(200)["data"], json!([shown]));

    world.clock.advance(Duration::from_secs(1));
    let change =
        json!({"name": "nights", "events": kinds(None), "protocol": "http/protobuf", "enabled": false});
    shown["name"] = json!("nights");
    shown["events"] = json!(kinds(None));
    shown["protocol"] = json!("http/protobuf");
    shown["enabled"] = json!(false);
    shown["updated_at"] = json!("2026-07-08T09:00:01.000Z");
    let changed = world.patch(&tenant.key, &path(&created), change).await.ok(200);
    assert_eq!(changed, shown, "what is left out stays, header values included");
    let moved = json!({"endpoint": "https://127.0.0.1:9010/other", "name": null});
    let moved = world.patch(&tenant.key, &path(&created), moved).await.ok(200);
    assert_eq!((&moved["endpoint"], &moved["name"]), (&json!("https://127.0.0.1:9010/other"), &json!(null)));
    for nothing in [json!({}), json!(null)] {
        let headers = json!({"headers": {"x-a": "b"}});
        let set = world.patch(&tenant.key, &path(&created), headers).await.ok(200);
        assert_eq!(set["header_names"], json!(["x-a"]));
        let cleared = world.patch(&tenant.key, &path(&created), json!({"headers": nothing})).await.ok(200);
        assert_eq!(cleared["header_names"], json!([]));
    }

    let gone = world.delete(&tenant.key, &path(&created)).await.ok(200);
    assert_eq!(gone, json!({"id": created["id"], "object": "telemetry_endpoint", "deleted": true}));
    for refused in [
        world.delete(&tenant.key, &path(&created)).await,
        world.get(&tenant.key, &path(&created)).await,
        world.patch(&tenant.key, &path(&created), json!({"name": "a"})).await,
        world.post(&tenant.key, &format!("{}/test", path(&created)), json!({})).await,
    ] {
        assert_eq!(refused.refused(404, "not_found"), "telemetry endpoint not found");
    }
}

#[tokio::test]
async fn header_values_lie_in_no_row_and_no_trace_of_them_is_kept() {
    let world = World::new();
    let tenant = world.tenant("secret").await;
    let body = json!({"endpoint": URL, "protocol": "http/json", "headers": {"authorization": "Bearer of-the-collector"}});
    world.post(&tenant.key, TELEMETRY, body.clone()).await.ok(201);
    let hidden = b"of-the-collector";
    let holds = |bytes: &[u8]| bytes.windows(hidden.len()).any(|window| window == hidden);
    let rows = world.ledger.memory.dump();
    assert!(rows.len() > 3 && rows.iter().all(|(_, _, row)| !holds(&row.body) && !holds(&row.key)));
    let mut again = request(Method::POST, TELEMETRY, Some(&tenant.key), Some(body));
    again.headers_mut().insert("idempotency-key", "k".parse().unwrap());
    world.send(again).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn what_is_not_allowed_is_a_400_that_says_so() {
    let world = World::new();
    let tenant = world.tenant("refusals").await;
    let endpoint = create(&world, &tenant, "a").await;
    let good = json!({"endpoint": URL, "protocol": "http/json"});
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    let many: Value =
        (0..17).map(|number| (format!("x-{number}"), json!("a"))).collect::<serde_json::Map<_, _>>().into();
    let table = [
        (json!({"protocol": "http/json"}), "endpoint"),
        (json!({"endpoint": URL}), "protocol"),
        (with("protocol", json!("grpc")), "http/protobuf"),
        (with("endpoint", json!("http://8.8.8.8/v1/logs")), "endpoint"),
        (with("endpoint", json!("https://10.0.0.1/v1/logs")), "endpoint"),
        (with("endpoint", json!("https://user:secret@example.com/")), "endpoint"),
        (with("endpoint", json!(format!("https://example.com/{}", "a".repeat(2_048)))), "endpoint"),
        (with("events", json!([])), "events"),
        (with("events", json!(["incident.created"])), "incident.created"),
        (with("events", json!(["finding.created", "finding.created"])), "duplicate"),
        (with("headers", json!({"Content-Encoding": "gzip"})), "content-encoding"),
        (with("headers", json!({"X-Service-Signature": "a"})), "x-service-signature"),
        (with("headers", json!({"x-a": "b\n"})), "visible ASCII"),
        (with("headers", json!({"x-a": "b".repeat(9_000)})), "8192"),
        (with("headers", many), "16"),
        (with("name", json!("")), "name"),
        (with("name", json!("a".repeat(101))), "100"),
        (with("url", json!(URL)), "url"),
    ];
    for (body, says) in table {
        let message = world.post(&tenant.key, TELEMETRY, body.clone()).await.refused(400, "invalid_request");
        assert!(message.contains(says), "{body}: {message}");
    }
    for body in
        [json!({}), json!({"events": null}), json!({"endpoint": "http://8.8.8.8/"}), json!({"id": "a"})]
    {
        world.patch(&tenant.key, &path(&endpoint), body).await.refused(400, "invalid_request");
    }
    let query = format!("{TELEMETRY}?status=a");
    world.get(&tenant.key, &query).await.refused(400, "invalid_request");
    let list = world.get(&tenant.key, TELEMETRY).await.ok(200);
    assert_eq!(list["pagination"]["total"], 1, "nothing was created");
}

#[tokio::test]
async fn the_list_is_newest_first_in_pages_and_ends_at_fifty() {
    let world = World::new();
    let tenant = world.tenant("list").await;
    for number in 0..50 {
        create(&world, &tenant, &number.to_string()).await;
        world.clock.advance(Duration::from_millis(1));
    }
    let page = world.get(&tenant.key, &format!("{TELEMETRY}?limit=2&offset=1")).await.ok(200);
    let names: Vec<_> = page["data"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["48", "47"]);
    assert_eq!(page["pagination"], json!({"limit": 2, "offset": 1, "total": 50, "has_more": true}));
    let body = json!({"endpoint": URL, "protocol": "http/json"});
    let message = world.post(&tenant.key, TELEMETRY, body).await.refused(409, "conflict");
    assert!(message.contains("50"), "{message}");
}

#[tokio::test]
async fn scopes_are_asked_for_and_other_organizations_see_nothing() {
    let world = World::new();
    let (tenant, other) = (world.tenant("mine").await, world.tenant("theirs").await);
    let endpoint = create(&world, &tenant, "a").await;
    let reader = world.narrowed(&tenant, &["telemetry:read"]).await;
    let writer = world.narrowed(&tenant, &["telemetry:write"]).await;
    world.get(&reader, TELEMETRY).await.ok(200);
    world.get(&reader, &path(&endpoint)).await.ok(200);
    world.patch(&reader, &path(&endpoint), json!({"name": "b"})).await.refused(403, "forbidden");
    world.delete(&reader, &path(&endpoint)).await.refused(403, "forbidden");
    world.post(&reader, &format!("{}/test", path(&endpoint)), json!({})).await.refused(403, "forbidden");
    world.get(&writer, TELEMETRY).await.refused(403, "forbidden");
    world.patch(&writer, &path(&endpoint), json!({"name": "b"})).await.ok(200);
    assert_eq!(world.get(&other.key, TELEMETRY).await.ok(200)["data"], json!([]));
    let unknown = format!("{TELEMETRY}/{}", Uuid::from_bytes([9; 16]).hyphenated());
    // As the specification's table has it, a malformed id is a 400 to those two operations only.
    let (absent, malformed) = ((404, "not_found"), (400, "invalid_request"));
    for (path, (status, code)) in
        [(path(&endpoint), absent), (unknown, absent), (format!("{TELEMETRY}/a"), malformed)]
    {
        world.get(&other.key, &path).await.refused(404, "not_found");
        world.patch(&other.key, &path, json!({"name": "c"})).await.refused(status, code);
        world.post(&other.key, &format!("{path}/test"), json!({})).await.refused(status, code);
        world.delete(&other.key, &path).await.refused(404, "not_found");
    }
    assert_eq!(world.get(&tenant.key, &path(&endpoint)).await.ok(200)["name"], "b");
}

/// The first record of a request in JSON.
fn record(received: &Received) -> Value {
    let request: ExportLogsServiceRequest = serde_json::from_slice(&received.body).unwrap();
    let record = &request.resource_logs[0].scope_logs[0].log_records[0];
    serde_json::to_value(record).unwrap()
}

#[tokio::test]
async fn a_test_says_what_the_collector_did() {
    let world = World::new();
    let tenant = world.tenant("test").await;
    let receiver = Receiver::start().await;
    let body = json!({"endpoint": receiver.url(), "protocol": "http/json", "headers": {"x-key": "k"}, "enabled": false});
    let endpoint = world.post(&tenant.key, TELEMETRY, body).await.ok(201);
    let test = format!("{}/test", path(&endpoint));
    let reply = world.post(&tenant.key, &test, json!({})).await.ok(200);
    let expected = json!({"data": {
        "accepted": true, "status_code": 200, "latency_ms": reply["data"]["latency_ms"], "error": null,
    }});
    assert_eq!(reply, expected);
    receiver.answer_with(401);
    let reply = world.post(&tenant.key, &test, json!({})).await.ok(200);
    let said = "the collector answered 401";
    assert_eq!(
        (&reply["data"]["accepted"], &reply["data"]["status_code"], &reply["data"]["error"]),
        (&json!(false), &json!(401), &json!(said))
    );
    let received = receiver.wait_for(2).await;
    assert_eq!(received[0].header("x-key"), "k");
    assert_eq!(record(&received[0])["eventName"], "telemetry.test");
    let shown = world.get(&tenant.key, &path(&endpoint)).await.ok(200);
    assert_eq!(shown["last_delivery"], Value::Null, "a test is no event");
}

#[tokio::test]
async fn an_event_is_exported_and_the_endpoint_shows_what_became_of_it() {
    let mut world = World::new();
    let tenant = world.tenant("export").await;
    let receiver = Receiver::start().await;
    let body = json!({"endpoint": receiver.url(), "protocol": "http/json"});
    let endpoint = world.post(&tenant.key, TELEMETRY, body).await.ok(201);
    let event = Event {
        id: EventId::of_cause(&[b"a finding"]),
        kind: EventKind::FindingCreated,
        organization: tenant.organization,
        source: None,
        created_at: crate::harness::start(),
        object: json!({"object": "finding", "risk_level": "critical"}),
        incident: None,
    };
    let outbox = LedgerId::Partition(common::partition::Partition(2));
    let seq = world.ledger.seq(outbox).await.unwrap();
    let (key, row) = (outbox_key(seq.0 + 1, 0).into(), encode(&event).unwrap().into());
    world.ledger.commit(outbox, seq, vec![Op::Put { kind: Kind::Outbox, key, body: row }]).await.unwrap();
    world.deliver();
    let received = receiver.wait_for(1).await;
    let record = record(&received[0]);
    assert_eq!((&record["eventName"], &record["severityNumber"]), (&json!("finding.created"), &json!(18)));
    let mut shown = Value::Null;
    while shown["last_delivery"].is_null() {
        tokio::task::yield_now().await;
        shown = world.get(&tenant.key, &path(&endpoint)).await.ok(200);
    }
    let expected = json!({
        "event_id": event.id.to_string(),
        "event_type": "finding.created",
        "status": "succeeded",
        "created_at": "2026-07-08T09:00:00.000Z",
        "attempted_at": "2026-07-08T09:00:00.000Z",
        "status_code": 200,
        "error": null,
    });
    assert_eq!(shown["last_delivery"], expected);
    world.clock.advance(Duration::from_millis(1));
    let quiet = create(&world, &tenant, "quiet").await;
    let list = world.get(&tenant.key, TELEMETRY).await.ok(200);
    assert_eq!(list["data"], json!([quiet, shown]), "each with its own");
}

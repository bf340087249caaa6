//! Data directories that earlier builds wrote, one for each pair of format versions (`tests/upgrade/README.md`): this build
//! serves their contents, analyses the batches that wait in the log, and delivers the event that waits in the outbox.

#[path = "upgrade/generate.rs"]
mod generate;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::lines::{Form, failed_logins};
use crate::receiver::{Answer, Receiver};
use crate::server::{Server, wait_for};
use crate::webhooks::verify;

/// Attackers: of an incident that was delivered, and in the log only.
const DELIVERED: &str = "203.0.113.9";
const IN_LOG: &str = "192.0.2.44";
/// The address of the suppression, in the log only.
const SUPPRESSED: &str = "192.0.2.99";
/// A custom header of the webhook target.
const HEADER_VALUE: &str = "Bearer sealed-in-the-committed-directory";

fn directories() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade")
}

/// The directory of the formats that this build writes.
fn current() -> PathBuf {
    directories().join(format!("ledger-{}-log-{}", ledger::FORMATS.newest, durable_log::FORMATS.newest))
}

fn configure(server: &mut Server) {
    server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
    server.set("PALISADE__WEBHOOKS__RETRY_SECONDS", "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]");
    // The committed event never grows too old to be delivered.
    server.set("PALISADE__WEBHOOKS__RETENTION_DAYS", "3650");
}

/// Failed logins from an address: few, since analysis keeps each of them in several rows. The incident opens with the fifth.
fn attack(server: &Server, source: &str, address: &str, count: usize) {
    let body = Form::Ndjson.body(&failed_logins(count, "root", address));
    assert_eq!(server.ingest(source, Form::Ndjson.content_type(), body).status, 200);
}

fn say(server: &Server, source: &str, line: &str) {
    let body = Form::OtlpJson.body(&[line.to_owned()]);
    assert_eq!(server.ingest(source, Form::OtlpJson.content_type(), body).status, 200);
}

/// The first incident of a source that satisfies `wanted`, once there is one.
fn incident(server: &Server, source: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let incidents = server.incidents(source, |incidents| incidents.iter().any(&wanted));
    incidents.into_iter().find(wanted).unwrap()
}

fn about(server: &Server, source: &str, entity: &str) -> Value {
    incident(server, source, |incident| incident["entity"]["value"] == entity)
}

/// Asserts that `found` contains all of `expected`. Later builds may return more fields.
fn assert_contains(path: &str, found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (name, value) in expected {
                assert_contains(&format!("{path}.{name}"), found.get(name).unwrap_or(&Value::Null), value);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{path}");
            for (index, (found, value)) in found.iter().zip(expected).enumerate() {
                assert_contains(&format!("{path}[{index}]"), found, value);
            }
        }
        _ => assert_eq!(found, expected, "{path}"),
    }
}

#[test]
fn the_data_directory_of_every_format_is_served_analysed_and_delivered() {
    assert!(current().is_dir(), "{} is missing", current().display());
    let entries = std::fs::read_dir(directories()).unwrap().map(|entry| entry.unwrap().path());
    for directory in entries.filter(|path| path.is_dir()) {
        let content = std::fs::read(directory.join("content.json")).unwrap();
        let content: Value = serde_json::from_slice(&content).unwrap();
        let text = |name: &str| content[name].as_str().unwrap();
        let mut server = Server::on_copy_of(&directory.join("data"));
        configure(&mut server);
        server.run();
        // The committed target never answers; each attempt reads its row again.
        let receiver = Receiver::start(Answer::Status(204));
        let target = format!("/webhooks/{}", text("webhook_id"));
        assert_eq!(server.send("PATCH", &target, &json!({"url": receiver.url()})).status, 200);

        for (path, expected) in content["objects"].as_object().unwrap() {
            assert_contains(path, &server.get(path), expected);
        }
        let source = text("source_id");
        let waited = about(&server, source, IN_LOG);
        assert_eq!((&waited["event_count"], &waited["triage_status"]), (&json!(5), &json!("new")));
        let outgoing = [about(&server, text("outbox_source_id"), "bastion-1"), waited];
        let events = wait_for("the event in the outbox and that of the backlog arrive", || {
            let events = receiver.wait_for(1);
            let arrived = |incident: &Value| {
                events.iter().any(|event| event.json()["data"]["object"]["id"] == incident["id"])
            };
            outgoing.iter().all(arrived).then_some(events)
        });
        for event in &events {
            verify(event, text("webhook_secret"));
            assert_eq!(event.header("authorization"), HEADER_VALUE);
        }

        let suppression = wait_for("the suppression takes effect in the backlog", || {
            let suppression = server.get(text("suppression"));
            (suppression["counts"]["suppressed"] == 5).then_some(suppression)
        });
        assert_eq!(suppression["reason"], "Scanner of our own");
        let listed = server.incidents(source, |incidents| !incidents.is_empty());
        assert!(listed.iter().all(|incident| incident["entity"]["value"] != SUPPRESSED), "{listed:?}");
        let open = server.get(text("rule_incident"));
        say(&server, source, "abracadabra after the upgrade");
        let grown = incident(&server, source, |incident| {
            incident["id"] == open["id"] && incident["event_count"].as_u64() > open["event_count"].as_u64()
        });
        assert_eq!(grown["severity"], "high");
        assert!(server.interrupt());
    }
}

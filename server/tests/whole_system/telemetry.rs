//! From a log line to a collector: an incident that a policy escalates reaches telemetry endpoints as a log record, in both
//! encodings, despite kills on the way; the collector at the end is OpenTelemetry's own.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Kind;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;
use serde_json::{Value, json};

use crate::collector::Collector;
use crate::lines::{Form, failed_logins};
use crate::receiver::{Answer, Received, Receiver};
use crate::server::{Server, assert_in_no_file, everywhere, files_below, wait_for};

const HEADER_VALUE: &str = "Bearer entrusted-to-nobody-else-7723";

/// A server that may send to loopback, and retries soon.
fn configure(server: &mut Server) {
    server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
    server.set("PALISADE__WEBHOOKS__RETRY_SECONDS", "[1, 1, 1, 1, 1, 1, 1, 1]");
    assert!(server.interrupt());
    server.run();
    let policy = json!({"name": "on call", "minimum_severity": "low"});
    assert_eq!(server.send("POST", "/monitoring-policies", &policy).status, 201);
}

/// A telemetry endpoint for incidents.
fn subscribe(server: &Server, url: &str, protocol: &str) -> Value {
    let endpoint = json!({
        "endpoint": url,
        "protocol": protocol,
        "events": ["infrastructure.incident.escalated"],
        "headers": {"authorization": HEADER_VALUE},
    });
    let created = server.send("POST", "/telemetry", &endpoint);
    assert_eq!(created.status, 201, "{}", created.text());
    created.json()
}

fn attack(server: &Server, source: &str, address: &str) {
    let body = Form::Ndjson.body(&failed_logins(12, "root", address));
    assert_eq!(server.ingest(source, Form::Ndjson.content_type(), body).status, 200);
}

/// All records of a request in protobuf.
fn records(received: &Received) -> Vec<LogRecord> {
    assert_eq!(received.header("content-type"), "application/x-protobuf");
    let request = ExportLogsServiceRequest::decode(received.body.as_slice()).unwrap();
    let scopes = request.resource_logs.into_iter().flat_map(|resource| resource.scope_logs);
    scopes.flat_map(|scope| scope.log_records).collect()
}

fn attribute(record: &LogRecord, key: &str) -> String {
    let value = record.attributes.iter().find(|one| one.key == key).and_then(|one| one.value.clone());
    let Some(Kind::StringValue(text)) = value.and_then(|value| value.value) else { panic!("no {key}") };
    text
}

#[test]
fn an_incident_arrives_as_a_record_also_after_a_kill_between() {
    everywhere("an incident arrives as a log record", |server| {
        configure(server);
        let receiver = Receiver::start(Answer::Nothing);
        let endpoint = subscribe(server, &receiver.url(), "http/protobuf");
        let source = server.source("bastion");
        attack(server, &source, "203.0.113.9");
        receiver.wait_for(1);
        // It was sent and not accepted: the next process must send it again.
        server.kill();
        receiver.answer_with(Answer::Status(200));
        let before = receiver.wait_for(1).len();
        server.run();
        let received = receiver.wait_for(before + 1);

        let incident = server.incidents(&source, |incidents| incidents.len() == 1)[0].clone();
        let first = records(&received[0]).remove(0);
        assert_eq!(first.event_name, "infrastructure.incident.escalated");
        assert_eq!(json!(attribute(&first, "palisade.incident.id")), incident["id"]);
        let id = attribute(&first, "log.record.uid");
        let mut later = received.iter().skip(before).flat_map(records);
        let again = later.find(|record| attribute(record, "log.record.uid") == id);
        assert_eq!(again, Some(first), "the same record under the same id");
        assert!(received.iter().all(|one| one.header("authorization") == HEADER_VALUE));

        let path = format!("/telemetry/{}", endpoint["id"].as_str().unwrap());
        wait_for("the endpoint shows that it was accepted", || {
            let shown = server.get(&path);
            (shown["last_delivery"]["status"] == "succeeded").then_some(())
        });
        let detail = server.get(&format!("/incidents/{}", incident["id"].as_str().unwrap()));
        assert_eq!(detail["webhook_events"], json!([]), "no webhook was told");
        assert_in_no_file(&files_below(&server.data_dir()), &[HEADER_VALUE]);
    });
}

#[test]
fn a_real_collector_takes_tests_and_incidents_in_both_encodings() {
    let Some(collector) = Collector::find("a collector takes incidents in both encodings") else { return };
    let mut server = Server::start();
    configure(&mut server);
    let source = server.source("bastion");
    for (protocol, address) in [("http/protobuf", "203.0.113.10"), ("http/json", "203.0.113.11")] {
        let endpoint = subscribe(&server, &collector.url(), protocol);
        let path = format!("/telemetry/{}", endpoint["id"].as_str().unwrap());
        let tested = server.send("POST", &format!("{path}/test"), &json!({})).json();
        let outcome = (&tested["data"]["accepted"], &tested["data"]["status_code"], &tested["data"]["error"]);
        assert_eq!(outcome, (&json!(true), &json!(200), &json!(null)), "{tested}");
        let written = collector.wait_for(endpoint["id"].as_str().unwrap());
        assert!(written.contains("EventName: telemetry.test"), "{written}");

        attack(&server, &source, address);
        let delivered = wait_for("an incident is accepted", || {
            let delivery = server.get(&path)["last_delivery"].clone();
            (delivery["status"] == "succeeded").then_some(delivery)
        });
        assert_eq!((&delivered["status_code"], &delivered["error"]), (&json!(200), &json!(null)));
        let id = delivered["event_id"].as_str().unwrap();
        let written = collector.wait_for(&format!("log.record.uid: Str({id})"));
        for part in [
            "EventName: infrastructure.incident.escalated",
            "service.name: Str(palisade)",
            "palisade.incident.id: Str(",
            "palisade.source.group: Str(infrastructure)",
            &format!("\"value\":\"{address}\""),
        ] {
            assert!(written.contains(part), "{protocol}, {part}: {written}");
        }
        let gone = server.send("DELETE", &path, &json!(null));
        assert_eq!((gone.status, gone.json()["deleted"].clone()), (200, json!(true)));
    }
}

#[test]
fn without_a_word_of_the_operator_nothing_is_exported_to_the_machine_itself() {
    let server = Server::start();
    for url in ["http://127.0.0.1:4318/v1/logs", "https://127.0.0.1:4318/v1/logs", "https://[::1]/v1/logs"] {
        let refused = server.send("POST", "/telemetry", &json!({"endpoint": url, "protocol": "http/json"}));
        assert_eq!(refused.status, 400, "{}", refused.text());
        let refused = refused.json();
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("endpoint: "), "{message}");
    }
}

//! Deliveries: repeated, interrupted, refused.

use serde_json::json;

use crate::lines::{Form, failed_logins};
use crate::server::everywhere;

#[test]
fn repeated_deliveries_count_once_and_ten_equal_lines_without_times_are_ten() {
    everywhere("repeated deliveries count once and ten equal lines without times are ten", |server| {
        let source = server.source("repeats");
        let body = Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.9"));
        for _ in 0..3 {
            assert_eq!(server.ingest(&source, "application/x-ndjson", body.clone()).status, 200);
        }
        let line = json!({"program": "sshd", "host": "h", "message": "Failed password for root from 203.0.113.10 port 1 ssh2"}).to_string();
        let untimed = [line.as_str(); 10].join("\n").into_bytes();
        assert_eq!(server.ingest(&source, "application/x-ndjson", untimed.clone()).status, 200);
        let keyed = |key: &str| {
            let path = format!("/infrastructure/sources/{source}/v1/logs");
            let request = server.request("POST", &path).header("content-type", "application/x-ndjson");
            request.header("idempotency-key", key).body(untimed.clone()).send(server.address()).status
        };
        assert_eq!((keyed("one"), keyed("one"), keyed("two")), (200, 200, 200));
        let incidents = server.incidents(&source, |incidents| {
            incidents.iter().any(|incident| incident["event_count"] == 30) && incidents.len() == 2
        });
        let repeated =
            incidents.iter().find(|incident| incident["entity"]["value"] == "203.0.113.9").unwrap();
        assert_eq!(repeated["event_count"], 12);
    });
}

#[test]
fn what_was_accepted_before_an_interrupt_is_analysed_after_it() {
    everywhere("what was accepted before an interrupt is analysed after it", |server| {
        let source = server.source("interrupted");
        for number in 0..20 {
            let lines = failed_logins(12, "root", &format!("198.51.100.{number}"));
            assert_eq!(
                server.ingest(&source, "application/x-protobuf", Form::Protobuf.body(&lines)).status,
                200
            );
        }
        assert!(server.interrupt());
        server.run();
        let whole = |incidents: &[serde_json::Value]| {
            incidents.len() == 20 && incidents.iter().all(|incident| incident["event_count"] == 12)
        };
        server.incidents(&source, whole);
    });
}

#[test]
fn a_refused_batch_leaves_nothing_behind() {
    everywhere("a refused batch leaves nothing behind", |server| {
        let source = server.source("refused");
        let mut lines = Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.9"));
        lines.extend_from_slice(b"\n[1]\n");
        let response = server.ingest(&source, "application/x-ndjson", lines);
        assert_eq!(response.status, 400);
        let error = response.json();
        assert!(
            error["error"]["message"].as_str().unwrap().contains("12"),
            "the record's index is named: {error}"
        );
        assert_eq!(error["code"], 3);
        let marker = Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.10"));
        assert_eq!(server.ingest(&source, "application/x-ndjson", marker).status, 200);
        let incidents = server.incidents(&source, |incidents| !incidents.is_empty());
        assert_eq!(incidents.len(), 1, "{incidents:?}");
        assert_eq!(incidents[0]["entity"]["value"], "203.0.113.10");
    });
}

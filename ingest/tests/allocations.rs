//! Allocations of the hot path: a number of buffers for a batch, and nothing for a record. A separate program
//! because its allocator counts.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::sync::Arc;

use allocation_counter::measure;
use bytes::BytesMut;
use common::timestamp::Timestamp;
use ingest::limits::Limits;
use ingest::sanitize::{MaskedValues, Sanitizer};
use ingest::validate::{Format, validate};
use redact::{Policy, Redactor};
use serde_json::json;

/// The buffers of one batch: a transcoded payload and its shared handle, a step of growth or two.
const MOST_A_BATCH: u64 = 8;

/// Lines without secrets, with a number that may be a card's, the word session, and text that a rule
/// examines and finds harmless.
const LINES: [&str; 4] = [
    "Accepted publickey for deploy from 203.0.113.9 port 50022 ssh2",
    "order 4111 1111 1111 1112 of session 81234 shipped, IPs 10.20.30.40 and 10.203.113.9",
    "pam_unix(sshd:session): session opened for user deploy(uid=1000) by (uid=0)",
    "Größe „12 kB“ \\ tab\there, escaped in JSON, keys by the dozen",
];

fn line(record: usize) -> &'static str {
    LINES[record % LINES.len()]
}

fn ndjson(records: usize) -> Vec<u8> {
    let object = |record| {
        json!({"timestamp": 1_793_491_200 + record, "host": "web-1", "level": "info", "message": line(record),
            "nested": {"pid": record, "tags": ["a", "b"], "ratio": 0.5, "ok": true}})
    };
    (0..records).map(|record| format!("{}\n", object(record))).collect::<String>().into_bytes()
}

fn otlp_json(records: usize) -> Vec<u8> {
    let record = |record: usize| {
        json!({"timeUnixNano": "1793491200000000000", "severityText": "INFO", "body": {"stringValue": line(record)},
            "attributes": [{"key": "process.pid", "value": {"intValue": record.to_string()}},
                {"key": "host.name", "value": {"stringValue": "web-1"}}]})
    };
    let log_records: Vec<_> = (0..records).map(record).collect();
    json!({"resourceLogs": [{"scopeLogs": [{"logRecords": log_records}]}]}).to_string().into_bytes()
}

/// Ingestion transcodes JSON to protobuf as a sender would write it.
fn otlp_protobuf(records: usize) -> Vec<u8> {
    let json = BytesMut::from(otlp_json(records).as_slice());
    validate(Format::Json, json, &Limits::default(), Timestamp::default()).unwrap().payload.to_vec()
}

/// Number of allocations for validating and sanitizing a body.
fn allocations(sanitizer: &Sanitizer, format: Format, body: &[u8]) -> u64 {
    let (body, limits) = (BytesMut::from(body), Limits::default());
    let mut batch = None;
    let counted = measure(|| {
        let mut valid = validate(format, body, &limits, Timestamp::default()).unwrap();
        sanitizer.sanitize(&mut valid.payload, &mut MaskedValues::ignored());
        batch = Some(valid);
    });
    assert!(batch.is_some_and(|batch| batch.record_count > 0));
    counted.count_total
}

#[test]
fn a_record_allocates_nothing() {
    let sanitizer = Sanitizer::new(Arc::new(Redactor::new(&Policy::default()).unwrap()));
    for (format, bodies) in [
        (Format::OtlpProtobuf, [10, 2_000].map(otlp_protobuf)),
        (Format::Json, [10, 2_000].map(otlp_json)),
        (Format::Ndjson, [10, 2_000].map(ndjson)),
    ] {
        let [small, large] = bodies;
        allocations(&sanitizer, format, &large);
        let [few, many] = [small, large].map(|body| allocations(&sanitizer, format, &body));
        assert!(
            few <= MOST_A_BATCH && many <= MOST_A_BATCH,
            "{format:?}: {few} for 10 records, {many} for 2,000"
        );
    }
}

//! Both encodings against the messages of OpenTelemetry's own crate, and replies in every form they come in.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Numbers that every reader of JSON reads exactly.
        any::<i32>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("[a-z]{1,4}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn request(body: Value, time: u64, severity: i32, name: &str) -> ExportRequest {
    let record = LogRecord {
        time_unix_nano: time,
        observed_time_unix_nano: time.saturating_add(1),
        severity_number: severity,
        severity_text: "high".to_owned(),
        body: Some(AnyValue::from(body.clone())),
        attributes: vec![KeyValue::new("log.record.uid", "evt_1"), KeyValue::new("any", body)],
        event_name: name.to_owned(),
    };
    let scope = Scope { name: "scope".to_owned(), version: "1".to_owned() };
    let scope_logs = vec![ScopeLogs { scope: Some(scope), log_records: vec![record] }];
    let resource = Resource { attributes: vec![KeyValue::new("service.name", "palisade")] };
    ExportRequest { resource_logs: vec![ResourceLogs { resource: Some(resource), scope_logs }] }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn both_encodings_say_the_same_to_others(
        body in any_json(),
        time in any::<u64>(),
        severity in 0..24_i32,
        name in "[a-z.]{0,12}",
    ) {
        let request = request(body, time, severity, &name);
        let protobuf = request.encoded(TelemetryProtocol::Protobuf).unwrap();
        let theirs = ExportLogsServiceRequest::decode(protobuf).unwrap();
        let json = request.encoded(TelemetryProtocol::Json).unwrap();
        let read: ExportLogsServiceRequest = serde_json::from_slice(&json).unwrap();
        prop_assert_eq!(&read, &theirs);
        let record = &theirs.resource_logs[0].scope_logs[0].log_records[0];
        prop_assert_eq!((record.time_unix_nano, record.severity_number), (time, severity));
        prop_assert_eq!(&record.event_name, &name);
    }

    #[test]
    fn no_reply_is_a_reason_to_panic(body in vec(any::<u8>(), 0..64)) {
        for protocol in TelemetryProtocol::ALL {
            let _ = (partial_success(protocol, &body), refusal(protocol, &body));
        }
    }
}

#[test]
fn integers_of_64_bits_are_text_in_json_and_names_are_in_camel_case() {
    let json = request(json!({"n": 7, "real": 0.5}), 1_800_000_000_000_000_000, 17, "finding.created");
    let json: Value = serde_json::from_slice(&json.encoded(TelemetryProtocol::Json).unwrap()).unwrap();
    let record = &json["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
    assert_eq!(record["timeUnixNano"], "1800000000000000000");
    assert_eq!(record["eventName"], "finding.created");
    assert_eq!(record["severityNumber"], 17);
    let expected = json!({"kvlistValue": {"values": [
        {"key": "n", "value": {"intValue": "7"}},
        {"key": "real", "value": {"doubleValue": 0.5}},
    ]}});
    assert_eq!(record["body"], expected);
}

#[test]
fn replies_are_read_in_both_encodings() {
    let partial = PartialSuccess { rejected_log_records: 3, error_message: "too old".to_owned() };
    let reply = ExportReply { partial_success: Some(partial.clone()) }.encode_to_vec();
    assert_eq!(partial_success(TelemetryProtocol::Protobuf, &reply), partial);
    for count in [json!(3), json!("3")] {
        let body = json!({"partialSuccess": {"rejectedLogRecords": count, "errorMessage": "too old"}});
        assert_eq!(partial_success(TelemetryProtocol::Json, body.to_string().as_bytes()), partial);
    }
    for nothing in ["", "{}", "<html>fine</html>", "ok"] {
        for protocol in TelemetryProtocol::ALL {
            assert_eq!(partial_success(protocol, nothing.as_bytes()), PartialSuccess::default(), "{nothing}");
        }
    }
    let status = Status { message: "no such tenant".to_owned() }.encode_to_vec();
    assert_eq!(refusal(TelemetryProtocol::Protobuf, &status).as_deref(), Some("no such tenant"));
    let status = br#"{"code": 3, "message": "no such tenant"}"#;
    assert_eq!(refusal(TelemetryProtocol::Json, status).as_deref(), Some("no such tenant"));
    assert_eq!(refusal(TelemetryProtocol::Json, b"<html>"), None);
}

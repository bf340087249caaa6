//! The OTLP JSON transcoder against opentelemetry-proto.

use opentelemetry_proto::tonic::common::v1::KeyValue;
use proptest::prelude::*;

use super::generate::{any_damage, any_request, damaged};
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_opentelemetry_writes_is_read_back(request in any_request()) {
        for json in [serde_json::to_vec(&request).unwrap(), serde_json::to_vec_pretty(&request).unwrap()] {
            let batch = run(Format::Json, &json).unwrap();
            prop_assert_eq!(&super::request(&batch), &request);
            prop_assert_eq!(batch.record_count as usize, records(&request).count());
            // Every length is written in its shortest form, so the sizes agree as well.
            prop_assert_eq!(batch.payload.len(), request.encoded_len());
        }
    }

    #[test]
    fn damaged_requests_never_panic_and_stay_readable(
        request in any_request(),
        damage in proptest::collection::vec(any_damage(), 16),
    ) {
        let whole = serde_json::to_vec(&request).unwrap();
        for damage in damage {
            let body = damaged(whole.clone(), &damage);
            if let Ok(batch) = run(Format::Json, &body) {
                let read = super::request(&batch);
                prop_assert_eq!(records(&read).count(), batch.record_count as usize);
            }
        }
    }
}

/// A request with one record made of `members`.
fn with_record(members: &str) -> String {
    format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{{members}}}]}}]}}]}}"#)
}

fn only_record(json: &str) -> LogRecord {
    let batch = run(Format::Json, json.as_bytes()).unwrap_or_else(|rejection| panic!("{rejection}: {json}"));
    records(&request(&batch)).next().unwrap().clone()
}

fn body_value(any_value: &str) -> Option<Value> {
    only_record(&with_record(&format!(r#""body":{any_value}"#))).body.unwrap().value
}

#[test]
fn a_request_of_the_usual_shape() {
    let json = r#"{
      "resourceLogs": [{
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "checkout"}}]},
        "scopeLogs": [{
          "scope": {
            "name": "checkout.audit", "version": "2.1.0",
            "attributes": [{"key": "team", "value": {"stringValue": "payments"}}]
          },
          "logRecords": [{
            "timeUnixNano": "1783501811012000000",
            "observedTimeUnixNano": "1783501811500000000",
            "severityNumber": 13,
            "severityText": "Warning",
            "traceId": "0af7651916cd43dd8448eb211c80319c",
            "spanId": "B7AD6B7169203331",
            "body": {"stringValue": "card declined"},
            "attributes": [
              {"key": "text", "value": {"stringValue": "a \"quoted\" wörd"}},
              {"key": "flag", "value": {"boolValue": false}},
              {"key": "count", "value": {"intValue": "10"}},
              {"key": "ratio", "value": {"doubleValue": 0.25}},
              {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": 2}]}}},
              {"key": "map", "value": {"kvlistValue": {"values": [
                {"key": "inner", "value": {"stringValue": "b"}}]}}}
            ]
          }]
        }]
      }]
    }"#;
    let oracle: ExportLogsServiceRequest = serde_json::from_str(json).unwrap();
    let batch = run(Format::Json, json.as_bytes()).unwrap();
    assert_eq!(request(&batch), oracle);
    assert_eq!(oracle.resource_logs[0].scope_logs[0].log_records[0].attributes.len(), 6);
    assert_eq!((batch.record_count, batch.every_record_timed), (1, true));
}

#[test]
fn empty_requests_are_empty_batches() {
    for json in
        ["{}", " { } ", r#"{"resourceLogs":[]}"#, r#"{"resourceLogs":null}"#, r#"{"resource_logs":[],"x":1}"#]
    {
        let batch = run(Format::Json, json.as_bytes()).unwrap();
        assert_eq!((batch.record_count, batch.payload.len()), (0, 0), "{json}");
    }
}

#[test]
fn names_may_be_spelled_as_in_the_proto_files_and_unknown_ones_are_ignored() {
    let json = r#"{"later":{"a":[1,{"b":null}]},"resource_logs":[{"schema_url":"s","scope_logs":[{"log_records":[{
        "time_unix_nano":7,"observed_time_unix_nano":8,"severity_number":9,"severity_text":"t",
        "dropped_attributes_count":3,"trace_id":"","span_id":null,"event_name":"e","flags":1,
        "tim\u0065UnixNanos":true,"attributes":[{"key":"k","value":{"int_value":1,"unknownValue":2}}],
        "bod\u0079":{"string_value":"b"}}]}]}]}"#;
    let expected = LogRecord {
        time_unix_nano: 7,
        observed_time_unix_nano: 8,
        severity_number: 9,
        severity_text: "t".to_owned(),
        body: Some(text("b")),
        attributes: vec![KeyValue {
            key: "k".to_owned(),
            value: Some(AnyValue { value: Some(Value::IntValue(1)) }),
            key_strindex: 0,
        }],
        dropped_attributes_count: 3,
        flags: 1,
        event_name: "e".to_owned(),
        ..LogRecord::default()
    };
    assert_eq!(only_record(json), expected);
}

#[test]
fn integers_are_numbers_or_strings() {
    for (written, value) in [
        ("0", 0),
        ("\"0\"", 0),
        ("-9223372036854775808", i64::MIN),
        ("\"9223372036854775807\"", i64::MAX),
        ("1e3", 1_000),
        ("\"2.50e1\"", 25),
        ("4.0", 4),
        ("\"\\u0034\"", 4),
    ] {
        let read = body_value(&format!(r#"{{"intValue":{written}}}"#));
        assert_eq!(read, Some(Value::IntValue(value)), "{written}");
    }
    for (written, time) in
        [("18446744073709551615", u64::MAX), ("\"1\"", 1), ("1.7836e18", 1_783_600_000_000_000_000)]
    {
        assert_eq!(only_record(&with_record(&format!(r#""timeUnixNano":{written}"#))).time_unix_nano, time);
    }
}

#[test]
fn doubles_have_three_names() {
    for (written, value) in [
        ("1", 1.0),
        ("-0.5e-3", -0.0005),
        ("\"2.5\"", 2.5),
        ("\"Infinity\"", f64::INFINITY),
        ("\"-Infinity\"", f64::NEG_INFINITY),
    ] {
        let read = body_value(&format!(r#"{{"doubleValue":{written}}}"#));
        assert_eq!(read, Some(Value::DoubleValue(value)), "{written}");
    }
    assert!(
        matches!(body_value(r#"{"doubleValue":"NaN"}"#), Some(Value::DoubleValue(value)) if value.is_nan())
    );
}

#[test]
fn bytes_are_base64_in_either_alphabet() {
    for written in ["+/+/AQ==", "-_-_AQ==", "-_-_AQ", "+/+/AQ", "+\\/+\\/AQ=="] {
        let read = body_value(&format!(r#"{{"bytesValue":"{written}"}}"#));
        assert_eq!(read, Some(Value::BytesValue(vec![0xfb, 0xff, 0xbf, 0x01])), "{written}");
    }
    assert_eq!(body_value(r#"{"bytesValue":""}"#), Some(Value::BytesValue(Vec::new())));
}

#[test]
fn ids_are_hexadecimal_in_either_case_and_of_any_length() {
    for (written, id) in [("aBcD", vec![0xab, 0xcd]), ("", vec![]), ("\\u0030f", vec![0x0f])] {
        assert_eq!(only_record(&with_record(&format!(r#""traceId":"{written}""#))).trace_id, id, "{written}");
    }
}

#[test]
fn null_means_absent() {
    assert_eq!(body_value("{}"), None);
    assert_eq!(
        body_value(r#"{"stringValue":null,"intValue":"3","boolValue":null}"#),
        Some(Value::IntValue(3))
    );
    let record = only_record(&with_record(r#""body":null,"attributes":null,"timeUnixNano":null"#));
    assert_eq!(record, LogRecord::default());
}

#[test]
fn half_a_surrogate_pair_is_replaced() {
    for (written, value) in [
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d", "\u{fffd}"),
        (r"\ude00x", "\u{fffd}x"),
        (r"\ud83d\n", "\u{fffd}\n"),
        (r"\ud83d\u0041", "\u{fffd}A"),
        (r"\ud83d\ud83d\ude00", "\u{fffd}😀"),
    ] {
        let read = body_value(&format!(r#"{{"stringValue":"{written}"}}"#));
        assert_eq!(read, Some(Value::StringValue(value.to_owned())), "{written}");
    }
}

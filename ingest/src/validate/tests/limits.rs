//! Every limit at its bound and one above, in every format that has it.

use opentelemetry_proto::tonic::common::v1::{ArrayValue, KeyValue, KeyValueList};
use opentelemetry_proto::tonic::logs::v1::{ResourceLogs, ScopeLogs};

use super::*;

fn exceeded(limit: &'static str, allowed: u64, record: Option<u32>) -> Option<Rejection> {
    Some(Rejection::LimitExceeded { limit, allowed, found: allowed + 1, record })
}

/// A request of `groups` resources with `scopes` scopes each, these with `records` records each.
fn nested(groups: usize, scopes: usize, record: &str, records: usize) -> String {
    let records = vec![record; records].join(",");
    let scopes = vec![format!(r#"{{"logRecords":[{records}]}}"#); scopes].join(",");
    let groups = vec![format!(r#"{{"scopeLogs":[{scopes}]}}"#); groups].join(",");
    format!(r#"{{"resourceLogs":[{groups}]}}"#)
}

fn attributes(count: usize) -> String {
    vec![r#"{"key":"k"}"#; count].join(",")
}

/// The refusal of an OTLP request in JSON and, as prost writes it, in protobuf.
fn both(json: &str) -> [Option<Rejection>; 2] {
    let request: ExportLogsServiceRequest = serde_json::from_str(json).unwrap();
    [run(Format::Json, json.as_bytes()).err(), run(Format::OtlpProtobuf, &request.encode_to_vec()).err()]
}

#[test]
fn records() {
    assert_eq!(both(&nested(2, 1, "{}", 5_000)), [None, None]);
    assert_eq!(
        both(&nested(1, 3, "{}", 3_334))[0],
        Some(Rejection::LimitExceeded { limit: "records", allowed: 10_000, found: 10_002, record: None })
    );
    assert_eq!(both(&nested(1, 1, "{}", 10_001)), [exceeded("records", 10_000, None); 2]);
    for (format, separator, around) in [(Format::Json, ",", "[]"), (Format::Ndjson, "\n", "  ")] {
        let (before, after) = around.split_at(1);
        for (count, expected) in [(10_000, None), (10_001, exceeded("records", 10_000, None))] {
            let body = format!("{before}{}{after}", vec!["{}"; count].join(separator));
            assert_eq!(run(format, body.as_bytes()).err(), expected);
        }
    }
}

#[test]
fn resource_groups_and_scopes() {
    assert_eq!(both(&nested(1_000, 1, "{}", 1)), [None, None]);
    assert_eq!(both(&nested(1_001, 0, "{}", 0)), [exceeded("resource_groups", 1_000, None); 2]);
    // Scopes count over the whole batch.
    assert_eq!(both(&nested(10, 100, "{}", 0)), [None, None]);
    assert_eq!(both(&nested(7, 143, "{}", 0)), [exceeded("scopes", 1_000, None); 2]);
}

#[test]
fn attributes_of_resources_scopes_and_records() {
    for (count, over) in [(128, false), (129, true)] {
        let attributes = attributes(count);
        let resource = format!(r#"{{"resourceLogs":[{{"resource":{{"attributes":[{attributes}]}}}}]}}"#);
        let scope =
            format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"scope":{{"attributes":[{attributes}]}}}}]}}]}}"#);
        let record = format!(r#"{{"attributes":[{attributes}]}}"#);
        let record = nested(1, 1, &format!("{{}},{record}"), 1);
        for (json, index) in [(resource, None), (scope, None), (record, Some(1))] {
            let expected = if over { exceeded("attributes", 128, index) } else { None };
            assert_eq!(both(&json), [expected; 2], "{count} attributes");
        }
    }
    // Maps inside a value and the fields of drain objects are not attributes.
    let pairs = format!(r#"{{"body":{{"kvlistValue":{{"values":[{}]}}}}}}"#, attributes(129));
    assert_eq!(both(&nested(1, 1, &pairs, 1)), [None, None]);
    let fields: Vec<_> = (0..300).map(|field| format!("\"f{field}\":1")).collect();
    assert_eq!(run(Format::Ndjson, format!("{{{}}}", fields.join(",")).as_bytes()).err(), None);
}

#[test]
fn record_bytes() {
    let limits = Limits { record_bytes: 100, ..Limits::default() };
    let run = |format, body: &[u8]| validate(format, BytesMut::from(body), &limits, RECEIVED_AT).err();
    for (length, expected) in [(100, None), (101, exceeded("record_bytes", 100, Some(1)))] {
        let object = format!(r#"{{"m":"{}"}}"#, "x".repeat(length - 8));
        assert_eq!(run(Format::Json, format!("[{{}}, {object} ]").as_bytes()), expected);
        assert_eq!(run(Format::Ndjson, format!("{{}}\n\n  {object}  \n").as_bytes()), expected);
        let record = format!(r#"{{"severityText":"{}"}}"#, "x".repeat(length - 19));
        assert_eq!(run(Format::Json, nested(1, 1, &format!("{{}}, {record}"), 1).as_bytes()), expected);
        let record = format!(r#"{{"severityText":"{}"}}"#, "x".repeat(length - 2));
        let request: ExportLogsServiceRequest =
            serde_json::from_str(&nested(1, 1, &format!("{{}},{record}"), 1)).unwrap();
        assert_eq!(run(Format::OtlpProtobuf, &request.encode_to_vec()), expected);
    }
}

/// A value that is `levels` levels deep, in JSON and as a message.
fn deep_value(levels: usize, map: bool) -> (String, AnyValue) {
    let (mut json, mut value) = ("{}".to_owned(), AnyValue { value: None });
    for _ in 1..levels {
        let outer = if map {
            json = format!(r#"{{"kvlistValue":{{"values":[{{"key":"k","value":{json}}}]}}}}"#);
            let pair = KeyValue { key: "k".to_owned(), value: Some(value), key_strindex: 0 };
            Value::KvlistValue(KeyValueList { values: vec![pair] })
        } else {
            json = format!(r#"{{"arrayValue":{{"values":[{json}]}}}}"#);
            Value::ArrayValue(ArrayValue { values: vec![value] })
        };
        value = AnyValue { value: Some(outer) };
    }
    (json, value)
}

/// A record with the value as its attribute, which is the deeper of the two places.
fn deep_record(levels: usize, map: bool) -> (String, ExportLogsServiceRequest) {
    let (json, value) = deep_value(levels, map);
    let json = format!(r#"{{"attributes":[{{"key":"k","value":{json}}}],"body":{json}}}"#);
    let pair = KeyValue { key: "k".to_owned(), value: Some(value.clone()), key_strindex: 0 };
    let record = LogRecord { attributes: vec![pair], body: Some(value), ..LogRecord::default() };
    let scope = ScopeLogs { log_records: vec![LogRecord::default(), record], ..ScopeLogs::default() };
    let group = ResourceLogs { scope_logs: vec![scope], ..ResourceLogs::default() };
    (nested(1, 1, &format!("{{}},{json}"), 1), ExportLogsServiceRequest { resource_logs: vec![group] })
}

#[test]
fn depth() {
    let too_deep = Rejection::Malformed { record: Some(1), reason: Reason::TooDeep { allowed: 64 } };
    for map in [false, true] {
        // As deep as readers follow that stop at 100 nested messages: a value inside 31 lists.
        let (json, message) = deep_record(32, map);
        assert_eq!(request(&run(Format::Json, json.as_bytes()).unwrap()), message);
        assert_eq!(request(&run(Format::OtlpProtobuf, &message.encode_to_vec()).unwrap()), message);
        // As deep as is accepted: a value inside 64 lists.
        let (json, message) = deep_record(65, map);
        let encoded = message.encode_to_vec();
        assert_eq!(run(Format::OtlpProtobuf, &encoded).unwrap().payload, encoded);
        // Deep lengths may be longer than need be.
        let transcoded = run(Format::Json, json.as_bytes()).unwrap().payload;
        assert!((encoded.len()..encoded.len() + 200).contains(&transcoded.len()));
        assert_eq!(run(Format::OtlpProtobuf, &transcoded).unwrap().record_count, 2);
        let (json, message) = deep_record(66, map);
        assert_eq!(run(Format::Json, json.as_bytes()).unwrap_err(), too_deep);
        assert_eq!(run(Format::OtlpProtobuf, &message.encode_to_vec()).unwrap_err(), too_deep);
    }
    for (levels, expected) in [(64, None), (65, Some(too_deep))] {
        for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
            let value = format!("{}1{}", open.repeat(levels - 1), close.repeat(levels - 1));
            let body = format!("{{}}\n{{\"a\":{value}}}");
            assert_eq!(run(Format::Ndjson, body.as_bytes()).err(), expected, "{levels} levels");
        }
    }
}

#[test]
fn hostile_depth_is_refused_without_following_it() {
    for (open, format) in [
        ("[", Format::Json),
        ("{\"a\":", Format::Json),
        ("[{\"a\":", Format::Json),
        ("{\"a\":", Format::Ndjson),
        ("{\"a\":[", Format::Ndjson),
        ("{\"resourceLogs\":[{\"unknown\":[", Format::Json),
        ("\n\x12", Format::OtlpProtobuf),
    ] {
        let body = open.repeat(100_000);
        assert!(run(format, body.as_bytes()).is_err());
    }
    let mut value = Vec::new();
    for _ in 0..5_000 {
        let mut outer = vec![42];
        let inner = [&[10], &length_prefixed(&value)[..]].concat();
        outer.extend_from_slice(&length_prefixed(&inner));
        value = outer;
    }
    let mut body = value;
    for key in [42, 18, 18, 10] {
        body = [&[key], &length_prefixed(&body)[..]].concat();
    }
    let rejection = run(Format::OtlpProtobuf, &body).unwrap_err();
    assert_eq!(rejection.to_string(), "record 0: values are nested deeper than 64 levels");
}

fn length_prefixed(bytes: &[u8]) -> Vec<u8> {
    let mut prefixed = Vec::new();
    prost::encoding::encode_varint(bytes.len() as u64, &mut prefixed);
    prefixed.extend_from_slice(bytes);
    prefixed
}

#[test]
fn syntax_comes_before_counts() {
    let limits = Limits { records: 1, ..Limits::default() };
    let rejection =
        validate(Format::Ndjson, BytesMut::from(&b"{}\n{}\n{}\nnull"[..]), &limits, RECEIVED_AT).unwrap_err();
    assert_eq!(rejection.to_string(), "record 3: expected a log object at byte 9, found 'n'");
}

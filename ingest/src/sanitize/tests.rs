//! Masking in place, against messages that prost reads before and after.

use std::sync::LazyLock;

use bytes::BytesMut;
use common::timestamp::Timestamp;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use proptest::prelude::*;
use prost::Message as _;
use redact::{EntityType, Policy};

use super::*;
use crate::limits::Limits;
use crate::validate::tests::generate::any_request;
use crate::validate::{Format, validate};

const SECRET: &str = "alice.liddell@example.com";

fn any(value: Value) -> Option<AnyValue> {
    Some(AnyValue { value: Some(value) })
}

fn text(text: &str) -> Option<AnyValue> {
    any(Value::StringValue(text.to_owned()))
}

fn pair(key: &str, value: Option<AnyValue>) -> KeyValue {
    KeyValue { key: key.to_owned(), value, key_strindex: 0 }
}

fn map(values: Vec<KeyValue>) -> Option<AnyValue> {
    any(Value::KvlistValue(KeyValueList { values }))
}

fn with_record(record: LogRecord) -> ExportLogsServiceRequest {
    let scope = ScopeLogs { log_records: vec![record], ..ScopeLogs::default() };
    let group = ResourceLogs { scope_logs: vec![scope], ..ResourceLogs::default() };
    ExportLogsServiceRequest { resource_logs: vec![group] }
}

/// The payload after sanitizing, which must have kept its length and must still be readable.
fn sanitized(payload: &[u8]) -> (Vec<u8>, Report) {
    let policy = Policy { entities: EntityType::ALL.into_iter().collect(), ..Policy::default() };
    let redactor = Redactor::new(&policy).unwrap();
    let mut masked = payload.to_vec();
    let report = sanitize(&redactor, &mut masked);
    assert_eq!(masked.len(), payload.len());
    (masked, report)
}

fn sanitized_body(body: Option<AnyValue>) -> (Option<Value>, u32) {
    let request = with_record(LogRecord { body, ..LogRecord::default() });
    let (payload, report) = sanitized(&request.encode_to_vec());
    let mut request = ExportLogsServiceRequest::decode(&payload[..]).unwrap();
    let record = request.resource_logs.remove(0).scope_logs.remove(0).log_records.remove(0);
    (record.body.unwrap().value, report.masked)
}

fn occurrences(payload: &[u8]) -> usize {
    memchr::memmem::find_iter(payload, SECRET).count()
}

#[test]
fn every_text_is_looked_at() {
    let said = format!("mail from {SECRET} refused");
    let array = any(Value::ArrayValue(ArrayValue { values: vec![text(&said).unwrap()] }));
    let record = LogRecord {
        severity_text: SECRET.to_owned(),
        event_name: SECRET.to_owned(),
        body: map(vec![pair("list", array), pair("inner", map(vec![pair("deep", text(&said))]))]),
        attributes: vec![
            pair("said", text(&said)),
            pair("raw", any(Value::BytesValue(said.clone().into_bytes()))),
            pair(SECRET, text("a name may be one too")),
        ],
        ..LogRecord::default()
    };
    let mut request = with_record(record);
    let group = &mut request.resource_logs[0];
    group.resource = Some(Resource { attributes: vec![pair("owner", text(SECRET))], ..Resource::default() });
    group.scope_logs[0].scope = Some(InstrumentationScope {
        name: SECRET.to_owned(),
        attributes: vec![pair("author", text(SECRET))],
        ..InstrumentationScope::default()
    });
    let payload = request.encode_to_vec();
    assert_eq!(occurrences(&payload), 10);
    let (masked, report) = sanitized(&payload);
    assert_eq!((occurrences(&masked), report.masked), (0, 10));
    let read = ExportLogsServiceRequest::decode(&masked[..]).unwrap();
    let attribute = &read.resource_logs[0].scope_logs[0].log_records[0].attributes[0];
    assert_eq!(attribute.key, "said");
    let Some(Value::StringValue(kept)) = attribute.value.clone().unwrap().value else {
        panic!("a text was expected")
    };
    assert!(kept.starts_with("mail from ") && kept.ends_with(" refused"), "{kept}");
}

#[test]
fn a_sensitive_key_masks_all_that_is_below_it() {
    let inner = vec![
        pair("hint", text("the usual")),
        pair("pin", any(Value::IntValue(1234))),
        pair("negative", any(Value::IntValue(-1))),
        pair("zero", any(Value::IntValue(0))),
        pair("ratio", any(Value::DoubleValue(0.25))),
        pair("set", any(Value::BoolValue(true))),
        pair("raw", any(Value::BytesValue(b"raw".to_vec()))),
        pair("empty", text("")),
    ];
    let body = map(vec![pair("user", text("bob")), pair("password", map(inner))]);
    let (body, masked) = sanitized_body(body);
    let Some(Value::KvlistValue(list)) = body else { panic!("a map was expected") };
    assert_eq!(list.values[0], pair("user", text("bob")));
    let Some(Value::KvlistValue(inner)) = list.values[1].value.clone().unwrap().value else {
        panic!("a map was expected")
    };
    let value = |index: usize| inner.values[index].value.clone().unwrap().value.unwrap();
    assert!(matches!(value(0), Value::StringValue(hint) if hint.len() == 9 && !hint.contains("usual")));
    assert_eq!([value(1), value(2), value(3)], [Value::IntValue(0), Value::IntValue(0), Value::IntValue(0)]);
    assert_eq!([value(4), value(5)], [Value::DoubleValue(0.0), Value::BoolValue(true)]);
    assert!(matches!(value(6), Value::BytesValue(raw) if raw.len() == 3 && raw != b"raw"));
    assert_eq!(value(7), Value::StringValue(String::new()));
    assert_eq!(masked, 6);
}

#[test]
fn what_detection_groups_by_is_left() {
    let id = "AKIAIOSFODNN7EXAMPLE";
    let inner = map(vec![pair("password", text("hunter2 hunter2"))]);
    let body = map(vec![pair("accessKeyId", text(id)), pair("principalId", inner)]);
    let (body, _) = sanitized_body(body);
    let Some(Value::KvlistValue(list)) = body else { panic!("a map was expected") };
    assert_eq!(list.values[0], pair("accessKeyId", text(id)));
    // A key of its own is judged on its own, in any place.
    assert!(!format!("{:?}", list.values[1]).contains("hunter2"));
}

#[test]
fn names_beyond_what_is_remembered_are_judged_alike() {
    let pairs = |round: usize| (0..400).map(move |index| (round, index));
    let mut values = Vec::new();
    for (round, index) in pairs(0).chain(pairs(1)) {
        values.push(pair(&format!("field{index}"), text("hunter2")));
        values.push(pair(&format!("db{index}.password"), text("hunter2")));
        values.push(pair(&format!("{}{round}.password", "x".repeat(100)), text("hunter2")));
        values.push(pair(&format!("{index} {SECRET}"), None));
    }
    let (body, masked) = sanitized_body(map(values));
    let Some(Value::KvlistValue(list)) = body else { panic!("a map was expected") };
    for pair in &list.values {
        let open = pair.value == text("hunter2");
        assert_eq!(open, pair.key.starts_with("field"), "{pair:?}");
        assert!(!pair.key.contains("alice"), "{pair:?}");
    }
    assert_eq!(masked, 3 * 800);
}

/// A request around the bytes of one attribute.
fn around(attribute: &[u8]) -> Vec<u8> {
    let mut body = attribute.to_vec();
    for key in [50, 18, 18, 10] {
        body = [&[key, body.len() as u8], &body[..]].concat();
    }
    body
}

#[test]
fn neither_order_nor_repetition_hides_a_key() {
    let password = [&[10, 8], &b"password"[..]].concat();
    let name = [&[10, 4], &b"name"[..]].concat();
    let value = [&[18, 9, 10, 7], &b"hunter2"[..]].concat();
    for attribute in [
        [&password[..], &value].concat(),
        [&value[..], &password].concat(),
        [&name[..], &value, &password].concat(),
        [&password[..], &value, &name].concat(),
    ] {
        let (masked, report) = sanitized(&around(&attribute));
        assert!(memchr::memmem::find(&masked, b"hunter2").is_none());
        assert_eq!(report.masked, 1);
        ExportLogsServiceRequest::decode(&masked[..]).unwrap();
    }
}

#[test]
fn fields_of_later_versions_are_looked_at() {
    // Field 15 of the attribute, length-delimited.
    let unknown = [&[122, SECRET.len() as u8], SECRET.as_bytes()].concat();
    let (masked, report) = sanitized(&around(&unknown));
    assert_eq!((occurrences(&masked), report.masked), (0, 1));
}

#[test]
fn what_holds_no_secret_is_not_touched() {
    let record = LogRecord {
        time_unix_nano: 1_783_501_811_012_000_000,
        body: text("session opened for user root by uid 0"),
        attributes: vec![pair("count", any(Value::IntValue(300))), pair("path", text("/var/log/auth.log"))],
        trace_id: vec![7; 16],
        ..LogRecord::default()
    };
    let payload = with_record(record).encode_to_vec();
    assert_eq!(sanitized(&payload), (payload, Report { masked: 0 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_batch_stays_readable(request in any_request()) {
        let (masked, _) = sanitized(&request.encode_to_vec());
        let read = ExportLogsServiceRequest::decode(&masked[..]).unwrap();
        prop_assert_eq!(read.encoded_len(), masked.len());
    }
}

/// Finds the default types.
static USUAL: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(&Policy::default()).unwrap());

/// Checks that exactly the marked parts (`«…»`) of drained lines are masked, also when repeated.
fn masks(lines: &str) {
    let plain = lines.replace(['«', '»'], "");
    let redactor = &*USUAL;
    let body = BytesMut::from(plain.as_bytes());
    let payload =
        validate(Format::Ndjson, body, &Limits::default(), Timestamp::default()).unwrap().payload.to_vec();
    let mut masked = payload.clone();
    sanitize(redactor, &mut masked);
    let mut again = masked.clone();
    sanitize(redactor, &mut again);
    assert_eq!(again, masked, "{lines}");
    ExportLogsServiceRequest::decode(&masked[..]).unwrap();
    let mut at = 0;
    let is_mask = |part: &[u8]| part.ends_with(b"*") || part.ends_with(b"_REDACTED>");
    for secret in lines.split('«').skip(1).map(|part| part.split('»').next().unwrap()) {
        let secret = &serde_json::from_str::<String>(&format!("\"{secret}\"")).unwrap();
        let start = at + memchr::memmem::find(&payload[at..], secret.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&masked[at..start]),
            String::from_utf8_lossy(&payload[at..start]),
            "{lines}"
        );
        at = start + secret.len();
        let part = &masked[start..at];
        assert!(is_mask(part), "{secret} in {lines}: {}", String::from_utf8_lossy(part));
    }
    assert_eq!(String::from_utf8_lossy(&masked[at..]), String::from_utf8_lossy(&payload[at..]), "{lines}");
}

mod arguments;
mod bare;
mod identifiers;
mod key_lines;
mod listed;
mod masked_values;
mod secret_names;
mod walk;

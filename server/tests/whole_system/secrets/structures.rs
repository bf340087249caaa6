//! Structures that contain a secret, and similar structures that contain none; and their bodies.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue, KeyValueList, any_value};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;
use serde_json::Value;

use crate::lines::{Form, MORNING};

/// Objects by kind: each is a record of a drain, or the attributes of a record.
pub(super) const SECRETS: &[(&str, &str)] = &[
    ("environment", r#"{"pod":"{word}","env":[{"name":"DB_PASSWORD","value":"{password}"}]}"#),
    (
        "environment with others",
        r#"{"pod":"{word}","env":[{"name":"MODE","value":"fast"},{"name":"API_TOKEN","value":"{mixed32}"}]}"#,
    ),
    ("arguments of mysql", r#"{"job":"{word}","argv":["mysql","-uroot","-p{password}"]}"#),
    (
        "arguments of sshpass",
        r#"{"job":"{word}","process.command_args":["sshpass","-p","{password}","ssh","ops@a.example"]}"#,
    ),
    (
        "arguments of curl",
        r#"{"job":"{word}","process":{"args":["curl","-u","mirror:{password}","https://a.example"]}}"#,
    ),
    ("arguments of net", r#"{"job":"{word}","process":{"args":["net","user","ann","{password}","/add"]}}"#),
    (
        "a JWT as the name of a user",
        r#"{"job":"{word}","user.name":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ{mixed40}.{mixed43}"}"#,
    ),
    ("a vendor's token as the name of a user", r#"{"job":"{word}","user.name":"ghp_{mixed36}"}"#),
    (
        "a private key as the name of a user",
        r#"{"job":"{word}","user.name":"-----BEGIN PRIVATE KEY-----\n{base64}\n-----END PRIVATE KEY-----"}"#,
    ),
    ("authorization code", r#"{"job":"{word}","code":"{mixed40}","redirect_uri":"https://a.example/back"}"#),
    ("an Airtable token as the name of a user", r#"{"job":"{word}","user":{"name":"{airtable}"}}"#),
];

/// By the kind that they resemble. Every text in them is kept.
pub(super) const LOOK_ALIKES: &[(&str, &str)] = &[
    ("environment", r#"{"pod":"{word}","env":[{"name":"LOG_LEVEL","value":"debug-{word}"}]}"#),
    ("name of a user", r#"{"job":"of {word}","user.name":"{word}"}"#),
    ("arguments of ssh", r#"{"argv":["ssh","-p","2222","ops@{word}.example"]}"#),
    ("arguments of mkdir", r#"{"process.command_args":["mkdir","-p","/srv/{word}/releases"]}"#),
    ("arguments of mysql", r#"{"argv":["mysql","-u","root","-p","shop-{word}"]}"#),
    ("arguments of net", r#"{"process":{"args":["net","user","{word}","/domain"]}}"#),
    ("arguments of find", r#"{"argv":["find","/srv/{word}","-name","mysql","-print"]}"#),
    ("working directory", r#"{"job":"of {word}","env":{"PWD":"/srv/{word}"}}"#),
];

/// Lines with a character of no width, and texts that are sent line by line, in some forms behind a syslog header.
pub(super) const SECRET_LINES: &[(&str, &str)] = &[
    ("zero-width space in a key", "saved {word} p\u{200b}assword={password}"),
    ("zero-width space in an option", "sshpass -\u{200b}p {password} ssh ops@{word}.example"),
    (
        "private key line by line",
        "wrote {word}\n-----BEGIN RSA PRIVATE KEY-----\n{base64}\n{base64}\n{base44}\n-----END RSA PRIVATE KEY-----",
    ),
    (
        "encrypted private key line by line",
        "wrote {word}\n-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{base64}\n{base44}\n-----END EC PRIVATE KEY-----",
    ),
];

/// By the kind that they resemble. Each is kept unchanged.
pub(super) const KEPT_LINES: &[(&str, &str)] = &[
    (
        "certificate line by line",
        "wrote {word}\n-----BEGIN CERTIFICATE-----\n{base64}\n{base64}\n{base44}\n-----END CERTIFICATE-----",
    ),
    ("zero-width space in prose", "deployed {word} to the zero\u{200b}width stage"),
];

/// Every text in a value, without the names.
pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(pairs) => pairs.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// The body with these objects, one second apart.
pub(super) fn body(form: Form, objects: &[Value]) -> Vec<u8> {
    match form {
        Form::Protobuf => request(objects).encode_to_vec(),
        Form::OtlpJson => serde_json::to_vec(&request(objects)).unwrap(),
        Form::JsonArray => Value::from(objects).to_string().into_bytes(),
        Form::Ndjson => objects.iter().map(Value::to_string).collect::<Vec<_>>().join("\n").into_bytes(),
    }
}

fn request(objects: &[Value]) -> ExportLogsServiceRequest {
    let record = |(index, object): (usize, &Value)| LogRecord {
        time_unix_nano: MORNING + index as u64 * 1_000_000_000,
        attributes: pairs(object),
        ..LogRecord::default()
    };
    let log_records = objects.iter().enumerate().map(record).collect();
    let scope_logs = vec![ScopeLogs { log_records, ..ScopeLogs::default() }];
    ExportLogsServiceRequest { resource_logs: vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }] }
}

fn pairs(object: &Value) -> Vec<KeyValue> {
    let pair = |(key, value): (&String, &Value)| KeyValue {
        key: key.clone(),
        value: Some(any(value)),
        ..KeyValue::default()
    };
    object.as_object().unwrap().iter().map(pair).collect()
}

fn any(value: &Value) -> AnyValue {
    let value = match value {
        Value::String(text) => any_value::Value::StringValue(text.clone()),
        Value::Array(values) => {
            any_value::Value::ArrayValue(ArrayValue { values: values.iter().map(any).collect() })
        }
        Value::Object(_) => any_value::Value::KvlistValue(KeyValueList { values: pairs(value) }),
        _ => panic!("the tables hold texts only: {value}"),
    };
    AnyValue { value: Some(value) }
}

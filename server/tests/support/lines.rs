//! Log lines for tests, in every wire format.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;
use serde_json::{Value, json};

/// 2026-07-08T09:00:00Z in nanoseconds.
pub(crate) const MORNING: u64 = 1_783_501_200_000_000_000;

/// A wire format of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Protobuf,
    OtlpJson,
    JsonArray,
    Ndjson,
}

impl Form {
    pub(crate) const ALL: [Self; 4] = [Self::Protobuf, Self::OtlpJson, Self::JsonArray, Self::Ndjson];

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::OtlpJson | Self::JsonArray => "application/json; charset=utf-8",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// The body with these syslog-like lines, one second apart.
    pub(crate) fn body(self, lines: &[String]) -> Vec<u8> {
        let time = |index: usize| MORNING + index as u64 * 1_000_000_000;
        match self {
            Self::Protobuf => request(lines, time).encode_to_vec(),
            Self::OtlpJson => serde_json::to_vec(&request(lines, time)).unwrap(),
            Self::JsonArray => Value::Array(drains(lines, time)).to_string().into_bytes(),
            Self::Ndjson => {
                drains(lines, time).iter().map(Value::to_string).collect::<Vec<_>>().join("\r\n").into_bytes()
            }
        }
    }
}

fn drains(lines: &[String], time: impl Fn(usize) -> u64) -> Vec<Value> {
    let drain = |(index, line): (usize, &String)| json!({"timestamp": time(index) / 1_000_000, "host": "bastion-1", "program": "sshd", "message": line});
    lines.iter().enumerate().map(drain).collect()
}

fn request(lines: &[String], time: impl Fn(usize) -> u64) -> ExportLogsServiceRequest {
    let log_records = lines
        .iter()
        .enumerate()
        .map(|(index, line)| LogRecord {
            time_unix_nano: time(index),
            body: Some(text(&format!("Jul  8 09:00:{index:02} bastion-1 sshd[4711]: {line}"))),
            ..LogRecord::default()
        })
        .collect();
    let host =
        KeyValue { key: "host.name".to_owned(), value: Some(text("bastion-1")), ..KeyValue::default() };
    ExportLogsServiceRequest {
        resource_logs: vec![ResourceLogs {
            resource: Some(Resource { attributes: vec![host], ..Resource::default() }),
            scope_logs: vec![ScopeLogs { log_records, ..ScopeLogs::default() }],
            ..ResourceLogs::default()
        }],
    }
}

fn text(text: &str) -> AnyValue {
    AnyValue { value: Some(any_value::Value::StringValue(text.to_owned())) }
}

/// Failed logins of `user` from an address.
pub(crate) fn failed_logins(count: usize, user: &str, address: &str) -> Vec<String> {
    (0..count)
        .map(|number| format!("Failed password for {user} from {address} port {} ssh2", 40_000 + number))
        .collect()
}

/// The same bytes as a gzip member.
pub(crate) fn gzip(body: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

//! Wire formats of log lines: each of the bodies that ingestion accepts, plain or compressed.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;
use serde_json::{Value, json};

/// A log line, before it is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Time of the event, milliseconds since 1970.
    pub time_ms: u64,
    /// Host name.
    pub host: String,
    /// Program that wrote it.
    pub program: &'static str,
    /// Message text.
    pub message: String,
}

/// A wire format of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Protobuf,
    OtlpJson,
    JsonArray,
    Ndjson,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 4] = [Self::Protobuf, Self::OtlpJson, Self::JsonArray, Self::Ndjson];

    /// Its `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::OtlpJson | Self::JsonArray => "application/json",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// The body that contains the lines, as a gzip member if requested.
    pub fn body(self, lines: &[Line], gzip: bool) -> Bytes {
        let body = self.encode(lines);
        Bytes::from(if gzip { compress(&body) } else { body })
    }

    fn encode(self, lines: &[Line]) -> Vec<u8> {
        match self {
            Self::Protobuf => export(lines).encode_to_vec(),
            // Texts and numbers only: writing them as JSON cannot fail.
            Self::OtlpJson => serde_json::to_vec(&export(lines)).unwrap_or_default(),
            Self::JsonArray => Value::Array(lines.iter().map(drain).collect()).to_string().into_bytes(),
            Self::Ndjson => {
                let lines: Vec<String> = lines.iter().map(|line| drain(line).to_string()).collect();
                lines.join("\n").into_bytes()
            }
        }
    }
}

fn drain(line: &Line) -> Value {
    json!({"timestamp": line.time_ms, "host": line.host, "program": line.program, "message": line.message})
}

/// A resource for each run of lines from the same host.
fn export(lines: &[Line]) -> ExportLogsServiceRequest {
    let by_host = lines.chunk_by(|a, b| a.host == b.host);
    ExportLogsServiceRequest { resource_logs: by_host.map(resource).collect() }
}

fn resource(lines: &[Line]) -> ResourceLogs {
    let record = |line: &Line| LogRecord {
        time_unix_nano: line.time_ms * 1_000_000,
        body: Some(text(&format!("Jul  8 09:00:00 {} {}[4711]: {}", line.host, line.program, line.message))),
        ..LogRecord::default()
    };
    let host = lines.first().map_or("", |line| line.host.as_str());
    let host = KeyValue { key: "host.name".to_owned(), value: Some(text(host)), ..KeyValue::default() };
    let scope = ScopeLogs { log_records: lines.iter().map(record).collect(), ..ScopeLogs::default() };
    ResourceLogs {
        resource: Some(Resource { attributes: vec![host], ..Resource::default() }),
        scope_logs: vec![scope],
        ..ResourceLogs::default()
    }
}

fn text(text: &str) -> AnyValue {
    AnyValue { value: Some(any_value::Value::StringValue(text.to_owned())) }
}

fn compress(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}

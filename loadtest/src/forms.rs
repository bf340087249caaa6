//! Wire formats of log records: each of the bodies that ingestion accepts, plain or compressed.

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

    /// The body that contains the records, as a gzip member if requested.
    pub fn body<T: LogObject>(self, records: &[T], gzip: bool) -> Bytes {
        let body = self.encode(records);
        Bytes::from(if gzip { compress(&body) } else { body })
    }

    fn encode<T: LogObject>(self, records: &[T]) -> Vec<u8> {
        match self {
            Self::Protobuf => export(records).encode_to_vec(),
            // Texts and numbers only: writing them as JSON cannot fail.
            Self::OtlpJson => serde_json::to_vec(&export(records)).unwrap_or_default(),
            Self::JsonArray => Value::Array(records.iter().map(T::object).collect()).to_string().into_bytes(),
            Self::Ndjson => {
                let lines: Vec<String> = records.iter().map(|record| record.object().to_string()).collect();
                lines.join("\n").into_bytes()
            }
        }
    }
}

/// A record that can be exported with OTLP.
pub trait OtlpRecord {
    /// Its host, if it is known: an attribute of the resource.
    fn host(&self) -> Option<&str>;
    fn log_record(&self) -> LogRecord;
}

/// A record that can be sent in every form.
pub trait LogObject: OtlpRecord {
    /// The record as a log object.
    fn object(&self) -> Value;
}

impl OtlpRecord for Line {
    fn host(&self) -> Option<&str> {
        Some(&self.host)
    }

    fn log_record(&self) -> LogRecord {
        let message = format!("Jul  8 09:00:00 {} {}[4711]: {}", self.host, self.program, self.message);
        log_record(self.time_ms, &message)
    }
}

impl LogObject for Line {
    fn object(&self) -> Value {
        json!({"timestamp": self.time_ms, "host": self.host, "program": self.program, "message": self.message})
    }
}

/// A record of a time, milliseconds since 1970, with a text as its body.
pub fn log_record(time_ms: u64, body: &str) -> LogRecord {
    LogRecord { time_unix_nano: time_ms * 1_000_000, body: Some(text(body)), ..LogRecord::default() }
}

/// A resource for each run of records from the same host.
pub fn export<T: OtlpRecord>(records: &[T]) -> ExportLogsServiceRequest {
    let by_host = records.chunk_by(|one, next| one.host() == next.host());
    ExportLogsServiceRequest { resource_logs: by_host.map(resource).collect() }
}

fn resource<T: OtlpRecord>(records: &[T]) -> ResourceLogs {
    let host = records.first().and_then(T::host).map(|host| attribute("host.name", host));
    let scope =
        ScopeLogs { log_records: records.iter().map(T::log_record).collect(), ..ScopeLogs::default() };
    ResourceLogs {
        resource: Some(Resource { attributes: host.into_iter().collect(), ..Resource::default() }),
        scope_logs: vec![scope],
        ..ResourceLogs::default()
    }
}

/// An attribute with a text.
pub fn attribute(key: &str, value: &str) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(text(value)), ..KeyValue::default() }
}

fn text(text: &str) -> AnyValue {
    AnyValue { value: Some(any_value::Value::StringValue(text.to_owned())) }
}

/// A gzip member.
pub fn compress(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}

//! Request bodies to measure with: records in each form in which they may be sent.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;
use serde_json::{Map, Value};

use crate::records::Record;

/// Records that share a resource.
const RECORDS_PER_RESOURCE: usize = 100;

/// A form in which records are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// OTLP in protobuf.
    OtlpProtobuf,
    /// OTLP in JSON.
    OtlpJson,
    /// One JSON object a line.
    Ndjson,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::OtlpProtobuf, Self::OtlpJson, Self::Ndjson];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OtlpProtobuf => "otlp_protobuf",
            Self::OtlpJson => "otlp_json",
            Self::Ndjson => "ndjson",
        }
    }

    /// Its `Content-Type`.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::OtlpProtobuf => "application/x-protobuf",
            Self::OtlpJson => "application/json",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// The body that carries the records.
    #[must_use]
    pub fn body(self, records: &[Record]) -> Vec<u8> {
        match self {
            Self::OtlpProtobuf => export(records).encode_to_vec(),
            // Texts and numbers only: writing them as JSON cannot fail.
            Self::OtlpJson => serde_json::to_vec(&export(records)).unwrap_or_default(),
            Self::Ndjson => {
                records.iter().flat_map(|record| format!("{}\n", drain(record)).into_bytes()).collect()
            }
        }
    }
}

/// The same bytes as a gzip member, compressed as senders do.
#[must_use]
pub fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}

fn export(records: &[Record]) -> ExportLogsServiceRequest {
    ExportLogsServiceRequest { resource_logs: records.chunks(RECORDS_PER_RESOURCE).map(resource).collect() }
}

fn resource(records: &[Record]) -> ResourceLogs {
    let attributes = [("deployment.environment.name", "production"), ("cloud.region", "eu-west-1")];
    let attributes = attributes.map(|(key, value)| attribute(key, value)).to_vec();
    let scope = ScopeLogs { log_records: records.iter().map(log_record).collect(), ..ScopeLogs::default() };
    ResourceLogs {
        resource: Some(Resource { attributes, ..Resource::default() }),
        scope_logs: vec![scope],
        ..ResourceLogs::default()
    }
}

fn log_record(record: &Record) -> LogRecord {
    LogRecord {
        time_unix_nano: record.time_unix_nano,
        observed_time_unix_nano: record.time_unix_nano + 1_000,
        severity_text: record.level.to_owned(),
        severity_number: match record.level {
            "ERROR" => 17,
            "WARN" => 13,
            _ => 9,
        },
        body: Some(text(&record.message)),
        attributes: record.attributes.iter().map(|(key, value)| attribute(key, value)).collect(),
        ..LogRecord::default()
    }
}

fn attribute(key: &str, value: &str) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(text(value)), ..KeyValue::default() }
}

fn text(text: &str) -> AnyValue {
    AnyValue { value: Some(any_value::Value::StringValue(text.to_owned())) }
}

fn drain(record: &Record) -> Value {
    let mut object = Map::new();
    object.insert("timestamp".to_owned(), Value::from(record.time_unix_nano / 1_000_000));
    object.insert("level".to_owned(), Value::from(record.level));
    object.insert("message".to_owned(), Value::from(record.message.as_str()));
    for (key, value) in &record.attributes {
        object.insert((*key).to_owned(), Value::from(value.as_str()));
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::records;

    #[test]
    fn every_form_carries_every_record() {
        let made = records(250, 1);
        let counted = |request: ExportLogsServiceRequest| -> usize {
            request
                .resource_logs
                .iter()
                .flat_map(|resource| &resource.scope_logs)
                .map(|scope| scope.log_records.len())
                .sum()
        };
        let protobuf = Form::OtlpProtobuf.body(&made);
        assert_eq!(counted(ExportLogsServiceRequest::decode(protobuf.as_slice()).unwrap()), 250);
        let json = Form::OtlpJson.body(&made);
        assert_eq!(counted(serde_json::from_slice(&json).unwrap()), 250);
        let ndjson = String::from_utf8(Form::Ndjson.body(&made)).unwrap();
        assert_eq!(ndjson.lines().count(), 250);
        assert!(ndjson.lines().all(|line| serde_json::from_str::<Value>(line).unwrap().is_object()));
    }

    #[test]
    fn records_are_as_large_as_real_ones() {
        let made = records(1_000, 1);
        let plain = Form::OtlpProtobuf.body(&made);
        let each = plain.len() / 1_000;
        assert!((530..580).contains(&each), "{each} bytes of protobuf a record");
        let ratio = plain.len() as f64 / gzip(&plain).len() as f64;
        assert!((2.5..6.5).contains(&ratio), "compresses {ratio} to 1");
    }
}

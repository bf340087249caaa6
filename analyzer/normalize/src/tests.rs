//! Whole records through normalization.

mod decoys;
mod generated;
mod hostile;
mod records;
mod rooms;
pub(super) mod samples;
mod semantic_conventions;
mod senders_page;
mod service_records;
mod umbrellas;
mod vendors;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, KeyValueList};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;

use super::*;
use crate::record::records;

fn received_at() -> Timestamp {
    Timestamp::parse_rfc3339("2026-07-08T12:00:00Z").unwrap()
}

fn any(text: &str) -> AnyValue {
    AnyValue { value: Some(Any::StringValue(text.to_owned())) }
}

fn pairs(entries: &[(&str, &str)]) -> Vec<KeyValue> {
    let entry = |(key, text): &(&str, &str)| KeyValue {
        key: (*key).to_owned(),
        value: Some(any(text)),
        ..KeyValue::default()
    };
    entries.iter().map(entry).collect()
}

/// A record with a text body.
pub(super) fn line(text: &str) -> LogRecord {
    LogRecord { body: Some(any(text)), ..LogRecord::default() }
}

/// A record whose body is a map.
pub(super) fn object(entries: &[(&str, &str)]) -> LogRecord {
    let map = Any::KvlistValue(KeyValueList { values: pairs(entries) });
    LogRecord { body: Some(AnyValue { value: Some(map) }), ..LogRecord::default() }
}

pub(super) fn payload(record: LogRecord, resource: &[(&str, &str)]) -> Vec<u8> {
    let scope_logs = vec![ScopeLogs { log_records: vec![record], ..ScopeLogs::default() }];
    let resource = Some(Resource { attributes: pairs(resource), ..Resource::default() });
    let resource_logs = vec![ResourceLogs { resource, scope_logs, ..ResourceLogs::default() }];
    ExportLogsServiceRequest { resource_logs }.encode_to_vec()
}

pub(super) fn only(payload: &[u8]) -> Normalized<'_> {
    normalize(&records(payload).next().unwrap(), received_at())
}

fn text<'e>(normalized: &'e Normalized<'_>, name: &str) -> Option<&'e str> {
    normalized.event.field(name)?.as_str()
}

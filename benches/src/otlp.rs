//! Batches as stored in the log: ingestion's form of objects that a drain delivers.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue, KeyValueList};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;
use serde_json::Value;

/// A batch with a record for each body.
#[must_use]
pub fn batch(bodies: impl Iterator<Item = AnyValue>) -> Vec<u8> {
    let log_records = bodies.map(|body| LogRecord { body: Some(body), ..LogRecord::default() }).collect();
    let scope_logs = vec![ScopeLogs { log_records, ..ScopeLogs::default() }];
    let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
    ExportLogsServiceRequest { resource_logs }.encode_to_vec()
}

/// A value as ingestion writes those of a drain.
#[must_use]
pub fn object(value: &Value) -> AnyValue {
    let value = match value {
        Value::Null => None,
        Value::Bool(value) => Some(Any::BoolValue(*value)),
        Value::Number(number) => Some(match number.as_i64() {
            Some(value) => Any::IntValue(value),
            None => Any::DoubleValue(number.as_f64().unwrap_or_default()),
        }),
        Value::String(text) => Some(Any::StringValue(text.clone())),
        Value::Array(values) => {
            Some(Any::ArrayValue(ArrayValue { values: values.iter().map(object).collect() }))
        }
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| KeyValue {
                key: key.clone(),
                value: Some(object(value)),
                ..KeyValue::default()
            };
            Some(Any::KvlistValue(KeyValueList { values: entries.iter().map(entry).collect() }))
        }
    };
    AnyValue { value }
}

//! OTLP logs as opentelemetry-proto reads them, and invariants of every payload that has been
//! accepted.

use std::sync::LazyLock;

use ingest::sanitize::sanitize;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;
use redact::{EntityType, Policy, Redactor};

/// Looks for everything it can find.
pub static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
    let policy = Policy { entities: EntityType::ALL.into_iter().collect(), ..Policy::default() };
    Redactor::new(&policy).expect("the policy is within its bounds")
});

/// The records of a request, in order.
pub fn records(request: &ExportLogsServiceRequest) -> impl Iterator<Item = &LogRecord> {
    let scopes = request.resource_logs.iter().flat_map(|group| &group.scope_logs);
    scopes.flat_map(|scope| &scope.log_records)
}

/// Masks an accepted payload, which it returns, and checks the guarantees of masking: the length and every
/// length in it stay, and nothing but texts, bytes and numbers of values changes.
///
/// # Panics
/// When a promise is broken.
pub fn check_masking(payload: &[u8]) -> Vec<u8> {
    let mut masked = payload.to_vec();
    sanitize(&REDACTOR, &mut masked);
    assert_eq!(masked.len(), payload.len(), "masking changed the length");
    let mut before = ExportLogsServiceRequest::decode(payload).expect("prost reads what was accepted");
    let mut after = ExportLogsServiceRequest::decode(&masked[..]).expect("prost reads what was masked");
    blank(&mut before);
    blank(&mut after);
    // Compared as bytes, for which a NaN equals itself.
    assert_eq!(after.encode_to_vec(), before.encode_to_vec(), "masking changed the shape");
    masked
}

/// Overwrites everything that masking may change, and keeps its length.
fn blank(request: &mut ExportLogsServiceRequest) {
    for group in &mut request.resource_logs {
        blank_text(&mut group.schema_url);
        if let Some(resource) = &mut group.resource {
            blank_pairs(&mut resource.attributes);
            for entity in &mut resource.entity_refs {
                blank_text(&mut entity.schema_url);
                blank_text(&mut entity.r#type);
                entity.id_keys.iter_mut().for_each(blank_text);
                entity.description_keys.iter_mut().for_each(blank_text);
            }
        }
        for scope_logs in &mut group.scope_logs {
            blank_text(&mut scope_logs.schema_url);
            if let Some(scope) = &mut scope_logs.scope {
                blank_text(&mut scope.name);
                blank_text(&mut scope.version);
                blank_pairs(&mut scope.attributes);
            }
            scope_logs.log_records.iter_mut().for_each(blank_record);
        }
    }
}

fn blank_record(record: &mut LogRecord) {
    blank_text(&mut record.severity_text);
    blank_text(&mut record.event_name);
    blank_pairs(&mut record.attributes);
    record.body.iter_mut().for_each(blank_value);
}

fn blank_pairs(pairs: &mut [KeyValue]) {
    for pair in pairs {
        blank_text(&mut pair.key);
        pair.value.iter_mut().for_each(blank_value);
    }
}

fn blank_value(value: &mut AnyValue) {
    match &mut value.value {
        Some(Value::StringValue(text)) => blank_text(text),
        Some(Value::BytesValue(bytes)) => bytes.fill(0),
        Some(Value::IntValue(value)) => *value = 0,
        Some(Value::DoubleValue(value)) => *value = 0.0,
        Some(Value::ArrayValue(list)) => list.values.iter_mut().for_each(blank_value),
        Some(Value::KvlistValue(list)) => blank_pairs(&mut list.values),
        Some(Value::BoolValue(_) | Value::StringValueStrindex(_)) | None => {}
    }
}

fn blank_text(text: &mut String) {
    *text = "*".repeat(text.len());
}

//! The bodies of requests with records: OTLP from collectors, JSON from log drains.

use bytes::Bytes;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;
use serde_json::{Value, json};

use super::scene::Record;
use loadtest::client::Content;

/// Records in one batch: the size that collectors send, within the limit of resources, even if
/// each comes from another host.
const RECORDS_A_BATCH: usize = 1_000;
/// Bytes of text in one batch: far below the 4 MiB that may be on the wire.
const BYTES_A_BATCH: usize = 1 << 20;

/// Wire format of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Protobuf,
    OtlpJson,
    JsonArray,
    JsonLines,
}

/// Cuts records, which are in order, into batches.
pub(crate) fn batches(records: &[Record]) -> impl Iterator<Item = &[Record]> {
    let mut rest = records;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = rest.iter().take(RECORDS_A_BATCH).take_while(|record| {
            bytes += record.text.len();
            bytes <= BYTES_A_BATCH
        });
        let (batch, after) = rest.split_at_checked(fits.count().max(1))?;
        rest = after;
        Some(batch)
    })
}

impl Form {
    /// The request that contains the records.
    pub(crate) fn content(self, records: &[Record], idempotency_key: String) -> Content {
        let (media_type, body) = match self {
            Self::Protobuf => ("application/x-protobuf", export(records).encode_to_vec()),
            // Texts and numbers only: writing them as JSON cannot fail.
            Self::OtlpJson => ("application/json", serde_json::to_vec(&export(records)).unwrap_or_default()),
            Self::JsonArray => {
                let objects = records.iter().map(object).collect();
                ("application/json", Value::Array(objects).to_string().into_bytes())
            }
            Self::JsonLines => {
                let lines: Vec<String> = records.iter().map(|record| object(record).to_string()).collect();
                ("application/x-ndjson", lines.join("\n").into_bytes())
            }
        };
        let idempotency_key = Some(idempotency_key);
        Content { media_type, gzip: false, idempotency_key, body: Bytes::from(body) }
    }
}

/// A record in the form of a drain: an object is sent as it is, a line in one.
fn object(record: &Record) -> Value {
    if let Ok(object @ Value::Object(_)) = serde_json::from_str(&record.text) {
        return object;
    }
    let mut line = json!({"timestamp": record.time_ms, "message": record.text});
    if let Some(host) = &record.host {
        line["host"] = json!(host);
    }
    line
}

/// A resource for each run of records from the same host.
fn export(records: &[Record]) -> ExportLogsServiceRequest {
    let by_host = records.chunk_by(|one, next| one.host == next.host);
    ExportLogsServiceRequest { resource_logs: by_host.map(resource).collect() }
}

fn resource(records: &[Record]) -> ResourceLogs {
    let record = |record: &Record| LogRecord {
        time_unix_nano: u64::try_from(record.time_ms).unwrap_or_default() * 1_000_000,
        body: Some(text(&record.text)),
        ..LogRecord::default()
    };
    let host = records.first().and_then(|record| record.host.as_deref());
    let host = host.map(|host| KeyValue {
        key: "host.name".to_owned(),
        value: Some(text(host)),
        ..KeyValue::default()
    });
    let scope = ScopeLogs { log_records: records.iter().map(record).collect(), ..ScopeLogs::default() };
    ResourceLogs {
        resource: Some(Resource { attributes: host.into_iter().collect(), ..Resource::default() }),
        scope_logs: vec![scope],
        ..ResourceLogs::default()
    }
}

fn text(text: &str) -> AnyValue {
    AnyValue { value: Some(any_value::Value::StringValue(text.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: usize, text: &str) -> Record {
        Record {
            time_ms: 1_000 * number as i64,
            host: Some(format!("web-{}", number / 3)),
            text: text.to_owned(),
        }
    }

    #[test]
    fn every_record_is_in_one_batch_and_no_batch_is_too_large() {
        let long = "x".repeat(BYTES_A_BATCH / 2 + 1);
        let records: Vec<Record> = (0..5_000)
            .map(|number| record(number, if number < 3 { &long } else { "short" }))
            .chain([record(5_000, &"y".repeat(BYTES_A_BATCH + 1))])
            .collect();
        let sizes: Vec<usize> = batches(&records).map(<[Record]>::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), records.len());
        assert_eq!(&sizes[..2], [1, 1]);
        assert!(sizes.iter().all(|size| *size <= RECORDS_A_BATCH));
        assert_eq!(batches(&[]).count(), 0);
    }

    #[test]
    fn every_form_carries_every_record() {
        let records: Vec<Record> = (0..7).map(|number| record(number, "the line")).collect();
        for form in [Form::Protobuf, Form::OtlpJson, Form::JsonArray, Form::JsonLines] {
            let body = form.content(&records, "key".to_owned()).body;
            assert_eq!(body.windows(8).filter(|bytes| *bytes == b"the line").count(), 7, "{form:?}");
        }
        let object = Form::JsonLines.content(&[record(1, r#"{"eventID":"e1"}"#)], String::new()).body;
        assert_eq!(&object[..], br#"{"eventID":"e1"}"#);
    }
}

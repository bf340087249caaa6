//! The bodies of requests with records: OTLP from collectors, JSON from log drains.

use opentelemetry_proto::tonic::logs::v1::LogRecord;
use serde_json::{Value, json};

use super::scene::Record;
use loadtest::client::Content;
use loadtest::forms::{Form, LogObject, OtlpRecord, log_record};

/// Records in one batch: the size that collectors send, within the limit of resources, even if
/// each comes from another host.
const RECORDS_A_BATCH: usize = 1_000;
/// Bytes of text in one batch: far below the 4 MiB that may be on the wire.
const BYTES_A_BATCH: usize = 1 << 20;

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

/// The request that contains the records.
pub(crate) fn content(form: Form, records: &[Record], idempotency_key: String) -> Content {
    let content = Content::new(form.media_type(), form.body(records, false));
    Content { idempotency_key: Some(idempotency_key), ..content }
}

impl OtlpRecord for Record {
    fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    fn log_record(&self) -> LogRecord {
        log_record(u64::try_from(self.time_ms).unwrap_or_default(), &self.text)
    }
}

impl LogObject for Record {
    /// The form of a drain: an object is sent as it is, a line in one.
    fn object(&self) -> Value {
        if let Ok(object @ Value::Object(_)) = serde_json::from_str(&self.text) {
            return object;
        }
        let mut line = json!({"timestamp": self.time_ms, "message": self.text});
        if let Some(host) = &self.host {
            line["host"] = json!(host);
        }
        line
    }
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
        for form in Form::ALL {
            let body = content(form, &records, "key".to_owned()).body;
            assert_eq!(body.windows(8).filter(|bytes| *bytes == b"the line").count(), 7, "{form:?}");
        }
        let object = content(Form::Ndjson, &[record(1, r#"{"eventID":"e1"}"#)], String::new()).body;
        assert_eq!(&object[..], br#"{"eventID":"e1"}"#);
    }
}

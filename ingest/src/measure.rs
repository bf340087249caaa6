//! What ingestion counts. The only file that names its metrics; requests as such are
//! measured as those of every listener are.

use crate::validate::Format;

/// Tells the recorder what each metric means; once, after it is installed.
pub fn describe() {
    use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
    describe_counter!("ingest_batches_total", "Batches accepted or refused, by format and outcome.");
    describe_counter!("ingest_records_total", "Log records accepted: durable in the log.");
    describe_counter!("ingest_bytes_total", "Bytes of bodies received, on the wire and inflated.");
    describe_counter!("ingest_secrets_masked_total", "Secrets masked before anything was stored.");
    describe_counter!("ingest_backpressure_total", "Batches refused with 503: the sender should retry.");
    describe_gauge!("ingest_queue_bytes", "Queue size: bytes admitted and not yet durable or refused.");
    describe_gauge!("ingest_queue_records", "Queue size: records that wait to become durable.");
    describe_gauge!("ingest_queue_capacity_bytes", "Queue capacity: most bytes that are admitted at a time.");
    describe_histogram!(
        "ingest_durable_append_seconds",
        Unit::Seconds,
        "Time from a batch's append to its durability."
    );
}

pub(crate) fn format_label(format: Option<Format>) -> &'static str {
    match format {
        Some(Format::OtlpProtobuf) => "protobuf",
        Some(Format::Json) => "json",
        Some(Format::Ndjson) => "ndjson",
        None => "unknown",
    }
}

pub(crate) fn batch(format: Option<Format>, outcome: &'static str) {
    metrics::counter!("ingest_batches_total", "format" => format_label(format), "outcome" => outcome)
        .increment(1);
}

pub(crate) fn backpressure() {
    metrics::counter!("ingest_backpressure_total").increment(1);
}

pub(crate) fn received(wire: usize, inflated: usize) {
    metrics::counter!("ingest_bytes_total", "stage" => "wire").increment(wire as u64);
    metrics::counter!("ingest_bytes_total", "stage" => "inflated").increment(inflated as u64);
}

pub(crate) fn masked(secrets: u64) {
    metrics::counter!("ingest_secrets_masked_total").increment(secrets);
}

pub(crate) fn appended(records: u32, seconds: f64) {
    metrics::counter!("ingest_records_total").increment(u64::from(records));
    metrics::histogram!("ingest_durable_append_seconds").record(seconds);
}

pub(crate) fn queue_capacity(bytes: usize) {
    metrics::gauge!("ingest_queue_capacity_bytes").set(bytes as f64);
}

pub(crate) fn queue_bytes(change: f64) {
    metrics::gauge!("ingest_queue_bytes").increment(change);
}

/// Records on their way into the log; they leave the gauge when this is dropped, durable or not.
pub(crate) struct QueuedRecords(f64);

impl QueuedRecords {
    pub(crate) fn new(records: u32) -> Self {
        let records = f64::from(records);
        metrics::gauge!("ingest_queue_records").increment(records);
        Self(records)
    }
}

impl Drop for QueuedRecords {
    fn drop(&mut self) {
        metrics::gauge!("ingest_queue_records").decrement(self.0);
    }
}

//! Metrics of ingestion. The only file that names them; requests as such are measured as those of
//! every listener are.

use std::time::Duration;

use http::{Method, StatusCode};
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use process::requests;

use crate::request;
use crate::validate::Format;

/// Registers the description of each metric; once, after the recorder is installed.
pub fn describe() {
    use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
    describe_counter!(
        "palisade_ingest_batches_total",
        "Batches accepted or rejected, by format and outcome."
    );
    describe_counter!("palisade_ingest_records_total", "Log records accepted and durable in the log.");
    describe_counter!(
        "palisade_ingest_bytes_total",
        "Bytes of request bodies received, on the wire and after decompression."
    );
    describe_counter!("palisade_ingest_secrets_masked_total", "Secrets masked before batches were stored.");
    describe_counter!(
        "palisade_ingest_backpressure_total",
        "Batches rejected with 503, by reason; the sender retries them."
    );
    describe_gauge!(
        "palisade_ingest_waiting_limit_bytes",
        "Adaptive queue limit in bytes: the amount that is processed within queue_seconds."
    );
    describe_gauge!(
        "palisade_ingest_queue_bytes",
        "Queue size: bytes admitted and not yet durable or rejected."
    );
    describe_gauge!("palisade_ingest_queue_records", "Queue size: records not yet durable.");
    describe_gauge!(
        "palisade_ingest_queue_capacity_bytes",
        "Queue capacity: maximum number of bytes admitted at a time."
    );
    describe_gauge!(
        "palisade_ingest_waiting_seconds",
        "Recent queueing delay of connections and of requests."
    );
    describe_histogram!(
        "palisade_ingest_durable_append_seconds",
        Unit::Seconds,
        "Duration from the append of a batch until it is durable."
    );
    // A counter that is born at 1 has not increased, as Prometheus sees it.
    for format in FORMATS.into_iter().map(Some).chain([None]) {
        for outcome in REFUSALS {
            batches(format, outcome).increment(0);
        }
    }
    for format in FORMATS {
        batches(Some(format), "accepted").increment(0);
        batches(Some(format), "accepted_empty").increment(0);
    }
    for reason in BACKPRESSURE_REASONS {
        counter!("palisade_ingest_backpressure_total", "reason" => reason).increment(0);
    }
}

/// Outcomes of batches that are refused, whose format may be unknown.
const REFUSALS: [&str; 7] = [
    "refused_malformed",
    "refused_too_large",
    "refused_unsupported",
    "refused_unauthorized",
    "refused_not_found",
    "refused_method",
    "refused_unavailable",
];
/// Reasons for telling senders to retry (`respond::reason`).
const BACKPRESSURE_REASONS: [&str; 9] =
    ["memory", "delay", "log_queue", "backlog", "disk", "log", "slow", "directory", "ending"];

/// Metrics of every batch, looked up once: looking them up costs more than counting.
pub(crate) struct Meters {
    accepted: [Counter; 3],
    wire_bytes: Counter,
    inflated_bytes: Counter,
    masked: Counter,
    records: Counter,
    append_seconds: Histogram,
    queue_records: Gauge,
    /// Durations of requests that were accepted.
    durations: Histogram,
}

impl Meters {
    /// The recorder must be installed.
    pub(crate) fn new() -> Self {
        Self {
            accepted: FORMATS.map(|format| batches(Some(format), "accepted")),
            wire_bytes: counter!("palisade_ingest_bytes_total", "stage" => "wire"),
            inflated_bytes: counter!("palisade_ingest_bytes_total", "stage" => "inflated"),
            masked: counter!("palisade_ingest_secrets_masked_total"),
            records: counter!("palisade_ingest_records_total"),
            append_seconds: histogram!("palisade_ingest_durable_append_seconds"),
            queue_records: gauge!("palisade_ingest_queue_records"),
            durations: requests::durations(request::ROUTE, &Method::POST, StatusCode::OK),
        }
    }

    /// A batch was accepted; an empty one is durable as it is.
    pub(crate) fn accepted(&self, format: Format, record_count: u32) {
        if record_count == 0 {
            return batches(Some(format), "accepted_empty").increment(1);
        }
        let place = FORMATS.iter().position(|candidate| *candidate == format).unwrap_or(0);
        self.accepted[place].increment(1);
    }

    pub(crate) fn received(&self, wire: usize, inflated: usize) {
        self.wire_bytes.increment(wire as u64);
        self.inflated_bytes.increment(inflated as u64);
    }

    pub(crate) fn masked(&self, secrets: u32) {
        self.masked.increment(u64::from(secrets));
    }

    pub(crate) fn appended(&self, records: u32, seconds: f64) {
        self.records.increment(u64::from(records));
        self.append_seconds.record(seconds);
    }

    /// Records in preparation or appending, until the returned value is dropped.
    pub(crate) fn queued(&self, records: u32) -> QueuedRecords<'_> {
        let records = f64::from(records);
        self.queue_records.increment(records);
        QueuedRecords { gauge: &self.queue_records, records }
    }

    pub(crate) fn answered(&self, method: &Method, status: StatusCode, seconds: f64) {
        if (method, status) == (&Method::POST, StatusCode::OK) {
            self.durations.record(seconds);
        } else {
            requests::measure(request::ROUTE, method, status, seconds);
        }
    }
}

const FORMATS: [Format; 3] = [Format::OtlpProtobuf, Format::Json, Format::Ndjson];

fn format_label(format: Option<Format>) -> &'static str {
    match format {
        Some(Format::OtlpProtobuf) => "protobuf",
        Some(Format::Json) => "json",
        Some(Format::Ndjson) => "ndjson",
        None => "unknown",
    }
}

fn batches(format: Option<Format>, outcome: &'static str) -> Counter {
    counter!("palisade_ingest_batches_total", "format" => format_label(format), "outcome" => outcome)
}

pub(crate) fn refused(format: Option<Format>, outcome: &'static str) {
    batches(format, outcome).increment(1);
}

pub(crate) fn backpressure(reason: &'static str) {
    counter!("palisade_ingest_backpressure_total", "reason" => reason).increment(1);
}

/// Recent waiting times of requests: for the turn of their connection, and for their own.
pub(crate) fn waited(round: Duration, queue: Duration) {
    gauge!("palisade_ingest_waiting_seconds", "for" => "connection").set(round.as_secs_f64());
    gauge!("palisade_ingest_waiting_seconds", "for" => "request").set(queue.as_secs_f64());
}

/// Present length of the queue.
pub(crate) fn waiting_limit(bytes: usize) {
    gauge!("palisade_ingest_waiting_limit_bytes").set(bytes as f64);
}

pub(crate) fn queue_capacity(bytes: usize) {
    gauge!("palisade_ingest_queue_capacity_bytes").set(bytes as f64);
}

/// Bytes that requests hold.
pub(crate) fn queue_bytes() -> Gauge {
    gauge!("palisade_ingest_queue_bytes")
}

/// Records in preparation or appending; they leave the gauge when this is dropped, durable or not.
pub(crate) struct QueuedRecords<'m> {
    gauge: &'m Gauge,
    records: f64,
}

impl Drop for QueuedRecords<'_> {
    fn drop(&mut self) {
        self.gauge.decrement(self.records);
    }
}

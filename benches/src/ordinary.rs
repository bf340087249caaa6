//! Ordinary work of a shop's services as collectors export it: by host, each record with attributes of its service
//! and a message in its own words, or an access line.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;
use rand::RngExt;
use rand::rngs::StdRng;

/// When the records happened: 2026-11-01T06:00:00Z in nanoseconds.
const TIME: u64 = 1_793_512_800_000_000_000;
/// Hosts in a batch.
const HOSTS: usize = 4;

/// Line of a record.
pub type Wording = fn(&mut StdRng) -> String;

/// A batch of so many records, as OTLP in protobuf.
#[must_use]
pub fn batch(chance: &mut StdRng, records: usize, wording: Wording) -> Vec<u8> {
    let per_host = records.div_ceil(HOSTS);
    let group = |host: usize| {
        let own = per_host.min(records.saturating_sub(host * per_host));
        let log_records = (0..own).map(|_| record(chance, wording)).collect();
        let attributes = vec![text("host.name", format!("shop-{}", host + 1))];
        ResourceLogs {
            resource: Some(Resource { attributes, ..Resource::default() }),
            scope_logs: vec![ScopeLogs { log_records, ..ScopeLogs::default() }],
            ..ResourceLogs::default()
        }
    };
    ExportLogsServiceRequest { resource_logs: (0..HOSTS).map(group).collect() }.encode_to_vec()
}

fn record(chance: &mut StdRng, wording: Wording) -> LogRecord {
    let attributes = vec![
        text("service.name", pick(chance, &["storefront", "warehouse", "catalogue", "billing"]).to_owned()),
        text("service.version", format!("2026.{}", chance.random_range(1..12_u32))),
        text("http.route", pick(chance, &ROUTES).to_owned()),
        text("duration_ms", chance.random_range(1..900_u32).to_string()),
        text("thread.name", format!("worker-{}", chance.random_range(1..32_u32))),
        text("request.id", format!("{:016x}", chance.random::<u64>())),
    ];
    LogRecord {
        time_unix_nano: TIME + chance.random_range(0..1_000_000_000_u64),
        severity_text: pick(chance, &["INFO", "INFO", "INFO", "DEBUG", "WARN"]).to_owned(),
        body: Some(any(wording(chance))),
        attributes,
        ..LogRecord::default()
    }
}

const ROUTES: [&str; 6] = ["/", "/cart", "/search?q=lamp", "/api/orders", "/static/app.css", "/account"];

/// Three messages of applications for each access line.
#[must_use]
pub fn mixed(chance: &mut StdRng) -> String {
    if chance.random_ratio(1, 4) { access(chance) } else { application(chance) }
}

/// An access line as nginx writes it.
#[must_use]
pub fn access(chance: &mut StdRng) -> String {
    format!(
        "192.0.2.{} - - [01/Nov/2026:06:00:00 +0000] \"GET {} HTTP/1.1\" {} {} \"-\" \"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0\"",
        chance.random_range(1..250_u32),
        pick(chance, &ROUTES),
        pick(chance, &["200", "200", "200", "204", "301", "304"]),
        chance.random_range(200..60_000_u32),
    )
}

/// A message in an application's own words, which is no line of any format.
#[must_use]
pub fn application(chance: &mut StdRng) -> String {
    let milliseconds = chance.random_range(1..900_u32);
    let many = |chance: &mut StdRng| chance.random_range(10..50_000_u32);
    match chance.random_range(0..3_u32) {
        0 => format!(
            "order {} of customer {} was paid with {} and handed to the warehouse in {}; {} items, {milliseconds} ms from the click to the confirmation, nothing left to do for this order",
            many(chance),
            many(chance),
            pick(chance, &["a voucher", "an invoice", "a bank transfer"]),
            pick(chance, &["Delft", "Porto", "Gdansk", "Lyon", "Graz"]),
            chance.random_range(1..9_u32),
        ),
        1 => format!(
            "cache {} of the catalogue refreshed: {} entries kept, {} replaced, {} dropped after {milliseconds} ms; the next refresh comes in {} s unless somebody changes a price before",
            pick(chance, &["prices", "pictures", "texts", "stock"]),
            many(chance),
            chance.random_range(0..900_u32),
            chance.random_range(0..90_u32),
            chance.random_range(30..300_u32),
        ),
        _ => format!(
            "job {} number {} finished after {milliseconds} ms on worker {}: {} rows read, {} rows written, none skipped, queue length now {}, next run as planned",
            pick(chance, &["invoice-mail", "stock-count", "image-resize", "daily-report"]),
            many(chance),
            chance.random_range(1..32_u32),
            many(chance),
            many(chance),
            chance.random_range(0..400_u32),
        ),
    }
}

fn text(key: &str, value: String) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(any(value)), ..KeyValue::default() }
}

fn any(text: String) -> AnyValue {
    AnyValue { value: Some(Any::StringValue(text)) }
}

fn pick<'a>(chance: &mut StdRng, choices: &[&'a str]) -> &'a str {
    choices.get(chance.random_range(0..choices.len())).copied().unwrap_or_default()
}

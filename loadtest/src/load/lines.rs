//! Contents of records: ordinary work in many wordings, or lines of a file; with placeholders of fixed width for the
//! time, id, address and account of each request. Those of attacks are in `attacks`.

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};

/// Placeholder of the time: milliseconds since 1970, 13 digits.
pub const TIME_MS: u64 = 1_111_222_233_334;
/// Placeholder of a record's id: 16 hexadecimal digits.
pub const ID: &str = "q0zq0zq0zq0zq0z0";
/// Placeholder of an attacker's address.
pub const ADDRESS: &str = "10.999.999.999";
/// Placeholder of the number in the names of the accounts that an attacker tries.
pub const ACCOUNT: &str = "qz000000";

/// Hosts in a batch: a collector forwards for a handful.
const HOSTS: usize = 4;

/// A record, before it is encoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub host: String,
    pub message: String,
    pub level: &'static str,
    /// Attributes besides the id.
    pub attributes: Vec<(&'static str, String)>,
    /// Sent unchanged as a log object: a line of a file that is itself a JSON object.
    pub object: Option<String>,
}

impl Record {
    /// A message from a host.
    pub fn plain(host: &str, message: String) -> Self {
        Self { host: host.to_owned(), message, level: "INFO", attributes: Vec::new(), object: None }
    }

    /// The record as a log object.
    pub fn object(&self) -> String {
        if let Some(object) = &self.object {
            return object.clone();
        }
        let mut object = json!({
            "timestamp": TIME_MS,
            "host": self.host,
            "level": self.level,
            "message": self.message,
            "request_id": ID,
        });
        for (name, value) in &self.attributes {
            object[*name] = Value::from(value.as_str());
        }
        object.to_string()
    }
}

/// Ordinary records, grouped by host as collectors do.
pub fn ordinary(chance: &mut StdRng, count: usize) -> Vec<Record> {
    let mut records: Vec<Record> = (0..count).map(|_| ordinary_one(chance)).collect();
    let share = count.div_ceil(HOSTS).max(1);
    for (index, record) in records.iter_mut().enumerate() {
        record.host = format!("shop-{}", index / share + 1);
    }
    records
}

fn ordinary_one(chance: &mut StdRng) -> Record {
    let path = pick(chance, &["/", "/cart", "/search?q=lamp", "/api/orders", "/static/app.css", "/account"]);
    let status = pick(chance, &["200", "200", "200", "204", "301", "304"]);
    let milliseconds = chance.random_range(1..900_u32);
    let order = chance.random_range(10_000..99_999_u32);
    let address = format!("192.0.2.{}", chance.random_range(1..250_u32));
    let message = match chance.random_range(0..4_u32) {
        0 => format!(
            "{address} - - [21/Nov/2026:06:00:00 +0000] \"GET {path} HTTP/1.1\" {status} {} \"-\" \"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\"",
            chance.random_range(200..60_000_u32),
        ),
        1 => format!(
            "order {order} of customer {} was paid with {} and handed to the warehouse in {}; {} items, {milliseconds} ms from the click to the confirmation, nothing left to do for this order",
            chance.random_range(1_000..9_000_u32),
            pick(chance, &["a voucher", "an invoice", "a bank transfer"]),
            pick(chance, &["Delft", "Porto", "Gdansk", "Lyon", "Graz"]),
            chance.random_range(1..9_u32),
        ),
        2 => format!(
            "cache {} of the catalogue refreshed: {} entries kept, {} replaced, {} dropped after {milliseconds} ms; the next refresh comes in {} s unless somebody changes a price before",
            pick(chance, &["prices", "pictures", "texts", "stock"]),
            chance.random_range(1_000..90_000_u32),
            chance.random_range(0..900_u32),
            chance.random_range(0..90_u32),
            chance.random_range(30..300_u32),
        ),
        _ => format!(
            "job {} number {order} finished after {milliseconds} ms on worker {}: {} rows read, {} rows written, none skipped, queue length now {}, next run as planned",
            pick(chance, &["invoice-mail", "stock-count", "image-resize", "daily-report"]),
            chance.random_range(1..32_u32),
            chance.random_range(10..50_000_u32),
            chance.random_range(10..50_000_u32),
            chance.random_range(0..400_u32),
        ),
    };
    Record {
        host: String::new(),
        message,
        level: pick(chance, &["INFO", "INFO", "INFO", "DEBUG", "WARN"]),
        attributes: vec![
            ("service.name", pick(chance, &["storefront", "warehouse", "catalogue", "billing"]).to_owned()),
            ("service.version", format!("2026.{}", chance.random_range(1..12_u32))),
            ("http.route", path.to_owned()),
            ("duration_ms", milliseconds.to_string()),
            ("thread.name", format!("worker-{}", chance.random_range(1..32_u32))),
        ],
        object: None,
    }
}

/// A line of a file: an object if it is one, else a message.
pub fn replayed(line: &str) -> Record {
    // The id comes first: without it, the second pass over the file would be a repeated delivery.
    let members = line
        .trim()
        .strip_prefix('{')
        .filter(|_| serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object()));
    let object = members.map(|members| {
        let comma = if members.trim_start().starts_with('}') { "" } else { "," };
        format!("{{\"load.id\":\"{ID}\"{comma}{members}")
    });
    Record { object, ..Record::plain("replay", line.to_owned()) }
}

fn pick<'a>(chance: &mut StdRng, choices: &[&'a str]) -> &'a str {
    choices.get(chance.random_range(0..choices.len())).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn ordinary_records_differ_and_come_by_host() {
        let records = ordinary(&mut StdRng::seed_from_u64(1), 100);
        let mut messages: Vec<&str> = records.iter().map(|record| record.message.as_str()).collect();
        messages.sort_unstable();
        messages.dedup();
        assert_eq!(messages.len(), 100);
        assert_eq!(records.chunk_by(|a, b| a.host == b.host).count(), HOSTS);
        assert_eq!(ordinary(&mut StdRng::seed_from_u64(1), 100), records);
    }

    #[test]
    fn a_line_of_a_file_is_sent_as_what_it_is() {
        assert_eq!(replayed("sshd[1]: hello").object, None);
        assert_eq!(replayed("{\"a\":1").object, None);
        for (line, expected) in [("{\"a\":1}", 2), ("{}", 1), (" { \"b\" : [] } ", 2)] {
            let object: Value = serde_json::from_str(&replayed(line).object.unwrap()).unwrap();
            assert_eq!(object.as_object().unwrap().len(), expected, "{line}");
            assert_eq!(object["load.id"], ID);
        }
    }
}

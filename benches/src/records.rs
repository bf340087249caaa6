//! Log records to measure with: drawn from many templates, with values drawn anew for each record, so
//! that caches and branch predictors do not flatter. The same seed gives the same records.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// One record, before it takes a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it happened, nanoseconds since 1970.
    pub time_unix_nano: u64,
    /// `INFO`, `WARN` or `ERROR`.
    pub level: &'static str,
    /// The line.
    pub message: String,
    /// Other data: 5 to 8 names and values.
    pub attributes: Vec<(&'static str, String)>,
}

/// 2026-11-01T00:00:00Z in nanoseconds.
const START: u64 = 1_793_491_200_000_000_000;
/// One in so many records carries something that has to be masked.
const WITH_SECRET: u32 = 50;
/// Bytes of a message, at least; it ends with the line in which it gets as long. Lines of services are some 250 bytes on
/// the average, and a record then 530 to 580 of protobuf.
const MESSAGE_BYTES: std::ops::Range<usize> = 60..430;

/// Lines; parts in braces are drawn for each record.
const TEMPLATES: [&str; 24] = [
    "Failed password for invalid user {user} from {address} port {port} ssh2",
    "Accepted publickey for {user} from {address} port {port} ssh2: ED25519 SHA256:{hex}{hex}",
    "pam_unix(sshd:session): session opened for user {user}(uid={number}) by (uid=0)",
    "Connection closed by authenticating user {user} {address} port {port} [preauth]",
    "{user} : TTY=pts/{digit} ; PWD=/home/{user} ; USER=root ; COMMAND=/usr/bin/systemctl restart {word}",
    "{address} - - [01/Nov/2026:00:00:{two} +0000] \"GET /{word}/{number}?page={digit} HTTP/1.1\" 200 {number} \"-\" \"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/145.0\"",
    "{address} - {user} [01/Nov/2026:00:00:{two} +0000] \"POST /api/{word} HTTP/2.0\" 201 {number} \"https://shop.example/{word}\" \"okhttp/5.2.1\"",
    "{address} - - [01/Nov/2026:00:00:{two} +0000] \"GET /{word}.php HTTP/1.1\" 404 {number} \"-\" \"curl/8.17.0\"",
    "upstream timed out (110: Connection timed out) while reading response header from upstream, client: {address}, server: shop.example, request: \"GET /{word}/{number} HTTP/1.1\"",
    "request completed in {number} ms: method=GET path=/{word}/{number} status=200 rows={digit}",
    "payment {hex} for order {number} authorised by {word} in {number} ms after {digit} attempts",
    "java.lang.IllegalStateException: {word} {hex} is not open\n\tat com.example.{word}.Pool.take(Pool.java:{number})\n\tat com.example.{word}.Handler.run(Handler.java:{two})",
    "query took {number} ms: SELECT id, name, total FROM {word} WHERE account = {number} ORDER BY created_at DESC LIMIT {two}",
    "cache miss for key {word}:{number}:{hex}, loading from replica {digit}",
    "consumer group {word} rebalanced: {two} partitions, generation {number}, leader {hex}",
    "Pulled image registry.example/{word}:{digit}.{two}.{digit} in {number} ms, size {number}{number} bytes",
    "Readiness probe failed: Get \"http://{address}:{port}/healthz\": context deadline exceeded",
    "audit: type=SYSCALL msg=audit({number}.{two}:{number}): arch=c000003e syscall=59 success=yes exit=0 pid={number} auid={number} uid=0 comm=\"{word}\" exe=\"/usr/bin/{word}\"",
    "[UFW BLOCK] IN=eth0 OUT= SRC={address} DST={address} LEN=60 TTL={two} ID={number} PROTO=TCP SPT={port} DPT=22 WINDOW=64240 SYN",
    "GC pause (young) {two}.{digit}ms, heap {number}M -> {two}M of {number}M",
    "session {hex} of user {user} refreshed from {address}, expires in {number} s",
    "feature flag {word} evaluated to true for account {number} in segment {word}",
    "retrying delivery {hex} to https://hooks.example/{word}: attempt {digit}, status 503, next in {number} ms",
    "Löschung der Bestellung {number} durch {user}: Größe {two} kB, Straße „{word}“ – abgeschlossen",
];

/// Lines that hold a secret or personal data.
const SECRETS: [&str; 5] = [
    "calling https://api.example/{word} with Authorization: Bearer {hex}{hex}{hex}{hex}",
    "login of {user}@mail.example failed: password=\"{hex}{word}\" was rejected",
    "cookie: sid={hex}{hex}; theme=dark; csrf={hex}{hex}",
    "connecting to postgres://{user}:{hex}@db.example:5432/{word}",
    "exported AWS_SECRET_ACCESS_KEY={hex}{hex}{hex}{hex}{hex} to the environment of {word}",
];

const USERS: [&str; 12] = [
    "alice", "bob", "carol", "deploy", "root", "admin", "oracle", "jenkins", "backup", "mallory", "git",
    "www-data",
];
const WORDS: [&str; 16] = [
    "orders", "cart", "invoices", "search", "catalog", "sessions", "shipping", "accounts", "reports",
    "images", "queue", "profile", "checkout", "stock", "prices", "ledger",
];
const LEVELS: [&str; 4] = ["INFO", "INFO", "WARN", "ERROR"];

/// So many records, one millisecond apart.
#[must_use]
pub fn records(count: usize, seed: u64) -> Vec<Record> {
    let mut chance = StdRng::seed_from_u64(seed);
    (0..count).map(|index| record(index, &mut chance)).collect()
}

fn record(index: usize, chance: &mut StdRng) -> Record {
    let template =
        if chance.random_ratio(1, WITH_SECRET) { pick(&SECRETS, chance) } else { pick(&TEMPLATES, chance) };
    let mut attributes = vec![
        ("service.name", pick(&WORDS, chance).to_owned()),
        ("host.name", format!("web-{}", chance.random_range(1..40))),
        ("process.pid", chance.random_range(300..60_000).to_string()),
        ("log.file.path", format!("/var/log/{}/current.log", pick(&WORDS, chance))),
        ("client.address", fill("{address}", chance)),
    ];
    let more = [
        ("http.request.method", "GET".to_owned()),
        ("url.path", fill("/{word}/{number}", chance)),
        ("trace.parent", fill("00-{hex}{hex}-{hex}-01", chance)),
    ];
    let further = chance.random_range(0..=more.len());
    attributes.extend(more.into_iter().take(further));
    Record {
        time_unix_nano: START + index as u64 * 1_000_000,
        level: pick(&LEVELS, chance),
        message: message(template, chance),
        attributes,
    }
}

/// The template, and as many others behind it as it takes.
fn message(template: &str, chance: &mut StdRng) -> String {
    let least = chance.random_range(MESSAGE_BYTES);
    let mut message = fill(template, chance);
    while message.len() < least {
        message.push_str("; ");
        message.push_str(&fill(pick(&TEMPLATES, chance), chance));
    }
    message
}

fn pick(choice: &[&'static str], chance: &mut StdRng) -> &'static str {
    choice.get(chance.random_range(0..choice.len())).copied().unwrap_or_default()
}

/// The template with a value for each name in braces.
fn fill(template: &str, chance: &mut StdRng) -> String {
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else { break };
        filled.push_str(&value(name, chance));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

fn value(name: &str, chance: &mut StdRng) -> String {
    match name {
        "user" => pick(&USERS, chance).to_owned(),
        "word" => pick(&WORDS, chance).to_owned(),
        "address" => {
            let mut byte = || chance.random_range(1..255);
            format!("{}.{}.{}.{}", byte(), byte(), byte(), byte())
        }
        "port" => chance.random_range(1_024..65_536).to_string(),
        "hex" => format!("{:016x}", chance.random::<u64>()),
        "digit" => chance.random_range(0..10).to_string(),
        "two" => chance.random_range(10..60).to_string(),
        _ => chance.random_range(100..100_000).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn records_are_many_and_can_be_made_again() {
        let made = records(1_000, 1);
        assert_eq!(made, records(1_000, 1));
        let messages: HashSet<&str> = made.iter().map(|record| record.message.as_str()).collect();
        assert!(messages.len() > 990, "{} of 1000 are different", messages.len());
        assert!(made.iter().all(|record| !record.message.contains(['{', '}'])));
        assert!(made.iter().all(|record| (5..=8).contains(&record.attributes.len())));
    }
}

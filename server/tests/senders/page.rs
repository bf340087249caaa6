//! The page: its configurations, and the tested ones.

use crate::receiver::Receiver;

pub(crate) const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/senders.md"));

/// The sections of senders without a test here.
const UNTESTED: [&str; 2] = ["Fluent Bit", "Vector"];
/// The sections of tested senders, one test each.
const TESTED: [&str; 10] = [
    "OpenTelemetry Collector",
    "Python",
    "JavaScript",
    "Java",
    "Go",
    "Rust",
    "syslog-ng",
    "rsyslog",
    "journald",
    "curl",
];

/// The text below a heading of any level, up to the next heading.
fn section(heading: &str) -> &'static str {
    let begins = |line: &str| line.starts_with('#') && line.trim_start_matches('#').trim() == heading;
    let mut at = 0;
    let mut begun = None;
    let mut in_block = false;
    for line in PAGE.split_inclusive('\n') {
        in_block ^= line.starts_with("```");
        if !in_block && line.starts_with('#') {
            if let Some(begun) = begun {
                return &PAGE[begun..at];
            }
            begun = begins(line).then_some(at + line.len());
        }
        at += line.len();
    }
    &PAGE[begun.unwrap_or_else(|| panic!("the page has no section {heading}"))..]
}

/// A configuration of the page, without the last line break: the block of a number in a section.
pub(crate) fn block(heading: &str, number: usize) -> &'static str {
    let block = section(heading).split("\n```").nth(2 * number + 1);
    let block = block.unwrap_or_else(|| panic!("{heading} has no block {number}"));
    block.split_once('\n').unwrap().1
}

/// The same for a server and a source of a test.
pub(crate) fn adapted(heading: &str, number: usize, receiver: &Receiver) -> String {
    let block = block(heading, number);
    assert!(block.contains("API_KEY") || !block.contains("https://"), "{heading}: no place for a key");
    let site = format!("http://{}", receiver.server.address());
    block
        .replace("https://palisade.example.com", &site)
        .replace("SOURCE_ID", &receiver.source)
        .replace("API_KEY", &receiver.server.key())
}

#[test]
fn every_sender_of_the_page_is_tested_or_marked() {
    for heading in TESTED {
        let words = section(heading).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Tested with") || heading == "curl", "{heading}");
    }
    for heading in UNTESTED {
        assert!(section(heading).trim_start().starts_with("Untested"), "{heading}");
    }
    let known = [
        "Sending logs",
        "Checking that logs are recognised",
        "Behaviour of senders during outages",
        "OpenTelemetry SDKs",
        "Keys of JSON objects",
    ];
    let mut in_block = false;
    for line in PAGE.lines() {
        in_block ^= line.starts_with("```");
        let heading = line.trim_start_matches('#').trim();
        if !in_block && line.starts_with('#') {
            let is_known = known.iter().chain(&TESTED).chain(&UNTESTED).any(|one| *one == heading);
            assert!(is_known, "{heading} is neither tested nor marked");
        }
    }
    assert!(!PAGE.contains("OTEL_EXPORTER_OTLP_LOGS"), "variables for all signals are enough");
}

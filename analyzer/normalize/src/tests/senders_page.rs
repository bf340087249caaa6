//! The table of keys in `docs/senders.md`, against the reader.

use super::*;

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/senders.md"));

/// The keys of a row, in the order of the row.
fn keys(meaning: &str) -> Vec<&'static str> {
    let row = PAGE.lines().find(|line| line.starts_with(&format!("| {meaning} | `")));
    let keys = row.unwrap_or_else(|| panic!("no row for {meaning}")).split(" | ").nth(1).unwrap();
    keys.split(", ").map(|key| key.trim_matches('`')).collect()
}

#[test]
fn each_key_of_the_page_is_read_and_the_first_of_a_row_counts() {
    for (meaning, field) in [
        ("host", "host.name"),
        ("severity", "severity_text"),
        ("program", "process.name"),
        ("client", "client.address"),
        ("user", "user.name"),
    ] {
        let keys = keys(meaning);
        for (index, key) in keys.iter().enumerate() {
            // The later ones stand first, so that their order in the object does not decide. A key that is the canonical
            // name keeps its own value.
            let mut entries = vec![("message", "m")];
            let later = keys[index + 1..].iter().filter(|later| **later != field);
            entries.extend(later.rev().map(|later| (*later, "198.51.100.9")));
            entries.push((key, "198.51.100.7"));
            let payload = payload(object(&entries), &[]);
            assert_eq!(text(&only(&payload), field), Some("198.51.100.7"), "{key}");
        }
    }
    let (messages, times) = (keys("message"), keys("time"));
    for (index, key) in messages.iter().enumerate() {
        let mut entries: Vec<_> = messages[index + 1..].iter().map(|later| (*later, "later")).collect();
        entries.push((key, "first"));
        assert_eq!(only(&payload(object(&entries), &[])).message, "first", "{key}");
    }
    for key in times {
        let payload = payload(object(&[(key, "Jul  8 2026 09:10:11"), ("message", "m")]), &[]);
        assert_eq!(only(&payload).event_time, Timestamp::parse_rfc3339("2026-07-08T09:10:11Z"), "{key}");
    }
}

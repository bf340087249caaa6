//! Times as senders write them.

use super::*;

fn nanos(rfc3339: &str) -> u64 {
    let moment: jiff::Timestamp = rfc3339.parse().unwrap();
    u64::try_from(moment.as_nanosecond()).unwrap()
}

fn read(value: &[u8]) -> Option<u64> {
    parse(value, Timestamp::parse_rfc3339("2026-07-08T10:00:00Z").unwrap())
}

#[test]
fn names_are_ranked_and_their_case_is_ignored() {
    assert_eq!(rank(b"timestamp"), Some(0));
    assert_eq!(rank(b"TIME"), Some(1));
    assert_eq!(rank(b"@TimeStamp"), Some(2));
    assert_eq!(rank(b"EVENTTIME"), Some(5));
    assert_eq!(rank(b"timestampinms"), Some(6));
    for name in [b"times".as_slice(), b"", b"tz", b"uptime", b"timestamp2"] {
        assert_eq!(rank(name), None);
    }
    for (expected, name) in NAMES.iter().enumerate() {
        assert_eq!(rank(name), Some(expected));
    }
}

#[test]
fn iso_8601_and_bsd_dates_are_read_in_their_usual_forms() {
    let moment = nanos("2026-07-08T09:10:11.012Z");
    for text in [
        "2026-07-08T09:10:11.012Z",
        "2026-07-08t09:10:11.012z",
        "2026-07-08T09:10:11.012000000Z",
        "2026-07-08T09:10:11.012000000999Z",
        "2026-07-08 09:10:11,012",
        "2026-07-08 09:10:11.012 UTC",
        "2026-07-08T09:10:11.012",
        "2026-07-08T11:10:11.012+02:00",
        "2026-07-08T11:10:11.012+0200",
        "2026-07-08 11:10:11.012 +02",
        "2026-07-08T04:40:11.012-04:30",
        "20260708T091011.012Z",
    ] {
        assert_eq!(read(format!("\"{text}\"").as_bytes()), Some(moment), "{text}");
    }
    for text in ["Jul  8 09:10:11.012", "Jul 08 2026 09:10:11.012", "2026 Jul 8 09:10:11.012"] {
        assert_eq!(read(format!("\"{text}\"").as_bytes()), Some(moment), "{text}");
    }
    assert_eq!(read(b"\"2026-07-08T09:10Z\""), Some(nanos("2026-07-08T09:10:00Z")));
    assert_eq!(read(b"\"2016-12-31T23:59:60Z\""), Some(nanos("2016-12-31T23:59:59Z")));
}

#[test]
fn epochs_are_told_apart_by_their_size() {
    let moment = nanos("2026-07-08T09:10:11Z");
    let seconds = moment / 1_000_000_000;
    for unit in [1, 1_000, 1_000_000, 1_000_000_000] {
        let count = seconds * unit;
        assert_eq!(read(count.to_string().as_bytes()), Some(moment), "{count}");
        assert_eq!(read(format!("\"{count}\"").as_bytes()), Some(moment), "\"{count}\"");
    }
    assert_eq!(read(format!("{seconds}.25").as_bytes()), Some(moment + 250_000_000));
    assert_eq!(read(format!("{seconds}000.5").as_bytes()), Some(moment + 500_000));
    assert_eq!(read(b"9223372036854775807"), Some(9_223_372_036_854_775_807));
}

#[test]
fn what_is_no_moment_is_none() {
    for value in [
        "35",
        "0",
        "0.023",
        "-1752000000",
        "99999999",
        "1.7e9",
        "9223372036854775808",
        "99999999999999999999",
        "true",
        "null",
        "{}",
        "[1752000000]",
        "\"\"",
        "\"yesterday\"",
        "\"2026-07-08\"",
        "\"2026-13-08T09:10:11Z\"",
        "\"2026-02-30T09:10:11Z\"",
        "\"2026-07-08T24:10:11Z\"",
        "\"2026-07-08T09:10:11.Z\"",
        "\"2026-07-08T09:10:11+24:00\"",
        "\"2026-07-08T09:10:11 CEST\"",
        "\"Jul  8 09:10:11 CEST\"",
        "\"Jul  8\"",
        "\"Dec 31 1969 23:59:59\"",
        "\"1969-12-31T23:59:59Z\"",
        "\"1970-01-01T00:00:00Z\"",
        "\"1970-01-01T01:00:00+01:00\"",
        "\"2300-01-01T00:00:00Z\"",
        "\"2026-07/08T09:10:11Z\"",
        "\"1752000000x\"",
    ] {
        assert_eq!(read(value.as_bytes()), None, "{value}");
    }
}

/// A row of the table of keys in `docs/senders.md`.
fn page_row(meaning: &str) -> Vec<&'static [u8]> {
    const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/senders.md"));
    let row = PAGE.lines().find(|line| line.starts_with(&format!("| {meaning} | `"))).unwrap();
    row.split(" | ").nth(1).unwrap().split(", ").map(|key| key.trim_matches('`').as_bytes()).collect()
}

#[test]
fn the_page_of_senders_names_the_keys_in_their_order() {
    assert_eq!(page_row("time"), NAMES);
    let severities = page_row("severity");
    for (expected, name) in severities.iter().enumerate() {
        assert_eq!(crate::validate::severity::rank(name), Some(expected));
    }
    assert_eq!(severities.len(), 4);
}

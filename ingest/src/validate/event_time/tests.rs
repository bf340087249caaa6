//! Times as senders write them.

use super::*;

fn nanos(rfc3339: &str) -> u64 {
    let moment: jiff::Timestamp = rfc3339.parse().unwrap();
    u64::try_from(moment.as_nanosecond()).unwrap()
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
fn iso_8601_is_read_in_its_usual_forms() {
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
        assert_eq!(parse(format!("\"{text}\"").as_bytes()), Some(moment), "{text}");
    }
    assert_eq!(parse(b"\"2026-07-08T09:10Z\""), Some(nanos("2026-07-08T09:10:00Z")));
    assert_eq!(parse(b"\"2016-12-31T23:59:60Z\""), Some(nanos("2016-12-31T23:59:59Z")));
}

#[test]
fn epochs_are_told_apart_by_their_size() {
    let moment = nanos("2026-07-08T09:10:11Z");
    let seconds = moment / 1_000_000_000;
    for unit in [1, 1_000, 1_000_000, 1_000_000_000] {
        let count = seconds * unit;
        assert_eq!(parse(count.to_string().as_bytes()), Some(moment), "{count}");
        assert_eq!(parse(format!("\"{count}\"").as_bytes()), Some(moment), "\"{count}\"");
    }
    assert_eq!(parse(format!("{seconds}.25").as_bytes()), Some(moment + 250_000_000));
    assert_eq!(parse(format!("{seconds}000.5").as_bytes()), Some(moment + 500_000));
    assert_eq!(parse(b"9223372036854775807"), Some(9_223_372_036_854_775_807));
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
        "\"1969-12-31T23:59:59Z\"",
        "\"1970-01-01T00:00:00Z\"",
        "\"1970-01-01T01:00:00+01:00\"",
        "\"2300-01-01T00:00:00Z\"",
        "\"2026-07/08T09:10:11Z\"",
        "\"1752000000x\"",
    ] {
        assert_eq!(parse(value.as_bytes()), None, "{value}");
    }
}

//! BSD dates as senders write them.

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

#[test]
fn a_date_is_read_with_and_without_a_year_and_with_any_padding() {
    let received_at = at("2026-11-23T10:00:00Z");
    for text in [
        "Nov 23 09:13:40",
        "2026 Nov 23 09:13:40",
        "Nov 23 2026 09:13:40",
        "Nov 23 09:13:40 2026",
        "Nov 23 09:13:40.000",
    ] {
        assert_eq!(Timestamp::parse_bsd(text, received_at), Some(at("2026-11-23T09:13:40Z")), "{text}");
    }
    for text in ["Nov  3 09:13:40", "Nov 03 09:13:40", "Nov 3 09:13:40"] {
        assert_eq!(Timestamp::parse_bsd(text, received_at), Some(at("2026-11-03T09:13:40Z")), "{text}");
    }
    let fraction = Timestamp::parse_bsd("Nov 23 09:13:40.012345678", received_at);
    assert_eq!(fraction.map(|moment| moment.0 % 1_000_000_000), Some(12_345_678));
    let leap_second = Timestamp::parse_bsd("Dec 31 2016 23:59:60", received_at);
    assert_eq!(leap_second, Some(at("2016-12-31T23:59:59Z")));
    let other_year = Timestamp::parse_bsd("1999 Dec 31 23:59:59", received_at);
    assert_eq!(other_year, Some(at("1999-12-31T23:59:59Z")), "a year that is written counts");
}

#[test]
fn a_date_without_a_year_is_the_one_nearest_to_its_receipt() {
    for (text, received_at, expected) in [
        ("Dec 31 23:59:58", "2027-01-01T00:00:05Z", "2026-12-31T23:59:58Z"),
        ("Jan  1 00:00:02", "2026-12-31T23:59:58Z", "2027-01-01T00:00:02Z"),
        ("Feb 29 12:00:00", "2028-03-01T00:00:00Z", "2028-02-29T12:00:00Z"),
        ("Jul  8 09:10:11", "2026-11-23T10:00:00Z", "2026-07-08T09:10:11Z"),
    ] {
        let read = Timestamp::parse_bsd(text, at(received_at));
        assert_eq!(read, Some(at(expected)), "{text} received at {received_at}");
    }
}

#[test]
fn any_other_text_is_no_date() {
    let received_at = at("2026-11-23T10:00:00Z");
    for text in [
        "",
        "Nov",
        "Nov 23",
        "Nov 23 09:13",
        "nov 23 09:13:40",
        "November 23 09:13:40",
        "Nov_23 09:13:40",
        "Nov 31 09:13:40",
        "Nov 0 09:13:40",
        "Nov 023 09:13:40",
        "Feb 29 2026 09:13:40",
        "Nov 23 24:13:40",
        "Nov 23 09:60:40",
        "Nov 23 09:13:61",
        "Nov 23 9:13:40",
        "Nov 23 09:13:40.",
        "Nov 23 09:13:40.0123456789",
        "Nov 23 09:13:40 ",
        "Nov 23 09:13:40 26",
        "Nov 23 09:13:40 CET",
        "2026 Nov 23 2026 09:13:40",
        "2026 Nov 23 09:13:40 2026",
        "+026 Nov 23 09:13:40",
        "Nov 23 09:1\u{663}:40",
    ] {
        assert_eq!(Timestamp::parse_bsd(text, received_at), None, "{text}");
    }
}

#[test]
fn what_follows_a_date_is_handed_back() {
    let received_at = at("2026-11-23T10:00:00Z");
    let moment = at("2026-11-23T09:13:40Z");
    for (text, rest) in [
        ("Nov 23 09:13:40 web-1 sshd: x", Some("web-1 sshd: x")),
        ("Nov 23 2026 09:13:40 web-1", Some("web-1")),
        ("Nov 23 09:13:40 2026 x", Some("2026 x")),
        ("Nov 23 09:13:40", None),
        ("Nov 23 09:13:40Z x", None),
    ] {
        assert_eq!(Timestamp::split_bsd(text, received_at), rest.map(|rest| (moment, rest)), "{text}");
    }
}

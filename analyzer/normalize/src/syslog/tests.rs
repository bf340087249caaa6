//! Headers as daemons, relays and drains write them.

use super::*;

fn moment(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn header(line: &str) -> Option<Header<'_>> {
    split(line, moment("2026-07-08T12:00:00Z"))
}

#[test]
fn every_form_gives_the_same_header() {
    for line in [
        "Jul  8 09:10:11 web-1 sshd[812]: Connection closed",
        "Jul 8 09:10:11.000 web-1 sshd[812]: Connection closed",
        "<38>Jul  8 09:10:11 web-1 sshd[812]: Connection closed",
        "2026-07-08T11:10:11.000000+02:00 web-1 sshd[812]: Connection closed",
        "<38>1 2026-07-08T09:10:11Z web-1 sshd 812 - - Connection closed",
        "65 <38>1 2026-07-08T09:10:11Z web-1 sshd 812 - - Connection closed",
        "<38>1 2026-07-08T09:10:11Z web-1 sshd 812 - Connection closed",
        "<38>1 2026-07-08T09:10:11Z web-1 sshd 812 ID47 [a@1 b=\"]\\\"\"][c@1] \u{feff}Connection closed",
    ] {
        let found = header(line).unwrap_or_else(|| panic!("no header: {line}"));
        assert_eq!(found.time, Some(moment("2026-07-08T09:10:11Z")), "{line}");
        assert_eq!(found.host, Some("web-1"), "{line}");
        assert_eq!((found.program, found.process_id), (Some("sshd"), Some("812")), "{line}");
        assert_eq!(found.content, "Connection closed", "{line}");
        assert_eq!(found.priority, line.contains("<38>").then_some(38), "{line}");
    }
}

#[test]
fn parts_may_be_missing() {
    let no_host = header("Jul  8 09:10:11 sshd[812]: line").unwrap();
    assert_eq!((no_host.host, no_host.program, no_host.content), (None, Some("sshd"), "line"));
    let no_tag = header("Jul  8 09:10:11 web-1 something happened").unwrap();
    assert_eq!((no_tag.host, no_tag.program), (Some("web-1"), None));
    let bare = header("<38>1 - - - - - - line").unwrap();
    let nothing = Header { priority: Some(38), data: "-", content: "line", ..Header::default() };
    assert_eq!(bare, nothing);
}

#[test]
fn other_lines_have_no_header() {
    for line in [
        "",
        "<",
        "<38>",
        "<999999>1 - - - - - -",
        "<192>1 - - - - - -",
        "Jul",
        "July was hot",
        "Jul 99 09:10:11 web-1 sshd[1]: x",
        "Feb 29 09:10:11",
        "198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] \"GET / HTTP/1.1\" 200 5",
        "2026-07-08T09:10:11Z",
        "<38>1 2026-07-08T09:10:11Z web-1 sshd 812 - [open \"",
    ] {
        assert_eq!(header(line), None, "{line}");
    }
}

#[test]
fn a_date_without_a_year_is_at_most_a_day_ahead() {
    let line = "Dec 31 23:59:59 web-1 cron[1]: x";
    let time = |received| split(line, moment(received)).unwrap().time.unwrap().to_iso();
    assert_eq!(time("2027-01-01T00:00:05Z"), "2026-12-31T23:59:59.000Z");
    assert_eq!(time("2026-12-31T23:59:50Z"), "2026-12-31T23:59:59.000Z");
    assert_eq!(time("2026-12-31T00:00:00Z"), "2026-12-31T23:59:59.000Z");
    assert_eq!(time("2026-12-30T23:00:00Z"), "2025-12-31T23:59:59.000Z");
    assert_eq!(time("2026-09-01T00:00:00Z"), "2025-12-31T23:59:59.000Z");
    let leap = split("Feb 29 10:00:00 web-1 cron[1]: x", moment("2028-03-01T00:00:00Z")).unwrap();
    assert_eq!(leap.time.unwrap().to_iso(), "2028-02-29T10:00:00.000Z");
}

#[test]
fn a_header_says_more_than_who_and_when() {
    let line =
        r#"<165>1 2026-07-08T09:10:11Z web-1 shop - ID47 [origin@32473 ip="10.0.0.5" x="a\]\"b"][y@1] up"#;
    let reading = read(&header(line).unwrap());
    let value = |name: &str| reading.fields.iter().find(|(own, _)| *own == name).map(|(_, value)| value);
    assert_eq!(value("log.syslog.facility.code"), Some(&Value::Int(20)));
    assert_eq!(value("log.syslog.severity.code"), Some(&Value::Int(5)));
    assert_eq!(value("severity_text").and_then(Value::as_str), Some("notice"));
    assert_eq!(value("log.syslog.msgid").and_then(Value::as_str), Some("ID47"));
    let mut event = sigma::event::Event::default();
    event.push("structured_data", value("structured_data").unwrap().clone());
    for (path, text) in [("origin@32473.ip", "10.0.0.5"), ("origin@32473.x", "a]\"b")] {
        let found = event.field(&format!("structured_data.{path}")).and_then(Value::as_str);
        assert_eq!(found, Some(text), "{path}");
    }
}

#[test]
fn times_of_other_systems() {
    let lines = [
        ("2026-07-08 09:10:11 web-1 sshd[12]: x", "2026-07-08T09:10:11.000Z", Some("web-1")),
        ("2026-07-08 09:10:11,123 web-1 sshd[12]: x", "2026-07-08T09:10:11.123Z", Some("web-1")),
        ("2026-07-08 11:10:11.5+02:00 web-1 sshd[12]: x", "2026-07-08T09:10:11.500Z", Some("web-1")),
        // OpenWrt, FreeBSD.
        ("Wed Jul  8 09:10:11 2026 authpriv.info sshd[12]: x", "2026-07-08T09:10:11.000Z", None),
        ("Jul  8 09:10:11 <auth.info> web-1 sshd[12]: x", "2026-07-08T09:10:11.000Z", Some("web-1")),
    ];
    for (line, time, host) in lines {
        let header = split(line, moment("2026-07-08T12:00:00Z")).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(header.time.map(|time| time.to_iso()).as_deref(), Some(time), "{line}");
        assert_eq!(
            (header.host, header.program, header.process_id, header.content),
            (host, Some("sshd"), Some("12"), "x"),
            "{line}"
        );
    }
    // Logs that programs write themselves.
    for line in [
        "2026-07-08 09:10:11 INFO main: started",
        "2026-07-08 09:10:11,123 WARNING worker[12]: slow",
        "2026-07-08 09:10:11 UTC [77]: user=,db= LOG:  x",
        "2026-07-08 09:10:11 Connection from [198.51.100.7] refused: x",
        "Wed Jul  8 09:10:11 2026 : Auth: (9) Login incorrect: [anna] (from client vpn port 12)",
    ] {
        assert!(split(line, moment("2026-07-08T12:00:00Z")).is_none(), "{line}");
    }
}

#[test]
fn a_tag_may_stand_alone_or_behind_the_host() {
    for (line, host, program, process_id) in [
        ("sshd[812]: x", None, "sshd", Some("812")),
        ("sshd: x", None, "sshd", None),
        ("CRON[812]: x", None, "CRON", Some("812")),
        ("postfix/smtpd[812]: x", None, "postfix/smtpd", Some("812")),
        ("web-1 sshd[812]: x", Some("web-1"), "sshd", Some("812")),
    ] {
        let expected = Header { host, program: Some(program), process_id, content: "x", ..Header::default() };
        assert_eq!(header(line), Some(expected), "{line}");
    }
    for line in [
        "NOTICE[812]: x",
        "error: x",
        "worker: x",
        "worker[main]: x",
        "worker[]: x",
        "sshd[812]",
        "the shop's worker[812]: x",
        "array[12]=3: x",
    ] {
        assert_eq!(header(line), None, "{line}");
    }
}

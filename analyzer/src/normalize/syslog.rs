//! Syslog headers in front of a line: RFC 3164 as it is found in the wild, RFC 5424, and the
//! ISO 8601 form of rsyslog's files. Reads the header only; what follows belongs to other readers.

use common::timestamp::Timestamp;
use jiff::civil::{Date, Time};

use super::time;

/// What a header says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header<'t> {
    pub(super) time: Option<Timestamp>,
    pub(super) host: Option<&'t str>,
    pub(super) program: Option<&'t str>,
    pub(super) process_id: Option<&'t str>,
    /// What follows the header.
    pub(super) content: &'t str,
}

/// Splits the header off a line; `None` where there is none. A date without a year takes the year
/// that puts it nearest to `received_at`; a time without an offset is read as UTC.
pub(super) fn split(line: &str, received_at: Timestamp) -> Option<Header<'_>> {
    let (has_priority, rest) = after_priority(line);
    if has_priority && let Some(rest) = rest.strip_prefix("1 ") {
        return modern(rest);
    }
    let (time, rest) = traditional_time(rest, received_at).or_else(|| iso_time(rest))?;
    let mut header = traditional(rest)?;
    header.time = Some(time);
    Some(header)
}

/// `<34>`, up to 191.
fn after_priority(line: &str) -> (bool, &str) {
    let found = line.strip_prefix('<').and_then(|rest| {
        let end = rest.bytes().take(4).position(|byte| byte == b'>')?;
        let digits = &rest[..end];
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| &rest[end + 1..])
    });
    (found.is_some(), found.unwrap_or(line))
}

/// RFC 5424 section 6, behind the version: time, host, program, process id, message id, structured
/// data, message. A dash stands for nothing.
fn modern(rest: &str) -> Option<Header<'_>> {
    fn word<'t>(rest: &mut &'t str) -> Option<Option<&'t str>> {
        let (word, after) = rest.split_once(' ')?;
        *rest = after;
        Some(Some(word).filter(|word| *word != "-"))
    }
    let mut rest = rest;
    let time = word(&mut rest)?;
    let host = word(&mut rest)?;
    let program = word(&mut rest)?;
    let process_id = word(&mut rest)?;
    word(&mut rest)?;
    let content = after_structured_data(rest)?.trim_start_matches('\u{feff}');
    let time = match time {
        Some(text) => Some(Timestamp::parse_rfc3339(text)?),
        None => None,
    };
    Some(Header { time, host, program, process_id, content })
}

/// Passes over `-` or `[id name="value"]…`; in values, `\` escapes the next character.
fn after_structured_data(rest: &str) -> Option<&str> {
    if let Some(content) = rest.strip_prefix('-') {
        return Some(content.strip_prefix(' ').unwrap_or(content));
    }
    let bytes = rest.as_bytes();
    let mut at = 0;
    while bytes.get(at) == Some(&b'[') {
        let mut quoted = false;
        loop {
            at += 1;
            match bytes.get(at)? {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                b']' if !quoted => break,
                _ => {}
            }
        }
        at += 1;
    }
    let content = rest.get(at..).filter(|_| at > 0)?;
    Some(content.strip_prefix(' ').unwrap_or(content))
}

/// `Jul  8 09:10:11 `, with or without a fraction of a second.
fn traditional_time(text: &str, received_at: Timestamp) -> Option<(Timestamp, &str)> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = MONTHS.iter().position(|name| text.starts_with(name))?;
    let month = i8::try_from(month + 1).ok()?;
    let (day, rest) = text.get(4..)?.trim_start_matches(' ').split_once(' ')?;
    let (clock, rest) = rest.split_once(' ')?;
    let day = day.parse::<i8>().ok()?;
    let clock = clock_of(clock)?;
    Some((nearest_year(month, day, clock, received_at)?, rest))
}

fn clock_of(text: &str) -> Option<Time> {
    let bytes = text.as_bytes();
    let is_clock = bytes.get(2) == Some(&b':') && bytes.get(5) == Some(&b':') && bytes.len() <= 18;
    if is_clock { text.parse().ok() } else { None }
}

fn nearest_year(month: i8, day: i8, clock: Time, received_at: Timestamp) -> Option<Timestamp> {
    const YEAR: i64 = 31_556_952_000_000_000;
    let around = i16::try_from(1970 + received_at.0.div_euclid(YEAR)).ok()?;
    (around - 1..=around + 1)
        .filter_map(|year| time::of_civil(Date::new(year, month, day).ok()?.to_datetime(clock)))
        .min_by_key(|moment| moment.0.abs_diff(received_at.0))
}

/// `2026-07-08T09:10:11.012345+02:00 `.
fn iso_time(text: &str) -> Option<(Timestamp, &str)> {
    let looks_like_time = text.as_bytes().get(10) == Some(&b'T') && text.as_bytes().get(4) == Some(&b'-');
    if !looks_like_time {
        return None;
    }
    let (word, rest) = text.split_once(' ')?;
    Some((Timestamp::parse_rfc3339(word)?, rest))
}

/// Host and tag: `web-1 sshd[123]: `. Relays may leave the host out; then the first word is the tag.
fn traditional(rest: &str) -> Option<Header<'_>> {
    let (first, after) = rest.split_once(' ')?;
    if let Some((program, process_id)) = tag(first) {
        return Some(Header { time: None, host: None, program: Some(program), process_id, content: after });
    }
    let (second, content) = match after.split_once(' ') {
        Some(split) => split,
        None => (after, ""),
    };
    let header = Header { time: None, host: Some(first), program: None, process_id: None, content: after };
    Some(match tag(second) {
        Some((program, process_id)) => Header { program: Some(program), process_id, content, ..header },
        None => header,
    })
}

/// `program:` or `program[123]:`.
fn tag(word: &str) -> Option<(&str, Option<&str>)> {
    let word = word.strip_suffix(':')?;
    let (program, process_id) = match word.strip_suffix(']').and_then(|inner| inner.split_once('[')) {
        Some((program, id)) => (program, Some(id)),
        None => (word, None),
    };
    let is_program = !program.is_empty() && !program.contains([':', '[', ']', '"', '=']);
    is_program.then_some((program, process_id))
}

#[cfg(test)]
mod tests {
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
            "<38>1 2026-07-08T09:10:11Z web-1 sshd 812 ID47 [a@1 b=\"]\\\"\"][c@1] \u{feff}Connection closed",
        ] {
            let expected = Header {
                time: Some(moment("2026-07-08T09:10:11Z")),
                host: Some("web-1"),
                program: Some("sshd"),
                process_id: Some("812"),
                content: "Connection closed",
            };
            assert_eq!(header(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn parts_may_be_missing() {
        let no_host = header("Jul  8 09:10:11 sshd[812]: line").unwrap();
        assert_eq!((no_host.host, no_host.program, no_host.content), (None, Some("sshd"), "line"));
        let no_tag = header("Jul  8 09:10:11 web-1 something happened").unwrap();
        assert_eq!((no_tag.host, no_tag.program), (Some("web-1"), None));
        let bare = header("<38>1 - - - - - - line").unwrap();
        assert_eq!(bare, Header { content: "line", ..Header::default() });
    }

    #[test]
    fn other_lines_have_no_header() {
        for line in [
            "",
            "<",
            "<38>",
            "<999999>1 - - - - - -",
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
    fn a_date_without_a_year_is_the_nearest_one() {
        let line = "Dec 31 23:59:59 web-1 cron[1]: x";
        let time = |received| split(line, moment(received)).unwrap().time.unwrap().to_iso();
        assert_eq!(time("2027-01-01T00:00:05Z"), "2026-12-31T23:59:59.000Z");
        assert_eq!(time("2026-12-31T23:59:50Z"), "2026-12-31T23:59:59.000Z");
        let leap = split("Feb 29 10:00:00 web-1 cron[1]: x", moment("2028-03-01T00:00:00Z")).unwrap();
        assert_eq!(leap.time.unwrap().to_iso(), "2028-02-29T10:00:00.000Z");
    }
}

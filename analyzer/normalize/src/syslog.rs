//! Syslog headers in front of a line: RFC 3164 as it is found in the wild, RFC 5424 with its structured
//! data, Heroku's form of it, and the ISO 8601 form of rsyslog's files. Reads the header only; what
//! follows belongs to other readers.

mod other_times;
mod structured_data;

use common::timestamp::Timestamp;
use sigma::event::Value;

use super::reading::Reading;
use super::{program_name, split, time};

/// Parts of a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header<'t> {
    pub(super) time: Option<Timestamp>,
    pub(super) host: Option<&'t str>,
    pub(super) program: Option<&'t str>,
    pub(super) process_id: Option<&'t str>,
    /// Kind of message (RFC 5424).
    pub(super) message_id: Option<&'t str>,
    /// Eight times the facility, plus the severity.
    pub(super) priority: Option<u8>,
    /// Structured data as it was sent (RFC 5424).
    pub(super) data: &'t str,
    /// Text behind the header.
    pub(super) content: &'t str,
}

/// Longer words in front of a process id are no names of programs (RFC 5424 section 6: 48 characters).
const LONGEST_PROGRAM: usize = 48;

/// Words of RFC 5424 for the severity in a priority, worst first.
const SEVERITIES: [&str; 8] =
    ["emergency", "alert", "critical", "error", "warning", "notice", "informational", "debug"];

/// The words for them in the names of files and in some headers.
const SHORT_SEVERITIES: [&str; 8] = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

/// Splits the header off a line; `None` if there is none. A date without a year is the
/// last one that is at most a day after `received_at`; a time without an offset is read as UTC.
pub(super) fn split(line: &str, received_at: Timestamp) -> Option<Header<'_>> {
    let (priority, rest) = after_priority(after_length(line));
    if priority.is_some()
        && let Some(rest) = rest.strip_prefix("1 ")
    {
        return Some(Header { priority, ..modern(rest)? });
    }
    if let Some((time, rest)) =
        Timestamp::split_bsd(rest, received_at).or_else(|| iso_time(rest)).or_else(|| colon_time(rest))
    {
        return Some(Header { time: Some(time), priority, ..traditional(without_priority_words(rest))? });
    }
    other_time(rest, priority).or_else(|| match priority {
        Some(priority) => bare(priority, rest),
        None => tagged(rest),
    })
}

/// Programs write such times into logs of their own, too: only a process id proves a system's log.
fn other_time(rest: &str, priority: Option<u8>) -> Option<Header<'_>> {
    let (time, rest) = other_times::split(rest)?;
    let header = traditional(without_priority_words(rest))?;
    let is_system = header.process_id.is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
    is_system.then_some(Header { time: Some(time), priority, ..header })
}

/// Facility and severity in words, which routers and BSD systems put behind the time: `authpriv.info `, `<auth.info> `.
fn without_priority_words(rest: &str) -> &str {
    const FACILITIES: [&str; 12] = [
        "auth", "authpriv", "security", "daemon", "user", "kern", "mail", "cron", "syslog", "local0",
        "local4", "local7",
    ];
    // Most names of hosts begin otherwise.
    if !matches!(
        rest.as_bytes().first(),
        Some(b'<' | b'>' | b'a' | b's' | b'd' | b'u' | b'k' | b'm' | b'c' | b'l')
    ) {
        return rest;
    }
    let split = split::at_byte(rest, b' ').and_then(|(word, behind)| {
        let (facility, level) = word.trim_matches(['<', '>']).split_once('.')?;
        let is_level = matches!(
            level,
            "emerg" | "alert" | "crit" | "err" | "error" | "warn" | "warning" | "notice" | "info" | "debug"
        );
        (is_level && FACILITIES.contains(&facility)).then_some(behind)
    });
    split.unwrap_or(rest)
}

/// Structured data as a map of maps; `None` if it is none.
pub(super) fn data(data: &str) -> Option<Value<'_>> {
    structured_data::read(data)
}

/// Fields of the record in its header.
pub(super) fn read<'t>(header: &Header<'t>) -> Reading<'t> {
    let mut reading = Reading::default();
    for (name, text) in [("host.name", header.host), ("process.name", header.program)] {
        reading.text(name, text.unwrap_or_default());
    }
    reading.number("process.pid", header.process_id.unwrap_or_default());
    if let Some(priority) = header.priority {
        let severity = priority & 7;
        reading.push("log.syslog.facility.code", Value::Int(i64::from(priority >> 3)));
        reading.push("log.syslog.severity.code", Value::Int(i64::from(severity)));
        reading.text("severity_text", SEVERITIES[usize::from(severity)]);
    }
    reading.text("log.syslog.msgid", header.message_id.unwrap_or_default());
    if let Some(data) = structured_data::read(header.data) {
        reading.push("structured_data", data);
    }
    reading
}

/// Octet counting (RFC 6587) leaves the length in front of a message.
fn after_length(line: &str) -> &str {
    let digits = line.bytes().take(7).take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).and_then(|rest| rest.strip_prefix(' '));
    rest.filter(|rest| digits > 0 && rest.starts_with('<')).unwrap_or(line)
}

/// `<34>`, up to 191.
fn after_priority(line: &str) -> (Option<u8>, &str) {
    let found = line.strip_prefix('<').and_then(|rest| {
        let end = rest.bytes().take(4).position(|byte| byte == b'>')?;
        let priority = rest[..end].parse().ok().filter(|priority| *priority <= 191)?;
        Some((Some(priority), &rest[end + 1..]))
    });
    found.unwrap_or((None, line))
}

/// RFC 5424 section 6, behind the version: time, host, program, process id, message id, structured
/// data, message. A dash stands for nothing. Heroku leaves the structured data out.
fn modern(rest: &str) -> Option<Header<'_>> {
    fn word<'t>(rest: &mut &'t str) -> Option<Option<&'t str>> {
        let (word, after) = rest.split_once(' ')?;
        *rest = after;
        Some(Some(word).filter(|word| *word != "-"))
    }
    let mut rest = rest;
    let time = match word(&mut rest)? {
        Some(text) => Some(time::of_rfc3339(text)?),
        None => None,
    };
    let host = word(&mut rest)?;
    // Some go on with the message.
    if rest.starts_with("CEF:") || rest.starts_with("LEEF:") {
        return Some(Header { time, host, content: rest, ..Header::default() });
    }
    let program = word(&mut rest)?;
    let process_id = word(&mut rest)?;
    let message_id = word(&mut rest)?;
    let (data, content) = match rest.bytes().next() {
        Some(b'[') => structured_data::split(rest)?,
        Some(b'-') => rest.split_at(1),
        _ => ("", rest),
    };
    let content = content.strip_prefix(' ').unwrap_or(content).trim_start_matches('\u{feff}');
    Some(Header { time, host, program, process_id, message_id, priority: None, data, content })
}

/// `2026-07-08T09:10:11.012345+02:00 `.
fn iso_time(text: &str) -> Option<(Timestamp, &str)> {
    let looks_like_time = text.as_bytes().get(10) == Some(&b'T') && text.as_bytes().get(4) == Some(&b'-');
    if !looks_like_time {
        return None;
    }
    let (word, rest) = text.split_once(' ')?;
    Some((time::of_rfc3339(word)?, rest))
}

/// `2026:07:08-09:10:11 `, as Sophos has it.
fn colon_time(text: &str) -> Option<(Timestamp, &str)> {
    let looks_like_time = text.as_bytes().get(10) == Some(&b'-') && text.as_bytes().get(4) == Some(&b':');
    if !looks_like_time {
        return None;
    }
    let (word, rest) = text.split_once(' ').filter(|(word, _)| word.len() == 19)?;
    let (date, moment) = word.split_once('-')?;
    let is_date = date.len() == 10 && date.as_bytes().get(4) == Some(&b':');
    let text = is_date.then(|| format!("{}T{moment}Z", date.replace(':', "-")))?;
    Some((time::of_rfc3339(&text)?, rest))
}

/// Host and tag: `web-1 sshd[123]: `. Relays may leave the host out; then the first word is the tag. Logs of programs that
/// begin with the same date part their columns by tabs, which no host has.
fn traditional(rest: &str) -> Option<Header<'_>> {
    let (first, after) = split::at_byte(rest, b' ')?;
    if first.as_bytes().contains(&b'\t') {
        return Some(Header { content: rest, ..Header::default() });
    }
    if let Some((program, process_id)) = tag(first) {
        return Some(Header { program: Some(program), process_id, content: after, ..Header::default() });
    }
    let (second, content) = match split::at_byte(after, b' ') {
        Some(split) => split,
        None => (after, ""),
    };
    let header = Header { host: Some(first), content: after, ..Header::default() };
    // F5 names the severity in front of the tag.
    if SHORT_SEVERITIES.contains(&second)
        && let Some((third, content)) = content.split_once(' ')
        && let Some((program, process_id)) = tag(third)
    {
        return Some(Header { program: Some(program), process_id, content, ..header });
    }
    Some(match tag(second) {
        Some((program, process_id)) => Header { program: Some(program), process_id, content, ..header },
        None => header,
    })
}

/// A line with a priority and no time: a tag, or nothing else, precedes the message.
fn bare(priority: u8, rest: &str) -> Option<Header<'_>> {
    let content = rest.trim_start();
    if content.is_empty() {
        return None;
    }
    let header = Header { priority: Some(priority), content, ..Header::default() };
    let tagged = content.split_once(' ').and_then(|(first, after)| Some((tag(first)?, after)));
    Some(match tagged {
        Some(((program, process_id), content)) => {
            Header { program: Some(program), process_id, content, ..header }
        }
        None => header,
    })
}

/// A line that begins with its tag, or with its host and its tag, as pipelines leave it that keep the time in a field of its
/// own. Without a process id the word may be anything, unless it is a program whose lines are read by their wording; words in
/// capitals are levels.
fn tagged(line: &str) -> Option<Header<'_>> {
    let (first, content) = split::at_byte(line, b' ')?;
    if let Some((program, process_id)) = tag(first) {
        let is_name =
            program.len() <= LONGEST_PROGRAM && program.bytes().any(|byte| byte.is_ascii_lowercase());
        let is_certain = match process_id {
            Some(id) => is_number(id) && (is_name || program_name::has_wording(program)),
            None => program_name::has_wording(program),
        };
        let header = Header { program: Some(program), process_id, content, ..Header::default() };
        return is_certain.then_some(header);
    }
    let (second, content) = split::at_byte(content, b' ')?;
    let (program, process_id) = tag(second)?;
    let is_certain = process_id.is_some_and(is_number) && program_name::has_wording(program);
    let header =
        Header { host: Some(first), program: Some(program), process_id, content, ..Header::default() };
    is_certain.then_some(header)
}

fn is_number(id: &str) -> bool {
    (1..=7).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
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
mod tests;

//! Times that some systems put in front of a line in the place of syslog's own: with a space in the place of the T, and as
//! routers print them, with the day of the week first and the year last.

use common::timestamp::Timestamp;

use super::super::split;

/// Words that programs write behind such a time, in logs that are no syslog.
const LEVELS: [&str; 10] =
    ["DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "TRACE", "SEVERE"];

/// The time at the start of a line, and the text behind it.
pub(super) fn split(text: &str) -> Option<(Timestamp, &str)> {
    with_space(text).or_else(|| of_router(text))
}

/// Whether a program's own log goes on like this behind a time.
fn begins_with_level(rest: &str) -> bool {
    let first = split::at_byte(rest, b' ').map_or(rest, |(first, _)| first);
    LEVELS.contains(&first)
}

/// `2026-07-08 09:10:11[.012][+02:00] `.
fn with_space(text: &str) -> Option<(Timestamp, &str)> {
    let bytes = text.as_bytes();
    let is_shaped =
        bytes.get(4) == Some(&b'-') && bytes.get(10) == Some(&b' ') && bytes.get(13) == Some(&b':');
    if !is_shaped {
        return None;
    }
    let (date, rest) = split::at_byte(text, b' ')?;
    let (clock, rest) = split::at_byte(rest, b' ')?;
    // Most lines with such a time are a program's own: they end here, before the time is read.
    if begins_with_level(rest) {
        return None;
    }
    let has_offset = clock.ends_with('Z') || clock.get(8..)?.contains(['+', '-']);
    let zone = if has_offset { "" } else { "Z" };
    Some((Timestamp::parse_rfc3339(&format!("{date}T{}{zone}", clock.replace(',', ".")))?, rest))
}

/// `Wed Jul  8 09:10:11 2026 `.
fn of_router(text: &str) -> Option<(Timestamp, &str)> {
    const DAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
    let rest = DAYS.iter().find_map(|day| text.strip_prefix(day))?;
    let (time, year) = (rest.get(..15)?, rest.get(15..20)?.strip_prefix(' ')?);
    let rest = rest.get(20..)?.strip_prefix(' ').filter(|rest| !begins_with_level(rest))?;
    let known = format!("{year} {time} ");
    let (time, _) = Timestamp::split_bsd(&known, Timestamp::from_millis(0))?;
    Some((time, rest))
}

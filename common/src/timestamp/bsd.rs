//! Dates as BSD syslog writes them.

use jiff::civil::{Date, Time};
use jiff::tz::Offset;

use super::Timestamp;

const MONTHS: [&[u8; 3]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
/// Nanoseconds of the mean length of a Gregorian year.
const YEAR: i64 = 31_556_952_000_000_000;

/// Most that a date without a year may be ahead of its acceptance: a day, in nanoseconds.
const MOST_AHEAD: i64 = 86_400_000_000_000;

/// A date and a time of day; the year where it is written.
struct Civil {
    year: Option<i16>,
    month: i8,
    day: i8,
    clock: Time,
}

pub(super) fn whole(text: &str, received_at: Timestamp) -> Option<Timestamp> {
    let (mut civil, rest) = read(text)?;
    if !rest.is_empty() {
        let year = four_digits(rest.strip_prefix(' ')?)?;
        if civil.year.replace(year).is_some() {
            return None;
        }
    }
    civil.moment(received_at)
}

pub(super) fn split(text: &str, received_at: Timestamp) -> Option<(Timestamp, &str)> {
    let (civil, rest) = read(text)?;
    Some((civil.moment(received_at)?, rest.strip_prefix(' ')?))
}

/// `[2026 ]Nov 23 [2026 ]09:13:40[.123]`, and the text behind it.
fn read(text: &str) -> Option<(Civil, &str)> {
    let (year_first, rest) = leading_year(text);
    let name = rest.as_bytes().first_chunk::<3>()?;
    let month = i8::try_from(MONTHS.iter().position(|month| *month == name)? + 1).ok()?;
    let (day, rest) = rest.get(3..)?.strip_prefix(' ')?.trim_start_matches(' ').split_once(' ')?;
    let is_day = day.len() <= 2 && day.bytes().all(|byte| byte.is_ascii_digit());
    let day = day.parse().ok().filter(|_| is_day)?;
    let (year_between, rest) = leading_year(rest);
    if year_first.is_some() && year_between.is_some() {
        return None;
    }
    let (clock, rest) = clock(rest)?;
    Some((Civil { year: year_first.or(year_between), month, day, clock }, rest))
}

/// A year and a space in front of `text`, if it begins so.
fn leading_year(text: &str) -> (Option<i16>, &str) {
    let found = text.split_at_checked(4).and_then(|(year, rest)| Some((year, rest.strip_prefix(' ')?)));
    found.and_then(|(year, rest)| Some((Some(four_digits(year)?), rest))).unwrap_or((None, text))
}

fn four_digits(text: &str) -> Option<i16> {
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_year { text.parse().ok() } else { None }
}

/// `09:13:40[.123]`; a leap second is read as the second before it, as POSIX does.
fn clock(text: &str) -> Option<(Time, &str)> {
    let (clock, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
    let bytes = clock.as_bytes();
    let is_clock = bytes.get(2) == Some(&b':') && bytes.get(5) == Some(&b':') && bytes.len() <= 18;
    if is_clock { Some((clock.parse().ok()?, rest)) } else { None }
}

impl Civil {
    fn moment(&self, received_at: Timestamp) -> Option<Timestamp> {
        let of_year = |year| {
            let date = Date::new(year, self.month, self.day).ok()?;
            let moment = Offset::UTC.to_timestamp(date.to_datetime(self.clock)).ok()?;
            i64::try_from(moment.as_nanosecond()).ok().map(Timestamp)
        };
        if let Some(year) = self.year {
            return of_year(year);
        }
        let around = i16::try_from(1970 + received_at.0.div_euclid(YEAR)).ok()?;
        // A log may come late by months, but no clock is ahead by more than time zones are.
        let latest = received_at.0.saturating_add(MOST_AHEAD);
        (around - 1..=around + 1).filter_map(of_year).filter(|moment| moment.0 <= latest).max()
    }
}

#[cfg(test)]
mod tests;

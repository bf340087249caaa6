//! The time a drain record states about itself: the fields that may hold it, and their formats.
//! Times inside the text of a message are ignored here.

use common::timestamp::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Names that hold a time, the most trusted first; letter case does not matter.
const NAMES: [&[u8]; 7] =
    [b"timestamp", b"time", b"@timestamp", b"ts", b"date", b"eventTime", b"timestampInMs"];

/// Digits of a second that are kept.
const NANO_DIGITS: usize = 9;

/// Rank of the field `name` as a holder of the time: lower is better, `None` is unsuitable.
#[inline]
pub(super) fn rank(name: &[u8]) -> Option<usize> {
    // The lengths of the names; most fields end here.
    if !matches!(name.len(), 2 | 4 | 9 | 10 | 13) {
        return None;
    }
    NAMES.iter().position(|candidate| candidate.eq_ignore_ascii_case(name))
}

/// The time that a JSON value as written represents, in nanoseconds since the epoch: ISO 8601, a BSD syslog
/// date (without a year the one nearest to `received_at`), or a count since the epoch in seconds,
/// milliseconds, microseconds or nanoseconds, as a number or as a string of one. `None` when it is none of
/// these, or outside 1970..2262, and for the epoch itself: zero is protobuf's value for no time, and
/// senders without a clock write it.
pub(super) fn parse(value: &[u8], received_at: Timestamp) -> Option<u64> {
    let text = match value.strip_prefix(b"\"") {
        Some(text) => text.strip_suffix(b"\"")?,
        None => value,
    };
    since_epoch(text)
        .or_else(|| iso_8601(text))
        .or_else(|| bsd(text, received_at))
        .filter(|nanos| *nanos != 0)
}

/// Digits, perhaps with a fraction. The magnitude determines the unit; the ranges exclude values
/// too small to be a time of this century or the end of the last, such as a duration that happens
/// to be called `time`.
fn since_epoch(text: &[u8]) -> Option<u64> {
    let mut scan = Scan { rest: text };
    let whole = scan.number()?;
    let unit: u64 = match whole {
        100_000_000..100_000_000_000 => 1_000_000_000,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000,
        100_000_000_000_000_000.. => 1,
        _ => return None,
    };
    let fraction = if scan.take(b'.') { scan.fraction()? } else { 0 };
    scan.end()?;
    let nanos = whole.checked_mul(unit)?.checked_add(fraction * unit / 1_000_000_000)?;
    i64::try_from(nanos).ok().map(i64::cast_unsigned)
}

/// A date and a time of day, extended or basic; a space or `t` may replace `T`, a comma the point,
/// and a missing offset means UTC. A date alone is not a moment.
fn iso_8601(text: &[u8]) -> Option<u64> {
    let mut scan = Scan { rest: text };
    let year = scan.digits(4)?;
    let dashes = scan.take(b'-');
    let month = scan.digits(2)?;
    if dashes && !scan.take(b'-') {
        return None;
    }
    let day = scan.digits(2)?;
    if !(scan.take(b'T') || scan.take(b't') || scan.take(b' ')) {
        return None;
    }
    let hour = scan.digits(2)?;
    let colons = scan.take(b':');
    let minute = scan.digits(2)?;
    let has_second = if colons { scan.take(b':') } else { scan.at_digit() };
    // A leap second is read as the second before it, as POSIX does.
    let second =
        if has_second { scan.digits(2).map(|second| if second == 60 { 59 } else { second })? } else { 0 };
    let nanos = if scan.take(b'.') || scan.take(b',') { scan.fraction()? } else { 0 };
    let offset = scan.offset()?;
    scan.end()?;

    let [month, day, hour, minute, second] =
        [month, day, hour, minute, second].map(|part| i8::try_from(part).ok());
    let civil = DateTime::new(
        i16::try_from(year).ok()?,
        month?,
        day?,
        hour?,
        minute?,
        second?,
        i32::try_from(nanos).ok()?,
    );
    let moment = Offset::from_seconds(offset).ok()?.to_timestamp(civil.ok()?).ok()?;
    // The log carries times as i64 everywhere after this point.
    let nanos = i64::try_from(moment.as_nanosecond()).ok()?;
    u64::try_from(nanos).ok()
}

fn bsd(text: &[u8], received_at: Timestamp) -> Option<u64> {
    let moment = Timestamp::parse_bsd(std::str::from_utf8(text).ok()?, received_at)?;
    u64::try_from(moment.0).ok()
}

/// Reads a time from the left.
struct Scan<'a> {
    rest: &'a [u8],
}

impl Scan<'_> {
    fn take(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn at_digit(&self) -> bool {
        self.rest.first().is_some_and(u8::is_ascii_digit)
    }

    fn end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }

    /// Exactly `count` digits.
    fn digits(&mut self, count: usize) -> Option<u64> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        digits.iter().try_fold(0, |value, digit| Some(value * 10 + u64::from(decimal(*digit)?)))
    }

    /// As many digits as there are, at least one.
    fn number(&mut self) -> Option<u64> {
        let length = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        // Nineteen digits always fit.
        if !(1..=19).contains(&length) {
            return None;
        }
        self.digits(length)
    }

    /// The digits of a fraction in billionths, at least one; finer ones are cut off.
    fn fraction(&mut self) -> Option<u64> {
        let length = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            return None;
        }
        let kept = length.min(NANO_DIGITS);
        let value = self.digits(kept)?;
        self.rest = &self.rest[length - kept..];
        Some(value * 10_u64.pow((NANO_DIGITS - kept) as u32))
    }

    /// `Z`, `UTC`, `+hh`, `+hhmm` or `+hh:mm`, perhaps after a space, in seconds; an empty one is UTC.
    fn offset(&mut self) -> Option<i32> {
        self.take(b' ');
        if self.rest.is_empty() || self.take(b'Z') || self.take(b'z') {
            return Some(0);
        }
        if let Some(rest) = self.rest.strip_prefix(b"UTC") {
            self.rest = rest;
            return Some(0);
        }
        let west = self.take(b'-');
        if !west && !self.take(b'+') {
            return None;
        }
        let hours = self.digits(2)?;
        let has_minutes = self.take(b':') || self.at_digit();
        let minutes = if has_minutes { self.digits(2)? } else { 0 };
        if hours > 23 || minutes > 59 {
            return None;
        }
        let seconds = i32::try_from(hours * 3_600 + minutes * 60).ok()?;
        Some(if west { -seconds } else { seconds })
    }
}

fn decimal(digit: u8) -> Option<u8> {
    digit.is_ascii_digit().then(|| digit - b'0')
}

#[cfg(test)]
mod tests;

//! Times as senders write them inside a record: ISO 8601 text, epoch numbers, BSD syslog dates.

use common::timestamp::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use sigma::event::Value;

/// Reads a time: RFC 3339, ISO 8601 without an offset (taken as UTC), or an epoch number in seconds,
/// milli-, micro- or nanoseconds, which are distinguished by their size.
pub(super) fn of_value(value: &Value<'_>) -> Option<Timestamp> {
    match value {
        Value::Int(number) => of_epoch(*number),
        Value::Double(seconds) => of_seconds(*seconds),
        Value::String(text) => of_text(text),
        _ => None,
    }
}

/// The same for a field of the record itself, where a BSD syslog date counts too; without a year it is the one nearest to
/// `received_at`.
pub(super) fn of_field(value: &Value<'_>, received_at: Timestamp) -> Option<Timestamp> {
    of_value(value).or_else(|| Timestamp::parse_bsd(value.as_str()?.trim(), received_at))
}

fn of_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Some(moment) = of_utc(text.as_bytes()) {
        return Some(moment);
    }
    if let Ok(number) = text.parse::<i64>() {
        return of_epoch(number);
    }
    if let Ok(seconds) = text.parse::<f64>() {
        return of_seconds(seconds);
    }
    Timestamp::parse_rfc3339(text).or_else(|| of_civil(text.parse().ok()?))
}

/// RFC 3339 in any form.
pub(super) fn of_rfc3339(text: &str) -> Option<Timestamp> {
    of_utc(text.as_bytes()).or_else(|| Timestamp::parse_rfc3339(text))
}

/// `2026-07-08T09:10:11[.012345678]Z`: the form of most times. All other text is left to
/// those who know them all.
fn of_utc(text: &[u8]) -> Option<Timestamp> {
    let (moment, rest) = text.split_first_chunk::<19>()?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if !marks.iter().all(|(at, mark)| moment[*at] == *mark) {
        return None;
    }
    let fraction = match rest.split_last()? {
        (b'Z', []) => 0,
        (b'Z', [b'.', digits @ ..]) if (1..=9).contains(&digits.len()) => {
            number(digits)? * SCALES[digits.len()]
        }
        _ => return None,
    };
    let [year, month, day] = [number(&moment[..4])?, number(&moment[5..7])?, number(&moment[8..10])?];
    let [hour, minute, second] = [number(&moment[11..13])?, number(&moment[14..16])?, number(&moment[17..])?];
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = days(year, month, day)? * 86_400 + hour * 3_600 + minute * 60 + second;
    seconds.checked_mul(1_000_000_000)?.checked_add(fraction).map(Timestamp)
}

/// Factor that turns a fraction into nanoseconds, by its number of digits.
const SCALES: [i64; 10] =
    [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];

/// Up to nine decimal digits.
#[inline]
fn number(digits: &[u8]) -> Option<i64> {
    let (mut number, mut largest) = (0, 0);
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        number = number * 10 + i64::from(digit);
        largest = largest.max(digit);
    }
    (largest < 10).then_some(number)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar; `None` if there is no such date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    const DAYS: [i64; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    /// Days before each month, in a year without a leap day.
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let index = usize::try_from(month - 1).ok().filter(|index| *index < 12)?;
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let exists = (1..=DAYS[index]).contains(&day) && (month != 2 || day < 29 || is_leap);
    // Leap days in the years before.
    let leaps = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let before = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    let leap_day = i64::from(is_leap && month > 2);
    exists.then(|| before + BEFORE[index] + leap_day + day - 1)
}

/// A date and time of day, read as UTC.
pub(super) fn of_civil(civil: DateTime) -> Option<Timestamp> {
    let moment = civil.to_zoned(TimeZone::UTC).ok()?.timestamp();
    i64::try_from(moment.as_nanosecond()).ok().map(Timestamp)
}

/// The units overlap nowhere between the years 1973 and 5138.
fn of_epoch(number: i64) -> Option<Timestamp> {
    const SECONDS_BELOW: i64 = 100_000_000_000;
    let nanos = match number {
        ..=0 => return None,
        1..SECONDS_BELOW => number.checked_mul(1_000_000_000)?,
        SECONDS_BELOW..100_000_000_000_000 => number.checked_mul(1_000_000)?,
        100_000_000_000_000..100_000_000_000_000_000 => number.checked_mul(1_000)?,
        _ => number,
    };
    Some(Timestamp(nanos))
}

/// Fractions are of seconds, except where the number is too large for them.
fn of_seconds(seconds: f64) -> Option<Timestamp> {
    const SECONDS_BELOW: f64 = 1e11;
    if !(seconds > 0.0 && seconds < 1e18) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range was just checked")]
    if seconds < SECONDS_BELOW {
        let whole = seconds.trunc();
        let micros = ((seconds - whole) * 1e6).round();
        let nanos = (whole as i64).checked_mul(1_000_000_000)?;
        Some(Timestamp(nanos.checked_add(micros as i64 * 1_000)?))
    } else {
        of_epoch(seconds as i64)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_senders_write() {
        let wanted = Timestamp::parse_rfc3339("2026-07-08T09:10:11Z");
        for text in [
            "2026-07-08T09:10:11Z",
            "2026-07-08T11:10:11.000+02:00",
            "2026-07-08 09:10:11",
            "2026-07-08T09:10:11",
            "1783501811",
            "1783501811.0",
            "1783501811000",
            "1783501811000000",
            "1783501811000000000",
        ] {
            assert_eq!(of_value(&Value::String(text.into())), wanted, "{text}");
        }
        assert_eq!(of_value(&Value::Int(1_783_501_811)), wanted);
        assert_eq!(of_value(&Value::Double(1_783_501_811.0)), wanted);
        assert_eq!(of_value(&Value::Double(1_783_501_811_000.0)), wanted);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_moment_is_read_as_others_read_it(
            (year, month, day) in (0..=9_999_u32, 0..=13_u32, 0..=32_u32),
            (hour, minute, second) in (0..=25_u32, 0..=61_u32, 0..=61_u32),
            fraction in "|\\.[0-9]{0,10}", end in "Z|z|\\+00:00|-07:30|",
        ) {
            let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{end}");
            prop_assert_eq!(of_rfc3339(&text), Timestamp::parse_rfc3339(&text), "{}", text);
            let date = Date::new(year as i16, month as i8, day as i8).ok();
            let midnight = date.map(|date| date.to_datetime(jiff::civil::Time::midnight()));
            // The earliest and latest moments do not fit into nanoseconds.
            if let Some(midnight) = midnight.and_then(of_civil) {
                let days = days(year.into(), month.into(), day.into()).unwrap();
                prop_assert_eq!(days * 86_400_000_000_000, midnight.0);
            } else if date.is_none() {
                prop_assert_eq!(days(year.into(), month.into(), day.into()), None);
            }
        }
    }

    #[test]
    fn nonsense_is_no_time() {
        for text in ["", "-", "yesterday", "0", "-5", "NaN", "inf", "1e300"] {
            assert_eq!(of_value(&Value::String(text.into())), None, "{text}");
        }
        assert_eq!(of_value(&Value::Bool(true)), None);
    }
}

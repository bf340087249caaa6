//! Times as senders write them inside a record: ISO 8601 text and epoch numbers. Syslog's own forms
//! are read in `syslog`.

use common::timestamp::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use sigma::event::Value;

/// Reads a time: RFC 3339, ISO 8601 without an offset (taken as UTC), or an epoch number in seconds,
/// milli-, micro- or nanoseconds, which are told apart by their size.
pub(super) fn of_value(value: &Value<'_>) -> Option<Timestamp> {
    match value {
        Value::Int(number) => of_epoch(*number),
        Value::Double(seconds) => of_seconds(*seconds),
        Value::String(text) => of_text(text),
        _ => None,
    }
}

fn of_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return of_epoch(number);
    }
    if let Ok(seconds) = text.parse::<f64>() {
        return of_seconds(seconds);
    }
    Timestamp::parse_rfc3339(text).or_else(|| of_civil(text.parse().ok()?))
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

    #[test]
    fn nonsense_is_no_time() {
        for text in ["", "-", "yesterday", "0", "-5", "NaN", "inf", "1e300"] {
            assert_eq!(of_value(&Value::String(text.into())), None, "{text}");
        }
        assert_eq!(of_value(&Value::Bool(true)), None);
    }
}

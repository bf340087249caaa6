//! Parts of a date as it is written (`2026-03-04T05:06:07.8Z`, `2026-03-04 05:06`, `2026-03-04`): no
//! zone is converted, nothing else is a date.

use jiff::civil::Date;

use crate::document::TimePart;

/// The part of the date in a text; `None` where it is no date, or has no such part.
pub(super) fn part(text: &str, part: TimePart) -> Option<i64> {
    let (date, time) = (text.get(..10)?, text.get(10..)?);
    let date = date_of(date)?;
    let time = time_of(time)?;
    match part {
        TimePart::Minute => time.map(|(_, minute)| minute),
        TimePart::Hour => time.map(|(hour, _)| hour),
        TimePart::Day => Some(date.day().into()),
        TimePart::Week => Some(date.iso_week_date().week().into()),
        TimePart::Month => Some(date.month().into()),
        TimePart::Year => Some(date.year().into()),
    }
}

fn date_of(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if (year.len(), month.len(), day.len()) != (4, 2, 2) || parts.next().is_some() {
        return None;
    }
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if ![year, month, day].into_iter().all(digits) {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Hour and minute, where there are any. `None` where something else follows the date.
#[expect(clippy::option_option, reason = "no time and no date are different")]
fn time_of(text: &str) -> Option<Option<(i64, i64)>> {
    if text.is_empty() {
        return Some(None);
    }
    let time = text.strip_prefix(['T', 't', ' '])?;
    let number = |text: Option<&str>, below: i64| {
        let text = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
        text.parse::<i64>().ok().filter(|value| *value < below)
    };
    let hour = number(time.get(..2), 24)?;
    let minute = number(time.strip_prefix(time.get(..2)?)?.strip_prefix(':')?.get(..2), 60)?;
    match time.get(5..)?.chars().next() {
        Some(next) if next.is_ascii_alphanumeric() && next != 'Z' && next != 'z' => None,
        _ => Some(Some((hour, minute))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_dates() {
        let all = |text| {
            [TimePart::Year, TimePart::Month, TimePart::Week, TimePart::Day, TimePart::Hour, TimePart::Minute]
                .map(|wanted| part(text, wanted))
        };
        let table = [
            ("2026-03-04T05:06:07.8+09:00", [Some(2026), Some(3), Some(10), Some(4), Some(5), Some(6)]),
            ("2026-12-31 23:59", [Some(2026), Some(12), Some(53), Some(31), Some(23), Some(59)]),
            ("2024-02-29", [Some(2024), Some(2), Some(9), Some(29), None, None]),
            ("2024-02-29t00:00Z", [Some(2024), Some(2), Some(9), Some(29), Some(0), Some(0)]),
        ];
        for (text, expected) in table {
            assert_eq!(all(text), expected, "{text}");
        }
        for text in [
            "",
            "2026",
            "2026-02-30",
            "2026-3-04",
            "20260304",
            "2026-03-04x",
            "2026-03-04T25:00",
            "2026-03-04T5:06",
            "2026-03-04T05:60",
            "+026-03-04",
            "2026-03-04T05:0600",
            "é026-03-04",
            "2026-03-04Té:00",
        ] {
            assert_eq!(all(text), [None; 6], "{text}");
        }
    }
}

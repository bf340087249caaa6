//! Parts of a date, by the calendar.

use sigma::document::TimePart;

/// Reads `YYYY-MM-DD`, then perhaps `T` or a space and `HH:MM`, and whatever is no letter or digit.
pub(super) fn time_part(text: &str, part: TimePart) -> Option<i64> {
    let characters: Vec<char> = text.chars().collect();
    let digits = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits: Vec<i64> =
            characters.get(range)?.iter().map(|c| c.to_digit(10).map(i64::from)).collect::<Option<_>>()?;
        Some(digits.iter().fold(0, |number, digit| number * 10 + digit))
    };
    let is = |at: usize, allowed: &[char]| characters.get(at).is_some_and(|c| allowed.contains(c));
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let date_is_whole = is(4, &['-']) && is(7, &['-']) && (1..=12).contains(&month);
    if !date_is_whole || day < 1 || day > days_of(year, month) {
        return None;
    }
    let mut time = (None, None);
    if characters.len() > 10 {
        time = (Some(digits(11..13)?), Some(digits(14..16)?));
        let ends = characters.get(16).is_none_or(|c| !c.is_ascii_alphanumeric() || "Zz".contains(*c));
        if !is(10, &['T', 't', ' ']) || !is(13, &[':']) || !ends || time.0 > Some(23) || time.1 > Some(59) {
            return None;
        }
    }
    let found = match part {
        TimePart::Minute => time.1?,
        TimePart::Hour => time.0?,
        TimePart::Day => day,
        TimePart::Week => week(year, month, day),
        TimePart::Month => month,
        TimePart::Year => year,
    };
    Some(found)
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The week belongs to the year of its Thursday; its number is that of the Thursday in the year.
fn week(year: i64, month: i64, day: i64) -> i64 {
    let year_days = |year| (1..=12).map(|month| days_of(year, month)).sum::<i64>();
    let of_year = (1..month).map(|month| days_of(year, month)).sum::<i64>() + day;
    // 1 January of the year 0 was a Saturday: five days after a Monday.
    let since_monday = ((0..year).map(year_days).sum::<i64>() + of_year - 1 + 5) % 7;
    let thursday = of_year - since_monday + 3;
    let within = if thursday < 1 {
        thursday + year_days(year - 1)
    } else if thursday > year_days(year) {
        thursday - year_days(year)
    } else {
        thursday
    };
    (within + 6) / 7
}

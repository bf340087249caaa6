//! Another day of the same year, written in the same way.

use super::choice::Choice;

/// Months that are written in full, by language; a month is replaced by another one of its line.
const MONTHS: &[[&str; 12]] = &[
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
    [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
    [
        "stycznia",
        "lutego",
        "marca",
        "kwietnia",
        "maja",
        "czerwca",
        "lipca",
        "sierpnia",
        "września",
        "października",
        "listopada",
        "grudnia",
    ],
    [
        "ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos", "eylül", "ekim", "kasım",
        "aralık",
    ],
    [
        "января",
        "февраля",
        "марта",
        "апреля",
        "мая",
        "июня",
        "июля",
        "августа",
        "сентября",
        "октября",
        "ноября",
        "декабря",
    ],
];

/// The date with day and month replaced; both stay below 13, so that either order of them is a date.
pub(super) fn other_day(original: &str, choice: &mut Choice) -> String {
    let number = choice.number("date", original);
    let (day, month) = (number % 12, number / 12 % 12);
    let mut written = String::with_capacity(original.len() + 4);
    let mut numbers = 0;
    let mut rest = original;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len())
        } else if first.is_alphabetic() {
            rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, behind) = rest.split_at(length);
        rest = behind;
        if first.is_ascii_digit() && token.len() < 3 {
            let is_year = numbers == 2;
            numbers += 1;
            let part = if numbers == 1 { day } else { month };
            written.push_str(&if is_year { token.to_owned() } else { other_number(token, part) });
        } else {
            // The ending of an ordinal goes with its number: those chosen here all end in th.
            let ordinal = numbers == 1 && matches!(token, "st" | "nd" | "rd");
            written.push_str(&if ordinal { "th".to_owned() } else { other_month(token, month) });
        }
    }
    // Nothing of a year alone is replaced, and another value of the text may be that day.
    if choice.is_original(&written) { "(another day)".to_owned() } else { written }
}

/// A number from 4 to 12 that differs from the original, in the same width.
fn other_number(token: &str, number: u64) -> String {
    let original: u64 = token.parse().unwrap_or(0);
    let number = 4 + number % 9;
    let number = if number == original { 4 + (number - 3) % 9 } else { number };
    let width = if token.starts_with('0') || token.len() == 2 && number < 10 { 2 } else { 1 };
    format!("{number:0width$}")
}

fn other_month(token: &str, number: u64) -> String {
    let lower = token.to_lowercase();
    let line = MONTHS.iter().find(|months| months.iter().any(|month| month.to_lowercase() == lower));
    let Some(months) = line else { return token.to_owned() };
    let other = (0..12)
        .filter_map(|on| months.get((number as usize + on) % 12))
        .find(|month| month.to_lowercase() != lower);
    other.map_or_else(|| token.to_owned(), |month| (*month).to_owned())
}

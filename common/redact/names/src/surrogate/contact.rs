//! Addresses of mail and networks (RFC 2606, RFC 5737, RFC 3849, RFC 7042) and telephone numbers that regulators reserve
//! for films: NANPA (555-0100 to 0199), Ofcom, ARCEP, Bundesnetzagentur, ACMA, PTS.

use super::choice::Choice;
use super::person::People;

const HOSTS: [&str; 3] = ["example.com", "example.org", "example.net"];

/// The words of the local part that are names stay the same person; others become a number.
pub(super) fn email(original: &str, people: &People, choice: &mut Choice) -> String {
    let (local, host) = original.split_once('@').unwrap_or((original, ""));
    let words: Vec<String> = local
        .split(['.', '_', '-', '+'])
        .filter_map(|word| people.word(word))
        .map(|word| word.to_lowercase())
        .filter(|word| word.is_ascii())
        .collect();
    let host = HOSTS.get((choice.number("host", host) % 3) as usize).copied().unwrap_or("example.com");
    if !words.is_empty() {
        return format!("{}@{host}", words.join("."));
    }
    choice.made("email", original, |number| format!("contact{:05}@{host}", number % 100_000))
}

/// Digits of a reserved range by country code, with the number of digits that vary at its end.
const RESERVED: &[(&str, &str, usize)] = &[
    ("44", "2079460", 3),
    ("33", "199000", 3),
    ("49", "3023125", 3),
    ("61", "255501", 3),
    ("46", "84650040", 1),
    ("353", "209120", 3),
];

/// A number of a reserved range of the same country where it has one, else of North America.
pub(super) fn phone(original: &str, choice: &mut Choice) -> String {
    let digits: String = original.chars().filter(char::is_ascii_digit).collect();
    let plus = original.trim_start_matches('(').starts_with('+');
    let found = RESERVED.iter().find(|(code, ..)| plus && digits.starts_with(code));
    let Some((code, range, open)) = found else {
        let country = if plus { "+1 " } else { "" };
        return choice.made("phone", &digits, |number| {
            let area = ["202", "303", "404", "505", "606"]
                .get((number / 100 % 5) as usize)
                .copied()
                .unwrap_or("202");
            format!("{country}{area}-555-01{:02}", number % 100)
        });
    };
    let modulus = 10_u64.pow(*open as u32);
    choice.made("phone", &digits, |number| format!("+{code} {range}{:0open$}", number % modulus))
}

pub(super) fn ip(original: &str, choice: &mut Choice) -> String {
    if original.contains(':') {
        return choice.made("ip", original, |number| format!("2001:db8::{:x}", number & 0xFFFF));
    }
    choice.made("ip", original, |number| format!("192.0.2.{}", 1 + number % 254))
}

pub(super) fn mac(original: &str, choice: &mut Choice) -> String {
    choice.made("mac", original, |number| format!("00:00:5E:00:53:{:02X}", number & 0xFF))
}

pub(super) fn url(original: &str, choice: &mut Choice) -> String {
    choice.made("url", original, |number| format!("https://example.com/{:04x}", number & 0xFFFF))
}

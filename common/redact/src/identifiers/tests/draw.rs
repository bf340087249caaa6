//! Random parts of identifiers, and check digits by the rules of their issuers. Nothing here uses the checks of the
//! catalogue: where a check has two usual formulations, the other one stands here.

use super::Seeded;

/// A generator of parts of values.
pub(super) struct Draw(pub(super) Seeded);

impl Draw {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// One of several texts.
    pub(super) fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// As many characters of an alphabet.
    pub(super) fn from(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..count).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    pub(super) fn digits(&mut self, count: usize) -> String {
        self.from("0123456789", count)
    }

    /// Digits, the first of which is not 0.
    pub(super) fn number(&mut self, count: usize) -> String {
        self.from("123456789", 1) + &self.digits(count - 1)
    }

    pub(super) fn letters(&mut self, count: usize) -> String {
        self.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ", count)
    }

    /// A number in a range, filled with zeros.
    pub(super) fn within(&mut self, first: usize, last: usize, width: usize) -> String {
        format!("{:0width$}", first + self.below(last - first + 1))
    }

    /// A day of the years 1931 to 1999, with parts in the given order: `ymd`, `dmy`; `Y` is the year of four digits.
    pub(super) fn date(&mut self, order: &str) -> String {
        let (year, month, day) = (1931 + self.below(69), 1 + self.below(12), 1 + self.below(28));
        order
            .chars()
            .map(|part| match part {
                'Y' => format!("{year}"),
                'y' => format!("{:02}", year % 100),
                'm' => format!("{month:02}"),
                _ => format!("{day:02}"),
            })
            .collect()
    }
}

/// A value with a check digit, none where the rule gives 10 or more, which issuers skip.
pub(super) fn checked(head: String, check: u32) -> Option<String> {
    (check < 10).then(|| format!("{head}{check}"))
}

/// 0 to 9 for digits, 10 to 35 for letters.
pub(super) fn values(text: &str) -> impl Iterator<Item = u32> + '_ {
    text.chars().filter_map(|letter| letter.to_digit(36))
}

/// Sum of values times weights.
pub(super) fn sum(text: &str, weights: &[u32]) -> u32 {
    values(text).zip(weights).map(|(value, weight)| value * weight).sum()
}

/// The difference to the next multiple, 0 for a multiple.
pub(super) fn missing(sum: u32, of: u32) -> u32 {
    (of - sum % of) % of
}

/// The digit of Luhn behind a payload: doubled digits by a table instead of by their sum.
pub(super) fn luhn(head: &str) -> u32 {
    const DOUBLED: [u32; 10] = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
    let digits: Vec<u32> = values(head).collect();
    let doubled =
        |(place, digit): (usize, &u32)| if place % 2 == 0 { DOUBLED[*digit as usize] } else { *digit };
    missing(digits.iter().rev().enumerate().map(doubled).sum(), 10)
}

/// Sum of the digits of values times 1 and 2 in turn.
pub(super) fn crossed(text: &str, first: u32) -> u32 {
    let part = |(place, value): (usize, u32)| value * if place % 2 == 0 { first } else { 3 - first };
    values(text).enumerate().map(part).map(|part| part / 10 + part % 10).sum()
}

/// Verhoeff's digit: the dihedral group of the pentagon by its multiplication rule, and powers of his permutation.
pub(super) fn verhoeff(head: &str) -> u32 {
    const STEP: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let times = |one: u32, two: u32| match (one < 5, two < 5) {
        (true, true) => (one + two) % 5,
        (true, false) => (one + two - 5) % 5 + 5,
        (false, true) => (one - two) % 5 + 5,
        (false, false) => (one + 5 - two) % 5,
    };
    let digits: Vec<u32> = values(head).collect();
    let total = digits.iter().rev().enumerate().fold(0, |total, (place, digit)| {
        let permuted = (0..(place + 1) % 8).fold(*digit, |digit, _| STEP[digit as usize]);
        times(total, permuted)
    });
    // Rotations have the opposite rotation as their inverse, reflections themselves.
    if total < 5 { (5 - total) % 5 } else { total }
}

/// ISO/IEC 7064, MOD 11,10, by search for the digit that makes the whole number valid.
pub(super) fn mod_11_10(head: &str) -> u32 {
    let product = values(head).fold(10, |product, digit| {
        let sum = (product + digit) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (0..10).find(|check| (product + check) % 10 == 1).unwrap()
}

/// ISO/IEC 7064, MOD 11-2, by powers of two from the right.
pub(super) fn mod_11_2(head: &str) -> char {
    let digits: Vec<u32> = values(head).collect();
    let total: u32 = digits.iter().rev().enumerate().map(|(place, digit)| digit * (2 << place) % 11).sum();
    match (12 - total % 11) % 11 {
        10 => 'X',
        check => char::from_digit(check, 10).unwrap(),
    }
}

/// The remainder of a long number; letters are written as two digits.
pub(super) fn remainder(text: &str, of: u64) -> u64 {
    let written: String = values(text).map(|value| value.to_string()).collect();
    written.chars().fold(0, |rest, digit| (rest * 10 + u64::from(digit.to_digit(10).unwrap())) % of)
}

/// ICAO Doc 9303: weights 7, 3, 1; `<` counts as 0.
pub(super) fn icao(field: &str) -> u32 {
    field
        .chars()
        .zip([7, 3, 1].into_iter().cycle())
        .map(|(sign, weight)| sign.to_digit(36).unwrap_or(0) * weight)
        .sum::<u32>()
        % 10
}

/// The digits of a text as a number.
pub(super) fn number(text: &str) -> u64 {
    text.parse().unwrap()
}

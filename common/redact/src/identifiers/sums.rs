//! Check digits that several countries share.

use super::code::Code;

/// ISO/IEC 7812-1 annex B: every second digit from the right doubled, the digits summed.
pub(crate) fn luhn(digits: &[u8]) -> bool {
    luhn_sum(digits).is_multiple_of(10)
}

fn luhn_sum(digits: &[u8]) -> u32 {
    digits.iter().rev().enumerate().fold(0, |sum, (index, byte)| {
        let digit = u32::from(byte.saturating_sub(b'0'));
        let digit = if index % 2 == 1 { digit * 2 } else { digit };
        sum + digit / 10 + digit % 10
    })
}

/// All digits, and the last one is that of Luhn.
pub(crate) fn luhn_of(code: &Code, length: usize) -> bool {
    code.is_digits(length) && luhn(code.bytes())
}

/// ISO/IEC 7064, MOD 11,10: the last digit checks the others.
pub(crate) fn mod_11_10(code: &Code) -> bool {
    let last = code.len().saturating_sub(1);
    let mut product = 10;
    for index in 0..last {
        let sum = (code.digit(index) + product) % 10;
        product = if sum == 0 { 10 } else { sum } * 2 % 11;
    }
    (11 - product) % 10 == code.digit(last)
}

/// ISO/IEC 7064, MOD 11-2: the last character is a digit or X.
pub(crate) fn mod_11_2(code: &Code) -> bool {
    let last = code.len().saturating_sub(1);
    let rest = (0..last).fold(0, |rest, index| (rest + code.digit(index)) * 2 % 11);
    let check = (12 - rest) % 11;
    match code.at(last) {
        b'X' => check == 10,
        _ => check == code.digit(last),
    }
}

/// ISO 13616 and ISO/IEC 7064, MOD 97-10: letters count as 10 to 35, the first four characters stand last.
pub(crate) fn mod_97_10(code: &Code) -> bool {
    let count = code.len();
    (4..count).chain(0..4.min(count)).fold(0, |rest, index| {
        let value = code.value(index);
        (if value > 9 { rest * 100 + value } else { rest * 10 + value }) % 97
    }) == 1
}

/// Product table of the dihedral group D5 (Verhoeff 1969).
const PRODUCT: [[u8; 10]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
    [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
    [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
    [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
    [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
    [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
    [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
    [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
];
/// Its permutation for each place from the right.
const PERMUTATION: [[u8; 10]; 8] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
    [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
    [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
    [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
    [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
    [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
    [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
];

/// Verhoeff's check of all digits.
pub(crate) fn verhoeff(code: &Code) -> bool {
    let cell = |table: &[[u8; 10]], row: usize, column: u8| {
        table.get(row).and_then(|row| row.get(usize::from(column))).copied().unwrap_or(0)
    };
    let sum = code.bytes().iter().rev().enumerate().fold(0, |sum, (index, byte)| {
        let permuted = cell(&PERMUTATION, index % 8, byte.saturating_sub(b'0'));
        cell(&PRODUCT, usize::from(sum), permuted)
    });
    sum == 0
}

/// ICAO Doc 9303 part 3: weights 7, 3, 1 over 0 to 9, A to Z as 10 to 35, `<` as 0.
pub(crate) fn icao(field: &[u8]) -> u32 {
    field.iter().zip([7, 3, 1].into_iter().cycle()).fold(0, |sum, (byte, weight)| {
        let value = match byte {
            b'0'..=b'9' => u32::from(byte - b'0'),
            b'A'..=b'Z' => u32::from(byte - b'A') + 10,
            _ => 0,
        };
        sum + value * weight
    }) % 10
}

/// Whether a year of two or four digits, a month and a day make a date. A year of two digits may be a leap year in
/// either century.
pub(crate) fn is_date(year: u64, month: u64, day: u64) -> bool {
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

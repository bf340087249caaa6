//! Characters written as separate numbers: `69 67 6e`, `0x69, 0x67`, `01101001 01100111`, `105 103 110`.

use std::ops::Range;

use super::plausible;
use crate::Disguise;

/// Numbers in a row from which on they are taken for text.
const MIN_NUMBERS: usize = 6;

/// Longest text between two numbers, in bytes.
const MAX_GAP: usize = 3;

/// A number of the text: digits, perhaps behind `0x`.
#[derive(Clone, Copy)]
struct Number {
    start: usize,
    end: usize,
    /// Digits alone.
    digits: usize,
    binary: bool,
}

impl Number {
    fn fits(self, next: Self) -> bool {
        next.start.saturating_sub(self.end) <= MAX_GAP
            && (self.digits == next.digits && self.binary == next.binary || self.digits.max(next.digits) <= 3)
    }
}

/// Runs of numbers that stand close to each other.
pub(super) fn runs(source: &str) -> impl Iterator<Item = Range<usize>> {
    let mut numbers = numbers(source).peekable();
    std::iter::from_fn(move || {
        loop {
            let first = numbers.next()?;
            let (mut last, mut count) = (first, 1_usize);
            while let Some(next) = numbers.next_if(|next| last.fits(*next)) {
                last = next;
                count += 1;
            }
            if count >= MIN_NUMBERS {
                return Some(first.start..last.end);
            }
        }
    })
}

fn numbers(source: &str) -> impl Iterator<Item = Number> {
    let bytes = source.as_bytes();
    let mut place = 0;
    std::iter::from_fn(move || {
        loop {
            let start = place + bytes.get(place..)?.iter().position(u8::is_ascii_alphanumeric)?;
            let rest = bytes.get(start..)?;
            let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
            place = start + length;
            let word = rest.get(..length)?;
            let digits = word.strip_prefix(b"0x").or_else(|| word.strip_prefix(b"0X")).unwrap_or(word);
            let binary = digits.len() == 8 && digits.iter().all(|digit| matches!(digit, b'0' | b'1'));
            let is_number =
                binary || ((2..=3).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit));
            if is_number {
                return Some(Number { start, end: place, digits: digits.len(), binary });
            }
        }
    })
}

/// The text of a run of numbers.
pub(super) fn decode(run: &str) -> Option<(String, Disguise)> {
    let digits = || {
        let words = run.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(|word| word.trim_start_matches("0x").trim_start_matches("0X"))
    };
    if digits().count() < MIN_NUMBERS {
        return None;
    }
    let read = |radix: u32, length: Range<usize>| {
        let number =
            |digits: &str| length.contains(&digits.len()).then(|| u8::from_str_radix(digits, radix).ok())?;
        plausible(digits().map(number).collect::<Option<Vec<u8>>>()?)
    };
    read(2, 8..9)
        .map(|text| (text, Disguise::Binary))
        .or_else(|| read(16, 2..3).map(|text| (text, Disguise::Hexadecimal)))
        .or_else(|| read(10, 2..4).map(|text| (text, Disguise::Decimal)))
}

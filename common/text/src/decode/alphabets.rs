//! Runs in one of the alphabets: hexadecimal, binary, base32, base64, base85.

use std::ops::Range;

use super::plausible;
use crate::Disguise;

/// The encoded part of a run, in bytes, its text, and its alphabet.
pub(super) fn decode(run: &str) -> Option<(Range<usize>, String, Disguise)> {
    // Quotes, brackets and labels around a run are no part of it.
    let inner = run.trim_matches(|char: char| !is_base64(char) && char != '=');
    let inner = after_label(inner);
    let letters: Vec<u8> = inner.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let inside = letters.iter().all(|byte| is_base64(char::from(*byte)) || *byte == b'=');
    if inside && letters.len() >= super::MIN_RUN {
        let found = hexadecimal(&letters).map(|text| (text, Disguise::Hexadecimal));
        let found = found.or_else(|| binary(&letters).map(|text| (text, Disguise::Binary)));
        let found = found.or_else(|| base32(&letters).map(|text| (text, Disguise::Base32)));
        let found = found.or_else(|| base64(&letters).map(|text| (text, Disguise::Base64)));
        if let Some((text, how)) = found {
            let start = inner.as_ptr().addr().saturating_sub(run.as_ptr().addr());
            return Some((start..start.saturating_add(inner.len()), text, how));
        }
    }
    base85(run).map(|text| (0..run.len(), text, Disguise::Base85))
}

fn is_base64(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '+' | '/' | '-' | '_')
}

/// The part behind the last mark that no alphabet has, as in `data:text/plain;base64,aGVsbG8`.
fn after_label(run: &str) -> &str {
    let body = run.trim_end_matches('=');
    let label = body.rfind(|char: char| !is_base64(char) && !char.is_ascii_whitespace());
    label.and_then(|label| run.get(label.saturating_add(1)..)).unwrap_or(run)
}

/// Collects digits of `bits` bits each to bytes; left-over bits are dropped.
fn collect(digits: impl Iterator<Item = Option<u8>>, bits: u32) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut held, mut count) = (0_u32, 0);
    for digit in digits {
        held = held << bits | u32::from(digit?);
        count += bits;
        if count >= 8 {
            count -= 8;
            bytes.push((held >> count) as u8);
            held &= (1 << count) - 1;
        }
    }
    plausible(bytes)
}

fn hexadecimal(run: &[u8]) -> Option<String> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    run.len().is_multiple_of(2).then(|| collect(run.iter().map(digit), 4))?
}

fn binary(run: &[u8]) -> Option<String> {
    let digit = |byte: &u8| byte.checked_sub(b'0').filter(|digit| *digit < 2);
    run.len().is_multiple_of(8).then(|| collect(run.iter().map(digit), 1))?
}

fn base32(run: &[u8]) -> Option<String> {
    let digit = |byte: &u8| match byte.to_ascii_uppercase() {
        upper @ b'A'..=b'Z' => Some(upper - b'A'),
        figure @ b'2'..=b'7' => Some(figure - b'2' + 26),
        _ => None,
    };
    collect(unpadded(run).iter().map(digit), 5)
}

fn base64(run: &[u8]) -> Option<String> {
    let digit = |byte: &u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    collect(unpadded(run).iter().map(digit), 6)
}

fn unpadded(run: &[u8]) -> &[u8] {
    let padding = run.iter().rev().take_while(|byte| **byte == b'=').count();
    run.get(..run.len().saturating_sub(padding)).unwrap_or_default()
}

/// The 85 digits of RFC 1924, which most libraries use.
const RFC1924: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

fn base85(run: &str) -> Option<String> {
    let framed = run.strip_prefix("<~").unwrap_or(run);
    let framed = framed.strip_suffix("~>").unwrap_or(framed);
    let rfc = |byte: &u8| {
        RFC1924.iter().position(|digit| digit == byte).and_then(|place| u32::try_from(place).ok())
    };
    let adobe = |byte: &u8| byte.checked_sub(b'!').filter(|digit| *digit < 85).map(u32::from);
    let letters: Vec<u8> = framed.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    blocks(&letters, rfc).or_else(|| blocks(&letters, adobe))
}

fn blocks(run: &[u8], digit: impl Fn(&u8) -> Option<u32>) -> Option<String> {
    let mut bytes = Vec::with_capacity(run.len());
    for block in run.chunks(5) {
        let mut number = 0_u64;
        for place in 0..5 {
            let digit = block.get(place).map_or(Some(84), &digit)?;
            number = number * 85 + u64::from(digit);
        }
        let number = u32::try_from(number).ok()?;
        bytes.extend(number.to_be_bytes().iter().take(block.len().saturating_sub(1)));
    }
    plausible(bytes)
}

//! Base64, base32, base85, hexadecimal, binary and decimal codes: runs of characters that decode to plausible text.
//!
//! Every byte belongs to at most one run of each kind and is decoded at most a constant number of times.

mod alphabets;
mod numbers;

use std::ops::Range;

use crate::Disguise;

/// Shortest run that is decoded, in bytes.
const MIN_RUN: usize = 16;

/// A run and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) source: Range<usize>,
    pub(crate) text: String,
    pub(crate) how: Disguise,
}

/// The runs of a text that decode to plausible text, together at most `budget` bytes of it, in order.
pub(crate) fn decode(source: &str, budget: usize) -> Vec<Decoded> {
    let mut found = Vec::new();
    let mut left = budget;
    for run in runs(source).chain(numbers::runs(source)) {
        let Some(characters) = source.get(run.clone()) else { continue };
        let whole = || numbers::decode(characters).map(|(text, how)| (0..characters.len(), text, how));
        let Some((part, text, how)) = alphabets::decode(characters).or_else(whole) else { continue };
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        let source = run.start + part.start..run.start + part.end;
        found.push(Decoded { source, text, how });
    }
    found.sort_by_key(|decoded| (decoded.source.start, decoded.source.end));
    found
}

/// Runs without white space, and those that lines of equal length continue.
fn runs(source: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = source.as_bytes();
    let mut place = 0;
    std::iter::from_fn(move || {
        loop {
            let start = place + bytes.get(place..)?.iter().position(|byte| is_run(*byte))?;
            let mut end = end_of(bytes, start);
            let length = end - start;
            if length >= MIN_RUN {
                end = end_of_block(bytes, end, length);
            }
            place = end;
            if end - start >= MIN_RUN {
                return Some(start..end);
            }
        }
    })
}

/// End of a block of lines of one length, of which the first ends at `end`. The last line may be shorter.
fn end_of_block(bytes: &[u8], mut end: usize, length: usize) -> usize {
    while let Some(start) = next_line(bytes, end) {
        let line = end_of(bytes, start);
        if line == start || line - start > length {
            break;
        }
        end = line;
        if line - start < length {
            break;
        }
    }
    end
}

fn is_run(byte: u8) -> bool {
    byte.is_ascii_graphic()
}

fn end_of(bytes: &[u8], start: usize) -> usize {
    let run = bytes.get(start..).unwrap_or_default();
    start + run.iter().position(|byte| !is_run(*byte)).unwrap_or(run.len())
}

fn next_line(bytes: &[u8], end: usize) -> Option<usize> {
    let after = bytes.get(end..)?;
    let gap = if after.starts_with(b"\r\n") { 2 } else { usize::from(after.first() == Some(&b'\n')) };
    (gap > 0).then_some(end + gap)
}

/// The text of bytes, where it is one that people or machines write.
fn plausible(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let (mut all, mut letters, mut odd) = (0_usize, 0_usize, 0_usize);
    for char in text.chars() {
        all += 1;
        letters += usize::from(char.is_alphanumeric() || char == ' ');
        odd += usize::from((char.is_control() && !char.is_whitespace()) || char == '\u{fffd}');
    }
    let likely = odd == 0 && letters >= 6 && letters.saturating_mul(10) >= all.saturating_mul(6);
    likely.then_some(text)
}

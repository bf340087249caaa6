//! Rot13 and reversal: parts of a view whose words are plain text once their letters are turned.

use std::ops::Range;

use linear_model::Feature;

use crate::{Vocabulary, Word};

/// Words over which evidence is counted.
const STRETCH: usize = 12;

/// Words of the vocabulary, in a stretch, that show a turned text.
const EVIDENCE: usize = 4;

/// Words around the evidence that are decoded with it.
const MARGIN: usize = 24;

/// Longest word that is turned, in bytes.
const MAX_WORD: usize = 24;

/// A way to turn letters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Rot13,
    Reversed,
}

/// Parts of a view, in bytes, that are plain when turned.
pub(crate) fn turned(text: &str, words: &[Word], vocabulary: &Vocabulary, turn: Turn) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut hits = [0_i8; STRETCH];
    let mut sum = 0_i32;
    for (place, word) in words.iter().enumerate() {
        let gain = gain(text.get(word.range()).unwrap_or_default(), word, vocabulary, turn);
        if let Some(oldest) = hits.get_mut(place % STRETCH) {
            sum += i32::from(gain) - i32::from(*oldest);
            *oldest = gain;
        }
        let enough =
            if words.len() <= STRETCH { EVIDENCE.min(words.len().div_ceil(2)).max(2) } else { EVIDENCE };
        if sum < i32::try_from(enough).unwrap_or(i32::MAX) {
            continue;
        }
        let (first, last) = (place.saturating_sub(STRETCH + MARGIN), (place + MARGIN).min(words.len() - 1));
        let start = words.get(first).map_or(0, |word| word.start as usize);
        let end = words.get(last).map_or(start, |word| word.end as usize);
        match found.last_mut().filter(|before| before.end >= start) {
            Some(before) => before.end = end,
            None => found.push(start..end),
        }
    }
    found
}

/// 1 where the turned word is known, -1 where the word itself is.
fn gain(spelling: &str, word: &Word, vocabulary: &Vocabulary, turn: Turn) -> i8 {
    if spelling.len() < 3 || spelling.len() > MAX_WORD {
        return 0;
    }
    if vocabulary.knows(word.feature) {
        return -1;
    }
    if turn == Turn::Rot13 && !spelling.is_ascii() {
        return 0;
    }
    let mut buffer = [0_u8; MAX_WORD];
    let mut length = 0;
    let turned: &mut dyn Iterator<Item = char> = match turn {
        Turn::Rot13 => &mut spelling.chars().map(rot13),
        Turn::Reversed => &mut spelling.chars().rev(),
    };
    for char in turned {
        let Some(free) = buffer.get_mut(length..) else { return 0 };
        if free.len() < char.len_utf8() {
            return 0;
        }
        length += char.encode_utf8(free).len();
    }
    let spelling = buffer.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    i8::from(vocabulary.knows(Feature::of(spelling)))
}

/// A part of a text, turned.
pub(crate) fn turn(text: &str, turn: Turn) -> String {
    match turn {
        Turn::Rot13 => text.chars().map(rot13).collect(),
        Turn::Reversed => text.chars().rev().collect(),
    }
}

fn rot13(char: char) -> char {
    let turned = |first: u8| {
        let place = (char as u8).wrapping_sub(first);
        char::from(first.saturating_add((place.saturating_add(13)) % 26))
    };
    match char {
        'a'..='z' => turned(b'a'),
        'A'..='Z' => turned(b'A'),
        other => other,
    }
}

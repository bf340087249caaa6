//! A text to its sentences. Those of `text::sentences` end at abbreviations and at colons as well, where a statement
//! goes on.

use std::ops::Range;

/// Abbreviations before a name or a number, in lower case without their full stop.
const ABBREVIATIONS: [&str; 21] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "gen", "col", "sen", "rep", "gov", "capt", "lt", "sgt",
    "rev", "hon", "jr", "inc", "ca", "approx",
];

/// Longest sentence in bytes: the rest of a longer one is a sentence of its own, so that no part of a text costs more
/// than its length.
const MAX_SENTENCE: usize = 600;

/// The sentences of a text, in bytes and in order.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences: Vec<Range<usize>> = Vec::new();
    for part in text::sentences(text) {
        for part in pieces(text, part) {
            match sentences.last_mut() {
                Some(last) if goes_on(text, last, &part) => last.end = part.end,
                _ => sentences.push(part),
            }
        }
    }
    sentences
}

fn goes_on(text: &str, last: &Range<usize>, next: &Range<usize>) -> bool {
    if last.end != next.start || next.end.saturating_sub(last.start) > MAX_SENTENCE {
        return false;
    }
    let Some(before) = text.get(last.clone()) else { return false };
    if before.ends_with([':', ';']) {
        return true;
    }
    let Some(before) = before.strip_suffix('.') else { return false };
    let start = before.rfind(|char: char| !char.is_alphabetic()).map_or(0, |place| place.saturating_add(1));
    let word = before.get(start..).unwrap_or_default();
    let initial = word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    initial || ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// A part in pieces of at most [`MAX_SENTENCE`] bytes, which end at white space where there is any.
fn pieces(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = part.start;
    while part.end.saturating_sub(start) > MAX_SENTENCE {
        let mut end = start.saturating_add(MAX_SENTENCE);
        while !text.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        let space = text.get(start..end).and_then(|piece| piece.rfind(char::is_whitespace));
        end = space.filter(|space| *space > 0).map_or(end, |space| start.saturating_add(space));
        pieces.push(start..end);
        start = end;
    }
    pieces.push(start..part.end);
    pieces
}

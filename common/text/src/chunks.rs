//! A view in chunks of bounded length.

use std::ops::Range;

use crate::Word;

/// Chunks of at most `characters` characters of the view, cut at ends of words, as ranges of words. A longer word is a
/// chunk by itself.
#[must_use]
pub fn chunks(text: &str, words: &[Word], characters: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let (mut first, mut counted, mut length) = (0, 0, 0);
    for (place, word) in words.iter().enumerate() {
        let end = word.end as usize;
        let added = text.get(counted..end).map_or(0, |part| part.chars().count());
        length += added;
        if place > first && length > characters {
            chunks.push(first..place);
            (first, length) = (place, added);
        }
        counted = end;
    }
    if first < words.len() {
        chunks.push(first..words.len());
    }
    chunks
}

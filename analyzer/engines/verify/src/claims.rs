//! A text to its claims: sentences that state something.

use std::ops::Range;

use text::sentences;

/// Claims that are read of one text; more would multiply the time by texts that nobody checks.
pub const MAX_CLAIMS: usize = 200;

/// A statement has a subject, a verb and something said, so shorter sentences are greetings or headings.
const MIN_WORDS: usize = 3;

/// The places of the claims of a text, in order.
pub(crate) fn claims(text: &str) -> Vec<Range<usize>> {
    sentences(text)
        .into_iter()
        .flat_map(|sentence| parts(text, sentence))
        .filter(|part| text.get(part.clone()).is_some_and(states))
        .take(MAX_CLAIMS)
        .collect()
}

fn parts(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let mut start = sentence.start;
    let Some(spelling) = text.get(sentence.clone()) else { return Vec::new() };
    let mut parts = Vec::new();
    for (place, _) in spelling.match_indices("; ") {
        let end = sentence.start + place;
        parts.push(start..end);
        start = end + 2;
    }
    parts.push(start..sentence.end);
    parts
}

fn states(sentence: &str) -> bool {
    let sentence = sentence.trim();
    !sentence.ends_with(['?', '？']) && sentence.split_whitespace().take(MIN_WORDS).count() == MIN_WORDS
}

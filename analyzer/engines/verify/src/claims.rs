//! A text to its claims: sentences that state something, split where both halves do.

use std::collections::VecDeque;
use std::ops::Range;

use crate::greeting::{is_greeting, salutation};
use crate::lexicon::Lexicon;
use crate::pronoun::{BACK, leading, opening, readings};
use crate::sentence::sentences;
use crate::terms::{Term, terms};

/// Claims that are read of one text; more would multiply the time by texts that nobody checks.
pub const MAX_CLAIMS: usize = 200;

/// A statement has a subject, a verb and an object, so shorter sentences are headings or calls.
const MIN_WORDS: usize = 3;

/// Terms of a claim that are compared, a bound of the quadratic comparison. The longest sentence has as many characters in
/// scripts without spaces, where each is a term.
pub(crate) const MAX_TERMS: usize = 200;

/// Verbs that show that a part of a sentence is a statement of its own.
pub(crate) const VERBS: [&str; 36] = [
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "will", "would", "can", "could",
    "may", "might", "must", "should", "became", "began", "came", "went", "made", "took", "won", "lost",
    "said", "gave", "rose", "fell", "grew", "led", "wrote", "built", "found", "left",
];

/// A statement of a text.
pub(crate) struct Said {
    /// Its place in the text.
    pub(crate) range: Range<usize>,
    /// Its terms, at most [`MAX_TERMS`], with a noun of the sentence before in place of the pronoun that it begins with.
    pub(crate) terms: Vec<Term>,
    /// Whether there is such a pronoun.
    pub(crate) resolved: bool,
    /// Share of its terms that are compared.
    pub(crate) read: f32,
    /// Terms of the last subject that was named, if the claim begins with a pronoun.
    pub(crate) subject: Vec<Term>,
    /// The terms of another reading, with another noun in place of the pronoun.
    pub(crate) other: Option<Vec<Term>>,
}

/// The first claims of a text, in order.
pub(crate) struct Claims {
    pub(crate) all: Vec<Said>,
    /// Whether there are no more than [`MAX_CLAIMS`].
    pub(crate) complete: bool,
}

/// Reads the claims of a text.
pub(crate) fn claims(text: &str, lexicon: &Lexicon) -> Claims {
    let mut claims = Vec::new();
    let mut subject: Vec<Term> = Vec::new();
    // Terms as written of the claims before, the last one first.
    let mut earlier: VecDeque<Vec<Term>> = VecDeque::with_capacity(BACK);
    for sentence in sentences(text) {
        for range in halves(text, trimmed(text, sentence)) {
            let range = without_salutation(text, range);
            if !text.get(range.clone()).is_some_and(states) {
                continue;
            }
            let written = terms(text, &range, lexicon);
            if written.iter().all(|term| !term.content) {
                continue;
            }
            if claims.len() == MAX_CLAIMS {
                return Claims { all: claims, complete: false };
            }
            let readings = readings(&written, earlier.iter().map(Vec::as_slice), lexicon);
            let mut readings = readings.into_iter().map(|reading| reading.terms);
            let (first, other) = (readings.next(), readings.next());
            let resolved = first.is_some();
            let terms = first.unwrap_or_else(|| written.clone());
            let read = MAX_TERMS as f32 / terms.len().max(MAX_TERMS) as f32;
            let pronoun = leading(&written).is_some();
            if !pronoun {
                subject = opening(&written, lexicon);
            }
            earlier.truncate(BACK.saturating_sub(1));
            earlier.push_front(written);
            let subject = if pronoun { subject.clone() } else { Vec::new() };
            let (terms, other) = (cut(terms), other.map(cut));
            claims.push(Said { range, terms, resolved, read, subject, other });
        }
    }
    Claims { all: claims, complete: true }
}

fn cut(mut terms: Vec<Term>) -> Vec<Term> {
    terms.truncate(MAX_TERMS);
    terms
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let Some(part) = text.get(range.clone()) else { return range };
    let before = part.len().saturating_sub(part.trim_start().len());
    let start = range.start.saturating_add(before);
    start..start.saturating_add(part.trim().len())
}

/// A sentence cut at "; " and ", and ", if there is a statement on both sides.
fn halves(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let Some(spelling) = text.get(sentence.clone()) else { return Vec::new() };
    let mut halves = Vec::new();
    let mut start = 0;
    for (place, mark) in joints(spelling) {
        let next = place.saturating_add(mark);
        let (Some(one), Some(other)) = (spelling.get(start..place), spelling.get(next..)) else { continue };
        if has_verb(one) && has_verb(other) && !begins_with_verb(other) {
            halves.push(start..place);
            start = next;
        }
    }
    halves.push(start..spelling.len());
    let moved = |half: Range<usize>| {
        trimmed(text, sentence.start.saturating_add(half.start)..sentence.start.saturating_add(half.end))
    };
    halves.into_iter().map(moved).collect()
}

fn joints(spelling: &str) -> Vec<(usize, usize)> {
    let marks = [", and ", "; ", ", but "];
    let mut joints: Vec<_> = marks
        .iter()
        .flat_map(|mark| spelling.match_indices(mark).map(|(place, mark)| (place, mark.len())))
        .collect();
    joints.sort_unstable();
    joints
}

/// Words of a half that are searched for a verb, so that many joints in one sentence stay linear.
const NEAR: usize = 12;

fn has_verb(part: &str) -> bool {
    part.split_whitespace().take(NEAR).skip(1).any(is_verb)
}

fn begins_with_verb(part: &str) -> bool {
    part.split_whitespace().next().is_none_or(is_verb)
}

fn is_verb(word: &str) -> bool {
    let word = word.trim_matches(|char: char| !char.is_alphanumeric());
    VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(word)) || (word.len() > 4 && word.ends_with("ed"))
}

fn without_salutation(text: &str, range: Range<usize>) -> Range<usize> {
    let greeted = text.get(range.clone()).map_or(0, salutation);
    range.start.saturating_add(greeted)..range.end
}

fn states(claim: &str) -> bool {
    !is_greeting(claim, has_verb) && !claim.ends_with(['?', '？', '؟']) && (long(claim) || !claim.is_ascii())
}

fn long(claim: &str) -> bool {
    claim.split_whitespace().take(MIN_WORDS).count() == MIN_WORDS
}

//! Prohibitions: "never enter your PIN" is a warning and no request.

use text::{Hit, Word, sentences};

use crate::lexicon::Class;

/// Words between a prohibition and the phrase that it forbids, at most.
const FORBIDDEN_WITHIN: usize = 5;
/// Words of a sentence before a prohibition that are searched for a condition.
const LONGEST_SENTENCE: usize = 60;
/// Words that make a prohibition a condition: "if you do not confirm".
const CONDITIONS: [&str; 15] = [
    "if", "unless", "should", "wenn", "falls", "sollten", "si", "se", "caso", "als", "indien", "jesli",
    "jezeli", "om", "failure",
];

/// Hits without those that the text forbids, and the words of the latter: "never enter your PIN" is a warning.
pub(crate) fn without_forbidden(
    folded: &str,
    words: &[Word],
    sentence: &[usize],
    hits: Vec<Hit>,
) -> (Vec<Hit>, Vec<usize>) {
    let asked = Class::Credential.bit() | Class::Give.bit() | Class::Verify.bit() | Class::Run.bit();
    let same = |one: usize, two: usize| sentence.get(one) == sentence.get(two);
    let forbids: Vec<usize> = hits
        .iter()
        .filter(|hit| hit.classes & Class::Forbid.bit() != 0)
        .filter(|hit| !is_condition(folded, words, sentence, hit.first))
        .map(|hit| hit.last)
        .collect();
    let mut warned = Vec::new();
    let mut kept = hits;
    kept.retain(|hit| {
        let near = |forbid: &&usize| {
            **forbid < hit.first && hit.first - **forbid <= FORBIDDEN_WITHIN && same(**forbid, hit.first)
        };
        let before = forbids.partition_point(|forbid| *forbid < hit.first);
        let is_forbidden = hit.classes & asked != 0
            && forbids.get(..before).and_then(<[usize]>::last).is_some_and(|forbid| near(&forbid));
        if is_forbidden && hit.classes & Class::Credential.bit() != 0 {
            warned.push(hit.first);
        }
        !is_forbidden
    });
    (kept, warned)
}

fn is_condition(folded: &str, words: &[Word], sentence: &[usize], forbid: usize) -> bool {
    let Some(own) = sentence.get(forbid) else { return false };
    let before = words.get(..forbid).unwrap_or_default().iter().zip(sentence).rev();
    let of_sentence = before.take(LONGEST_SENTENCE).filter(|(_, number)| *number == own);
    of_sentence
        .map(|(word, _)| folded.get(word.range()).unwrap_or_default())
        .any(|word| CONDITIONS.contains(&word))
}

/// The number of the sentence of each word.
pub(crate) fn sentence_of_words(folded: &str, words: &[Word]) -> Vec<usize> {
    let sentences = sentences(folded);
    let mut number = 0;
    let of = |word: &Word| {
        while sentences.get(number).is_some_and(|sentence| sentence.end <= word.start as usize) {
            number += 1;
        }
        number
    };
    words.iter().map(of).collect()
}

//! Text that the reader of an input does not see: tag characters, marked parts of a document, decoded text.

use std::ops::Range;

use text::{Disguise, View};

use super::Fact;
use crate::Violation;

/// Tag characters from which on they are a text: flags of regions have at most seven.
const MIN_TAGS: usize = 10;

/// The facts.
pub(super) fn facts(view: &View, hidden: &[Range<usize>]) -> Vec<Fact> {
    let all = 0..view.words.len();
    let mut facts = Vec::new();
    if view.tags >= MIN_TAGS {
        facts.push(Fact {
            name: "invisible-characters",
            says: "contains instructions in characters that no font shows",
            words: all.clone(),
            strength: 4.0,
            violation: Violation::PromptInjection,
        });
    }
    if !view.disguises.is_empty() && view.disguises != [Disguise::Shuffled] {
        facts.push(Fact {
            name: "disguised",
            says: "is disguised",
            words: all,
            strength: 2.4,
            violation: Violation::PromptInjection,
        });
    }
    facts.extend(hidden.iter().filter_map(|part| {
        let words = words_of(view, part)?;
        Some(Fact {
            name: "hidden-text",
            says: "stands in a part of the document that is not visible",
            words,
            strength: 1.5,
            violation: Violation::PromptInjection,
        })
    }));
    facts
}

/// The words that were made from a part of the input.
fn words_of(view: &View, part: &Range<usize>) -> Option<Range<usize>> {
    let at = |place: usize| {
        view.words
            .partition_point(|word| view.source(&(word.start as usize..word.end as usize)).start < place)
    };
    let words = at(part.start)..at(part.end);
    (!words.is_empty()).then_some(words)
}

//! Words of 25 languages and marks of chat templates, found in one pass over a folded text.

use text::{Hit, Vocabulary, Word, phrases};

use crate::GuardError;

/// Files of words, one for each language.
const FILES: &[&str] = &[
    include_str!("../data/en.txt"),
    include_str!("../data/de.txt"),
    include_str!("../data/fr.txt"),
    include_str!("../data/es.txt"),
    include_str!("../data/it.txt"),
    include_str!("../data/pt.txt"),
    include_str!("../data/nl.txt"),
    include_str!("../data/pl.txt"),
    include_str!("../data/ru.txt"),
    include_str!("../data/uk.txt"),
    include_str!("../data/tr.txt"),
    include_str!("../data/zh.txt"),
    include_str!("../data/ja.txt"),
    include_str!("../data/ko.txt"),
    include_str!("../data/ar.txt"),
    include_str!("../data/fa.txt"),
    include_str!("../data/he.txt"),
    include_str!("../data/hi.txt"),
    include_str!("../data/bn.txt"),
    include_str!("../data/vi.txt"),
    include_str!("../data/id.txt"),
    include_str!("../data/sv.txt"),
    include_str!("../data/fi.txt"),
    include_str!("../data/cs.txt"),
    include_str!("../data/ro.txt"),
    include_str!("../data/hu.txt"),
    include_str!("../data/el.txt"),
    include_str!("../data/th.txt"),
    include_str!("../data/markup.txt"),
];

/// Classes of words, named as in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Override,
    Previous,
    Instruction,
    System,
    Prompt,
    Your,
    Reveal,
    Secret,
    Only,
    Say,
    New,
    Persona,
    Unrestricted,
    Ai,
    Conceal,
    User,
    Before,
    Send,
    Data,
    Carry,
    Authority,
    Important,
    End,
    Task,
    Poem,
    Forbidden,
    Hypothetical,
    Persist,
    Template,
    Roletag,
    Rolejson,
    Image,
    Link,
    Placeholder,
    Fence,
    Reply,
    Insert,
    Regardless,
    Mode,
    Act,
    Everything,
    /// A mail address, which no list contains.
    Address,
}

/// All classes but the last, in order.
const NAMES: [&str; CLASSES - 1] = [
    "override",
    "previous",
    "instruction",
    "system",
    "prompt",
    "your",
    "reveal",
    "secret",
    "only",
    "say",
    "new",
    "persona",
    "unrestricted",
    "ai",
    "conceal",
    "user",
    "before",
    "send",
    "data",
    "carry",
    "authority",
    "important",
    "end",
    "task",
    "poem",
    "forbidden",
    "hypothetical",
    "persist",
    "template",
    "roletag",
    "rolejson",
    "image",
    "link",
    "placeholder",
    "fence",
    "reply",
    "insert",
    "regardless",
    "mode",
    "act",
    "everything",
];

/// Number of classes.
pub(crate) const CLASSES: usize = Class::Address as usize + 1;

/// Class of words that are common in plain text, and nothing more.
const LIKELY: &str = "likely";

/// The words in one automaton.
#[derive(Debug)]
pub(crate) struct Lexicon {
    words: text::Lexicon,
    vocabulary: Vocabulary,
}

impl Lexicon {
    pub(crate) fn new() -> Result<Self, GuardError> {
        let mut entries: Vec<(&str, usize)> = Vec::new();
        let (mut likely, mut key) = (Vec::new(), Vec::new());
        for (class, entry) in FILES.iter().flat_map(|file| phrases(file)) {
            if class == LIKELY {
                likely.push(entry);
                continue;
            }
            let number = NAMES.iter().position(|name| *name == class).ok_or(GuardError::Lexicon)?;
            key.push(entry.trim_end_matches('*'));
            entries.push((entry, number));
        }
        let words = text::Lexicon::new(entries.into_iter()).map_err(|_| GuardError::Lexicon)?;
        Ok(Self { words, vocabulary: Vocabulary::new(likely.into_iter(), key.into_iter()) })
    }

    /// Words that show plain text.
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// All hits, by their last word, in linear time.
    pub(crate) fn hits(&self, text: &str, words: &[Word]) -> Vec<Hit> {
        let mut hits = self.words.hits(text, words);
        addresses(text.as_bytes(), words, &mut hits);
        hits
    }
}

/// Adds a hit for each mail address.
fn addresses(bytes: &[u8], words: &[Word], hits: &mut Vec<Hit>) {
    let mut number = 0;
    let mut found = Vec::new();
    for (place, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'@') {
        let letter = |place: Option<usize>| {
            place.and_then(|place| bytes.get(place)).is_some_and(u8::is_ascii_alphanumeric)
        };
        while words.get(number + 1).is_some_and(|word| (word.start as usize) <= place) {
            number += 1;
        }
        if letter(place.checked_sub(1)) && letter(Some(place + 1)) {
            found.push(Hit { classes: 1 << Class::Address as usize, first: number, last: number + 1 });
        }
    }
    if !found.is_empty() {
        hits.extend(found);
        hits.sort_by_key(|hit| hit.last);
    }
}

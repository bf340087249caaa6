//! Words of 25 languages and marks of chat templates, found in one pass over a folded text.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use text::{Vocabulary, Word, fold};

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

/// A place of a view where the lexicon says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Classes, one bit each.
    pub(crate) classes: u64,
    /// First word, by its number in the view.
    pub(crate) first: usize,
    /// Last word.
    pub(crate) last: usize,
}

/// The words in one automaton.
#[derive(Debug)]
pub(crate) struct Lexicon {
    automaton: AhoCorasick,
    entries: Vec<Entry>,
    vocabulary: Vocabulary,
}

#[derive(Debug)]
struct Entry {
    classes: u64,
    /// Whether a word must begin where the entry does, and end where it ends.
    begins: bool,
    ends: bool,
}

impl Lexicon {
    pub(crate) fn new() -> Result<Self, GuardError> {
        let mut spellings: Vec<(String, u64, bool)> = Vec::new();
        let (mut likely, mut key) = (Vec::new(), Vec::new());
        for (class, entry) in FILES.iter().flat_map(|file| lines(file)) {
            if class == LIKELY {
                likely.push(entry);
                continue;
            }
            let number = NAMES.iter().position(|name| *name == class).ok_or(GuardError::Lexicon)?;
            let is_prefix = entry.ends_with('*');
            let spelling = entry.trim_end_matches('*');
            key.push(spelling);
            spellings.push((fold(spelling).text, 1 << number, is_prefix));
        }
        spellings.sort();
        let mut patterns: Vec<String> = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        for (spelling, classes, is_prefix) in spellings {
            let ends = !is_prefix && spelling.chars().next_back().is_some_and(needs_end);
            match entries.last_mut().filter(|_| patterns.last() == Some(&spelling)) {
                Some(entry) => {
                    entry.classes |= classes;
                    entry.ends &= ends;
                }
                None => {
                    let begins = spelling.chars().next().is_some_and(needs_end);
                    entries.push(Entry { classes, begins, ends });
                    patterns.push(spelling);
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .dense_depth(1)
            .build(&patterns)
            .map_err(|_| GuardError::Lexicon)?;
        let vocabulary = Vocabulary::new(likely.into_iter(), key.into_iter());
        Ok(Self { automaton, entries, vocabulary })
    }

    /// Words that show plain text.
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// All hits, by their last word. Time is linear: an entry ends in at most as many hits as it has entries as endings.
    pub(crate) fn hits(&self, text: &str, words: &[Word]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let bytes = text.as_bytes();
        let mut last = 0;
        for found in self.automaton.find_overlapping_iter(text) {
            let Some(entry) = self.entries.get(found.pattern().as_usize()) else { continue };
            let joins = |place: Option<usize>| place.is_some_and(|place| is_inside(text, bytes, place));
            if entry.begins && joins(found.start().checked_sub(1)) || entry.ends && joins(Some(found.end())) {
                continue;
            }
            while words.get(last + 1).is_some_and(|word| (word.start as usize) < found.end()) {
                last += 1;
            }
            let mut first = last;
            while first > 0 && words.get(first).is_some_and(|word| word.start as usize > found.start()) {
                first -= 1;
            }
            hits.push(Hit { classes: entry.classes, first, last });
        }
        addresses(bytes, words, &mut hits);
        hits
    }
}

/// Class and entry of each entry of a file.
fn lines(file: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": ")).flat_map(|(class, entries)| {
        entries
            .split(" | ")
            .map(move |entry| (class.trim(), entry.trim()))
            .filter(|(_, entry)| !entry.is_empty())
    })
}

/// Whether words that begin or end with this character are written with spaces around them.
fn needs_end(char: char) -> bool {
    char.is_alphanumeric() && !is_unspaced(char)
}

fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Whether the byte at a place belongs to a word.
fn is_inside(text: &str, bytes: &[u8], place: usize) -> bool {
    match bytes.get(place) {
        None => false,
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric(),
        Some(_) => {
            let start = (place.saturating_sub(3)..=place).rev().find(|place| text.is_char_boundary(*place));
            start.and_then(|start| text.get(start..)?.chars().next()).is_some_and(needs_end)
        }
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

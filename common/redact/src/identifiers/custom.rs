//! Kinds that the caller described: values behind or beside a noun, and values that the phrase lists.

use aho_corasick::{AhoCorasick, MatchKind};

use super::entity::{Custom, Entity, EntitySet};
use super::overlap::{Candidate, Rank};
use super::page::Page;

/// Words between a noun and its value.
const JOINS: [&str; 14] = [
    "name", "names", "code", "codes", "number", "no", "id", "is", "was", "called", "named", "titled",
    "known", "as",
];
/// The most words of a value.
const LONGEST: usize = 4;

/// Every value of the kinds of `wanted` that the caller described. Builds an automaton of at most 64 nouns with their
/// items.
pub(crate) fn find(page: &Page<'_>, wanted: &EntitySet, found: &mut Vec<Candidate>) {
    let mut patterns: Vec<(&str, u8, bool)> = Vec::new();
    for (index, custom) in (0_u8..).zip(wanted.custom()) {
        patterns.extend(custom.nouns.iter().map(|noun| (noun.as_str(), index, true)));
        patterns.extend(custom.items.iter().map(|item| (item.as_str(), index, false)));
    }
    if patterns.is_empty() {
        return;
    }
    let search = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(patterns.iter().map(|(text, ..)| text));
    let Ok(search) = search else { return };
    for hit in search.find_iter(page.text) {
        let Some((_, index, noun)) = patterns.get(hit.pattern().as_usize()) else { continue };
        if !is_word(page.text, hit.start(), hit.end()) || page.is_opaque(hit.start(), hit.end()) {
            continue;
        }
        let range = if *noun { value(page, hit.start(), hit.end()) } else { Some((hit.start(), hit.end())) };
        let Some((start, end)) = range else { continue };
        if !page.is_opaque(start, end) {
            let entity = Entity::Custom(*index);
            found.push(Candidate {
                start,
                end,
                entity,
                reason: "as described by the caller",
                rank: Rank::Custom,
                distance: 0,
            });
        }
    }
}

fn is_word(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|text| text.chars().next_back());
    let behind = text.get(end..).and_then(|text| text.chars().next());
    !before.is_some_and(char::is_alphanumeric) && !behind.is_some_and(char::is_alphanumeric)
}

/// The value behind the noun, or the capitals before it (`the Falcon project`).
fn value(page: &Page<'_>, noun: usize, end: usize) -> Option<(usize, usize)> {
    behind(page, end).or_else(|| before(page, noun))
}

fn behind(page: &Page<'_>, end: usize) -> Option<(usize, usize)> {
    let mut index = page.word_from(end);
    for _ in 0..4 {
        let word = page.words.get(index)?;
        if !JOINS.contains(&page.part(word.start, word.end)) {
            break;
        }
        index += 1;
    }
    let first = page.words.get(index)?;
    let gap = page.part(page.words.get(index.checked_sub(1)?)?.end, first.start);
    if gap.len() > 4 || gap.contains(['\n', '.', ',', ';', '!', '?']) {
        return None;
    }
    if let Some(quote) = gap.chars().next_back().filter(|sign| matches!(sign, '"' | '“' | '«' | '\'')) {
        let close = match quote {
            '“' => '”',
            '«' => '»',
            other => other,
        };
        let length = page.text.get(first.start..)?.find(close).filter(|length| *length <= 80)?;
        return Some((first.start, first.start + length));
    }
    run(page, index)
}

/// Capitals and codes from the word `index` on.
fn run(page: &Page<'_>, index: usize) -> Option<(usize, usize)> {
    let mut end = None;
    for at in index..index + LONGEST {
        let Some(word) = page.words.get(at) else { break };
        let joined = at == index
            || matches!(page.part(page.words.get(at - 1)?.end, word.start), " " | "-" | "_" | "/");
        let capital = page.part(word.start, word.end).chars().next().is_some_and(char::is_uppercase);
        if !joined || !(capital || word.has_digit) {
            break;
        }
        end = Some(word.end);
    }
    Some((page.words.get(index)?.start, end?))
}

fn before(page: &Page<'_>, noun: usize) -> Option<(usize, usize)> {
    let last = page.word_from(noun).checked_sub(1)?;
    let word = page.words.get(last)?;
    let mut start = None;
    for at in (last.saturating_sub(LONGEST - 1)..=last).rev() {
        let word = page.words.get(at)?;
        let next = page.words.get(at + 1)?;
        let capital = page.part(word.start, word.end).chars().next().is_some_and(char::is_uppercase);
        let article = matches!(
            page.part(word.start, word.end),
            "The" | "A" | "An" | "Our" | "This" | "My" | "Your" | "Their" | "Every" | "Each"
        );
        if page.part(word.end, next.start) != " " || !capital || article {
            break;
        }
        start = Some(word.start);
    }
    Some((start?, word.end))
}

/// A kind from a phrase: its last noun, in singular and plural, and the word of its placeholder.
pub(crate) fn described(words: &[String], items: Vec<String>) -> Option<Custom> {
    let singulars: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(index, word)| if index + 1 == words.len() { singular(word) } else { word.clone() })
        .collect();
    let word = singulars.join("_").to_uppercase();
    let generic = |word: &&String| {
        !matches!(word.as_str(), "name" | "number" | "code" | "id" | "identifier" | "title" | "reference")
    };
    let nouns: Vec<String> = singulars.iter().filter(generic).cloned().collect();
    let noun = if nouns.is_empty() { singulars.join(" ") } else { nouns.join(" ") };
    if noun.is_empty() {
        return None;
    }
    Some(Custom { word, nouns: vec![noun.clone(), format!("{noun}s")], items })
}

/// A word without the ending of the English plural.
pub(crate) fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    let endings = ["sses", "xes", "ches", "shes"];
    if endings.iter().any(|ending| word.ends_with(ending)) {
        return word.strip_suffix("es").unwrap_or(word).to_owned();
    }
    if word.ends_with("'s") || word.ends_with("’s") {
        return word.to_owned();
    }
    let plural = word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is");
    word.strip_suffix('s').filter(|_| plural).unwrap_or(word).to_owned()
}

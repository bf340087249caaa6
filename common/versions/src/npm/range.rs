//! Ranges: alternatives separated by `||`, each of words that must all be met.

use super::comparator::{Comparator, Partial, comparators, hyphen};
use super::is_space;
use crate::precedence::{Triple, is_build};

/// A range of npm.
#[derive(Clone, Debug)]
pub(crate) struct NpmRange {
    alternatives: Vec<Vec<Comparator>>,
}

impl NpmRange {
    /// Reads a range; `None` where one alternative is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let spaced = text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let mut alternatives = Vec::new();
        for alternative in spaced.split("||") {
            alternatives.push(conjunction(alternative.trim())?);
        }
        // One alternative that admits everything makes the whole range that, and other alternatives name no pre-releases.
        if alternatives.iter().any(|alternative| alternative.iter().all(Comparator::is_any)) {
            alternatives = vec![vec![Comparator::Any]];
        }
        Some(Self { alternatives })
    }

    pub(crate) fn matches(&self, version: &Triple) -> bool {
        self.alternatives.iter().any(|comparators| {
            comparators.iter().all(|comparator| comparator.admits(version))
                && (!version.is_prerelease()
                    || comparators.iter().any(|comparator| comparator.names_prereleases_of(version)))
        })
    }
}

/// One alternative, single spaces between its words.
fn conjunction(text: &str) -> Option<Vec<Comparator>> {
    let text = without_builds(text);
    if let Some((from, to)) = text.split_once(" - ") {
        let sides = (Partial::parse(from.trim()), Partial::parse(to.trim()));
        if let (Some(from), Some(to)) = sides {
            return hyphen(&from, &to);
        }
    }
    let joined = join_operators(&text);
    let mut all = Vec::new();
    for word in joined.split(' ') {
        all.extend(comparators(word)?);
    }
    Some(all)
}

/// Drops build metadata, which no range considers.
fn without_builds(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('+') {
        kept.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '.');
        let end = after.find(|character| !is_part(character)).unwrap_or(after.len());
        // Dots belong to it between identifiers only.
        let build = after[..end].split_inclusive('.').take_while(|part| *part != ".");
        let length = build.map(str::len).sum::<usize>();
        let build = after[..length].trim_end_matches('.');
        if is_build(build) {
            rest = &after[build.len()..];
        } else {
            kept.push('+');
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

/// Removes the space between an operator and its version.
fn join_operators(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        joined.push(character);
        if !matches!(character, '<' | '>' | '=' | '~' | '^') || rest.peek() != Some(&' ') {
            continue;
        }
        let mut ahead = rest.clone();
        ahead.next();
        let begins_version = matches!(ahead.peek(), Some('0'..='9' | 'x' | 'X' | '*' | 'v' | '='));
        if matches!(character, '~' | '^') || begins_version {
            rest.next();
        } else if character == '>' && joined.ends_with("~>") {
            // `~> >1` is read as `~>1`.
            joined.pop();
            rest.next();
        }
    }
    joined
}

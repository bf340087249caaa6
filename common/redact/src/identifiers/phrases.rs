//! Phrases by which a caller names types: type names, aliases in many languages, free phrases.

use super::custom::{described, singular};
use super::entity::{Entity, EntitySet};

mod aliases;

use aliases::{ALIASES, COUNTRIES, FILLERS};

/// The most phrases that are read: more than there are kinds. Each is compared with the whole table of aliases.
pub const MOST_PHRASES: usize = 100;
/// The longest phrase, in bytes; a longer one is no name of a kind.
const LONGEST: usize = 200;
/// The most words of a free phrase.
const MOST_WORDS: usize = 4;
/// Items that a phrase may list.
const MOST_ITEMS: usize = 20;

/// The kinds that phrases ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The kinds.
    pub wanted: EntitySet,
    /// Phrases that were not understood, as given.
    pub unknown: Vec<String>,
}

/// Reads the phrases of a caller. They replace the kinds that are redacted by default. Phrases behind the first
/// [`MOST_PHRASES`] count as not understood.
#[must_use]
pub fn read(phrases: &[String]) -> Request {
    let mut request = Request { wanted: EntitySet::of([]), unknown: Vec::new() };
    for (index, phrase) in phrases.iter().enumerate() {
        if index >= MOST_PHRASES || !understood(phrase, &mut request.wanted) {
            request.unknown.push(phrase.clone());
        }
    }
    request
}

fn understood(phrase: &str, wanted: &mut EntitySet) -> bool {
    if phrase.len() > LONGEST {
        return false;
    }
    let (head, items) = listed(phrase);
    let words = words(&head);
    if let Some(entities) = known(&words) {
        entities.iter().for_each(|entity| wanted.insert(*entity));
        return true;
    }
    let free: Vec<String> = words.into_iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    let noun = |word: &String| {
        word.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
            && !aliases::NO_NOUNS.contains(&word.as_str())
    };
    let fits = (1..=MOST_WORDS).contains(&free.len())
        && free.iter().all(noun)
        && free.iter().any(|word| word.chars().any(char::is_alphabetic));
    let Some(custom) = fits.then(|| described(&free, items)).flatten() else { return false };
    wanted.add_custom(custom);
    true
}

/// A phrase and the items that it lists: `project names (Falcon, Blue Moon)`, `project names such as Falcon`.
fn listed(phrase: &str) -> (String, Vec<String>) {
    let marks = ["(", ":", " such as ", " like ", " e.g. ", " including "];
    let Some((at, mark)) = marks.iter().filter_map(|mark| phrase.find(mark).map(|at| (at, *mark))).min()
    else {
        return (phrase.to_owned(), Vec::new());
    };
    let (head, tail) = phrase.split_at(at);
    let tail = tail.trim_start_matches(mark).trim_end_matches([')', '.', ' ']);
    let items =
        tail.split([',', ';']).flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" or "));
    let items = items.map(|item| item.trim().trim_matches(['"', '\'']).to_owned());
    (head.to_owned(), items.filter(|item| item.len() > 1).take(MOST_ITEMS).collect())
}

/// Lower-case words; the signs of type names are blanks.
fn words(phrase: &str) -> Vec<String> {
    let lower = phrase.to_lowercase();
    let parts = lower.split(|letter: char| {
        letter.is_whitespace() || matches!(letter, '_' | ',' | '"' | '.' | '/' | '<' | '>')
    });
    parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The kinds that an alias names: as given, without fillers and countries, and in the singular.
fn known(words: &[String]) -> Option<&'static [Entity]> {
    let find = |words: &[String]| {
        let joined = words.join(" ");
        let entry = ALIASES.iter().find(|(_, names)| names.contains(&joined.as_str()));
        entry.map(|(entities, _)| *entities)
    };
    let singulars = |words: &[String]| words.iter().map(|word| singular(word)).collect::<Vec<_>>();
    let without: Vec<String> =
        words.iter().filter(|word| !FILLERS.contains(&word.as_str())).cloned().collect();
    let general: Vec<String> =
        without.iter().filter(|word| !COUNTRIES.contains(&word.as_str())).cloned().collect();
    let stem = |words: &[String]| {
        let tail =
            ["number", "numbers", "no", "value", "values", "data", "information", "details", "redacted"];
        let kept: Vec<String> = words.iter().filter(|word| !tail.contains(&word.as_str())).cloned().collect();
        kept
    };
    find(words)
        .or_else(|| find(&without))
        .or_else(|| find(&singulars(&without)))
        .or_else(|| find(&general))
        .or_else(|| find(&singulars(&general)))
        .or_else(|| find(&stem(&general)))
        .or_else(|| find(&singulars(&stem(&general))))
}

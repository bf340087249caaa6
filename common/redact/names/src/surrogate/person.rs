//! People: each word of a name gets one surrogate throughout the text, so that `Anna Berg`, `Anna` and `Ms Berg` stay one
//! person.

use std::collections::HashMap;

use redact::identifiers::{Entity, Span};

use super::choice::Choice;
use super::people::{Gender, Names, gender, names};

/// What a word is in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Forename(Gender),
    Surname,
}

/// Surrogates of the words of all names, by the word in lower case.
pub(super) struct People {
    words: HashMap<String, String>,
    /// Names of scripts without blanks, whole.
    whole: HashMap<String, String>,
}

const PARTICLES: &[&str] = &[
    "van", "von", "der", "den", "de", "la", "le", "da", "di", "del", "dos", "das", "du", "ten", "ter", "zu",
    "bin", "al", "el", "y", "e", "und", "and", "of", "the",
];
const SUFFIXES: &[&str] = &["jr", "sr", "ii", "iii", "iv", "md", "phd", "esq"];
const FEMALE_TITLES: &[&str] = &[
    "mrs",
    "ms",
    "miss",
    "frau",
    "madame",
    "mme",
    "mlle",
    "señora",
    "sra",
    "srta",
    "signora",
    "senhora",
    "mevrouw",
    "pani",
    "hanım",
    "госпожа",
    "fru",
    "doamna",
    "lady",
    "dame",
];
const MALE_TITLES: &[&str] = &[
    "mr",
    "herr",
    "herrn",
    "monsieur",
    "señor",
    "signor",
    "senhor",
    "meneer",
    "pan",
    "bey",
    "господин",
    "sir",
    "domnul",
    "lord",
];

impl People {
    /// Gives each word of each name its surrogate. Names of several words come first, as they tell what a word is.
    pub(super) fn new(text: &str, spans: &[Span], choice: &mut Choice) -> Self {
        let mut people = Self { words: HashMap::new(), whole: HashMap::new() };
        let named = spans.iter().filter(|span| span.entity == Entity::Name);
        let mut named: Vec<(&Span, Vec<&str>)> =
            named.map(|span| (span, parts(text.get(span.range.clone()).unwrap_or_default()))).collect();
        named.sort_by_key(|(span, parts)| (parts.len() < 2, span.range.start));
        for (span, parts) in named {
            let original = text.get(span.range.clone()).unwrap_or_default();
            if is_unspaced(original) {
                let list = names(original);
                let surname = choice.pick("whole surname", original, list.surnames);
                let forename = choice.pick("whole forename", original, list.unknown);
                people.whole.insert(original.to_owned(), format!("{surname}{forename}"));
                continue;
            }
            let title = courtesy(text.get(..span.range.start).unwrap_or_default());
            for (word, role) in roles(&parts, title) {
                people.add(word, role, choice);
            }
        }
        people
    }

    fn add(&mut self, word: &str, role: Role, choice: &mut Choice) {
        let lower = word.to_lowercase();
        if self.words.contains_key(&lower) {
            return;
        }
        let list: &Names = names(word);
        let surrogate = match role {
            Role::Surname => choice.pick("surname", &lower, list.surnames),
            Role::Forename(Gender::Female) => choice.pick("forename", &lower, list.female),
            Role::Forename(Gender::Male) => choice.pick("forename", &lower, list.male),
            Role::Forename(Gender::Unknown) => choice.pick("forename", &lower, list.unknown),
        };
        self.words.insert(lower, surrogate);
    }

    /// The surrogate of a word of a name, if it is one.
    pub(super) fn word(&self, word: &str) -> Option<&str> {
        self.words.get(&word.to_lowercase()).map(String::as_str)
    }

    /// The surrogate of a name as written: its case, its initials and what follows it stay; particles go.
    pub(super) fn name(&self, original: &str) -> String {
        if let Some(whole) = self.whole.get(original) {
            return whole.clone();
        }
        let mut words: Vec<String> = Vec::new();
        for part in parts(original) {
            let lower = part.to_lowercase();
            let bare = lower.trim_end_matches('.');
            if PARTICLES.contains(&lower.as_str()) {
                continue;
            }
            if SUFFIXES.contains(&bare) && !words.is_empty() {
                words.push(part.to_owned());
            } else if let Some(surrogate) = self.words.get(&lower) {
                words.push(cased(part, surrogate));
            } else if bare.chars().count() == 1 {
                words.push(initial(part));
            }
        }
        if words.is_empty() { "N. N.".to_owned() } else { words.join(" ") }
    }
}

/// An initial is replaced by the next letter but four of the alphabet.
fn initial(part: &str) -> String {
    let mut letters = part.chars();
    let letter = match letters.next() {
        Some(letter @ 'A'..='Z') => char::from(b'A' + (letter as u8 - b'A' + 5) % 26),
        Some(letter @ 'a'..='z') => char::from(b'a' + (letter as u8 - b'a' + 5) % 26),
        _ => 'N',
    };
    format!("{letter}{}", letters.as_str())
}

/// Words of a name; a comma between surname and forename stays with no word.
fn parts(name: &str) -> Vec<&str> {
    name.split(|letter: char| letter.is_whitespace() || letter == ',')
        .filter(|part| part.chars().any(char::is_alphanumeric))
        .collect()
}

/// The last word of several is the surname, the others are forenames; one word behind a title of courtesy is a surname.
fn roles<'a>(parts: &[&'a str], title: Option<Gender>) -> Vec<(&'a str, Role)> {
    let is_word = |part: &&&str| {
        let lower = part.to_lowercase();
        let bare = lower.trim_end_matches('.');
        bare.chars().count() > 1 && !PARTICLES.contains(&bare) && !SUFFIXES.contains(&bare)
    };
    let words: Vec<&str> = parts.iter().filter(is_word).copied().collect();
    let count = words.len();
    let role = |(index, word): (usize, &'a str)| {
        let own = gender(&word.to_lowercase());
        let own = if own == Gender::Unknown { title.unwrap_or(Gender::Unknown) } else { own };
        let surname = if count > 1 { index + 1 == count } else { title.is_some() };
        (word, if surname { Role::Surname } else { Role::Forename(own) })
    };
    words.into_iter().enumerate().map(role).collect()
}

/// Whether a title of courtesy stands before, and the gender it shows.
fn courtesy(before: &str) -> Option<Gender> {
    let word = before
        .trim_end()
        .trim_end_matches('.')
        .rsplit(|letter: char| !letter.is_alphabetic())
        .next()?
        .to_lowercase();
    if FEMALE_TITLES.contains(&word.as_str()) {
        return Some(Gender::Female);
    }
    let other = ["dr", "prof", "judge", "senator", "president"].contains(&word.as_str());
    if MALE_TITLES.contains(&word.as_str()) { Some(Gender::Male) } else { other.then_some(Gender::Unknown) }
}

fn is_unspaced(name: &str) -> bool {
    name.chars().all(|letter| matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'))
}

/// The surrogate in the case of the original.
fn cased(original: &str, surrogate: &str) -> String {
    if original.chars().count() > 1
        && original.chars().all(|letter| !letter.is_lowercase())
        && original.chars().any(char::is_uppercase)
    {
        surrogate.to_uppercase()
    } else if original.chars().all(|letter| !letter.is_uppercase()) {
        surrogate.to_lowercase()
    } else {
        surrogate.to_owned()
    }
}

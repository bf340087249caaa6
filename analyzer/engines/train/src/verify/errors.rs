//! Changes that make a claim false.

mod words;

use words::{DAYS, MONTHS, OPPOSITES, UNITS, VERBS};

use super::noise::{bare, fixed, places};
use super::texts::Text;
use crate::seeded::Seeded;

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// Another number.
    Number,
    /// Another name.
    Name,
    /// Another month or day.
    Date,
    /// Another unit.
    Unit,
    /// A negation more or less.
    Negated,
    /// Two parts exchanged.
    Roles,
    /// A word of opposite meaning.
    Antonym,
    /// Half of one sentence and half of another.
    Joined,
    /// A statement that the source does not make.
    Invented,
}

/// All kinds.
pub const KINDS: [Wrong; 9] = [
    Wrong::Number,
    Wrong::Name,
    Wrong::Date,
    Wrong::Unit,
    Wrong::Negated,
    Wrong::Roles,
    Wrong::Antonym,
    Wrong::Joined,
    Wrong::Invented,
];

/// Makes a claim false, or returns false where it has nothing that this kind of error can change.
pub fn spoil(words: &mut Vec<String>, kind: Wrong, text: &Text, all: &[Text], random: &mut Seeded) -> bool {
    match kind {
        Wrong::Number => number(words, random),
        Wrong::Name => name(words, text, all, random),
        Wrong::Date => exchange(words, &[&MONTHS, &DAYS], random),
        Wrong::Unit => exchange(words, &UNITS, random),
        Wrong::Negated => negate(words, random),
        Wrong::Roles => roles(words, random),
        Wrong::Antonym => antonym(words, random),
        Wrong::Joined => join(words, text, random),
        Wrong::Invented => invent(words, text, all, random),
    }
}

/// Puts another word in place of one, with the punctuation and the case of the first letter.
fn replace(word: &mut String, other: &str) {
    let core = word.trim_matches(|char: char| !char.is_alphanumeric());
    let other = if core.starts_with(char::is_uppercase) { capital(other) } else { other.to_owned() };
    *word = word.replacen(core, &other, 1);
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn number(words: &mut [String], random: &mut Seeded) -> bool {
    let numbers = places(words, |word| {
        bare(word).bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
            && !bare(word).is_empty()
    });
    let Some(word) = random.pick(&numbers).and_then(|place| words.get_mut(*place)) else { return false };
    let before = word.clone();
    let digits: Vec<usize> =
        word.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()).map(|(place, _)| place).collect();
    let Some(place) = random.pick(&digits).copied() else { return false };
    let digit = (b'1' + random.below(9) as u8) as char;
    match random.below(4) {
        // Two digits exchanged.
        0 if digits.len() > 1 => {
            let mut all: Vec<char> = word.chars().collect();
            let pair = digits.windows(2).nth(random.below(digits.len() - 1));
            if let Some([one, other]) = pair {
                all.swap(*one, *other);
            }
            *word = all.into_iter().collect();
        }
        1 => word.insert(place, digit),
        _ => word.replace_range(place..=place, &digit.to_string()),
    }
    *word != before
}

fn name(words: &mut [String], text: &Text, all: &[Text], random: &mut Seeded) -> bool {
    let names = places_of_names(words);
    let Some(place) = random.pick(&names).copied() else { return false };
    // A name of the same text is the harder error, and the more frequent one.
    let from = if random.chance(0.6) { Some(text) } else { random.pick(all) };
    let Some(sentence) = from.and_then(|text| random.pick(&text.sentences)) else { return false };
    let others = places_of_names(sentence);
    let Some(other) = random.pick(&others).and_then(|place| sentence.get(*place)) else { return false };
    let other = other.trim_matches(|char: char| !char.is_alphanumeric()).to_owned();
    if words.iter().any(|word| bare(word) == other.to_lowercase()) {
        return false;
    }
    if let Some(word) = words.get_mut(place) {
        replace(word, &other);
    }
    true
}

fn places_of_names(words: &[String]) -> Vec<usize> {
    (0..words.len())
        .filter(|place| {
            fixed(words, *place)
                && words
                    .get(*place)
                    .is_some_and(|word| bare(word).chars().all(char::is_alphabetic) && word.len() > 2)
        })
        .collect()
}

fn exchange(words: &mut [String], classes: &[&[&str]], random: &mut Seeded) -> bool {
    let member =
        |word: &str| classes.iter().find(|class| class.iter().any(|one| one.eq_ignore_ascii_case(word)));
    let found = places(words, |word| member(&bare(word)).is_some());
    let Some(word) = random.pick(&found).and_then(|place| words.get_mut(*place)) else { return false };
    let Some(other) = member(&bare(word)).and_then(|class| random.pick(class)) else { return false };
    let spelled_differently = ["meter", "metre", "kilometer", "kilometre", "tons", "tonnes"];
    let bare = bare(word);
    if other.to_lowercase() == bare
        || spelled_differently
            .iter()
            .any(|one| bare.starts_with(one) && one.get(..3).is_some_and(|start| other.starts_with(start)))
    {
        return false;
    }
    replace(word, other);
    true
}

fn negate(words: &mut Vec<String>, random: &mut Seeded) -> bool {
    if let Some(place) = words.iter().position(|word| matches!(bare(word).as_str(), "not" | "never")) {
        words.remove(place);
        return true;
    }
    let verbs = places(words, |word| VERBS.contains(&bare(word).as_str()));
    let Some(place) = random.pick(&verbs).copied() else { return false };
    let negation = if random.chance(0.8) { "not" } else { "never" };
    words.insert(place + 1, negation.to_owned());
    true
}

/// Exchanges what stands before and after a verb or a preposition: two names or numbers, or two words.
fn roles(words: &mut [String], random: &mut Seeded) -> bool {
    let mut names: Vec<usize> =
        (0..words.len()).filter(|place| *place == 0 || fixed(words, *place)).collect();
    if random.chance(0.4) {
        names = places(words, |word| word.len() > 4);
    }
    let Some(one) = random.pick(&names).copied() else { return false };
    let far: Vec<usize> = names.into_iter().filter(|place| place.abs_diff(one) > 1).collect();
    let Some(other) = random.pick(&far).copied() else { return false };
    let [Some(first), Some(second)] = [one, other].map(|place| words.get(place).map(|word| bare(word)))
    else {
        return false;
    };
    let alike = |word: &str| word.starts_with(|char: char| char.is_ascii_digit());
    if first == second || first.len() < 3 || second.len() < 3 || alike(&first) != alike(&second) {
        return false;
    }
    for (place, word) in [(one, second), (other, first)] {
        if let Some(there) = words.get_mut(place) {
            replace(there, &capital(&word));
        }
    }
    true
}

fn antonym(words: &mut [String], random: &mut Seeded) -> bool {
    let opposite = |word: &str| {
        let other = |pair: &(&'static str, &'static str)| match word {
            word if word == pair.0 => Some(pair.1),
            word if word == pair.1 => Some(pair.0),
            _ => None,
        };
        OPPOSITES.iter().find_map(other)
    };
    let found = places(words, |word| opposite(&bare(word)).is_some());
    let Some(word) = random.pick(&found).and_then(|place| words.get_mut(*place)) else { return false };
    let Some(other) = opposite(&bare(word)) else { return false };
    replace(word, other);
    true
}

/// Puts the end of another sentence of the text in place of the claim's own.
fn join(words: &mut Vec<String>, text: &Text, random: &mut Seeded) -> bool {
    let Some(other) = random.pick(&text.sentences) else { return false };
    let middle = words.len() / 2;
    let end = other.get(other.len() / 2..).unwrap_or_default();
    let known = end.iter().filter(|word| words.iter().any(|own| bare(own) == bare(word))).count();
    if known * 2 > end.len() || end.len() < 3 {
        return false;
    }
    words.truncate(middle);
    words.extend(end.iter().cloned());
    true
}

/// A sentence of another text about the same subject, or words of it in place of own ones.
fn invent(words: &mut Vec<String>, text: &Text, all: &[Text], random: &mut Seeded) -> bool {
    let near: Vec<&Text> =
        all.iter().filter(|other| other.subject == text.subject && other.content != text.content).collect();
    let Some(sentence) = random.pick(&near).and_then(|text| random.pick(&text.sentences)) else {
        return false;
    };
    let known = sentence.iter().filter(|word| text.content.contains(word.as_str())).count();
    if known * 4 > sentence.len() * 3 {
        return false;
    }
    if random.chance(0.5) {
        words.clone_from(sentence);
        return true;
    }
    let size = 3 + random.below(3);
    let from = random.below(sentence.len().saturating_sub(size));
    let part = sentence.get(from..from + size).unwrap_or_default();
    let at = random.below(words.len().saturating_sub(size));
    words.splice(at..(at + size).min(words.len()), part.iter().cloned());
    true
}

//! Pronouns at the beginning of a sentence, and the subject of the sentence before, which they stand for.

use crate::lexicon::Lexicon;
use crate::terms::Term;

/// Kinds of pronouns of the third person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pronoun {
    /// "He" and "she".
    Person,
    /// "It" and "they".
    Thing,
    /// "His", "its": the noun after it is the subject.
    Owner,
}

/// The kind of a word in lower case.
pub(crate) fn pronoun(word: &str) -> Option<Pronoun> {
    Some(match word {
        "he" | "she" => Pronoun::Person,
        "it" | "they" => Pronoun::Thing,
        "his" | "her" | "its" | "their" => Pronoun::Owner,
        _ => return None,
    })
}

/// Terms in which the verb after a subject is searched for.
const NEAR: usize = 8;

/// Content words of a subject that a pronoun stands for; a longer subject is a phrase whose head is unknown.
const SUBJECT: usize = 3;

/// Sentences before one that are read: each of those between begins with a pronoun for the same subject.
pub(crate) const BACK: usize = 3;

/// The place of a pronoun before the first content word but numbers.
pub(crate) fn leading(terms: &[Term]) -> Option<usize> {
    let place = terms.iter().take(NEAR).position(|term| term.pronoun.is_some())?;
    let before = terms.iter().take(place);
    before.into_iter().all(|term| !term.content || term.value.is_some()).then_some(place)
}

/// The content words before the first verb. None where there is no verb nearby, and where a name after the verb may be
/// the one that a pronoun for a person stands for.
pub(crate) fn subject<'a>(terms: &'a [Term], lexicon: &Lexicon) -> &'a [Term] {
    let is_verb = |term: &Term| term.participle || term.meaning(lexicon).verb;
    let Some(verb) = terms.iter().take(NEAR).position(is_verb) else { return &[] };
    let first = terms.iter().position(|term| term.content).unwrap_or(verb);
    let subject = terms.get(first..verb).unwrap_or_default();
    let content = subject.iter().filter(|term| term.content).count();
    if (1..=SUBJECT).contains(&content) { subject } else { &[] }
}

/// A sentence with the subject of an earlier one in place of the pronoun that it begins with. `before` are the sentences
/// before it, the nearest first.
pub(crate) fn resolved<'a>(
    terms: &[Term],
    before: impl Iterator<Item = &'a [Term]>,
    lexicon: &Lexicon,
) -> Option<Vec<Term>> {
    let place = leading(terms)?;
    let pronoun = terms.get(place)?.pronoun?;
    for earlier in before.take(BACK) {
        // A pronoun stands for the same subject as the one that the sentence before begins with.
        let again = leading(earlier).and_then(|place| earlier.get(place)?.pronoun);
        if again.is_some_and(|again| again != Pronoun::Owner) {
            continue;
        }
        let subject = subject(earlier, lexicon);
        let named = |term: &Term| term.name;
        let is_other = pronoun == Pronoun::Person && !subject.iter().any(named) && earlier.iter().any(named);
        let mut content = subject.iter().filter(|term| term.content).cloned().peekable();
        if is_other || content.peek().is_none() {
            return None;
        }
        let (head, tail) = terms.split_at_checked(place)?;
        return Some(head.iter().cloned().chain(content).chain(tail.iter().skip(1).cloned()).collect());
    }
    None
}

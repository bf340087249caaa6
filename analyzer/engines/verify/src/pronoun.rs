//! Pronouns at the beginning of a sentence, and the nouns of the sentence before that they may stand for.

use crate::lexicon::Lexicon;
use crate::terms::Term;

/// Kinds of pronouns of the third person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pronoun {
    /// "He" and "she".
    Person,
    /// "It".
    Thing,
    /// "They".
    Group,
    /// "His", "its": the noun after it is the subject.
    Owner,
    /// "This" may stand for a whole statement, so that it is not resolved.
    Statement,
}

/// The kind of a word in lower case.
pub(crate) fn pronoun(word: &str) -> Option<Pronoun> {
    Some(match word {
        "he" | "she" => Pronoun::Person,
        "it" => Pronoun::Thing,
        "they" => Pronoun::Group,
        "his" | "her" | "its" | "their" => Pronoun::Owner,
        "this" => Pronoun::Statement,
        _ => return None,
    })
}

/// Words at the end of names that are no persons.
pub(crate) const ORGANIZATIONS: [&str; 24] = [
    "association",
    "bank",
    "bridge",
    "church",
    "club",
    "college",
    "company",
    "corporation",
    "council",
    "foundation",
    "government",
    "group",
    "hospital",
    "hotel",
    "inc",
    "institute",
    "ltd",
    "ministry",
    "museum",
    "party",
    "school",
    "theatre",
    "union",
    "university",
];

/// Terms in which the verb after a subject is searched for, and the object after the verb.
const NEAR: usize = 8;

/// Content words of a noun that a pronoun stands for; a longer one is a phrase whose head is unknown.
const NOUN: usize = 3;

/// Content words of the opening of a sentence at most.
const OPENING: usize = 4;

/// Sentences before one that are read: each of those between begins with a pronoun for the same subject.
pub(crate) const BACK: usize = 3;

/// A sentence with a noun of an earlier one in place of the pronoun that it begins with.
pub(crate) struct Reading {
    pub(crate) terms: Vec<Term>,
    /// How many sentences lie between this one and the one with the noun.
    pub(crate) back: usize,
}

/// The place of a pronoun before the first content word but numbers.
pub(crate) fn leading(terms: &[Term]) -> Option<usize> {
    let place = terms.iter().take(NEAR).position(|term| term.pronoun.is_some())?;
    let before = terms.iter().take(place);
    before.into_iter().all(|term| !term.content || term.value.is_some()).then_some(place)
}

fn resembles_verb(term: &Term, lexicon: &Lexicon) -> bool {
    term.value.is_none() && (term.participle || term.meaning(lexicon).verb)
}

/// Whether a term is a verb. A capitalised one is a name, as in "Will Smith", unless it begins the sentence and a word in
/// lower case follows that is no verb. A participle after an article belongs to a noun.
fn is_verb(terms: &[Term], place: usize, lexicon: &Lexicon) -> bool {
    let Some(term) = terms.get(place).filter(|term| resembles_verb(term, lexicon)) else { return false };
    if term.capital {
        let next = terms.get(place + 1);
        let is_word = next.is_some_and(|next| !next.capital && !resembles_verb(next, lexicon));
        return place == 0 && !term.name && is_word;
    }
    let before = place.checked_sub(1).and_then(|before| terms.get(before));
    term.meaning(lexicon).verb || !before.is_some_and(|before| before.meaning(lexicon).article)
}

fn verb(terms: &[Term], lexicon: &Lexicon) -> Option<usize> {
    (0..terms.len().min(NEAR)).find(|place| is_verb(terms, *place, lexicon))
}

/// Whether a term is a name. The first word of a sentence is one where a name or a verb follows it.
fn is_name(terms: &[Term], place: usize, lexicon: &Lexicon) -> bool {
    let Some(term) = terms.get(place) else { return false };
    let first = place == 0 && term.capital && term.content;
    let next = terms.get(1);
    term.name || (first && (is_verb(terms, 1, lexicon) || next.is_some_and(|next| next.name)))
}

/// The first content words before the verb, or of the sentence where no verb is near.
pub(crate) fn opening(terms: &[Term], lexicon: &Lexicon) -> Vec<Term> {
    let end = verb(terms, lexicon).unwrap_or(NEAR);
    terms.iter().take(end).filter(|term| term.content).take(OPENING).cloned().collect()
}

/// The content words before the first verb, and what is between them. Empty where no verb is near, and where they are too
/// many.
pub(crate) fn subject<'a>(terms: &'a [Term], lexicon: &Lexicon) -> &'a [Term] {
    let Some(verb) = verb(terms, lexicon) else { return &[] };
    let first = terms.iter().position(|term| term.content).unwrap_or(verb);
    let subject = terms.get(first..verb).unwrap_or_default();
    let content = subject.iter().filter(|term| term.content).count();
    if (1..=NOUN).contains(&content) { subject } else { &[] }
}

/// The noun directly after the verb, with the words before it that describe it. Empty after "is" and "was", where the noun
/// is another word for the subject, and after a preposition.
fn object<'a>(terms: &'a [Term], lexicon: &Lexicon) -> &'a [Term] {
    let Some(verb) = verb(terms, lexicon) else { return &[] };
    if terms.get(verb).is_some_and(|term| term.meaning(lexicon).linking) {
        return &[];
    }
    let opens = |place: usize| {
        let term = terms.get(place);
        let is_owner = |term: &Term| term.pronoun == Some(Pronoun::Owner) || term.meaning(lexicon).article;
        term.is_some_and(is_owner) || is_verb(terms, place, lexicon)
    };
    let first = (verb + 1..verb + NEAR).find(|place| !opens(*place)).unwrap_or(terms.len());
    let rest = terms.get(first..).unwrap_or_default();
    let length = rest.iter().take_while(|term| term.content && term.value.is_none()).count();
    let noun = rest.get(..length).filter(|_| length <= NOUN).unwrap_or_default();
    if is_person(terms, noun, lexicon) { &[] } else { noun }
}

/// Whether a part of a sentence is a name of several words without an article, hence a person more often than a thing.
fn is_person(terms: &[Term], noun: &[Term], lexicon: &Lexicon) -> bool {
    let place = |term: &Term| terms.iter().position(|other| other.start == term.start);
    let is_name = |term: &Term| place(term).is_some_and(|place| is_name(terms, place, lexicon));
    let first = noun.first().and_then(place);
    let before = first.and_then(|place| terms.get(place.checked_sub(1)?));
    noun.iter().filter(|term| term.content).count() > 1
        && noun.iter().all(is_name)
        && !before.is_some_and(|term| term.meaning(lexicon).article)
        && !noun.last().is_some_and(|term| term.meaning(lexicon).organization)
}

/// The nouns of a sentence that a pronoun at the beginning of the next one may stand for, the likeliest first.
fn antecedents<'a>(pronoun: Pronoun, earlier: &'a [Term], lexicon: &Lexicon) -> [&'a [Term]; 2] {
    let begins = leading(earlier).and_then(|place| earlier.get(place)?.pronoun);
    let (subject, object) = (subject(earlier, lexicon), object(earlier, lexicon));
    let is_person = begins == Some(Pronoun::Person) || is_person(earlier, subject, lexicon);
    match pronoun {
        Pronoun::Person => {
            let is_name = |term: &Term| {
                let place = earlier.iter().position(|other| other.start == term.start);
                place.is_some_and(|place| is_name(earlier, place, lexicon))
            };
            // A name after the verb may be the one that the pronoun stands for.
            let is_other = !subject.iter().any(is_name) && earlier.iter().any(is_name);
            [if is_other { &[] } else { subject }, &[]]
        }
        Pronoun::Thing if is_person && !object.is_empty() => [object, &[]],
        Pronoun::Thing if begins == Some(Pronoun::Person) => [&[], &[]],
        Pronoun::Thing => [subject, object],
        // Both the persons and the things may be several.
        Pronoun::Group if is_person && !object.is_empty() => [&[], &[]],
        Pronoun::Group | Pronoun::Owner => [subject, &[]],
        Pronoun::Statement => [&[], &[]],
    }
}

/// The readings of a sentence that begins with a pronoun, the likeliest first. `before` are the sentences before it, the
/// nearest first.
pub(crate) fn readings<'a>(
    terms: &[Term],
    before: impl Iterator<Item = &'a [Term]>,
    lexicon: &Lexicon,
) -> Vec<Reading> {
    let found = leading(terms).and_then(|place| Some((place, terms.get(place)?.pronoun?)));
    let Some((place, pronoun)) = found else { return Vec::new() };
    let Some((head, tail)) = terms.split_at_checked(place) else { return Vec::new() };
    let read = |noun: &[Term], back| {
        let content = noun.iter().filter(|term| term.content);
        let terms = head.iter().chain(content).chain(tail.iter().skip(1)).cloned().collect();
        Reading { terms, back }
    };
    for (back, earlier) in before.take(BACK).enumerate() {
        let again = leading(earlier).and_then(|place| earlier.get(place)?.pronoun);
        let goes_on = match again {
            None | Some(Pronoun::Owner | Pronoun::Statement) => false,
            // "It" never stands for the person that "he" or "she" stands for.
            Some(Pronoun::Person) => !matches!(pronoun, Pronoun::Thing | Pronoun::Group),
            Some(Pronoun::Thing | Pronoun::Group) => true,
        };
        if !goes_on {
            let nouns = antecedents(pronoun, earlier, lexicon);
            return nouns.iter().filter(|noun| !noun.is_empty()).map(|noun| read(noun, back)).collect();
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::terms;

    fn read(text: &str, lexicon: &Lexicon) -> Vec<Term> {
        terms(text, &(0..text.len()), lexicon)
    }

    fn words(text: &str, noun: &[Term]) -> String {
        let content = noun.iter().filter(|term| term.content).filter_map(|term| text.get(term.range()));
        content.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_subject_ends_at_the_verb_and_not_at_a_name_that_resembles_one() {
        let lexicon = Lexicon::new();
        for (text, expected) in [
            ("The museum was opened in 1990.", "museum"),
            ("Helen led the team.", "Helen"),
            ("Karen Brown wrote the report.", "Karen Brown"),
            ("Dr. Helen Park led the team.", "Dr Helen Park"),
            ("Will Smith opened the school.", "Smith"),
            ("The children led the march.", "children"),
            ("The abandoned quarry was sold.", "abandoned quarry"),
            ("Built in brick, the tower fell.", ""),
            ("The long old narrow bridge was sold.", ""),
            ("A list of rivers and lakes.", ""),
        ] {
            assert_eq!(words(text, subject(&read(text, &lexicon), &lexicon)), expected, "{text}");
        }
    }

    /// The nouns that the pronoun of the last sentence may stand for, as the words that its readings add.
    fn nouns(before: &[&str], last: &str) -> Vec<String> {
        let lexicon = Lexicon::new();
        let terms: Vec<Vec<Term>> = before.iter().rev().map(|text| read(text, &lexicon)).collect();
        let written = read(last, &lexicon);
        let readings = readings(&written, terms.iter().map(Vec::as_slice), &lexicon);
        let added = |reading: &Reading| {
            let source = before[before.len() - 1 - reading.back];
            let length = reading.terms.len() + 1 - written.len();
            words(source, &reading.terms[..length])
        };
        readings.iter().map(added).collect()
    }

    #[test]
    fn a_pronoun_is_read_as_the_nouns_that_it_may_stand_for() {
        let opened = "Maria Lopez opened the museum in 1990.";
        for (before, last, expected) in [
            (vec![opened], "It has 12 rooms.", vec!["museum"]),
            (vec![opened], "She studied in Rome.", vec!["Maria Lopez"]),
            (vec![opened], "They have 12 rooms.", vec![]),
            (vec![opened, "It has 12 rooms."], "She studied in Rome.", vec!["Maria Lopez"]),
            (vec!["Maria Lopez is famous.", "She opened the museum."], "It has 12 rooms.", vec!["museum"]),
            (vec!["Maria Lopez is famous.", "She slept."], "It has 12 rooms.", vec![]),
            (vec!["The city opened the museum."], "It has 12 rooms.", vec!["city", "museum"]),
            (vec!["The Lark Bridge replaced the ferry."], "It is long.", vec!["Lark Bridge", "ferry"]),
            (vec!["Mellin Bank bought the shop."], "It has ten clerks.", vec!["Mellin Bank", "shop"]),
            (vec!["The museum was opened by Maria Lopez."], "It has 12 rooms.", vec!["museum"]),
            (vec!["The museum is a ruin."], "It has 12 rooms.", vec!["museum"]),
            (vec!["Einstein moved to Princeton."], "He taught there.", vec!["Einstein"]),
            (vec!["The letter reached Einstein."], "He answered it.", vec![]),
            (vec!["The museum was opened by Ada Lee."], "She left in 1990.", vec![]),
            (vec!["The museum was sold."], "This was a mistake.", vec![]),
            (vec!["The museum was sold."], "Rome has 12 rooms.", vec![]),
        ] {
            assert_eq!(nouns(&before, last), expected, "{before:?} {last}");
        }
    }

    #[test]
    fn a_noun_is_searched_for_in_a_bounded_number_of_sentences() {
        let mut before = vec!["The museum was sold."];
        before.extend(vec!["It was old."; BACK - 1]);
        assert_eq!(nouns(&before, "It has 12 rooms."), ["museum"]);
        before.push("It was old.");
        assert_eq!(nouns(&before, "It has 12 rooms."), Vec::<String>::new());
    }
}

//! A sentence to its terms: words by stem and meaning, numbers by value.

use std::ops::Range;

use linear_model::Feature;

use crate::lexicon::{Known, Lexicon, Meaning};
use crate::numbers::{Figure, figure_of_digits};
use crate::pronoun::{Pronoun, pronoun};
use crate::quantity;

/// A word or a number of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    /// Equal for equal words, synonyms and equal numbers.
    pub(crate) feature: u64,
    /// Equal for words of one family; 0 where nothing is.
    pub(crate) root: u64,
    /// First byte in the text.
    pub(crate) start: u32,
    /// Byte after its last.
    pub(crate) end: u32,
    /// Number of its meaning in the lexicon.
    pub(crate) meaning: u16,
    /// Its value, if it is a number.
    pub(crate) value: Option<f64>,
    /// Whether it carries content, hence is searched for.
    pub(crate) content: bool,
    /// Whether it begins with a capital letter and does not begin the sentence.
    pub(crate) name: bool,
    /// Whether it begins with a capital letter.
    pub(crate) capital: bool,
    /// Whether it may be a past participle.
    pub(crate) participle: bool,
    /// The kind of pronoun, if it is one.
    pub(crate) pronoun: Option<Pronoun>,
}

impl Term {
    /// Its place in the text.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) fn meaning<'a>(&self, lexicon: &'a Lexicon) -> &'a Meaning {
        lexicon.meaning(self.meaning)
    }
}

/// Past participles that do not end in "-ed" or "-en".
const PARTICIPLES: [&str; 40] = [
    "built",
    "bought",
    "caught",
    "cut",
    "done",
    "drawn",
    "felt",
    "fed",
    "found",
    "fought",
    "grown",
    "held",
    "hit",
    "hurt",
    "kept",
    "known",
    "led",
    "left",
    "lent",
    "lost",
    "made",
    "met",
    "paid",
    "put",
    "read",
    "run",
    "said",
    "sent",
    "set",
    "shot",
    "shown",
    "sold",
    "sung",
    "sunk",
    "taught",
    "told",
    "thrown",
    "understood",
    "won",
    "worn",
];

/// Frequent words that end as participles do and are none.
const NO_PARTICIPLES: [&str; 16] = [
    "chicken", "children", "citizen", "garden", "green", "hydrogen", "kitchen", "need", "open", "oxygen",
    "queen", "screen", "seed", "specimen", "speed", "women",
];

fn is_participle(word: &str) -> bool {
    let regular = word.len() > 3 && (word.ends_with("ed") || word.ends_with("en"));
    (regular && !NO_PARTICIPLES.contains(&word)) || PARTICIPLES.contains(&word)
}

/// Longest word in bytes that is stemmed; a longer one is no word of a language, and stemming is slower than hashing.
const MAX_WORD: usize = 40;

/// The terms of a part of a text, in order.
pub(crate) fn terms(text: &str, part: &Range<usize>, lexicon: &Lexicon) -> Vec<Term> {
    let Some(sentence) = text.get(part.clone()) else { return Vec::new() };
    let mut terms: Vec<Term> = Vec::with_capacity(sentence.len() / 6);
    let mut scaled = None;
    for token in tokens(sentence) {
        let Some(spelling) = sentence.get(token.clone()) else { continue };
        let place = part.start.saturating_add(token.start)..part.start.saturating_add(token.end);
        let (Ok(start), Ok(end)) = (u32::try_from(place.start), u32::try_from(place.end)) else { break };
        let term = term(spelling, start..end, terms.is_empty(), lexicon);
        let figure = lexicon.meaning(term.meaning).figure;
        // "3.2 million" and "forty-five" are one number each.
        if let Some(value) = scaled.take().and_then(|last: f64| joined(last, figure, term.value))
            && let Some(last) = terms.last_mut()
        {
            *last = Term { end: term.end, ..number(value, last.clone()) };
            scaled = Some(value);
            continue;
        }
        scaled = term.value;
        terms.push(term);
    }
    terms = quantity::joined(terms, text, lexicon);
    if let Some(comma) = front(sentence) {
        let after = part.start.saturating_add(comma);
        let main = terms.iter().take_while(|term| (term.start as usize) < after).count();
        terms.rotate_left(main);
    }
    terms
}

/// Words that begin a phrase which may stand before or after its clause.
const FRONTS: [&str; 22] = [
    "in", "on", "at", "by", "after", "before", "when", "while", "with", "without", "during", "since",
    "because", "although", "if", "for", "from", "until", "under", "near", "as", "within",
];

/// Bytes in which the comma after such a phrase is searched for.
const FRONT: usize = 80;

/// Place of the comma after a phrase at the beginning. The terms of the phrase are read after those of the clause, so that
/// "In May, it opened" is in the order of "It opened in May".
fn front(sentence: &str) -> Option<usize> {
    let sentence_start = sentence.len().saturating_sub(sentence.trim_start().len());
    let first = sentence.split_whitespace().next()?;
    FRONTS.iter().find(|front| front.eq_ignore_ascii_case(first))?;
    let comma = sentence.find(", ")?;
    (comma.saturating_sub(sentence_start) <= FRONT).then_some(comma)
}

fn joined(last: f64, figure: Option<Figure>, next: Option<f64>) -> Option<f64> {
    match figure {
        Some(Figure::Scale(scale)) => Some(last * scale),
        Some(Figure::Value(_)) => {
            let next = next?;
            let tens = (20.0..=90.0).contains(&last) && last % 10.0 == 0.0;
            (tens && next < 10.0).then_some(last + next)
        }
        None => None,
    }
}

/// A term with a value in place of its word.
pub(crate) fn number(value: f64, term: Term) -> Term {
    let feature = Feature(value.to_bits()).tagged(1).0;
    Term { feature, root: 0, value: Some(value), content: true, ..term }
}

fn term(spelling: &str, place: Range<u32>, first: bool, lexicon: &Lexicon) -> Term {
    let capital = spelling.starts_with(char::is_uppercase);
    let mut term = Term {
        feature: 0,
        root: 0,
        start: place.start,
        end: place.end,
        meaning: 0,
        value: None,
        content: true,
        name: capital && !first,
        capital,
        participle: false,
        pronoun: None,
    };
    if let Some(value) = figure_of_digits(spelling) {
        return number(value, term);
    }
    if spelling.len() > MAX_WORD {
        return Term { feature: Feature::of(spelling).0, ..term };
    }
    let mut word = spelling.to_lowercase();
    if word.contains('’') {
        word = word.replace('’', "'");
    }
    let Known { first: feature, root, meaning } = lexicon.look_up(word.strip_suffix("'s").unwrap_or(&word));
    let known = lexicon.meaning(meaning);
    term.participle = !term.name && is_participle(&word);
    term = Term { feature, root, meaning, content: !known.stop, name: term.name && !known.stop, ..term };
    if known.stop {
        term.pronoun = pronoun(&word);
    }
    match known.figure {
        // A capital letter shows a name, as in "River Trent"; German scales are nouns and have one.
        Some(Figure::Value(_)) if known.foreign && capital => term,
        Some(Figure::Value(value)) => Term { meaning, ..number(value, term) },
        Some(Figure::Scale(value)) => Term { meaning, value: Some(value), ..term },
        None => term,
    }
}

/// Places of words and numbers. Characters of scripts without spaces are words of their own.
fn tokens(sentence: &str) -> Vec<Range<usize>> {
    let mut tokens = Vec::with_capacity(sentence.len() / 5);
    let mut start = None;
    let mut chars = sentence.char_indices().peekable();
    let mut before = ' ';
    while let Some((place, char)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let alone = char >= '\u{e00}' && char.is_alphabetic() && !char.is_uppercase() && !char.is_lowercase();
        let inner = matches!(char, '.' | ',') && before.is_ascii_digit() && next.is_ascii_digit()
            || matches!(char, '\'' | '’') && before.is_alphabetic() && next.is_alphabetic();
        before = char;
        if (char.is_alphanumeric() && !alone) || (inner && start.is_some()) {
            start.get_or_insert(place);
            continue;
        }
        if let Some(start) = start.take() {
            tokens.push(start..place);
        }
        if alone || matches!(char, '%' | '€' | '$' | '£') {
            tokens.push(place..place.saturating_add(char.len_utf8()));
        }
    }
    tokens.extend(start.map(|start| start..sentence.len()));
    tokens
}

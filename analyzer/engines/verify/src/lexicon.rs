//! Meanings of words, from the files in `data/`. A word is known by its stem, so that one line covers its endings.

use std::collections::HashMap;

use linear_model::Feature;
use rust_stemmers::{Algorithm, Stemmer};

use crate::claims::VERBS;
use crate::numbers::{Figure, figure_of_word, numerals};
use crate::numerals::foreign;
use crate::pronoun::ORGANIZATIONS;
use crate::quantity::{Measure, UNITS, WORDS};

const STOP: &str = include_str!("../data/stop.txt");
const SAME: &str = include_str!("../data/same.txt");
const OPPOSITE: &str = include_str!("../data/opposite.txt");
const CLASS: &str = include_str!("../data/class.txt");

/// Words that negate the words after them.
const NEGATIONS: [&str; 11] =
    ["not", "no", "never", "none", "neither", "nor", "cannot", "without", "nobody", "nothing", "nowhere"];

/// Words without content whose two sides have different roles.
const PIVOTS: [&str; 12] =
    ["than", "from", "to", "before", "after", "by", "into", "over", "under", "although", "because", "while"];

/// The word before the agent of a verb in the passive voice.
const AGENT: &str = "by";

/// Words between parts of a sentence that each have a number of their own.
const JOINTS: [&str; 5] = ["and", "but", "while", "whereas", "or"];

/// Verbs that connect a subject with another word for it.
const LINKING: [&str; 5] = ["is", "are", "was", "were", "became"];

/// Words before a noun.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// Word that stands for a noun named before.
const STAND_IN: &str = "one";

/// Groups of words that exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Date,
    Unit,
    Number,
    Quantity,
    Name,
}

/// Everything that the lexicon says about a stem.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Meaning {
    /// Without content of its own.
    pub(crate) stop: bool,
    /// Negates.
    pub(crate) negation: bool,
    /// Has different roles on its two sides.
    pub(crate) pivot: bool,
    /// Stands before the agent of a verb.
    pub(crate) agent: bool,
    /// Pairs of opposites that it belongs to, with its side.
    pub(crate) opposites: Vec<(u16, bool)>,
    /// Classes that it is a member of: kind and number of the class.
    pub(crate) classes: Vec<(Class, u16)>,
    /// The number that it spells, or the power of ten that it multiplies by.
    pub(crate) figure: Option<Figure>,
    /// The number is spelled in another language than English, where the word may be a name.
    pub(crate) foreign: bool,
    /// Part of a number in several words.
    pub(crate) measure: Option<Measure>,
    /// How many of a smaller unit it has, and that one.
    pub(crate) smaller: Option<(f64, &'static str)>,
    /// Stands between parts of a sentence.
    pub(crate) joint: bool,
    /// Stands for a noun.
    pub(crate) stand_in: bool,
    /// May be the verb that ends the subject of a sentence.
    pub(crate) verb: bool,
    /// Connects the subject with another word for it.
    pub(crate) linking: bool,
    /// Stands before a noun.
    pub(crate) article: bool,
    /// Ends the name of an organization or a building.
    pub(crate) organization: bool,
}

/// Meanings by stem. Built once for a process.
pub struct Lexicon {
    stemmer: Stemmer,
    /// Stem to the first stem of its line of synonyms, and to its meaning, by number.
    entries: HashMap<u64, (u64, u16)>,
    /// Words of other languages to their meaning. They have no stem, because endings of English make other words of them.
    foreign: HashMap<u64, u16>,
    meanings: Vec<Meaning>,
    unknown: Meaning,
}

impl Default for Lexicon {
    fn default() -> Self {
        Self::new()
    }
}

impl Lexicon {
    /// Reads the files of words. They are part of the program, so that nothing can fail.
    #[must_use]
    pub fn new() -> Self {
        let mut lexicon = Self {
            stemmer: Stemmer::create(Algorithm::English),
            entries: HashMap::new(),
            foreign: HashMap::new(),
            // Number 0 is the meaning of unknown words.
            meanings: vec![Meaning::default()],
            unknown: Meaning::default(),
        };
        lexicon.read_synonyms();
        for word in lines(STOP).flat_map(str::split_whitespace) {
            lexicon.learn(word, |meaning| meaning.stop = true);
        }
        for word in NEGATIONS {
            lexicon.learn(word, |meaning| meaning.negation = true);
        }
        for word in STOP.split_whitespace().filter(|word| word.ends_with("n't")) {
            lexicon.learn(word, |meaning| meaning.negation = true);
        }
        for word in PIVOTS {
            lexicon.learn(word, |meaning| meaning.pivot = true);
        }
        lexicon.learn(AGENT, |meaning| meaning.agent = true);
        lexicon.read_numbers();
        for word in JOINTS {
            lexicon.learn(word, |meaning| meaning.joint = true);
        }
        lexicon.learn(STAND_IN, |meaning| meaning.stand_in = true);
        for word in VERBS {
            lexicon.learn(word, |meaning| meaning.verb = true);
        }
        for word in LINKING {
            lexicon.learn(word, |meaning| meaning.linking = true);
        }
        for word in ARTICLES {
            lexicon.learn(word, |meaning| meaning.article = true);
        }
        for word in ORGANIZATIONS {
            lexicon.learn(word, |meaning| meaning.organization = true);
        }
        for (number, line) in (0..).zip(lines(OPPOSITE)) {
            let Some((one, other)) = line.split_once(" | ") else { continue };
            lexicon.learn(one, |meaning| meaning.opposites.push((number, false)));
            lexicon.learn(other, |meaning| meaning.opposites.push((number, true)));
        }
        for (number, line) in (0..).zip(lines(CLASS)) {
            let mut words = line.split_whitespace();
            let Some(class) = words.next().and_then(class) else { continue };
            for word in words {
                lexicon.learn(word, |meaning| meaning.classes.push((class, number)));
            }
        }
        lexicon
    }

    fn read_synonyms(&mut self) {
        for line in lines(SAME) {
            let mut first = None;
            for word in line.split_whitespace() {
                let stem = self.stem(word);
                let first = *first.get_or_insert(stem);
                self.entries.entry(stem).or_insert((first, 0));
            }
        }
    }

    fn read_numbers(&mut self) {
        for word in numerals() {
            self.learn(word, |meaning| meaning.figure = figure_of_word(word));
        }
        for (word, figure) in foreign() {
            let number = u16::try_from(self.meanings.len()).unwrap_or_default();
            self.meanings.push(Meaning { figure: Some(figure), foreign: true, ..Meaning::default() });
            self.foreign.insert(Feature::of(&word).0, number);
        }
        for (word, measure) in WORDS {
            self.learn(word, |meaning| meaning.measure = Some(measure));
        }
        for (unit, factor, smaller) in UNITS {
            self.learn(unit, |meaning| meaning.smaller = Some((factor, smaller)));
        }
    }

    fn stem(&self, word: &str) -> u64 {
        Feature::of(&self.stemmer.stem(word)).0
    }

    /// Changes the meaning of a word and of all its synonyms.
    fn learn(&mut self, word: &str, change: impl FnOnce(&mut Meaning)) {
        let stem = self.stem(word);
        let first = self.entries.get(&stem).map_or(stem, |entry| entry.0);
        let unused = u16::try_from(self.meanings.len()).unwrap_or_default();
        let mut number = self.entries.entry(first).or_insert((first, 0)).1;
        if number == 0 {
            number = unused;
            self.meanings.push(Meaning::default());
            for entry in self.entries.values_mut().filter(|entry| entry.0 == first) {
                entry.1 = number;
            }
        }
        self.meanings.get_mut(usize::from(number)).map(change);
    }

    /// The stem of a word in lower case, its representative among synonyms, and the number of its meaning.
    pub(crate) fn look_up(&self, word: &str) -> Known {
        if let Some(meaning) = self.foreign.get(&Feature::of(word).0) {
            return Known { first: Feature::of(word).0, root: 0, meaning: *meaning };
        }
        let stem = self.stemmer.stem(word);
        let root = root(&stem);
        let stem = Feature::of(&stem).0;
        let (first, meaning) = self.entries.get(&stem).copied().unwrap_or((stem, 0));
        Known { first, root, meaning }
    }

    /// A meaning by its number.
    pub(crate) fn meaning(&self, number: u16) -> &Meaning {
        self.meanings.get(usize::from(number)).unwrap_or(&self.unknown)
    }
}

/// A word as the lexicon knows it.
pub(crate) struct Known {
    pub(crate) first: u64,
    pub(crate) root: u64,
    pub(crate) meaning: u16,
}

/// Letters that words of one family share, for example those of "inspector" and "inspection".
const ROOT: usize = 5;

/// The beginning of a longer stem, hashed; 0 of a short one.
fn root(stem: &str) -> u64 {
    match stem.char_indices().nth(ROOT) {
        Some((end, _)) => stem.get(..end).map_or(0, |root| Feature::of(root).0),
        None if stem.chars().count() == ROOT => Feature::of(stem).0,
        None => 0,
    }
}

fn lines(file: &str) -> impl Iterator<Item = &str> {
    file.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn class(name: &str) -> Option<Class> {
    Some(match name {
        "date" => Class::Date,
        "unit" => Class::Unit,
        "number" => Class::Number,
        "quantity" => Class::Quantity,
        "name" => Class::Name,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_number_is_no_english_word() {
        let lexicon = Lexicon::new();
        let files = [STOP, SAME, OPPOSITE, CLASS].into_iter().flat_map(lines).flat_map(str::split_whitespace);
        let words: Vec<&str> = files.chain(NEGATIONS).chain(VERBS).chain(numerals()).collect();
        for (word, _) in foreign() {
            assert!(!words.contains(&word.as_str()), "{word}");
            assert!(lexicon.meaning(lexicon.look_up(&word).meaning).foreign, "{word}");
        }
        for word in ["once", "elf", "dos", "doze", "quince", "mil", "cento", "doi", "sei", "trent", "quatr"] {
            assert_eq!(lexicon.meaning(lexicon.look_up(word).meaning).figure, None, "{word}");
        }
    }
}

//! Literals that rules must find in one field, by kind of search: whole values and numbers in tables of hashes, beginnings and
//! ends by a few of their bytes, anything inside by the rarest of its own.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::edges::{Edge, Edges};
use super::fingerprints::Fingerprints;
use super::grams::Grams;
use super::marks::Marks;
use super::witness::{Literal, number_key, threshold_key};
use crate::event::Value;
use crate::matcher::lookup::Reading;
use crate::matcher::text::Anchor;
use crate::number::Number;

type Rules = Box<[u32]>;
/// A literal, and the rules that look for it.
pub(super) type Sought = (Box<[u8]>, Rules);

/// Literals that rules search for in a field.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    present: Rules,
    numbers: Option<HashMap<u64, Rules, FixedState>>,
    /// By the key of the number that a value must not be below, ascending.
    thresholds: Vec<(u64, Rules)>,
    /// Literals in texts, by kind of search; most fields have one or two.
    texts: Vec<Texts>,
    /// Whether the text of a number may contain a literal that is searched for inside of texts, or be as long.
    pub(super) is_in_numbers: bool,
}

/// Literals of one kind of search in a text.
#[derive(Clone, Debug)]
enum Texts {
    NotAscii(Rules),
    /// By the bytes a text has at least, ascending.
    Lengths(Vec<(usize, Rules)>),
    Whole(Whole),
    Edges(Edges),
    Rare(Box<Fingerprints>),
    Fours(Grams<4>),
    Twos(Grams<2>),
    Ones(Grams<1>),
}

/// Distances of the places at which four bytes are examined.
const STRIDES: [usize; 3] = [4, 2, 1];

/// Characters that numbers are written with, including infinity and not-a-number.
const IN_NUMBERS: &[u8] = b"0123456789-+.einfa";
/// So few literals are searched for one by one.
const MOST_ONE_BY_ONE: usize = 2;

/// Whole values.
#[derive(Clone, Debug, Default)]
struct Whole {
    /// A bit for each length there is; the last for all longer ones.
    lengths: u64,
    rules: HashMap<Box<[u8]>, Rules, FixedState>,
}

/// The same while it is gathered.
#[derive(Debug, Default)]
pub(super) struct TablesBuilder {
    /// In order, so that tables are the same however the rules were gathered.
    rules: BTreeMap<Literal, Vec<u32>>,
}

impl TablesBuilder {
    /// A rule that has to find a literal.
    pub(super) fn add(&mut self, literal: Literal, rule: u32) {
        let rules = self.rules.entry(literal).or_default();
        if rules.last() != Some(&rule) {
            rules.push(rule);
        }
    }

    /// Takes over the literals that others search for anywhere in a text, of each of them all or none: as long as all taken
    /// literals are so rare that the search takes no longer. Texts of single fields are short beside that of all.
    pub(super) fn take_inside<'b>(&mut self, others: impl Iterator<Item = &'b mut Self>) {
        let is_inside = |literal: &Literal| matches!(literal, Literal::Text(Anchor::Anywhere, _));
        for other in others {
            if !other.rules.keys().any(is_inside) {
                continue;
            }
            let mut tried = self.rules.clone();
            for (literal, rules) in other.rules.iter().filter(|(literal, _)| is_inside(literal)) {
                tried.entry(literal.clone()).or_default().extend(rules);
            }
            let texts = tried.keys().filter_map(|literal| match literal {
                Literal::Text(Anchor::Anywhere, text) => Some((text.clone(), Rules::default())),
                _ => None,
            });
            if Fingerprints::of(&texts.collect::<Vec<_>>()).is_some_and(|all| all.take_one_look()) {
                self.rules = tried;
                other.rules.retain(|literal, _| !is_inside(literal));
            }
        }
    }

    /// Whether there are no literals.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn build(self) -> Tables {
        let (mut present, mut not_ascii) = (Rules::default(), Rules::default());
        let (mut lengths, mut numbers, mut whole) = (Vec::new(), HashMap::default(), Whole::default());
        let (mut starts, mut ends, mut thresholds) = (Vec::new(), Vec::new(), Vec::new());
        let mut inside = Vec::new();
        for (literal, rules) in self.rules {
            let rules = Rules::from(rules);
            match literal {
                Literal::Present => present = rules,
                Literal::Length(bytes) => lengths.push((bytes, rules)),
                Literal::AtLeast(key) => thresholds.push((key, rules)),
                Literal::Number(key) => drop(numbers.insert(key, rules)),
                Literal::Text(Anchor::NotAscii, _) => not_ascii = rules,
                Literal::Text(Anchor::Whole, text) => whole.add(text, rules),
                Literal::Text(Anchor::Start, text) => starts.push((text, rules)),
                Literal::Text(Anchor::End, text) => ends.push((text, rules)),
                Literal::Text(Anchor::Anywhere, text) => inside.push((text, rules)),
            }
        }
        let is_written_so = |text: &[u8]| text.iter().all(|byte| IN_NUMBERS.contains(byte));
        let is_in_numbers = !lengths.is_empty() || inside.iter().any(|(text, _)| is_written_so(text));
        let mut texts = Vec::new();
        texts.extend((!not_ascii.is_empty()).then_some(Texts::NotAscii(not_ascii)));
        texts.extend((!lengths.is_empty()).then_some(Texts::Lengths(lengths)));
        texts.extend((!whole.rules.is_empty()).then_some(Texts::Whole(whole)));
        for (edge, literals) in [(Edge::Start, starts), (Edge::End, ends)] {
            texts.extend((!literals.is_empty()).then(|| Texts::Edges(Edges::of(edge, literals))));
        }
        push_inside(inside, &mut texts);
        let numbers = (!numbers.is_empty()).then_some(numbers);
        Tables { present, numbers, thresholds, texts, is_in_numbers }
    }
}

impl Tables {
    /// Marks the rules of which a literal may be in one of the values that a text is made of.
    pub(super) fn mark_within(&self, text: &str, marks: &mut Marks) {
        marks.set_all(&self.present);
        self.mark_text(text, marks);
    }

    /// Marks the rules of which a literal is found in one of the values of a field that is there.
    pub(super) fn mark<'e, 'l>(&self, values: impl Iterator<Item = Reading<'l, 'e>>, marks: &mut Marks)
    where
        'e: 'l,
    {
        marks.set_all(&self.present);
        for Reading { value, folded } in values {
            if self.numbers.is_some() || !self.thresholds.is_empty() {
                self.mark_number(value, marks);
            }
            if let Some(text) = folded {
                self.mark_text(text, marks);
            }
        }
    }

    fn mark_number(&self, value: &Value<'_>, marks: &mut Marks) {
        let Some(number) = Number::of(value).map(Number::to_double) else { return };
        let equal = self.numbers.as_ref().and_then(|numbers| numbers.get(&number_key(number)));
        equal.into_iter().for_each(|rules| marks.set_all(rules));
        let key = threshold_key(number);
        let passed = self.thresholds.iter().take_while(|(threshold, _)| *threshold <= key);
        passed.for_each(|(_, rules)| marks.set_all(rules));
    }

    fn mark_text(&self, text: &str, marks: &mut Marks) {
        let bytes = text.as_bytes();
        for texts in &self.texts {
            match texts {
                Texts::Whole(whole) => whole.mark(bytes, marks),
                Texts::Edges(edges) => edges.mark(bytes, marks),
                Texts::Rare(rare) => rare.mark(bytes, marks),
                Texts::Fours(grams) => grams.mark(bytes, marks),
                Texts::Twos(grams) => grams.mark(bytes, marks),
                Texts::Ones(grams) => grams.mark(bytes, marks),
                Texts::NotAscii(rules) => {
                    if !text.is_ascii() {
                        marks.set_all(rules);
                    }
                }
                Texts::Lengths(lengths) => {
                    let held = lengths.iter().take_while(|(length, _)| *length <= bytes.len());
                    held.for_each(|(_, rules)| marks.set_all(rules));
                }
            }
        }
    }
}

/// Adds literals that may occur anywhere in a text: at all places at a time where rare, else longer ones at fewer places.
fn push_inside(mut literals: Vec<Sought>, texts: &mut Vec<Texts>) {
    if literals.len() > MOST_ONE_BY_ONE
        && let Some(rare) = Fingerprints::of(&literals)
    {
        texts.push(Texts::Rare(Box::new(rare)));
        return;
    }
    let mut of_length =
        |least: usize| -> Vec<_> { literals.extract_if(.., |(text, _)| text.len() >= least).collect() };
    let fours = STRIDES.map(|stride| Grams::of(stride, of_length(Grams::<4>::least(stride))));
    texts.extend(fours.into_iter().flatten().map(Texts::Fours));
    texts.extend(Grams::of(1, of_length(2)).map(Texts::Twos));
    texts.extend(Grams::of(1, of_length(1)).map(Texts::Ones));
}

impl Whole {
    fn add(&mut self, text: Box<[u8]>, rules: Rules) {
        self.lengths |= length_bit(&text);
        self.rules.insert(text, rules);
    }

    fn mark(&self, text: &[u8], marks: &mut Marks) {
        if self.lengths & length_bit(text) != 0
            && let Some(rules) = self.rules.get(text)
        {
            marks.set_all(rules);
        }
    }
}

fn length_bit(text: &[u8]) -> u64 {
    1 << text.len().min(63)
}

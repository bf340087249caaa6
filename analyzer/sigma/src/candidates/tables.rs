//! What rules must find in one field, by how it is looked for: whole values and numbers in tables of hashes,
//! beginnings and ends by a few of their bytes, anything inside by the rarest of its own.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::edges::{Edge, Edges};
use super::fingerprints::Fingerprints;
use super::grams::Grams;
use super::marks::Marks;
use super::witness::{Literal, number_key};
use crate::matcher::lookup::Reading;
use crate::matcher::text::Anchor;
use crate::number::Number;

type Rules = Box<[u32]>;
/// A literal, and the rules that look for it.
pub(super) type Sought = (Box<[u8]>, Rules);

/// What rules look for in a field.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    present: Rules,
    not_ascii: Rules,
    /// By the bytes a text has at least, ascending.
    lengths: Vec<(usize, Rules)>,
    numbers: HashMap<u64, Rules, FixedState>,
    whole: Whole,
    starts: Edges,
    ends: Edges,
    inside: Inside,
}

/// What is looked for anywhere in a text: what is rare enough at all places at a time, of the rest what is longer at
/// fewer places.
#[derive(Clone, Debug, Default)]
struct Inside {
    rare: Option<Fingerprints>,
    fours: Vec<Grams<4>>,
    twos: Option<Grams<2>>,
    ones: Option<Grams<1>>,
}

/// How far apart the places are at which four bytes are looked at.
const STRIDES: [usize; 3] = [4, 2, 1];

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

    pub(super) fn build(self) -> Tables {
        let (mut present, mut not_ascii) = (Rules::default(), Rules::default());
        let (mut lengths, mut numbers, mut whole) = (Vec::new(), HashMap::default(), Whole::default());
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        let mut inside = Vec::new();
        for (literal, rules) in self.rules {
            let rules = Rules::from(rules);
            match literal {
                Literal::Present => present = rules,
                Literal::Length(bytes) => lengths.push((bytes, rules)),
                Literal::Number(key) => drop(numbers.insert(key, rules)),
                Literal::Text(Anchor::NotAscii, _) => not_ascii = rules,
                Literal::Text(Anchor::Whole, text) => whole.add(text, rules),
                Literal::Text(Anchor::Start, text) => starts.push((text, rules)),
                Literal::Text(Anchor::End, text) => ends.push((text, rules)),
                Literal::Text(Anchor::Anywhere, text) => inside.push((text, rules)),
            }
        }
        let (starts, ends) = (Edges::of(Edge::Start, starts), Edges::of(Edge::End, ends));
        Tables { present, not_ascii, lengths, numbers, whole, starts, ends, inside: Inside::of(inside) }
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
            if !self.numbers.is_empty()
                && let Some(number) = Number::of(value)
                && let Some(rules) = self.numbers.get(&number_key(number.to_double()))
            {
                marks.set_all(rules);
            }
            if let Some(text) = folded {
                self.mark_text(text, marks);
            }
        }
    }

    fn mark_text(&self, text: &str, marks: &mut Marks) {
        if !self.not_ascii.is_empty() && !text.is_ascii() {
            marks.set_all(&self.not_ascii);
        }
        for (_, rules) in self.lengths.iter().take_while(|(bytes, _)| *bytes <= text.len()) {
            marks.set_all(rules);
        }
        let text = text.as_bytes();
        self.whole.mark(text, marks);
        self.starts.mark(text, marks);
        self.ends.mark(text, marks);
        self.inside.mark(text, marks);
    }
}

impl Inside {
    fn of(mut literals: Vec<Sought>) -> Self {
        let mut of_length =
            |least: usize| -> Vec<_> { literals.extract_if(.., |(text, _)| text.len() >= least).collect() };
        let mut fours = STRIDES.map(|stride| of_length(Grams::<4>::least(stride)));
        let (mut twos, mut ones) = (of_length(2), of_length(1));
        let rare = take_rare([&mut ones, &mut twos].into_iter().chain(fours.iter_mut().rev()));
        let fours = STRIDES.into_iter().zip(fours).filter_map(|(stride, fours)| Grams::of(stride, fours));
        Self { rare, fours: fours.collect(), twos: Grams::of(1, twos), ones: Grams::of(1, ones) }
    }

    fn mark(&self, text: &[u8], marks: &mut Marks) {
        if let Some(rare) = &self.rare {
            rare.mark(text, marks);
        }
        self.fours.iter().for_each(|grams| grams.mark(text, marks));
        if let Some(grams) = &self.twos {
            grams.mark(text, marks);
        }
        if let Some(grams) = &self.ones {
            grams.mark(text, marks);
        }
    }
}

/// Takes groups of literals, the first ones, as long as all that is taken is rare.
fn take_rare<'g>(groups: impl Iterator<Item = &'g mut Vec<Sought>>) -> Option<Fingerprints> {
    let (mut taken, mut found) = (Vec::new(), None);
    for group in groups.filter(|group| !group.is_empty()) {
        let tried: Vec<Sought> = taken.iter().chain(group.iter()).cloned().collect();
        if let Some(fingerprints) = Fingerprints::of(&tried) {
            (taken, found) = (tried, Some(fingerprints));
            group.clear();
        }
    }
    found
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

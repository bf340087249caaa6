//! Literals anywhere in a text: each is found by a few of its bytes in a row, those that fewest of the others
//! have too. For every place of a text one bit is asked; where it is set, the literals with these bytes are
//! compared with what stands around it.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::filter::Filter;
use super::marks::Marks;
use crate::matcher::literal::commonness;

/// Literals that are found by so many of their bytes.
#[derive(Clone, Debug)]
pub(super) struct Grams<const BYTES: usize> {
    filter: Filter,
    /// Where those with the same bytes are.
    places: HashMap<[u8; BYTES], (u32, u32), FixedState>,
    literals: Vec<Literal>,
}

#[derive(Clone, Debug)]
struct Literal {
    text: Box<[u8]>,
    /// Where in the text the bytes are that it is found by.
    at: usize,
    rules: Box<[u32]>,
}

impl<const BYTES: usize> Grams<BYTES> {
    /// Of literals, each with the rules that look for it; nothing where there are none. Shorter ones than the
    /// bytes in a row are never found.
    pub(super) fn of(literals: Vec<(Box<[u8]>, Box<[u32]>)>) -> Option<Self> {
        if literals.is_empty() {
            return None;
        }
        let mut counts: HashMap<[u8; BYTES], u32, FixedState> = HashMap::default();
        for (text, _) in &literals {
            grams(text).for_each(|(_, gram)| *counts.entry(gram).or_default() += 1);
        }
        let commonest = |gram: &[u8; BYTES]| gram.iter().map(|byte| commonness(*byte)).sum::<usize>();
        let rarest = |text: &[u8]| {
            grams::<BYTES>(text).min_by_key(|(_, gram)| (counts.get(gram).copied(), commonest(gram)))
        };
        let mut keyed: Vec<([u8; BYTES], Literal)> = literals
            .into_iter()
            .filter_map(|(text, rules)| {
                let (at, gram) = rarest(&text)?;
                Some((gram, Literal { text, at, rules }))
            })
            .collect();
        keyed.sort_by_key(|(gram, _)| *gram);
        let mut places: HashMap<[u8; BYTES], (u32, u32), FixedState> = HashMap::default();
        for (place, (gram, _)) in (0_u32..).zip(&keyed) {
            places.entry(*gram).or_insert((place, place)).1 = place + 1;
        }
        let filter = Filter::of(places.keys().map(key));
        Some(Self { filter, places, literals: keyed.into_iter().map(|(_, literal)| literal).collect() })
    }

    /// Marks the rules whose literals are in a text.
    pub(super) fn mark(&self, text: &[u8], marks: &mut Marks) {
        for (at, gram) in grams(text) {
            if self.filter.may_hold(key(&gram)) {
                self.confirm(text, at, &gram, marks);
            }
        }
    }

    fn confirm(&self, text: &[u8], at: usize, gram: &[u8; BYTES], marks: &mut Marks) {
        let Some((start, end)) = self.places.get(gram) else { return };
        for literal in self.literals.get(*start as usize..*end as usize).unwrap_or(&[]) {
            let stands_there = at
                .checked_sub(literal.at)
                .and_then(|start| text.get(start..))
                .is_some_and(|text| text.starts_with(&literal.text));
            if stands_there {
                marks.set_all(&literal.rules);
            }
        }
    }
}

fn grams<const BYTES: usize>(text: &[u8]) -> impl Iterator<Item = (usize, [u8; BYTES])> {
    text.windows(BYTES).enumerate().filter_map(|(at, gram)| Some((at, gram.try_into().ok()?)))
}

fn key<const BYTES: usize>(gram: &[u8; BYTES]) -> u64 {
    gram.iter().rev().fold(0, |key, byte| key << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found<const BYTES: usize>(literals: &[String], text: &str) -> Vec<u32> {
        let rules = |rule: usize| Box::from([u32::try_from(rule).unwrap()]);
        let numbered = literals.iter().enumerate();
        let numbered = numbered.map(|(rule, literal)| (literal.as_bytes().into(), rules(rule))).collect();
        let mut marks = Marks::default();
        marks.start(literals.len());
        if let Some(grams) = Grams::<BYTES>::of(numbered) {
            grams.mark(text.as_bytes(), &mut marks);
        }
        marks.ascending().to_vec()
    }

    fn expected(literals: &[String], text: &str) -> Vec<u32> {
        let literals = (0_u32..).zip(literals);
        literals.filter(|(_, literal)| text.contains(literal.as_str())).map(|(rule, _)| rule).collect()
    }

    proptest! {
        #[test]
        fn what_is_inside_is_found(
            long in prop::collection::vec("[abc]{4,7}", 0..20),
            short in prop::collection::vec("[abcé]{2,3}", 0..9),
            text in "[abcé]{0,40}",
        ) {
            prop_assert_eq!(found::<4>(&long, &text), expected(&long, &text));
            prop_assert_eq!(found::<2>(&short, &text), expected(&short, &text));
            prop_assert_eq!(found::<1>(&short, &text), expected(&short, &text));
        }
    }
}

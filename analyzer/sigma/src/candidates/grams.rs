//! Literals anywhere in a text: each is found by a few of its bytes in a row, those that fewest of the others have too. For
//! places of a text one bit is read; where it is set, the literals with these bytes are compared with the text around it.
//!
//! Not every place has to be read: where the places are a stride apart, one of as many rows of bytes that follow each other in
//! a literal is at one of them, wherever the literal begins. So a literal that is found at every fourth place is known by four
//! rows of its bytes.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use memchr::memmem::Finder;

use super::filter::Filter;
use super::marks::Marks;
use super::tables::Sought;
use crate::matcher::literal::commonness;

/// Literals that are found by so many of their bytes.
#[derive(Clone, Debug)]
pub(super) struct Grams<const BYTES: usize> {
    stride: usize,
    filter: Filter,
    /// Range of those with the same bytes.
    places: HashMap<[u8; BYTES], (u32, u32), FixedState>,
    entries: Vec<Entry>,
    literals: Vec<Literal>,
    /// Finder of each literal by itself; empty where there are many.
    finders: Vec<Finder<'static>>,
}

/// With more literals than these, none is searched for by itself: a few kilobytes are all of the text that is worth it.
const MOST_FINDERS: usize = 8;
/// Cost of starting a search for one literal, in places that are tested; scanning [`BYTES_OF_FINDER`] bytes costs one place.
const COST_OF_FINDER: usize = 16;
const BYTES_OF_FINDER: usize = 16;

/// One row of bytes in one literal.
#[derive(Clone, Copy, Debug)]
struct Entry {
    literal: u32,
    /// Offset of the bytes in the literal.
    at: u32,
}

#[derive(Clone, Debug)]
struct Literal {
    text: Box<[u8]>,
    rules: Box<[u32]>,
}

type Counts<const BYTES: usize> = HashMap<[u8; BYTES], u32, FixedState>;

impl<const BYTES: usize> Grams<BYTES> {
    /// Of literals, each with the rules that look for it; nothing where there are none. Those with fewer than
    /// [`Grams::least`] bytes are never found.
    pub(super) fn of(stride: usize, literals: Vec<Sought>) -> Option<Self> {
        if literals.is_empty() {
            return None;
        }
        let mut counts = Counts::default();
        for (text, _) in &literals {
            rows(text, 1).for_each(|(_, row)| *counts.entry(row).or_default() += 1);
        }
        let mut keyed: Vec<([u8; BYTES], Entry)> = Vec::new();
        for (literal, (text, _)) in (0_u32..).zip(&literals) {
            let rarest = rarest_rows(text, stride, &counts).into_iter();
            keyed.extend(rarest.map(|(at, row)| (row, Entry { literal, at })));
        }
        keyed.sort_by_key(|(row, _)| *row);
        let mut places: HashMap<[u8; BYTES], (u32, u32), FixedState> = HashMap::default();
        for (place, (row, _)) in (0_u32..).zip(&keyed) {
            places.entry(*row).or_insert((place, place)).1 = place + 1;
        }
        let filter = Filter::of(places.keys().map(key));
        let entries = keyed.into_iter().map(|(_, entry)| entry).collect();
        let literals: Vec<_> = literals.into_iter().map(|(text, rules)| Literal { text, rules }).collect();
        let few = if literals.len() <= MOST_FINDERS { literals.as_slice() } else { &[] };
        let finders = few.iter().map(|literal| Finder::new(&literal.text).into_owned()).collect();
        Some(Self { stride, filter, places, entries, literals, finders })
    }

    /// Bytes that a literal has at least.
    pub(super) const fn least(stride: usize) -> usize {
        BYTES + stride - 1
    }

    /// Marks the rules whose literals are in a text.
    pub(super) fn mark(&self, text: &[u8], marks: &mut Marks) {
        let each = COST_OF_FINDER + text.len() / BYTES_OF_FINDER;
        if !self.finders.is_empty() && self.finders.len() * each < text.len() / self.stride {
            return self.mark_found(text, marks);
        }
        for (at, row) in rows(text, self.stride) {
            if self.filter.may_hold(key(&row)) {
                self.confirm(text, at, &row, marks);
            }
        }
    }

    /// The same by searching for one literal after the other, which is faster for long texts.
    fn mark_found(&self, text: &[u8], marks: &mut Marks) {
        for (finder, literal) in self.finders.iter().zip(&self.literals) {
            if finder.find(text).is_some() {
                marks.set_all(&literal.rules);
            }
        }
    }

    #[cold]
    fn confirm(&self, text: &[u8], at: usize, row: &[u8; BYTES], marks: &mut Marks) {
        let Some((start, end)) = self.places.get(row) else { return };
        for entry in self.entries.get(*start as usize..*end as usize).unwrap_or(&[]) {
            let Some(literal) = self.literals.get(entry.literal as usize) else { continue };
            let stands_there = at
                .checked_sub(entry.at as usize)
                .and_then(|start| text.get(start..))
                .is_some_and(|text| text.starts_with(&literal.text));
            if stands_there {
                marks.set_all(&literal.rules);
            }
        }
    }
}

/// As many rows of bytes as the stride is long, one after the other, of which fewest other literals have any.
fn rarest_rows<const BYTES: usize>(
    text: &[u8],
    stride: usize,
    counts: &Counts<BYTES>,
) -> Vec<(u32, [u8; BYTES])> {
    let all: Vec<(u32, [u8; BYTES])> = (0..).zip(rows(text, 1).map(|(_, row)| row)).collect();
    let cost = |rows: &&[(u32, [u8; BYTES])]| {
        let shared: u32 = rows.iter().filter_map(|(_, row)| counts.get(row)).sum();
        let common: usize = rows.iter().flat_map(|(_, row)| row).map(|byte| commonness(*byte)).sum();
        (shared, common)
    };
    all.windows(stride).min_by_key(cost).unwrap_or(&[]).to_vec()
}

fn rows<const BYTES: usize>(text: &[u8], stride: usize) -> impl Iterator<Item = (usize, [u8; BYTES])> {
    let places = (0..text.len()).step_by(stride);
    places.map_while(|at| Some((at, text.get(at..)?.first_chunk().copied()?)))
}

fn key<const BYTES: usize>(gram: &[u8; BYTES]) -> u64 {
    gram.iter().rev().fold(0, |key, byte| key << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found<const BYTES: usize>(stride: usize, literals: &[String], text: &str) -> Vec<u32> {
        let rules = |rule: usize| Box::from([u32::try_from(rule).unwrap()]);
        let numbered = literals.iter().enumerate();
        let numbered = numbered.map(|(rule, literal)| (literal.as_bytes().into(), rules(rule))).collect();
        let mut marks = Marks::default();
        marks.start(literals.len());
        if let Some(grams) = Grams::<BYTES>::of(stride, numbered) {
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
            prop_assert_eq!(found::<4>(1, &long, &text), expected(&long, &text));
            prop_assert_eq!(found::<2>(3, &long, &text), expected(&long, &text));
            prop_assert_eq!(found::<2>(1, &short, &text), expected(&short, &text));
            prop_assert_eq!(found::<1>(2, &short, &text), expected(&short, &text));
            let longer: Vec<String> = long.iter().map(|literal| format!("{literal}{literal}")).collect();
            let text = format!("{text}{}{text}", longer.first().map_or("", String::as_str));
            prop_assert_eq!(found::<4>(4, &longer, &text), expected(&longer, &text));
            let text = text.repeat(20);
            prop_assert_eq!(found::<4>(1, &long, &text), expected(&long, &text));
            prop_assert_eq!(found::<2>(1, &short, &text), expected(&short, &text));
        }
    }
}

//! Shapes that announce a secret without a literal: numbers in groups, and bytes of certain
//! classes at certain distances. Sets of bits rule out nearly every line at once; the little that is left
//! is looked at byte by byte.
//!
//! A shape asks only for bytes that a match must hold, never for absent neighbours. So a match
//! is not overlooked whatever lies around its text, and a hit is only a candidate.

use fearless_simd::prelude::*;
use fearless_simd::u64x8;

use super::lines::{CHUNK, Classes, Column, LINE};
use super::places;
use crate::entity::{EntitySet, EntityType};
use crate::find::text::Text;
use crate::find::{card, iban, shaped, token};

/// Which kinds of shapes a text or a line holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::find) struct Seen {
    /// Digits that a rule for numbers may take.
    pub(in crate::find) numbers: bool,
    /// Full stops as far apart as in a token of a Discord bot.
    pub(in crate::find) dotted: bool,
    /// A full stop as far behind a `p` as in a token of Airtable.
    pub(in crate::find) tabled: bool,
}

impl Seen {
    pub(super) fn anything(self) -> bool {
        self.numbers || self.dotted || self.tabled
    }
}

/// Search for shapes.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::find) struct Search {
    /// Whether every digit is worth a look, for types that are off unless asked for: all bits or none.
    every_digit: u64,
}

impl Search {
    pub(in crate::find) fn new(entities: EntitySet) -> Self {
        let every_digit = entities.contains_any(&[EntityType::Phone, EntityType::IpAddress]);
        Self { every_digit: if every_digit { u64::MAX } else { 0 } }
    }
}

/// The shapes in the lines of a chunk. A set named after a run holds the places where the run ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shapes {
    /// Whether there is any shape.
    pub(super) any: Column,
    two_digits: Column,
    four_digits: Column,
    eight_digits: Column,
    two_capitals: Column,
    /// A full stop here or one byte before; here or up to three bytes before.
    dot_in_two: Column,
    dot_in_four: Column,
    numbers: Column,
    grouped: Column,
    countries: Column,
    bots: Column,
    dotted: Column,
    tabled: Column,
}

/// Places in a line where a shape, or a part of one, ends: rare enough for their neighbours to be looked at
/// byte by byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InLine {
    /// Thirteen digits, as the shortest card numbers have, or ddd-dd-dddd.
    numbers: u64,
    /// The last digit of dddd-dddd.
    grouped: u64,
    /// The second digit behind two capitals.
    countries: u64,
    /// The colon that follows on eight digits or more, with an `A` behind it.
    bots: u64,
    /// The second of two full stops with six other bytes between.
    dotted: u64,
    /// A full stop as far behind a `p` as in a token of Airtable.
    tabled: u64,
}

impl Shapes {
    /// Finds what ends in the lines, all lines of the chunk in one vector. Returns in which of them there is any shape, one
    /// bit each.
    #[inline(always)]
    pub(super) fn find<S: Simd>(&mut self, simd: S, classes: &Classes, search: Search) -> u64 {
        // A set and what of it stands in the line before, which stay in registers: what was just stored cannot be loaded
        // one line further up without a wait.
        let of = |column: &Column| (u64x8::from_slice(simd, &column[1..]), column[0]);
        let keep = |column: &mut Column, lines: u64x8<S>| {
            lines.store_slice(&mut column[1..]);
            (lines, column[0])
        };
        // The sets moved up by some bytes, those that come in from the line before included: bit i says what is so
        // of byte i - `by`.
        let moved = |(lines, before): (u64x8<S>, u64), by: u32| {
            lines << by | u64x8::splat(simd, before).slide::<{ CHUNK - 1 }>(lines) >> (u64::BITS - by)
        };

        let Classes { digits, capitals, dots, dashes, tabled, bots, .. } = classes;
        let [digits, capitals, dots, dashes, starts, tokens] =
            [digits, capitals, dots, dashes, tabled, bots].map(of);
        let two_digits = keep(&mut self.two_digits, digits.0 & moved(digits, 1));
        let four_digits = keep(&mut self.four_digits, two_digits.0 & moved(two_digits, 2));
        let eight_digits = keep(&mut self.eight_digits, four_digits.0 & moved(four_digits, 4));
        let two_capitals = keep(&mut self.two_capitals, capitals.0 & moved(capitals, 1));
        let dot_in_two = keep(&mut self.dot_in_two, dots.0 | moved(dots, 1));
        let dot_in_four = keep(&mut self.dot_in_four, dot_in_two.0 | moved(dot_in_two, 2));

        let thirteen = eight_digits.0 & moved(eight_digits, 5);
        let dashed =
            four_digits.0 & moved(dashes, 4) & moved(two_digits, 5) & moved(dashes, 7) & moved(two_digits, 8);
        let numbers = thirteen | dashed | (digits.0 & search.every_digit);
        let grouped = four_digits.0 & !moved(digits, 4) & moved(four_digits, 5);
        let countries = two_digits.0 & moved(two_capitals, 2);
        let bots = moved(eight_digits, 1) & tokens.0;
        let dot_between = moved(dot_in_four, 1) | moved(dot_in_four, 3);
        let dotted = dots.0 & moved(dots, 7) & !dot_between;
        let any = numbers | grouped | countries | bots | dotted | starts.0;
        let columns = [
            (&mut self.any, any),
            (&mut self.numbers, numbers),
            (&mut self.grouped, grouped),
            (&mut self.countries, countries),
            (&mut self.bots, bots),
            (&mut self.dotted, dotted),
        ];
        for (column, lines) in columns {
            lines.store_slice(&mut column[1..]);
        }
        self.tabled = *tabled;
        any.simd_ne(0).to_bitmask()
    }

    /// Shapes found in a line, counted from one.
    #[inline]
    pub(super) fn in_line(&self, line: usize) -> InLine {
        InLine {
            numbers: self.numbers[line],
            grouped: self.grouped[line],
            countries: self.countries[line],
            bots: self.bots[line],
            dotted: self.dotted[line],
            tabled: self.tabled[line],
        }
    }

    /// Makes a line the one before those that come next.
    #[inline]
    pub(super) fn go_on_behind(&mut self, line: usize) {
        let Self { two_digits, four_digits, eight_digits, two_capitals, dot_in_two, dot_in_four, .. } = self;
        for column in [two_digits, four_digits, eight_digits, two_capitals, dot_in_two, dot_in_four] {
            column[0] = column[line];
        }
    }
}

impl InLine {
    /// Adds the shapes in the line to `seen`.
    #[inline]
    pub(super) fn look(&self, text: &Text<'_>, number: usize, seen: &mut Seen) {
        seen.numbers |= self.numbers != 0;
        if self.grouped | self.countries | self.bots | self.dotted | self.tabled != 0 {
            self.look_around(text, number * LINE, seen);
        }
    }

    #[inline(never)]
    fn look_around(&self, text: &Text<'_>, line: usize, seen: &mut Seen) {
        seen.numbers |= places(self.grouped, line).any(|end| card::may_begin(text, end - 8))
            || places(self.countries, line).any(|digit| iban::may_begin(text, digit - 3))
            || places(self.bots, line).any(|colon| text.has(colon, b":AA"));
        seen.dotted |= places(self.dotted, line).any(|dot| token::may_be_discord(text, dot - 7));
        seen.tabled |= places(self.tabled, line).any(|dot| shaped::may_be_airtable(text, dot));
    }
}

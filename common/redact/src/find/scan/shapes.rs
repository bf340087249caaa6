//! What announces a secret by its shape rather than by a literal: numbers in groups, and bytes of certain
//! classes at certain distances. Sets of bits rule out nearly every line at once; the little that is left
//! is looked at byte by byte.
//!
//! A shape asks only for bytes that a match must hold, never for what must not stand next to it. So a match
//! is not overlooked whatever lies around its text, and what is found is no more than worth a closer look.

use fearless_simd::prelude::*;
use fearless_simd::u64x8;

use super::lines::{CHUNK, Classes, Column, LINE};
use super::places;
use crate::entity::{EntitySet, EntityType};
use crate::find::text::Text;
use crate::find::{card, iban, token};

/// Which kinds of shapes a text or a line holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::find) struct Seen {
    /// Digits that a rule for numbers may take.
    pub(in crate::find) numbers: bool,
    /// Full stops as far apart as in a token of a Discord bot.
    pub(in crate::find) dotted: bool,
    /// Two capitals and a body as in a key of Twilio.
    pub(in crate::find) keyed: bool,
}

impl Seen {
    pub(super) fn anything(self) -> bool {
        self.numbers || self.dotted || self.keyed
    }
}

/// What is looked for.
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
    keys: Column,
}

/// Places in a line where a shape, or a part of one, ends: rare enough for what is around them to be looked at
/// byte by byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InLine {
    /// Thirteen digits, as the shortest card numbers have, or ddd-dd-dddd.
    numbers: u64,
    /// The last digit of dddd-dddd.
    grouped: u64,
    /// The second digit behind two capitals.
    countries: u64,
    /// What follows on eight digits or more.
    bots: u64,
    /// The second of two full stops with six other bytes between.
    dotted: u64,
    /// Where a key of Twilio may begin.
    keys: u64,
}

impl Shapes {
    /// Finds what ends in the lines, all lines of the chunk in one vector.
    #[inline(always)]
    pub(super) fn find<S: Simd>(&mut self, simd: S, classes: &Classes, search: Search) {
        let now = |column: &Column| u64x8::from_slice(simd, &column[1..]);
        // The sets moved up by some bytes, those that come in from the line before included: bit i says what is so
        // of byte i - `by`.
        let moved = |column: &Column, by: u32| {
            now(column) << by | u64x8::from_slice(simd, &column[..CHUNK]) >> (u64::BITS - by)
        };
        let set = |column: &mut Column, lines: u64x8<S>| lines.store_slice(&mut column[1..]);

        let Classes { digits, capitals, dots, dashes, keys, .. } = classes;
        set(&mut self.two_digits, now(digits) & moved(digits, 1));
        set(&mut self.four_digits, now(&self.two_digits) & moved(&self.two_digits, 2));
        set(&mut self.eight_digits, now(&self.four_digits) & moved(&self.four_digits, 4));
        set(&mut self.two_capitals, now(capitals) & moved(capitals, 1));
        set(&mut self.dot_in_two, now(dots) | moved(dots, 1));
        set(&mut self.dot_in_four, now(&self.dot_in_two) | moved(&self.dot_in_two, 2));

        let thirteen = now(&self.eight_digits) & moved(&self.eight_digits, 5);
        let dashed = now(&self.four_digits)
            & moved(dashes, 4)
            & moved(&self.two_digits, 5)
            & moved(dashes, 7)
            & moved(&self.two_digits, 8);
        let numbers = thirteen | dashed | (now(digits) & search.every_digit);
        let grouped = now(&self.four_digits) & !moved(digits, 4) & moved(&self.four_digits, 5);
        let countries = now(&self.two_digits) & moved(&self.two_capitals, 2);
        let bots = moved(&self.eight_digits, 1) & !now(digits);
        let dot_between = moved(&self.dot_in_four, 1) | moved(&self.dot_in_four, 3);
        let dotted = now(dots) & moved(dots, 7) & !dot_between;
        set(&mut self.any, numbers | grouped | countries | bots | dotted | now(keys));
        set(&mut self.numbers, numbers);
        set(&mut self.grouped, grouped);
        set(&mut self.countries, countries);
        set(&mut self.bots, bots);
        set(&mut self.dotted, dotted);
        self.keys = *keys;
    }

    /// What was found in a line, counted from one.
    #[inline]
    pub(super) fn in_line(&self, line: usize) -> InLine {
        InLine {
            numbers: self.numbers[line],
            grouped: self.grouped[line],
            countries: self.countries[line],
            bots: self.bots[line],
            dotted: self.dotted[line],
            keys: self.keys[line],
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
    /// Adds what stands in the line to what was `seen`.
    #[inline]
    pub(super) fn look(&self, text: &Text<'_>, number: usize, seen: &mut Seen) {
        seen.numbers |= self.numbers != 0;
        if self.grouped | self.countries | self.bots | self.dotted | self.keys != 0 {
            self.look_around(text, number * LINE, seen);
        }
    }

    #[inline(never)]
    fn look_around(&self, text: &Text<'_>, line: usize, seen: &mut Seen) {
        seen.numbers |= places(self.grouped, line).any(|end| card::may_begin(text, end - 8))
            || places(self.countries, line).any(|digit| iban::may_begin(text, digit - 3))
            || places(self.bots, line).any(|colon| text.has(colon, b":AA"));
        seen.dotted |= places(self.dotted, line).any(|dot| token::may_be_discord(text, dot - 7));
        seen.keyed |= places(self.keys, line).any(|start| token::may_begin(text, start, &token::TWILIO_FORM));
    }
}

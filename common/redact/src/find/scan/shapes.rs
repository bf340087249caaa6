//! What announces a secret by its shape rather than by a literal: numbers in groups, and bytes of certain
//! classes at certain distances. Sets of bits rule out nearly every line at once; the little that is left
//! is looked at byte by byte.
//!
//! A shape asks only for bytes that a match must hold, never for what must not stand next to it. So a match
//! is not overlooked whatever lies around its text, and what is found is no more than worth a closer look.

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
    /// Finds what ends in the lines. Each loop is made into vectors, so none needs what it has just made.
    #[inline(always)]
    pub(super) fn find(&mut self, classes: &Classes, search: Search) {
        let Classes { digits, capitals, dots, dashes, keys, .. } = classes;
        for line in 1..=CHUNK {
            self.two_digits[line] = digits[line] & moved(digits, line, 1);
            self.two_capitals[line] = capitals[line] & moved(capitals, line, 1);
            self.dot_in_two[line] = dots[line] | moved(dots, line, 1);
        }
        let two_digits = &self.two_digits;
        for line in 1..=CHUNK {
            self.four_digits[line] = two_digits[line] & moved(two_digits, line, 2);
            self.dot_in_four[line] = self.dot_in_two[line] | moved(&self.dot_in_two, line, 2);
        }
        let four_digits = &self.four_digits;
        for line in 1..=CHUNK {
            self.eight_digits[line] = four_digits[line] & moved(four_digits, line, 4);
        }
        let eight_digits = &self.eight_digits;
        for line in 1..=CHUNK {
            let thirteen = eight_digits[line] & moved(eight_digits, line, 5);
            let dashed = four_digits[line]
                & moved(dashes, line, 4)
                & moved(two_digits, line, 5)
                & moved(dashes, line, 7)
                & moved(two_digits, line, 8);
            let grouped = four_digits[line] & !moved(digits, line, 4) & moved(four_digits, line, 5);
            let dot_between = moved(&self.dot_in_four, line, 1) | moved(&self.dot_in_four, line, 3);
            self.numbers[line] = thirteen | dashed | (digits[line] & search.every_digit);
            self.grouped[line] = grouped;
            self.countries[line] = two_digits[line] & moved(&self.two_capitals, line, 2);
            self.bots[line] = moved(eight_digits, line, 1) & !digits[line];
            self.dotted[line] = dots[line] & moved(dots, line, 7) & !dot_between;
            self.keys[line] = keys[line];
            self.any[line] = self.in_line(line).any();
        }
    }

    /// What was found in a line, counted from one.
    #[inline(always)]
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

/// A line's set moved up by some bytes, those that come in from the line before included: bit i says what is so
/// of byte i - `by`.
#[inline(always)]
fn moved(column: &Column, line: usize, by: u32) -> u64 {
    column[line] << by | column[line - 1] >> (64 - by)
}

impl InLine {
    #[inline(always)]
    fn any(&self) -> u64 {
        self.numbers | self.grouped | self.countries | self.bots | self.dotted | self.keys
    }

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

//! What announces a secret by its shape rather than by a literal: numbers in groups, and bytes of certain
//! classes at certain distances. Sets of bits rule out nearly every line at once; the little that is left
//! is looked at byte by byte.
//!
//! A shape asks only for bytes that a match must hold, never for what must not stand next to it. So a match
//! is not overlooked whatever lies around its text, and what is found is no more than worth a closer look.

use super::lines::{LINE, Line};
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

    #[inline]
    pub(in crate::find) fn or(self, other: Self) -> Self {
        Self {
            numbers: self.numbers | other.numbers,
            dotted: self.dotted | other.dotted,
            keyed: self.keyed | other.keyed,
        }
    }
}

/// The search for shapes.
#[derive(Clone, Copy, Debug)]
pub(in crate::find) struct Search {
    /// Whether every digit is worth a look, for types that are off unless asked for: all bits or none.
    every_digit: u64,
}

impl Search {
    pub(in crate::find) fn new(entities: EntitySet) -> Self {
        let every_digit = entities.contains_any(&[EntityType::Phone, EntityType::IpAddress]);
        Self { every_digit: if every_digit { u64::MAX } else { 0 } }
    }

    /// What ends in a line. A set named after a run holds the places where the run ends.
    #[inline]
    pub(in crate::find) fn look(
        &self,
        text: &Text<'_>,
        number: usize,
        line: &Line,
        before: &mut Sets,
    ) -> Seen {
        let Line { digits, capitals, dots, dashes, keys, .. } = *line;
        let earlier = *before;
        let two_digits = digits & moved(digits, earlier.digits, 1);
        let four_digits = two_digits & moved(two_digits, earlier.two_digits, 2);
        let eight_digits = four_digits & moved(four_digits, earlier.four_digits, 4);
        let two_capitals = capitals & moved(capitals, earlier.capitals, 1);
        *before =
            Sets { digits, two_digits, four_digits, eight_digits, dots, dashes, capitals, two_capitals };

        // Thirteen digits, as the shortest card numbers have.
        let thirteen = eight_digits & moved(eight_digits, earlier.eight_digits, 5);
        let numbers = thirteen | (digits & self.every_digit);
        let parts = Parts {
            dashed: four_digits
                & moved(dashes, earlier.dashes, 4)
                & moved(two_digits, earlier.two_digits, 5)
                & moved(dashes, earlier.dashes, 7)
                & moved(two_digits, earlier.two_digits, 8),
            grouped: four_digits
                & !moved(digits, earlier.digits, 4)
                & moved(four_digits, earlier.four_digits, 5),
            countries: two_digits & moved(two_capitals, earlier.two_capitals, 2),
            bots: moved(eight_digits, earlier.eight_digits, 1) & !digits,
            dotted: dots & moved(dots, earlier.dots, 7),
            keys,
        };
        let mut seen = Seen { numbers: numbers != 0, ..Seen::default() };
        if parts.any() {
            parts.look_around(text, number * LINE, &mut seen);
        }
        seen
    }
}

/// What the next line needs to know of this one, for shapes that begin here and end there.
#[derive(Clone, Copy, Default)]
pub(in crate::find) struct Sets {
    digits: u64,
    two_digits: u64,
    four_digits: u64,
    eight_digits: u64,
    dots: u64,
    dashes: u64,
    capitals: u64,
    two_capitals: u64,
}

/// The set moved up by some bytes, those that come in from the line before included: bit i says what is so
/// of byte i - `by`.
#[inline]
fn moved(now: u64, before: u64, by: u32) -> u64 {
    now << by | before >> (64 - by)
}

/// Places in a line where a part of a shape ends: rare enough for what is around them to be looked at byte
/// by byte.
struct Parts {
    /// The last digit of ddd-dd-dddd.
    dashed: u64,
    /// The last digit of dddd-dddd.
    grouped: u64,
    /// The second digit behind two capitals.
    countries: u64,
    /// What follows on eight digits or more.
    bots: u64,
    /// The second of two full stops with six bytes between.
    dotted: u64,
    /// Where a key of Twilio may begin.
    keys: u64,
}

impl Parts {
    #[inline]
    fn any(&self) -> bool {
        self.dashed | self.grouped | self.countries | self.bots | self.dotted | self.keys != 0
    }

    #[inline(never)]
    fn look_around(&self, text: &Text<'_>, line: usize, seen: &mut Seen) {
        seen.numbers |= self.dashed != 0
            || places(self.grouped, line).any(|end| card::may_begin(text, end - 8))
            || places(self.countries, line).any(|digit| iban::may_begin(text, digit - 3))
            || places(self.bots, line).any(|colon| text.has(colon, b":AA"));
        seen.dotted |= places(self.dotted, line).any(|dot| token::may_be_discord(text, dot - 7));
        seen.keyed |= places(self.keys, line).any(|start| token::may_begin(text, start, &token::TWILIO_FORM));
    }
}

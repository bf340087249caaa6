//! Membership in lists of names and cities, stored as a table of the model: no list can be read from it.

use linear_model::{Feature, Table};

/// Kinds of lists, as bits.
pub type Bits = u8;

/// Forenames.
pub const FORENAME: Bits = 1;
/// Surnames.
pub const SURNAME: Bits = 2;
/// Cities.
pub const CITY: Bits = 4;

/// Two places of a word in the table, both of which must hold a bit: words that are in no list share both with one that is
/// in about one of a hundred cases.
#[must_use]
pub fn places(lower: &str) -> [Feature; 2] {
    let word = Feature::of(lower);
    [word.tagged(101), word.tagged(202)]
}

/// The lists that hold a word in lower case.
#[must_use]
pub fn bits(table: &Table<'_>, lower: &str) -> Bits {
    let [one, two] = places(lower).map(|place| table.weight(place).round() as Bits);
    one & two
}

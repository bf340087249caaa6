//! Meanings of names that were looked up before: records of a source have the same names, mostly in the same places.

use std::borrow::Cow;

use super::sides::Side;
use super::{Entry, side};
use crate::presence::{ends, hash};
use crate::roles::Role;

/// Places for names; the last one of a place is kept.
const PLACES: usize = 256;
/// Fields of a record whose names are compared with those of the record before.
const MOST_COMPARED: usize = 64;

/// The meanings of some names, the latest of their hashes.
#[derive(Debug, Default)]
pub(crate) struct Memo<'a> {
    /// None until a name is looked up.
    places: Vec<Option<Known<'a>>>,
    /// The last map: most records have one, of the same name.
    map: Option<(&'a str, Side, Side)>,
    /// The fields of the record before.
    before: Vec<Field<'a>>,
}

/// A field that is in no map.
#[derive(Clone, Copy, Debug)]
struct Field<'a> {
    name: &'a str,
    ends: (u64, u64),
    meaning: Option<(Role, u8)>,
}

impl Field<'_> {
    /// Whether it has this very name: most are compared as two words.
    #[inline]
    fn is_named(&self, name: &str, ends: (u64, u64)) -> bool {
        self.ends == ends && self.name.len() == name.len() && (name.len() <= 16 || self.name == name)
    }
}

#[derive(Clone, Copy, Debug)]
struct Known<'a> {
    name: &'a str,
    side: Side,
    meaning: Option<(Role, u8)>,
}

impl<'a> Memo<'a> {
    /// Subject of a map of this name in a map of this side.
    pub(super) fn inside(&mut self, name: &'a str, side: Side) -> Side {
        if let Some((known, around, inside)) = self.map
            && known == name
            && around == side
        {
            return inside;
        }
        let inside = side::of_path(name, side);
        self.map = Some((name, side, inside));
        inside
    }

    /// Meaning of a field of this name at this place of a record, in no map.
    #[inline]
    pub(super) fn meaning_at(&mut self, place: usize, field: &Entry<'a>) -> Option<(Role, u8)> {
        let (name, _) = field;
        let ends = ends(name.as_bytes());
        match self.before.get(place) {
            Some(before) if before.is_named(name, ends) => before.meaning,
            _ => self.other_meaning(place, field, ends),
        }
    }

    #[inline(never)]
    fn other_meaning(&mut self, place: usize, (name, _): &Entry<'a>, ends: (u64, u64)) -> Option<(Role, u8)> {
        let Cow::Borrowed(name) = name else { return side::meaning(name, Side::Neutral) };
        let meaning = self.meaning(name, Side::Neutral);
        if self.before.len() <= place && place < MOST_COMPARED {
            // No name has ends of other bytes than its own.
            self.before.resize(place + 1, Field { name: "", ends: (u64::MAX, u64::MAX), meaning: None });
        }
        if let Some(field) = self.before.get_mut(place) {
            *field = Field { name, ends, meaning };
        }
        meaning
    }

    /// Meaning of a field of this name in a map of this side.
    pub(super) fn meaning(&mut self, name: &'a str, side: Side) -> Option<(Role, u8)> {
        if self.places.is_empty() {
            self.places.resize(PLACES, None);
        }
        let at = (hash(name.as_bytes()) as usize ^ side as usize) % PLACES;
        if let Some(Some(known)) = self.places.get(at)
            && known.side == side
            && known.name == name
        {
            return known.meaning;
        }
        let meaning = side::meaning(name, side);
        if let Some(place) = self.places.get_mut(at) {
            *place = Some(Known { name, side, meaning });
        }
        meaning
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sigma::event::Value;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn meanings_are_those_of_the_dictionary(
            names in prop::collection::vec("(client|user|src|x)?[._]?(ip|IP|name|id|port|status|[a-z]{1,3})", 1..600),
        ) {
            const SIDES: [Side; 4] = [Side::Neutral, Side::Client, Side::Person, Side::Answer];
            let mut memo = Memo::default();
            for (name, side) in names.iter().zip(SIDES.into_iter().cycle()) {
                prop_assert_eq!(memo.meaning(name, side), side::meaning(name, side), "{}", name);
                let place = side as usize;
                prop_assert_eq!(memo.meaning_at(place, &(name.into(), Value::Null)), side::meaning(name, Side::Neutral), "{}", name);
                prop_assert!(memo.inside(name, side) == side::of_path(name, side), "{}", name);
            }
        }
    }
}

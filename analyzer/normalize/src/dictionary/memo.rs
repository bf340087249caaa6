//! Meanings of names that were looked up before: records of a source have the same names.

use super::side;
use super::sides::Side;
use crate::presence::hash;
use crate::roles::Role;

/// Places for names; the last one of a place is kept.
const PLACES: usize = 256;

/// The meanings of some names, the latest of their hashes.
#[derive(Debug, Default)]
pub(crate) struct Memo<'a> {
    /// None until a name is looked up.
    places: Vec<Option<Known<'a>>>,
    /// The last map: most records have one, of the same name.
    map: Option<(&'a str, Side, Side)>,
}

#[derive(Clone, Copy, Debug)]
struct Known<'a> {
    name: &'a str,
    side: Side,
    meaning: Option<(Role, u8)>,
}

impl<'a> Memo<'a> {
    /// What a map of this name in a map of this side is about.
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

    /// What a field of this name means in a map of this side.
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
                prop_assert!(memo.inside(name, side) == side::of_path(name, side), "{}", name);
            }
        }
    }
}

//! The tables of names for looking up: hash tables, made when the code is compiled. What the names are is
//! said in `names`.

use super::Role;
use super::names::{NAMES, PARENTS};
use crate::normalize::presence::{ends, hash};

/// Many more places than names, so that a name that is not there mostly ends at the first place.
const NAME_PLACES: usize = 1024;
const PARENT_PLACES: usize = 256;
/// No name stands here.
const EMPTY: u16 = u16::MAX;

const NAME_TABLE: [u16; NAME_PLACES] = {
    let mut table = [EMPTY; NAME_PLACES];
    let mut index = 0;
    while index < NAMES.len() {
        place(&mut table, NAMES[index].0, index);
        index += 1;
    }
    table
};

const PARENT_TABLE: [u16; PARENT_PLACES] = {
    let mut table = [EMPTY; PARENT_PLACES];
    let mut index = 0;
    while index < PARENTS.len() {
        place(&mut table, PARENTS[index], index);
        index += 1;
    }
    table
};

#[expect(clippy::cast_possible_truncation, reason = "there are some hundred names")]
const fn place(table: &mut [u16], name: &str, index: usize) {
    let mut at = hash(name.as_bytes()) as usize % table.len();
    while table[at] != EMPTY {
        at = (at + 1) % table.len();
    }
    table[at] = index as u16;
}

/// The part that a name means, and how surely; `hash` is the name's.
pub(super) fn role(name: &[u8], hash: u32) -> Option<(Role, u8)> {
    let (_, role, rank) = NAMES.get(find(&NAME_TABLE, name, hash, |index| NAMES[index].0)?)?;
    Some((*role, *rank))
}

/// Whether a map of this name is entered when looking for names.
pub(super) fn is_parent(name: &[u8], hash: u32) -> bool {
    find(&PARENT_TABLE, name, hash, |index| PARENTS[index]).is_some()
}

#[inline]
fn find(table: &[u16], name: &[u8], hash: u32, names: impl Fn(usize) -> &'static str) -> Option<usize> {
    let mut at = hash as usize % table.len();
    loop {
        let index = table[at];
        if index == EMPTY {
            return None;
        }
        if is_same(names(usize::from(index)).as_bytes(), name) {
            return Some(usize::from(index));
        }
        at = (at + 1) % table.len();
    }
}

/// Whether a name is a known one, which is in lower case. Most are compared as two words.
#[inline]
fn is_same(known: &[u8], name: &[u8]) -> bool {
    if known.len() != name.len() {
        return false;
    }
    if !(4..=16).contains(&name.len()) {
        return known.eq_ignore_ascii_case(name);
    }
    let (known, name) = (ends(known), ends(name));
    known.0 == lower_case(name.0) && known.1 == lower_case(name.1)
}

/// Eight bytes with the letters from `A` to `Z` in lower case.
fn lower_case(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let low_bits = word & !HIGH;
    // Sums carry into the high bit of a byte that is at least `A`, or above `Z`.
    let from_a = low_bits + ONES * (0x80 - b'A' as u64);
    let above_z = low_bits + ONES * (0x7f - b'Z' as u64);
    let upper = (from_a ^ above_z) & !word & HIGH;
    word | upper >> 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn names_are_compared_byte_by_byte(
            name in prop::collection::vec(any::<u8>(), 0..24), at in any::<prop::sample::Index>(), other: u8,
        ) {
            let known = name.to_ascii_lowercase();
            prop_assert!(is_same(&known, &name));
            let mut changed = name.clone();
            if let Some(byte) = changed.get_mut(at.index(name.len().max(1))) {
                *byte = other;
            }
            prop_assert_eq!(is_same(&known, &changed), known.eq_ignore_ascii_case(&changed));
        }
    }

    #[test]
    fn every_name_is_found_in_any_case_and_others_are_not() {
        for (name, part, rank) in NAMES {
            for name in [name.to_string(), name.to_ascii_uppercase()] {
                let found = role(name.as_bytes(), hash(name.as_bytes()));
                assert_eq!(found, Some((*part, *rank)), "{name}");
            }
            let longer = format!("{name}x");
            let is_name = NAMES.iter().any(|(other, ..)| *other == longer);
            assert_eq!(role(longer.as_bytes(), hash(longer.as_bytes())).is_some(), is_name, "{longer}");
        }
        for name in PARENTS {
            assert!(is_parent(name.as_bytes(), hash(name.as_bytes())), "{name}");
        }
        for name in ["", "a", "ab", "abc", "CommandLine", "resource"] {
            assert_eq!(role(name.as_bytes(), hash(name.as_bytes())), None, "{name}");
            assert!(!is_parent(name.as_bytes(), hash(name.as_bytes())), "{name}");
        }
    }
}

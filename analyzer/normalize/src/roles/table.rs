//! The tables of names for looking up: hash tables, made when the code is compiled. What the names are is
//! said in `names`.

use super::Role;
use super::names::{Meaning, NAMES, PARENTS};
use crate::presence::{ends, hash, hash_of_ends};
use crate::word_list::texts;

/// Many more places than names, so that a name that is not there mostly ends at the first place.
const NAME_PLACES: usize = 1024;
const PARENT_PLACES: usize = 256;
/// No name stands here.
const EMPTY: u16 = u16::MAX;

const NAME_TEXTS: [&str; NAMES.len()] = texts(&NAMES);

#[expect(clippy::cast_possible_truncation, reason = "there are some hundred names")]
const fn places<const PLACES: usize>(names: &[&str]) -> [u16; PLACES] {
    let (mut table, mut index) = ([EMPTY; PLACES], 0);
    while index < names.len() {
        let mut at = hash(names[index].as_bytes()) as usize % PLACES;
        while table[at] != EMPTY {
            at = (at + 1) % PLACES;
        }
        table[at] = index as u16;
        index += 1;
    }
    table
}

/// A name that is looked up.
#[derive(Clone, Copy)]
pub(super) struct Name<'n> {
    text: &'n [u8],
    ends: (u64, u64),
    pub(super) hash: u32,
}

impl<'n> Name<'n> {
    #[inline]
    pub(super) fn of(text: &'n [u8]) -> Self {
        let ends = ends(text);
        Self { text, ends, hash: hash_of_ends(ends, text.len()) }
    }
}

/// A known name, which is in lower case, as it is compared.
#[derive(Clone, Copy)]
struct Known {
    ends: (u64, u64),
    /// The bits in which a name may not differ: all but the one that separates upper from lower case, in letters.
    compared: (u64, u64),
    text: &'static str,
}

impl Known {
    const fn of(text: &'static str) -> Self {
        let ends = ends(text.as_bytes());
        Self { ends, compared: (without_case(ends.0), without_case(ends.1)), text }
    }
}

/// All bits of eight bytes but the one for the case of those that are letters.
const fn without_case(word: u64) -> u64 {
    let (bytes, mut bits) = (word.to_le_bytes(), [u8::MAX; 8]);
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_lowercase() {
            bits[at] = !0x20;
        }
        at += 1;
    }
    u64::from_le_bytes(bits)
}

const fn known<const N: usize>(names: &[&'static str; N]) -> [Known; N] {
    let (mut known, mut index) = ([Known::of(""); N], 0);
    while index < N {
        known[index] = Known::of(names[index]);
        index += 1;
    }
    known
}

/// The part that a name means, and how surely.
#[inline]
pub(super) fn role(name: Name<'_>) -> Option<(Role, u8)> {
    static TABLE: [u16; NAME_PLACES] = places(&NAME_TEXTS);
    static KNOWN: [Known; NAMES.len()] = known(&NAME_TEXTS);
    static MEANINGS: [(&str, Meaning); NAMES.len()] = NAMES;
    MEANINGS.get(find(&TABLE, &KNOWN, name)?).map(|(_, meaning)| *meaning)
}

/// Whether a map of this name is entered when looking for names.
#[inline]
pub(super) fn is_parent(name: Name<'_>) -> bool {
    static TABLE: [u16; PARENT_PLACES] = places(&PARENTS);
    static KNOWN: [Known; PARENTS.len()] = known(&PARENTS);
    find(&TABLE, &KNOWN, name).is_some()
}

#[inline]
fn find(table: &[u16], known: &[Known], name: Name<'_>) -> Option<usize> {
    let mut at = name.hash as usize % table.len();
    loop {
        // An empty place names none that is known.
        let index = usize::from(table[at]);
        if is_same(known.get(index)?, name) {
            return Some(index);
        }
        at = (at + 1) % table.len();
    }
}

/// Whether a name is a known one: most are compared as two words.
#[inline]
fn is_same(known: &Known, name: Name<'_>) -> bool {
    let differs =
        (known.ends.0 ^ name.ends.0) & known.compared.0 | (known.ends.1 ^ name.ends.1) & known.compared.1;
    known.text.len() == name.text.len()
        && differs == 0
        && (name.text.len() <= 16 || known.text.as_bytes().eq_ignore_ascii_case(name.text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn names_are_compared_byte_by_byte(
            name in "[ -~]{0,40}", at in any::<prop::sample::Index>(), other: u8,
        ) {
            let known = name.to_ascii_lowercase();
            let known = Known::of(known.leak());
            prop_assert!(is_same(&known, Name::of(name.as_bytes())));
            let mut changed = name.into_bytes();
            if let Some(byte) = changed.get_mut(at.index(known.text.len().max(1))) {
                *byte = other;
            }
            let is_known = known.text.as_bytes().eq_ignore_ascii_case(&changed);
            prop_assert_eq!(is_same(&known, Name::of(&changed)), is_known);
        }
    }

    #[test]
    fn every_name_is_found_in_any_case_and_others_are_not() {
        for (name, meaning) in NAMES {
            for name in [name.to_string(), name.to_ascii_uppercase()] {
                let found = role(Name::of(name.as_bytes()));
                assert_eq!(found, Some(meaning), "{name}");
            }
            let longer = format!("{name}x");
            let is_name = NAME_TEXTS.contains(&&*longer);
            assert_eq!(role(Name::of(longer.as_bytes())).is_some(), is_name, "{longer}");
        }
        for name in PARENTS {
            assert!(is_parent(Name::of(name.as_bytes())), "{name}");
        }
        for name in ["", "a", "ab", "abc", "CommandLine", "resource"] {
            assert_eq!(role(Name::of(name.as_bytes())), None, "{name}");
            assert!(!is_parent(Name::of(name.as_bytes())), "{name}");
        }
    }
}

//! The dictionary for looking up: hash tables that are made when the code is compiled, behind filters by the first
//! two and the last two letters, which nearly all names fail that are no entry.

use super::filter::{Ends, Filter};
use super::names::{LONGEST, Meaning, WORDS};
use super::side;
use super::sides::{SIDES, Side};
use crate::roles::Role;
use crate::word_list::texts;

/// Many more places than names, so that a name that is not there mostly ends at the first place.
const WORD_PLACES: usize = 2048;
const MAP_PLACES: usize = 512;
const EMPTY: u16 = u16::MAX;

static KNOWN: [(&str, Meaning); WORDS.len()] = WORDS;
static ABOUT: [(&str, Side); SIDES.len()] = SIDES;

static WORD_TABLE: [u16; WORD_PLACES] = places(&WORD_NAMES);
static MAP_TABLE: [u16; MAP_PLACES] = places(&MAP_NAMES);

static WORD_FILTER: Filter<256> = Filter::of(&[&WORD_NAMES]);
static MAP_FILTER: Filter<32> = Filter::of(&[&MAP_NAMES]);
/// Of the names that mean something in a map, whatever it is about.
static FIELD_FILTER: Filter<16> = Filter::of(&side::names());

const WORD_NAMES: [&str; WORDS.len()] = texts(&WORDS);
const MAP_NAMES: [&str; SIDES.len()] = texts(&SIDES);

const fn places<const PLACES: usize>(names: &[&str]) -> [u16; PLACES] {
    let mut table = [EMPTY; PLACES];
    let mut index = 0;
    while index < names.len() {
        let mut at = hash(names[index].as_bytes()) as usize % PLACES;
        while table[at] != EMPTY {
            at = (at + 1) % PLACES;
        }
        #[expect(clippy::cast_possible_truncation, reason = "there are some hundred names")]
        {
            table[at] = index as u16;
        }
        index += 1;
    }
    table
}

/// Letters and digits in lower case; all other bytes are zero.
pub(super) static PLAIN: [u8; 256] = {
    let mut plain = [0; 256];
    let mut byte = 0_u8;
    loop {
        if byte.is_ascii_alphanumeric() {
            plain[byte as usize] = byte.to_ascii_lowercase();
        }
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    plain
};

const SEED: u32 = 0x811c_9dc5;

const fn mixed(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

const fn hash(name: &[u8]) -> u32 {
    let mut hash = SEED;
    let mut at = 0;
    while at < name.len() {
        hash = mixed(hash, name[at]);
        at += 1;
    }
    hash ^ (hash >> 15)
}

/// A name without marks and in lower case, with its hash. One that is too long is empty.
pub(super) struct Squeezed {
    text: [u8; LONGEST],
    length: usize,
    hash: u32,
}

impl Squeezed {
    #[inline]
    pub(super) fn of(name: &[u8]) -> Self {
        let mut squeezed = Self { text: [0; LONGEST], length: 0, hash: SEED };
        for byte in name {
            let plain = PLAIN[usize::from(*byte)];
            if plain == 0 {
                continue;
            }
            let Some(place) = squeezed.text.get_mut(squeezed.length) else {
                squeezed.length = 0;
                squeezed.hash = SEED;
                break;
            };
            *place = plain;
            squeezed.hash = mixed(squeezed.hash, plain);
            squeezed.length += 1;
        }
        squeezed
    }

    /// Whether the name of an outcome shows that this was a login.
    pub(super) fn is_of_login(&self) -> bool {
        let text = str::from_utf8(self.bytes()).unwrap_or_default();
        ["login", "logon", "signin", "auth"].iter().any(|word| text.contains(word))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.text.get(..self.length).unwrap_or_default()
    }

    /// Which of the names of a table it is.
    #[inline]
    fn find(&self, table: &[u16], names: &[&str]) -> Option<usize> {
        let text = self.bytes();
        let mut at = (self.hash ^ (self.hash >> 15)) as usize % table.len();
        loop {
            // An empty place names none that is known.
            let index = usize::from(table[at]);
            if names.get(index)?.as_bytes() == text {
                return Some(index);
            }
            at = (at + 1) % table.len();
        }
    }
}

/// Whether a name may mean something in a map that is about `side`.
#[inline]
pub(super) fn may_mean(name: &[u8], side: Side) -> bool {
    let ends = Ends::of(name);
    match side {
        Side::Neutral => WORD_FILTER.may_have(ends),
        Side::Client | Side::Person => WORD_FILTER.may_have(ends) || FIELD_FILTER.may_have(ends),
        Side::Server | Side::Machine | Side::Affected | Side::Answer => FIELD_FILTER.may_have(ends),
        Side::Foreign => false,
    }
}

/// Whether a name may mean something in any map.
#[inline]
pub(super) fn may_mean_anywhere(name: &[u8]) -> bool {
    may_mean(name, Side::Client)
}

/// Meaning of a dictionary's entry.
#[inline]
pub(super) fn word(name: &Squeezed) -> Option<(Role, u8)> {
    static NAMES: [&str; WORDS.len()] = WORD_NAMES;
    KNOWN.get(name.find(&WORD_TABLE, &NAMES)?).map(|(_, meaning)| *meaning)
}

/// Subject of a map of this name.
#[inline]
pub(super) fn map(name: &[u8]) -> Option<Side> {
    static NAMES: [&str; SIDES.len()] = MAP_NAMES;
    if !MAP_FILTER.may_have(Ends::of(name)) {
        return None;
    }
    ABOUT.get(Squeezed::of(name).find(&MAP_TABLE, &NAMES)?).map(|(_, side)| *side)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A possible spelling of an entry: any case, marks in between, and mostly not an entry any more.
    fn spelled() -> impl Strategy<Value = String> {
        let names: Vec<&str> =
            WORD_NAMES.into_iter().chain(MAP_NAMES).chain(side::names().concat()).collect();
        let mark = prop::sample::select(&["", "", "", "", "_", " ", "-", "é", "x", "."][..]);
        (prop::sample::select(names), prop::collection::vec((mark, any::<bool>()), LONGEST)).prop_map(
            |(name, marks)| {
                let letter = |(letter, (mark, is_upper)): (char, (&str, bool))| {
                    let letter = if is_upper { letter.to_ascii_uppercase() } else { letter };
                    format!("{mark}{letter}")
                };
                name.chars().zip(marks).map(letter).collect()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_filter_lets_every_entry_pass_however_it_is_spelled(name in prop_oneof![spelled(), "[ -~]{0,40}"]) {
            let bytes = name.as_bytes();
            let squeezed: String =
                name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
            let known = WORDS.iter().find(|(known, ..)| *known == squeezed);
            prop_assert_eq!(word(&Squeezed::of(bytes)), known.map(|(_, meaning)| *meaning));
            let about = SIDES.iter().find(|(known, _)| *known == squeezed).map(|(_, side)| *side);
            prop_assert_eq!(map(bytes), about);
            if known.is_some() {
                prop_assert!(may_mean(bytes, Side::Neutral) && may_mean_anywhere(bytes));
            }
            if side::names().concat().contains(&&*squeezed) {
                prop_assert!(may_mean(bytes, Side::Server) && may_mean(bytes, Side::Person));
            }
        }
    }

    #[test]
    fn most_names_that_are_no_entry_fail_the_filters() {
        let names = (0..26).flat_map(|first| (0..26).map(move |last| [first, last]));
        let names = names.map(|[first, last]| {
            let letter = |number: u8| char::from(b'a' + number);
            format!(
                "{}{}_{}{}",
                letter(first),
                letter((first + 7) % 26),
                letter((last + 3) % 26),
                letter(last)
            )
        });
        let passed = names.filter(|name| may_mean_anywhere(name.as_bytes())).count();
        assert!(passed < 100, "{passed} of 676");
    }
}

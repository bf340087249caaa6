//! The dictionary for looking up: a hash table that is made when the code is compiled, and a filter by the first
//! and the last letter, which most names that are no entry fail.

use super::names::{Entry, LONGEST, WORDS};
use crate::normalize::roles::Role;

/// Many more places than names, so that a name that is not there mostly ends at the first place.
const PLACES: usize = 2048;
const EMPTY: u16 = u16::MAX;
/// One row for each letter; digits and all other bytes share one.
const ROWS: usize = 32;

static KNOWN: [Entry; WORDS.len()] = WORDS;

static TABLE: [u16; PLACES] = {
    let mut table = [EMPTY; PLACES];
    let mut index = 0;
    while index < WORDS.len() {
        let mut at = hash(WORDS[index].0.as_bytes()) as usize % PLACES;
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
};

/// By the first letter, which last ones there are.
static ENDS: [u32; ROWS] = {
    let mut ends = [0; ROWS];
    let mut index = 0;
    while index < WORDS.len() {
        let name = WORDS[index].0.as_bytes();
        ends[row(name[0])] |= 1 << row(name[name.len() - 1]);
        index += 1;
    }
    ends
};

/// Letters by their five bits, whatever their case; all else together.
const fn row(byte: u8) -> usize {
    if byte.is_ascii_alphabetic() { (byte & 0x1f) as usize } else { 0 }
}

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

/// Whether a name, or the last part of a dotted one, may be an entry.
#[inline]
pub(super) fn may_have(name: &str) -> bool {
    let bytes = name.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    // What begins with a mark is squeezed first.
    if ENDS[row(*first)] & (1 << row(*last)) != 0
        || !first.is_ascii_alphanumeric()
        || !last.is_ascii_alphanumeric()
    {
        return true;
    }
    bytes
        .iter()
        .rposition(|byte| *byte == b'.')
        .and_then(|dot| bytes.get(dot + 1))
        .is_some_and(|first| ENDS[row(*first)] & (1 << row(*last)) != 0)
}

/// A name without marks and in lower case, with its hash. One that is too long is empty.
pub(super) struct Squeezed {
    text: [u8; LONGEST],
    length: usize,
    hash: u32,
}

impl Squeezed {
    #[inline]
    pub(super) fn of(name: &str) -> Self {
        let mut squeezed = Self { text: [0; LONGEST], length: 0, hash: SEED };
        for byte in name.bytes() {
            if !byte.is_ascii_alphanumeric() {
                continue;
            }
            let Some(place) = squeezed.text.get_mut(squeezed.length) else {
                squeezed.length = 0;
                squeezed.hash = SEED;
                break;
            };
            *place = byte.to_ascii_lowercase();
            squeezed.hash = mixed(squeezed.hash, *place);
            squeezed.length += 1;
        }
        squeezed
    }

    /// Whether a name for what came of something says that this was a login.
    pub(super) fn is_of_login(&self) -> bool {
        let text = self.text();
        ["login", "logon", "signin", "auth"].iter().any(|word| text.contains(word))
    }

    fn bytes(&self) -> &[u8] {
        self.text.get(..self.length).unwrap_or_default()
    }

    pub(super) fn text(&self) -> &str {
        str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

/// What an entry of the dictionary means.
#[inline]
pub(super) fn word(name: &Squeezed) -> Option<(Role, u8)> {
    let text = name.bytes();
    let mut at = (name.hash ^ (name.hash >> 15)) as usize % PLACES;
    loop {
        // An empty place names none that is known.
        let (known, role, rank) = KNOWN.get(usize::from(TABLE[at]))?;
        if known.as_bytes() == text {
            return Some((*role, *rank));
        }
        at = (at + 1) % PLACES;
    }
}

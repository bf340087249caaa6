//! Names that a key leads to from another name: a table made for short keys, which are compared as two words without reading
//! the text itself. Names are defined in `fields`.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::fields::NameIndex;

/// Most bytes of a key that is identified by its first and its last eight.
const SHORT: usize = 16;
/// Of the smallest table, as a power of two.
const SMALLEST: u32 = 4;
/// Words of a set: few keys are as long.
const SET_WORDS: usize = 64;
/// An odd number without a pattern: its product's upper bits depend on all bits of the other factor.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Keys with the name before each and the one behind it.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    /// At most half of them are occupied, so that the search for an absent key ends soon.
    slots: Vec<Slot>,
    entries: Vec<Entry>,
}

/// An entry, by its place counted from one, with the upper half of its hash; or nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    entry: u32,
}

#[derive(Clone, Debug)]
struct Entry {
    from: NameIndex,
    to: NameIndex,
    ends: (u64, u64),
    text: Box<str>,
}

/// Some of the keys, and others that have the same length and the same ends: a filter with false positives, but no false
/// negatives. It reads no more than both ends of a key.
#[derive(Clone, Debug)]
pub(crate) struct KeySet {
    /// By length.
    words: [u64; SET_WORDS],
}

impl KeySet {
    /// Empties the set.
    pub(crate) fn clear(&mut self) {
        self.words = [0; SET_WORDS];
    }

    /// Makes it the set of all keys.
    pub(crate) fn fill(&mut self) {
        self.words = [u64::MAX; SET_WORDS];
    }

    /// Adds the keys of another set.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.words.iter_mut().zip(other.words).for_each(|(own, other)| *own |= other);
    }

    fn add(&mut self, from: NameIndex, key: &str) {
        self.words[key.len() % SET_WORDS] |= set_bit(from, key);
    }

    /// Whether a key that follows a name may be among them.
    #[inline(always)]
    pub(super) fn may_hold(&self, from: NameIndex, key: &str) -> bool {
        let of_length = self.words[key.len() % SET_WORDS];
        of_length != 0 && of_length & set_bit(from, key) != 0
    }
}

impl Default for KeySet {
    fn default() -> Self {
        Self { words: [0; SET_WORDS] }
    }
}

impl Keys {
    /// The name that a key leads to from another.
    pub(super) fn get(&self, from: NameIndex, key: &str) -> Option<NameIndex> {
        let ends = ends(key.as_bytes());
        let hash = hash(from, key, ends);
        let mut at = first_slot(hash, self.slots.len());
        loop {
            let slot = self.slots.get(at)?;
            let entry = self.entries.get((slot.entry as usize).checked_sub(1)?)?;
            if slot.hash == upper_half(hash) && entry.is(from, key, ends) {
                return Some(entry.to);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The name that a key leads to, which is `to` if it led to none before.
    pub(super) fn get_or_insert(&mut self, from: NameIndex, key: &str, to: NameIndex) -> NameIndex {
        if let Some(known) = self.get(from, key) {
            return known;
        }
        self.entries.push(Entry { from, to, ends: ends(key.as_bytes()), text: key.into() });
        if self.slots.len() < 2 * self.entries.len() {
            self.grow();
        } else {
            self.place_last();
        }
        to
    }

    /// The keys on the paths to names, which are given by their places.
    pub(super) fn leading_to(&self, mut names: Vec<bool>) -> KeySet {
        let mut keys = KeySet::default();
        // The beginning of a name is there before the name is: the keys that lead to it are further in front.
        for Entry { from, to, text, .. } in self.entries.iter().rev() {
            if names.get(to.place()) == Some(&true) {
                keys.add(*from, text);
                if let Some(leads) = names.get_mut(from.place()) {
                    *leads = true;
                }
            }
        }
        keys
    }

    fn grow(&mut self) {
        let slots = (4 * self.entries.len()).next_power_of_two().max(1 << SMALLEST);
        let entries = std::mem::take(&mut self.entries);
        *self = Self { slots: vec![Slot::default(); slots], entries: Vec::with_capacity(entries.len() + 1) };
        for entry in entries {
            self.entries.push(entry);
            self.place_last();
        }
    }

    fn place_last(&mut self) {
        let Some(Entry { from, ends, text, .. }) = self.entries.last() else { return };
        let hash = hash(*from, text, *ends);
        let mut at = first_slot(hash, self.slots.len());
        while self.slots.get(at).is_some_and(|slot| slot.entry != 0) {
            at = (at + 1) & (self.slots.len() - 1);
        }
        // Far fewer than 2^32 keys fit into the memory rules may take.
        let entry = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Slot { hash: upper_half(hash), entry };
        }
    }
}

impl Entry {
    #[inline]
    fn is(&self, from: NameIndex, key: &str, ends: (u64, u64)) -> bool {
        let is_as_long = self.ends == ends && self.from == from && self.text.len() == key.len();
        is_as_long && (key.len() <= SHORT || *self.text == *key)
    }
}

/// The first and the last eight bytes, or four and four, or all there are: with the length they identify a short key.
#[inline]
fn ends(key: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        return (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into());
    }
    let join = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
    (key.iter().fold(0, join), 0)
}

/// Of a long key all bytes count: rules may name many that differ in the middle only.
#[inline]
fn hash(from: NameIndex, key: &str, ends: (u64, u64)) -> u64 {
    let (head, tail) = match key.len() {
        ..=SHORT => ends,
        _ => (FixedState::default().hash_one(key), 0),
    };
    let about = (from.place() as u64) << 32 | key.len() as u64;
    let word = head ^ tail.rotate_left(29) ^ about.wrapping_mul(MULTIPLIER);
    let mixed = word.wrapping_mul(MULTIPLIER);
    (mixed ^ mixed >> 32).wrapping_mul(MULTIPLIER)
}

/// A hash of a text and of the previously hashed texts.
#[inline]
pub(crate) fn hash_of_text(before: u64, text: &str) -> u64 {
    hash(NameIndex::ROOT, text, ends(text.as_bytes())).wrapping_add(before).wrapping_mul(MULTIPLIER)
}

/// Place of a key among keys of its length.
#[inline(always)]
fn set_bit(from: NameIndex, key: &str) -> u64 {
    let end = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
    let (first, last) = (end(key.as_bytes().first()), end(key.as_bytes().last()));
    1 << ((first + 5 * last + 11 * from.place()) % 64)
}

#[inline]
fn upper_half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The number of slots is a power of two, or none.
#[inline]
fn first_slot(hash: u64, slots: usize) -> usize {
    // The lower bits of a product depend on the lower bits of its factors only.
    (hash >> 20) as usize & slots.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keys_lead_where_they_were_put(
            put in prop::collection::vec((0..3_u32, "[ab]{0,3}|[abé]{3,9}|a{7}[ab]{1,4}a{8}"), 0..80),
            asked in prop::collection::vec((0..3_u32, "[ab]{0,3}|a{7}[ab]{1,4}a{8}"), 0..40),
        ) {
            let (mut keys, mut model) = (Keys::default(), BTreeMap::new());
            for (number, (from, key)) in (0..).zip(&put) {
                let own = *model.entry((*from, key)).or_insert(number);
                let found = keys.get_or_insert(NameIndex::at(*from), key, NameIndex::at(number));
                prop_assert_eq!(found, NameIndex::at(own));
            }
            for (from, key) in put.iter().chain(&asked) {
                let expected = model.get(&(*from, key)).map(|to| NameIndex::at(*to));
                prop_assert_eq!(keys.get(NameIndex::at(*from), key), expected);
            }
        }
    }
}

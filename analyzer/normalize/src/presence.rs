//! Which names an event's fields can have: a filter that is asked before the fields are looked through,
//! most often for names they do not have.

/// A set of names that may say yes to a name that is not in it, and never no to one that is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Presence {
    /// One bit for each remainder of a hash: an event has some tens of names.
    bits: [u64; WORDS],
}

const WORDS: usize = 8;
/// Number of values of an [`index`].
pub(super) const INDEXES: usize = WORDS * 64;

impl Presence {
    /// Adds a name by its [`hash`].
    #[inline]
    pub(super) const fn add_hash(&mut self, hash: u32) {
        let (word, bit) = place(hash);
        self.bits[word] |= bit;
    }

    /// Adds a name, and returns whether a field may have it already, be it in another case.
    #[inline]
    pub(super) fn add(&mut self, name: &str) -> bool {
        let (word, bit) = place(hash(name.as_bytes()));
        let before = self.bits[word];
        self.bits[word] = before | bit;
        before & bit != 0
    }

    /// Whether a field may have this very name, be it in another case.
    #[inline]
    pub(super) fn has(&self, name: &str) -> bool {
        self.has_hash(hash(name.as_bytes()))
    }

    #[inline]
    pub(super) fn has_hash(&self, hash: u32) -> bool {
        let (word, bit) = place(hash);
        self.bits[word] & bit != 0
    }

    /// Those of some hashes.
    pub(super) const fn of(hashes: &[u32]) -> Self {
        let mut presence = Self { bits: [0; WORDS] };
        let mut index = 0;
        while index < hashes.len() {
            presence.add_hash(hashes[index]);
            index += 1;
        }
        presence
    }

    /// Calls with the [`index`] of each name that it may have in common with another.
    #[inline]
    pub(super) fn each_in_common(&self, other: &Self, mut found: impl FnMut(usize)) {
        for (word, (own, other)) in self.bits.iter().zip(&other.bits).enumerate() {
            let mut common = own & other;
            while common != 0 {
                found(word * 64 + common.trailing_zeros() as usize);
                common &= common - 1;
            }
        }
    }

    /// Whether a field may have this name or one that begins the path that the name is.
    pub(super) fn leads_to(&self, name: &str) -> bool {
        // Names are short: a search of its own for each dot costs more than looking at each byte.
        let mut bytes = name.bytes().enumerate();
        self.has(name) || bytes.any(|(at, byte)| byte == b'.' && self.has_hash(hash(&name.as_bytes()[..at])))
    }
}

#[inline]
const fn place(hash: u32) -> (usize, u64) {
    (index(hash) / 64, 1 << (index(hash) % 64))
}

/// The bit of a hash, below [`INDEXES`]: its high bits, since the low ones choose places in tables.
#[inline]
pub(super) const fn index(hash: u32) -> usize {
    (hash >> 23) as usize
}

/// A hash of a name, whatever its case, of its ends and its length. A weak one: an attacker can find names
/// that collide, and gains nothing by it: a missing field is looked up.
#[inline]
pub(super) const fn hash(name: &[u8]) -> u32 {
    hash_of_ends(ends(name), name.len())
}

/// The hash of a name with these [`ends`] and of this length.
#[inline]
pub(super) const fn hash_of_ends((head, tail): (u64, u64), length: usize) -> u32 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    /// The bit in which upper and lower case differ.
    const CASE: u64 = 0x2020_2020_2020_2020;
    let word = (head | CASE) ^ (tail | CASE).rotate_left(29) ^ (length as u64).wrapping_mul(SEED);
    let mixed = word.wrapping_mul(SEED);
    // The high half of a product depends on all bits of its factors.
    ((mixed ^ (mixed >> 29)).wrapping_mul(SEED) >> 32) as u32
}

/// The first and the last eight bytes, or four and four, or all there are: with the length, all of a name of up
/// to sixteen bytes.
#[inline]
pub(super) const fn ends(name: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        return (u32::from_le_bytes(*first) as u64, u32::from_le_bytes(*last) as u64);
    }
    match name {
        [] => (0, 0),
        [only] => (*only as u64, 0),
        [first, .., last] => (*first as u64, (*last as u64) | (name[1] as u64) << 8),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_added_is_there_in_any_case(names in prop::collection::vec("[a-zA-Z_.]{0,24}", 0..40)) {
            let mut presence = Presence::default();
            for name in &names {
                presence.add(name);
            }
            for name in &names {
                prop_assert!(presence.has(name) && presence.has(&name.to_ascii_uppercase()));
                let path = format!("{name}.x.y");
                prop_assert!(presence.leads_to(&path));
            }
        }
    }

    #[test]
    fn most_of_what_was_not_added_is_not_there() {
        let mut presence = Presence::default();
        for number in 0..40 {
            presence.add(&format!("field{number}"));
        }
        let wrong = (0..1000).filter(|number| presence.has(&format!("other.name{number}"))).count();
        assert!(wrong < 200, "{wrong} of 1000");
    }
}

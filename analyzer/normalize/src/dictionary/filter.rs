//! A filter of names: a bit for the first two and the last two letters of each, so that a name that is not among
//! them is mostly decided by four bytes.

use super::table::PLAIN;

/// A hash of the first two and the last two letters of a name; `None` if it has a mark there, or too few letters.
#[derive(Clone, Copy)]
pub(super) struct Ends(Option<u32>);

impl Ends {
    #[inline]
    pub(super) fn of(name: &[u8]) -> Self {
        let mut name = name;
        // `@timestamp`, `_msg`.
        while let [first, rest @ ..] = name
            && PLAIN[usize::from(*first)] == 0
        {
            name = rest;
        }
        let ([first, second, ..], [.., before, last]) = (name, name) else { return Self(None) };
        let ends = [first, second, before, last].map(|byte| PLAIN[usize::from(*byte)]);
        Self(if ends.contains(&0) { None } else { Some(hash(ends)) })
    }
}

/// A set that may say yes to a name that is not in it, and never no to one that is, however it is spelled.
pub(super) struct Filter<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Filter<WORDS> {
    /// Of names that are squeezed.
    pub(super) const fn of(lists: &[&[&str]]) -> Self {
        let mut bits = [0; WORDS];
        let mut list = 0;
        while list < lists.len() {
            let mut index = 0;
            while index < lists[list].len() {
                let name = lists[list][index].as_bytes();
                // Names of one letter are not filtered.
                if name.len() > 1 {
                    let ends = [name[0], name[1], name[name.len() - 2], name[name.len() - 1]];
                    let (word, bit) = Self::place(hash(ends));
                    bits[word] |= bit;
                }
                index += 1;
            }
            list += 1;
        }
        Self(bits)
    }

    /// Whether a name with these ends may be there. A name with a mark in them is squeezed first.
    #[inline]
    pub(super) fn may_have(&self, ends: Ends) -> bool {
        ends.0.is_none_or(|hash| {
            let (word, bit) = Self::place(hash);
            self.0[word] & bit != 0
        })
    }

    #[inline]
    const fn place(hash: u32) -> (usize, u64) {
        (hash as usize % WORDS, 1 << (hash >> 18))
    }
}

/// Of 24 bits.
#[inline]
const fn hash(ends: [u8; 4]) -> u32 {
    // The high bits of a product depend on all bits of its factors.
    ((u32::from_le_bytes(ends) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32
}

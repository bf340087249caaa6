//! A set of keys with false positives, but no false negatives: one bit each in a table small enough for the processor's nearest
//! cache, read before a table of hashes is.

/// Bits for each key: one in so many others gets a yes.
const BITS_A_KEY: usize = 32;
/// Of the smallest and the largest table, as powers of two: 64 and 1 million.
const SMALLEST: u32 = 6;
const LARGEST: u32 = 20;
/// An odd number without a pattern: its product's upper bits depend on all bits of the key.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The keys.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    words: Box<[u64]>,
    shift: u32,
}

impl Filter {
    /// Of these keys.
    pub(super) fn of(keys: impl ExactSizeIterator<Item = u64>) -> Self {
        let wanted = (keys.len() * BITS_A_KEY).next_power_of_two().trailing_zeros();
        let bits = wanted.clamp(SMALLEST, LARGEST);
        let mut filter = Self { words: vec![0; 1 << (bits - SMALLEST)].into(), shift: u64::BITS - bits };
        for key in keys {
            let (word, bit) = filter.place(key);
            if let Some(word) = filter.words.get_mut(word) {
                *word |= bit;
            }
        }
        filter
    }

    /// Whether the key may be among them.
    #[inline]
    pub(super) fn may_hold(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    #[inline]
    fn place(&self, key: u64) -> (usize, u64) {
        let hash = key.wrapping_mul(MULTIPLIER) >> self.shift;
        ((hash >> SMALLEST) as usize, 1 << (hash % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_never_denied_and_others_seldom_confirmed() {
        for count in [0_u64, 1, 3, 1_000, 200_000] {
            let keys = || (0..count).map(|key| key * 0x1_0001);
            let filter = Filter::of(keys().collect::<Vec<_>>().into_iter());
            assert!(keys().all(|key| filter.may_hold(key)));
            let others = (0..10_000_u64).filter(|other| filter.may_hold(other * 0x7001 + 1)).count();
            assert!(others < 2_500, "{others} others for {count} keys");
        }
    }
}

//! Text to hashed feature. The hash is part of the file format: a change makes all models useless.

/// A feature as 64 well-mixed bits, of which a table uses the lowest for the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feature(pub u64);

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

impl Feature {
    /// The feature of a name or a word.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut state = FIRST ^ text.len() as u64;
        let mut chunks = text.as_bytes().chunks_exact(8);
        for chunk in &mut chunks {
            let word = chunk.try_into().map_or(0, u64::from_le_bytes);
            state = fold(state ^ word, SECOND);
        }
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(chunks.remainder()) {
            *to = *from;
        }
        Self(finish(fold(state ^ u64::from_le_bytes(last), FIRST)))
    }

    /// The feature of this one followed by another: `a.then(b)` differs from `b.then(a)`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self(finish(fold(self.0.rotate_left(23) ^ FIRST, next.0 ^ SECOND)))
    }

    /// The same text as another kind of feature, for example a neighbour instead of the word itself.
    #[must_use]
    pub fn tagged(self, tag: u64) -> Self {
        Self(finish(self.0 ^ tag.wrapping_add(1).wrapping_mul(FIRST)))
    }
}

/// The slot of a feature in a table of `slots` slots, which is a power of two.
#[must_use]
pub fn slot(feature: Feature, slots: usize) -> usize {
    // The bits above the size of a pointer are not needed: a table has at most 2^24 slots.
    (feature.0 as usize) & slots.saturating_sub(1)
}

/// Both halves of the product, so that every bit of the input reaches every bit of the result.
fn fold(one: u64, two: u64) -> u64 {
    let product = u128::from(one) * u128::from(two);
    (product as u64) ^ ((product >> 64) as u64)
}

fn finish(mut bits: u64) -> u64 {
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(SECOND);
    bits ^= bits >> 29;
    bits = bits.wrapping_mul(FIRST);
    bits ^ (bits >> 32)
}

#[cfg(test)]
mod tests {
    use super::Feature;

    #[test]
    fn the_hash_is_part_of_the_file_format() {
        let known = [Feature::of(""), Feature::of("ignore"), Feature::of("previous instructions")];
        assert_eq!(known.map(|feature| feature.0), KNOWN);
    }

    const KNOWN: [u64; 3] = [14_656_109_042_088_847_823, 351_191_156_602_335_407, 12_806_648_466_626_545_507];

    #[test]
    fn order_length_and_kind_matter() {
        let [one, two] = ["one", "two"].map(Feature::of);
        assert_ne!(one.then(two), two.then(one));
        assert_ne!(Feature::of("a"), Feature::of("a\0"));
        assert_ne!(one.tagged(0), one);
        assert_ne!(one.tagged(0), one.tagged(1));
    }

    #[test]
    fn the_lowest_bits_are_spread_evenly() {
        let mut slots = vec![0_u32; 1 << 10];
        for number in 0..(1 << 14) {
            slots[super::slot(Feature::of(&format!("word {number}")), 1 << 10)] += 1;
        }
        assert!(slots.iter().all(|count| (1..48).contains(count)), "{slots:?}");
    }
}

//! Reproducible randomness: SplitMix64, whose sequence no update of a library can change.

/// A generator. Equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub struct Seeded(u64);

impl Seeded {
    /// A generator for one purpose, named by `purpose`, so that a change in one part of the training does not change the
    /// random choices of another.
    #[must_use]
    pub fn new(seed: u64, purpose: &str) -> Self {
        let purpose = linear_model::Feature::of(purpose).0;
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ purpose)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        // The upper half of the product: evenly spread but for one part in 2^32.
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// Whether an event of this probability happens.
    pub fn chance(&mut self, probability: f64) -> bool {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64 <= probability
    }

    /// One of several, or nothing of none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let place = self.below(from.len());
        from.get(place)
    }

    /// Brings a list into random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.below(last + 1);
            list.swap(last, other);
        }
    }
}

//! The beginnings of the witnesses of literals, made into the tables by which vectors rule out nearly every
//! place where none begins. What is left is compared in [`super::literals`].

/// How many bytes of a witness are looked at.
pub(super) const LENGTH: usize = 4;
/// Witnesses share so many buckets, one bit each in the tables of one half.
const BUCKETS: usize = 16;

/// Tables for two halves of the buckets, and in each for every byte of a fingerprint.
pub(super) struct Fingerprints {
    pub(super) halves: [[Place; LENGTH]; 2],
}

/// One byte of a fingerprint: which buckets have such a byte. Processors differ in how large a table their vectors
/// look bytes up in. Aligned, because a look-up in a table that lies across two lines of the cache takes twice as long.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Place {
    /// By all bits but the one that tells small letters from capitals and the uppermost one: in effect exactly.
    pub(super) six: [u8; 64],
    /// By the lower half.
    pub(super) low: [u8; 16],
    /// By the upper half.
    pub(super) high: [u8; 16],
}

impl Fingerprints {
    /// Of witnesses in lower case, in the order of the alphabet: a bucket lets through every mixture of the
    /// bytes in it, so those that begin alike share one. Letters are taken in either case; what is shorter than
    /// a fingerprint goes on with anything.
    pub(super) fn of(witnesses: &[Vec<u8>]) -> Self {
        let mut halves = [[Place::NONE; LENGTH]; 2];
        let (long, short): (Vec<_>, Vec<_>) = witnesses.iter().partition(|witness| witness.len() >= LENGTH);
        let for_short = if short.is_empty() { 0 } else { BUCKETS / 4 };
        for (group, first, buckets) in [(long, for_short, BUCKETS - for_short), (short, 0, for_short)] {
            for (index, witness) in group.iter().enumerate() {
                let bucket = first + index * buckets / group.len();
                let half = &mut halves[bucket / 8];
                for (place, tables) in half.iter_mut().enumerate() {
                    tables.add(witness.get(place).copied(), 1 << (bucket % 8));
                }
            }
        }
        Self { halves }
    }
}

impl Place {
    const NONE: Self = Self { six: [0; 64], low: [0; 16], high: [0; 16] };

    /// Adds a byte of a bucket, or every byte.
    fn add(&mut self, byte: Option<u8>, bucket: u8) {
        let Some(byte) = byte else {
            let tables = self.six.iter_mut().chain(&mut self.low).chain(&mut self.high);
            tables.for_each(|buckets| *buckets |= bucket);
            return;
        };
        for written in [byte, byte.to_ascii_uppercase()] {
            self.six[usize::from(written & 31 | written >> 1 & 32)] |= bucket;
            self.low[usize::from(written & 15)] |= bucket;
            self.high[usize::from(written >> 4)] |= bucket;
        }
    }
}

//! The beginnings of the witnesses of literals, made into the tables by which vectors rule out nearly every
//! place where none begins. What is left is compared in [`super::literals`].

use super::buckets::{LookUp, buckets};

/// How many bytes of a witness are looked at.
pub(super) const LENGTH: usize = 4;
/// Witnesses share so many buckets, one bit each in the tables of one half.
pub(super) const BUCKETS: usize = 16;

/// Tables for two halves of the buckets, and in each for every byte of a fingerprint.
pub(super) struct Fingerprints {
    pub(super) halves: [[Place; LENGTH]; 2],
}

/// One byte of a fingerprint: which buckets have such a byte. Processors differ in how large a table their vectors
/// look bytes up in; only the tables of the processor at hand are filled. Aligned, because a look-up in a table that lies across two lines of the cache takes twice as long.
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
    /// Of witnesses in lower case, for one way of looking up. A bucket lets through every mixture of the bytes in it. Letters are taken in
    /// either case; what is shorter than a fingerprint goes on with anything.
    pub(super) fn of(witnesses: &[Vec<u8>], look_up: LookUp) -> Self {
        let mut halves = [[Place::NONE; LENGTH]; 2];
        for (bucket, members) in buckets(witnesses, look_up).iter().enumerate() {
            let half = &mut halves[bucket / 8];
            for (place, tables) in half.iter_mut().enumerate() {
                members
                    .iter()
                    .for_each(|own| tables.add(look_up, own.get(place).copied(), 1 << (bucket % 8)));
            }
        }
        Self { halves }
    }
}

impl Place {
    const NONE: Self = Self { six: [0; 64], low: [0; 16], high: [0; 16] };

    /// Adds a byte of a bucket, or every byte.
    fn add(&mut self, look_up: LookUp, byte: Option<u8>, bucket: u8) {
        let written = byte.map(|byte| [byte, byte.to_ascii_uppercase()]);
        match (look_up, written) {
            (LookUp::SixBits, None) => self.six.iter_mut().for_each(|buckets| *buckets |= bucket),
            (LookUp::SixBits, Some(written)) => {
                written.iter().for_each(|byte| self.six[usize::from(byte & 31 | byte >> 1 & 32)] |= bucket);
            }
            (LookUp::Halves, None) => {
                self.low.iter_mut().chain(&mut self.high).for_each(|buckets| *buckets |= bucket)
            }
            (LookUp::Halves, Some(written)) => {
                for byte in written {
                    self.low[usize::from(byte & 15)] |= bucket;
                    self.high[usize::from(byte >> 4)] |= bucket;
                }
            }
        }
    }
}

//! The beginnings of the witnesses of literals, made into the tables by which vectors rule out nearly every
//! place where none begins. The rest is compared in [`super::literals`].

use super::buckets::{LookUp, buckets, six_bits};
use crate::find::fold;

/// Bytes of a witness that are compared.
pub(super) const LENGTH: usize = 4;
/// Number of buckets that witnesses share, one bit each in the tables of both halves; the bit that is left is [`DISGUISES`].
pub(super) const BUCKETS: usize = 15;
const BUCKETS_OF_HALF: usize = 8;
/// The bucket of the disguises of [`fold`], the uppermost bit of the second half: the first two bytes are none of ASCII, and
/// behind two bytes stands ASCII.
pub(super) const DISGUISES: u8 = 0x80;

/// Tables for two halves of the buckets, and in each for every byte of a fingerprint.
pub(super) struct Fingerprints {
    pub(super) halves: [[FingerprintByte; LENGTH]; 2],
}

/// One byte of a fingerprint: which buckets have such a byte. Processors differ in how large a table their vectors
/// look bytes up in; only the tables of the processor at hand are filled. Aligned, because a look-up in a table that lies across two lines of the cache takes twice as long.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct FingerprintByte {
    /// By all bits but the one that separates small letters from capitals and the uppermost one: in effect exactly.
    pub(super) six: [u8; 64],
    /// By the lower half.
    pub(super) low: [u8; 16],
    /// By the upper half.
    pub(super) high: [u8; 16],
}

impl Fingerprints {
    /// Of witnesses in lower case, for one way of looking up. A bucket lets through every mixture of the bytes in it.
    /// Letters are taken in either case; shorter ones go on with any byte.
    pub(super) fn of(witnesses: &[Vec<u8>], look_up: LookUp) -> Self {
        let mut halves = [[FingerprintByte::NONE; LENGTH]; 2];
        for (bucket, members) in buckets(witnesses, look_up).iter().enumerate() {
            let half = &mut halves[bucket / BUCKETS_OF_HALF];
            let bit = 1 << (bucket % BUCKETS_OF_HALF);
            for (place, tables) in half.iter_mut().enumerate() {
                members.iter().for_each(|own| tables.add(look_up, own.get(place).copied(), bit));
            }
        }
        let [_, others] = &mut halves;
        for character in fold::triggers() {
            add_disguise(others, character.encode_utf8(&mut [0; LENGTH]).as_bytes());
        }
        Self { halves }
    }
}

/// Adds a character that disguises a text, of which all bytes but a fourth one are looked at.
fn add_disguise(half: &mut [FingerprintByte; LENGTH], written: &[u8]) {
    let [lead, next, third, rest] = half;
    lead.add_disguise(written.first().copied());
    next.add_disguise(written.get(1).copied());
    third.add_disguise(written.get(2).copied());
    rest.add_disguise(None);
}

impl FingerprintByte {
    const NONE: Self = Self { six: [0; 64], low: [0; 16], high: [0; 16] };

    /// Adds a byte of a bucket, or every byte.
    fn add(&mut self, look_up: LookUp, byte: Option<u8>, bucket: u8) {
        match (look_up, byte) {
            (_, Some(byte)) => {
                self.add_exactly(look_up, byte, bucket);
                self.add_exactly(look_up, byte.to_ascii_uppercase(), bucket);
            }
            (LookUp::SixBits, None) => self.six.iter_mut().for_each(|buckets| *buckets |= bucket),
            (LookUp::Halves, None) => {
                self.low.iter_mut().chain(&mut self.high).for_each(|buckets| *buckets |= bucket)
            }
        }
    }

    /// Adds a byte of a disguise, or every byte.
    fn add_disguise(&mut self, byte: Option<u8>) {
        for look_up in [LookUp::SixBits, LookUp::Halves] {
            match byte {
                Some(byte) => self.add_exactly(look_up, byte, DISGUISES),
                None => self.add(look_up, None, DISGUISES),
            }
        }
    }

    /// Adds a byte of a bucket in no other case.
    fn add_exactly(&mut self, look_up: LookUp, byte: u8, bucket: u8) {
        match look_up {
            LookUp::SixBits => self.six[usize::from(six_bits(byte))] |= bucket,
            LookUp::Halves => {
                self.low[usize::from(byte & 15)] |= bucket;
                self.high[usize::from(byte >> 4)] |= bucket;
            }
        }
    }
}

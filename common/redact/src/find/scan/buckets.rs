//! Which witnesses share a bucket of [`super::fingerprints`]: those of which a mixture is rare in logs, so that the
//! vectors let few places through.

use std::collections::BTreeMap;

use super::fingerprints::{BUCKETS, LENGTH};

/// How many of a thousand bytes of log records are these, by the upper and the lower half of the byte; at least one.
/// Measured over records as they lie in payloads; it decides only how fast the scan is.
const FREQUENCIES: [[u64; 16]; 16] = [
    [1, 1, 2, 3, 2, 5, 3, 3, 4, 5, 28, 2, 3, 3, 3, 1],
    [1, 1, 14, 1, 1, 2, 2, 1, 3, 1, 3, 1, 2, 2, 1, 1],
    [60, 1, 6, 1, 1, 1, 1, 1, 2, 2, 2, 1, 3, 5, 38, 19],
    [25, 25, 34, 15, 14, 15, 13, 12, 12, 12, 8, 4, 1, 7, 1, 1],
    [1, 1, 1, 2, 2, 5, 2, 3, 2, 3, 1, 1, 2, 2, 3, 3],
    [3, 1, 4, 3, 7, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1],
    [1, 36, 8, 26, 21, 65, 10, 12, 16, 25, 1, 3, 23, 15, 23, 34],
    [22, 3, 36, 38, 39, 16, 7, 3, 4, 4, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1],
    [1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
];

/// How vectors look bytes up, which decides what a bucket lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookUp {
    /// By all bits but the one that tells small letters from capitals and the uppermost one.
    SixBits,
    /// By the lower and the upper half apart.
    Halves,
}

/// Witnesses that share a bucket, and which bytes it lets through at each place of a fingerprint.
#[derive(Clone, Debug)]
struct Bucket<'w> {
    members: Vec<&'w [u8]>,
    sets: [Set; LENGTH],
    look_up: LookUp,
}

/// A set of bytes as both ways of looking up tell them apart: by six bits, and by halves, of which every mixture is in it.
#[derive(Clone, Copy, Debug)]
struct Set {
    six: u64,
    low: u16,
    high: u16,
}

/// Divides witnesses into at most [`BUCKETS`]: of all pairs of buckets the one is joined that lets through the least more,
/// until few enough are left.
pub(super) fn buckets(witnesses: &[Vec<u8>], look_up: LookUp) -> Vec<Vec<&[u8]>> {
    let mut buckets: Vec<Option<Bucket<'_>>> = units(witnesses, look_up).into_iter().map(Some).collect();
    let mut nearest: Vec<_> = (0..buckets.len()).map(|one| nearest_behind(&buckets, one)).collect();
    for _ in BUCKETS..buckets.len() {
        let cheapest = nearest
            .iter()
            .enumerate()
            .filter_map(|(one, near)| near.map(|(cost, two)| (cost, one, two)))
            .min();
        let Some((_, one, two)) = cheapest else { break };
        let joined = buckets[one].take().zip(buckets[two].take()).map(|(one, two)| one.with(two));
        buckets[one] = joined;
        for other in 0..buckets.len() {
            let touched = nearest[other].is_some_and(|(_, near)| near == one || near == two);
            if other == one || other == two || touched {
                nearest[other] = nearest_behind(&buckets, other);
            } else if other < one {
                let cost = buckets[other]
                    .as_ref()
                    .zip(buckets[one].as_ref())
                    .map(|(other, one)| other.cost_with(one));
                nearest[other] = nearest[other].into_iter().chain(cost.map(|cost| (cost, one))).min();
            }
        }
    }
    buckets.into_iter().flatten().map(|bucket| bucket.members).collect()
}

/// The bucket behind this one with which joining it costs least.
fn nearest_behind(buckets: &[Option<Bucket<'_>>], one: usize) -> Option<(u64, usize)> {
    let own = buckets.get(one)?.as_ref()?;
    let others = buckets.iter().enumerate().skip(one + 1);
    others.filter_map(|(two, other)| Some((own.cost_with(other.as_ref()?), two))).min()
}

/// Witnesses that share their first three bytes, to begin with.
fn units(witnesses: &[Vec<u8>], look_up: LookUp) -> Vec<Bucket<'_>> {
    let mut units: BTreeMap<(&[u8], bool), Bucket<'_>> = BTreeMap::new();
    for witness in witnesses {
        let key = (witness.get(..3).unwrap_or(witness), witness.len() >= LENGTH);
        let own = Bucket::of(witness, look_up);
        let joined = match units.remove(&key) {
            Some(unit) => unit.with(own),
            None => own,
        };
        units.insert(key, joined);
    }
    units.into_values().collect()
}

impl<'w> Bucket<'w> {
    fn of(witness: &'w [u8], look_up: LookUp) -> Self {
        let set = |place: usize| match witness.get(place) {
            Some(byte) => Set::of(*byte).with(Set::of(byte.to_ascii_uppercase())),
            None => Set { six: u64::MAX, low: u16::MAX, high: u16::MAX },
        };
        Self { members: vec![witness], sets: std::array::from_fn(set), look_up }
    }

    fn with(mut self, mut other: Self) -> Self {
        self.members.append(&mut other.members);
        self.sets = self.sets_with(&other);
        self
    }

    fn sets_with(&self, other: &Self) -> [Set; LENGTH] {
        std::array::from_fn(|place| self.sets[place].with(other.sets[place]))
    }

    /// How much more is let through when the two share a bucket.
    fn cost_with(&self, other: &Self) -> u64 {
        let let_through =
            |sets: &[Set; LENGTH]| sets.iter().map(|set| set.frequency(self.look_up)).product::<u64>();
        let apart = let_through(&self.sets) + let_through(&other.sets);
        let_through(&self.sets_with(other)).saturating_sub(apart)
    }
}

impl Set {
    fn of(byte: u8) -> Self {
        Self { six: 1 << (byte & 31 | byte >> 1 & 32), low: 1 << (byte & 15), high: 1 << (byte >> 4) }
    }

    fn with(self, other: Self) -> Self {
        Self { six: self.six | other.six, low: self.low | other.low, high: self.high | other.high }
    }

    /// How many of a thousand bytes are let through.
    fn frequency(self, look_up: LookUp) -> u64 {
        match look_up {
            LookUp::SixBits => super::places(self.six, 0).filter_map(|six| SIX_BITS.get(six)).sum(),
            LookUp::Halves => {
                let rows = super::places(self.high.into(), 0).filter_map(|high| FREQUENCIES.get(high));
                rows.flat_map(|row| super::places(self.low.into(), 0).filter_map(|low| row.get(low))).sum()
            }
        }
    }
}

/// The frequencies of all bytes that look the same by six bits.
const SIX_BITS: [u64; 64] = {
    let mut sums = [0; 64];
    let mut byte = 0;
    while byte < 256 {
        sums[byte & 31 | byte >> 1 & 32] += FREQUENCIES[byte >> 4][byte & 15];
        byte += 1;
    }
    sums
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_witness_is_in_one_of_few_buckets() {
        let witnesses: Vec<Vec<u8>> =
            (0..90_u8).map(|index| vec![b'a' + index % 26, b'0' + index / 26, index, 7]).collect();
        let divided = buckets(&witnesses, LookUp::SixBits);
        assert!(divided.len() <= BUCKETS);
        let mut members: Vec<_> = divided.concat();
        members.sort_unstable();
        let mut expected: Vec<_> = witnesses.iter().map(Vec::as_slice).collect();
        expected.sort_unstable();
        assert_eq!(members, expected);
    }

    #[test]
    fn those_that_begin_alike_share_a_bucket() {
        let letters = "abcdefghijklmnopqrst".chars();
        let witnesses: Vec<Vec<u8>> = letters
            .flat_map(|letter| [format!("{letter}xyz1"), format!("{letter}xyz2")])
            .map(String::into_bytes)
            .collect();
        for bucket in buckets(&witnesses, LookUp::Halves) {
            assert_eq!(bucket.len() % 2, 0, "{bucket:?}");
        }
    }
}

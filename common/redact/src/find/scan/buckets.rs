//! Which witnesses share a bucket of [`super::fingerprints`]: those of which a mixture is rare in logs, so that the
//! vectors let few places through.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::fingerprints::{BUCKETS, LENGTH};

/// Frequency in log records, in thousandths, by the upper and the lower half of the byte; at least one.
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

/// Byte look-up of the vectors, which decides what a bucket lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookUp {
    /// By all bits but the one that separates small letters from capitals and the uppermost one.
    SixBits,
    /// By the lower and the upper half apart.
    Halves,
}

/// Names of attributes as they lie in payloads, and behind them log lines of many programs: the buckets are chosen so
/// that few of their places are let through. It decides only how fast the scan is.
static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let mut bytes = Vec::new();
    for name in include_str!("sample.names").lines() {
        // A field of a message, its length, the key, and the field of the value.
        bytes.extend([b'2', 24, b'\n', name.len() as u8]);
        bytes.extend(name.as_bytes());
        bytes.extend([0x12, 6, b'\n', 4]);
    }
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    let names = bytes.len() / 64;
    bytes.extend(include_bytes!("sample.log"));
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    Sample { bytes, names }
});

/// Bytes of a payload, in words of 64 places.
struct Sample {
    bytes: Vec<u8>,
    /// Number of words with names of attributes, which every record has.
    names: usize,
}

/// Weight of an attribute name for each byte of a line.
const NAMES_FOR_EACH_LINE: u64 = 4;

/// A set of places in the sample, one bit each.
type Places = Box<[u64]>;

/// All bits of a byte but the one that separates small letters from capitals and the uppermost one.
pub(super) const fn six_bits(byte: u8) -> u8 {
    byte & 31 | byte >> 1 & 32
}

/// Places of the sample by the byte some bytes behind them: by six bits of it, and by each half.
struct At {
    six: Vec<Places>,
    low: Vec<Places>,
    high: Vec<Places>,
}

static AT: LazyLock<[At; LENGTH]> = LazyLock::new(|| {
    std::array::from_fn(|behind| At {
        six: by_key(behind, 64, six_bits),
        low: by_key(behind, 16, |byte| byte & 15),
        high: by_key(behind, 16, |byte| byte >> 4),
    })
});

fn by_key(behind: usize, keys: usize, key: impl Fn(u8) -> u8) -> Vec<Places> {
    let mut places = vec![Places::from(vec![0; SAMPLE.bytes.len() / 64]); keys];
    for (at, byte) in SAMPLE.bytes.iter().skip(behind).enumerate() {
        let word = places.get_mut(usize::from(key(*byte))).and_then(|places| places.get_mut(at / 64));
        if let Some(word) = word {
            *word |= 1 << (at % 64);
        }
    }
    places
}

/// Witnesses that share a bucket, and which bytes it lets through at each place of a fingerprint.
#[derive(Clone, Debug)]
struct Bucket<'w> {
    members: Vec<&'w [u8]>,
    sets: [Set; LENGTH],
    /// Places of the sample that let the byte at each place of a fingerprint through: by six bits, or by each half.
    sample: Vec<Places>,
    look_up: LookUp,
    /// Places of 10^12 that are let through.
    let_through: u64,
}

/// A set of bytes as both ways of looking up tell them apart: by six bits, and by halves, of which every mixture is in it.
#[derive(Clone, Copy, Debug)]
struct Set {
    six: u64,
    low: u16,
    high: u16,
}

/// Passes that look for a better bucket for all units; two or three are enough nearly always.
const MOST_ROUNDS: usize = 8;

/// Divides witnesses into at most [`BUCKETS`], so that these let few places through.
pub(super) fn buckets(witnesses: &[Vec<u8>], look_up: LookUp) -> Vec<Vec<&[u8]>> {
    let units = units(witnesses, look_up);
    let mut buckets = joined(units.clone());
    for _ in 0..MOST_ROUNDS {
        let moves = units.iter().filter(|unit| improve(&mut buckets, unit, &units)).count();
        if moves == 0 {
            break;
        }
    }
    buckets.into_iter().map(|bucket| bucket.members).collect()
}

/// Moves a unit to the bucket that lets the least more through with it. Returns whether it was moved.
fn improve<'w>(buckets: &mut [Bucket<'w>], unit: &Bucket<'w>, units: &[Bucket<'w>]) -> bool {
    let Some(own) = buckets.iter().position(|bucket| bucket.holds(unit)) else { return false };
    let others = units.iter().filter(|other| buckets[own].holds(other) && other.members != unit.members);
    let Some(without) = others.cloned().reduce(Bucket::with) else { return false };
    let stays = buckets[own].let_through - without.let_through.min(buckets[own].let_through);
    // Only a move that costs less than staying is of interest, and the first of equal ones.
    let (mut most, mut best) = (stays, None);
    for (other, bucket) in buckets.iter().enumerate().filter(|(other, _)| *other != own) {
        if let Some(together) = bucket.let_through_below(unit, bucket.let_through + most) {
            (most, best) = (together - bucket.let_through, Some(other));
        }
    }
    let Some(best) = best else { return false };
    buckets[own] = without;
    buckets[best] = buckets[best].clone().with(unit.clone());
    true
}

/// Joins units: of all pairs of buckets the one is joined that lets through the least more, until few enough are left.
fn joined(units: Vec<Bucket<'_>>) -> Vec<Bucket<'_>> {
    let mut buckets: Vec<Option<Bucket<'_>>> = units.into_iter().map(Some).collect();
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
    buckets.into_iter().flatten().collect()
}

/// The bucket behind this one with which joining it costs least.
fn nearest_behind(buckets: &[Option<Bucket<'_>>], one: usize) -> Option<(u64, usize)> {
    let own = buckets.get(one)?.as_ref()?;
    let mut nearest: Option<(u64, usize)> = None;
    for (two, other) in buckets.iter().enumerate().skip(one + 1) {
        let Some(other) = other else { continue };
        let apart = own.let_through + other.let_through;
        let most = nearest.map_or(u64::MAX, |(cost, _)| apart.saturating_add(cost));
        if let Some(together) = own.let_through_below(other, most) {
            nearest = Some((together.saturating_sub(apart), two));
        }
        if nearest.is_some_and(|(cost, _)| cost == 0) {
            break;
        }
    }
    nearest
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
        let sets: [Set; LENGTH] = std::array::from_fn(set);
        let sample = sets.iter().enumerate().flat_map(|(place, set)| set.in_sample(place, look_up)).collect();
        let mut own = Self { members: vec![witness], sets, sample, look_up, let_through: 0 };
        own.let_through = own.let_through_with(&own);
        own
    }

    fn with(mut self, mut other: Self) -> Self {
        self.let_through = self.let_through_with(&other);
        self.members.append(&mut other.members);
        self.sets = self.sets_with(&other);
        for (own, others) in self.sample.iter_mut().zip(&other.sample) {
            own.iter_mut().zip(others).for_each(|(own, other)| *own |= other);
        }
        self
    }

    fn holds(&self, unit: &Self) -> bool {
        unit.members.first().is_some_and(|first| self.members.contains(first))
    }

    fn sets_with(&self, other: &Self) -> [Set; LENGTH] {
        std::array::from_fn(|place| self.sets[place].with(other.sets[place]))
    }

    /// Increase of what is let through if both share a bucket.
    fn cost_with(&self, other: &Self) -> u64 {
        self.let_through_with(other).saturating_sub(self.let_through + other.let_through)
    }

    /// Places of 10^12 that are let through by the two together: as the frequencies of single bytes have it, and as the
    /// sample does, which knows words.
    fn let_through_with(&self, other: &Self) -> u64 {
        self.let_through_below(other, u64::MAX).unwrap_or(u64::MAX)
    }

    /// The same where it is below a bound. The sum of the sample ends at the bound, because most pairs are far above it.
    fn let_through_below(&self, other: &Self, most: u64) -> Option<u64> {
        let mut sum = self.sets_with(other).iter().map(|set| set.frequency(self.look_up)).product::<u64>();
        let place = 1_000_000_000_000 / SAMPLE.bytes.len() as u64;
        let columns = || self.sample.iter().zip(&other.sample);
        for word in 0..SAMPLE.bytes.len() / 64 {
            if sum >= most {
                return None;
            }
            let both = columns().fold(u64::MAX, |found, (own, other)| found & (own[word] | other[word]));
            let times = if word < SAMPLE.names { NAMES_FOR_EACH_LINE } else { 1 };
            sum += u64::from(both.count_ones()) * times * place;
        }
        (sum < most).then_some(sum)
    }
}

impl Set {
    fn of(byte: u8) -> Self {
        Self { six: 1 << six_bits(byte), low: 1 << (byte & 15), high: 1 << (byte >> 4) }
    }

    fn with(self, other: Self) -> Self {
        Self { six: self.six | other.six, low: self.low | other.low, high: self.high | other.high }
    }

    /// Places of the sample with a byte of the set `behind` bytes behind, one bit for each place: by six bits, or by each half.
    fn in_sample(self, behind: usize, look_up: LookUp) -> Vec<Places> {
        let union = |keys: u64, of: &[Places]| {
            let mut found: Places = vec![0; SAMPLE.bytes.len() / 64].into();
            for places in super::places(keys, 0).filter_map(|key| of.get(key)) {
                found.iter_mut().zip(places).for_each(|(found, place)| *found |= place);
            }
            found
        };
        let Some(at) = AT.get(behind) else { return Vec::new() };
        match look_up {
            LookUp::SixBits => vec![union(self.six, &at.six)],
            LookUp::Halves => vec![union(self.low.into(), &at.low), union(self.high.into(), &at.high)],
        }
    }

    /// Bytes of a thousand that are let through.
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
        sums[six_bits(byte as u8) as usize] += FREQUENCIES[byte >> 4][byte & 15];
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

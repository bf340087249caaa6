//! Choice of the bytes of a literal that are its fingerprint, and of the fingerprints that share a bucket: so that few places
//! of a text are candidates. Done once, when rules are compiled.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use foldhash::fast::FixedState;

use super::{BUCKETS, LENGTH};
use crate::candidates::rarity::is_everyday;
use crate::matcher::literal::commonness;

/// A fingerprint, and which of its bytes are any.
pub(super) type Print = [Option<u8>; LENGTH];

/// More literals than these are too many in any case.
const MOST: usize = 512;
/// Smallest probability, about, that a byte is let through: mixtures of the bytes in a bucket are as well.
const LEAST_SHARE: f64 = 0.02;
/// Most literals that share a fingerprint: each is compared at every candidate.
const MOST_ALIKE: usize = 8;
/// Additional cost of those that share one nevertheless: any number of rules may differ in their ends only.
const COST_OF_MORE: f64 = 8.0;

/// Offset of the fingerprint in each literal: literals share fingerprints, and these are made of bytes that are rare in texts.
/// `None` where the literals are too many.
pub(super) fn starts(literals: &[&[u8]]) -> Option<Vec<usize>> {
    if literals.len() > MOST {
        return None;
    }
    let mut places: HashMap<Print, Vec<(usize, usize)>, FixedState> = HashMap::default();
    for (literal, text) in literals.iter().enumerate() {
        for at in 0..=text.len().saturating_sub(LENGTH) {
            places.entry(print(text, at)).or_default().push((literal, at));
        }
    }
    // In an order of their own, so that the same literals have the same fingerprints.
    let mut choices: Vec<Choice> = places
        .into_iter()
        .map(|(print, places)| Choice { print, cost: cost(&print), places, room: MOST_ALIKE })
        .collect();
    choices.sort_unstable_by_key(|choice| choice.print);
    let mut starts = vec![None; literals.len()];
    // No choice becomes cheaper: if the cheapest known one has an unchanged cost, it is the cheapest of all.
    let mut cheapest: BinaryHeap<_> =
        choices.iter().enumerate().map(|(at, choice)| Reverse((choice.cost_for_each(), at))).collect();
    while let Some(Reverse((cost, at))) = cheapest.pop() {
        let choice = &mut choices[at];
        choice.places.retain(|(literal, _)| starts.get(*literal).is_some_and(Option::is_none));
        if choice.places.is_empty() {
            continue;
        }
        let now = choice.cost_for_each();
        if now == cost {
            for (literal, start) in choice.places.iter().take(MOST_ALIKE.min(choice.room).max(1)) {
                starts[*literal].get_or_insert(*start);
            }
            choice.room = choice.room.saturating_sub(choice.places.len());
        }
        cheapest.push(Reverse((now, at)));
    }
    starts.into_iter().collect()
}

/// A fingerprint, and the literals that may have it.
#[derive(Debug)]
struct Choice {
    print: Print,
    cost: f64,
    /// The literals, and the offset in each.
    places: Vec<(usize, usize)>,
    /// Number of fingerprints that may still share it.
    room: usize,
}

impl Choice {
    /// In an order of its own: bits of nonnegative numbers have the order of the numbers.
    #[expect(clippy::cast_precision_loss, reason = "a few")]
    fn cost_for_each(&self) -> u64 {
        let cost = match self.places.len().min(self.room) {
            0 => self.cost * COST_OF_MORE,
            sharing => self.cost / sharing as f64,
        };
        cost.to_bits()
    }
}

/// The fingerprint that begins at a place of a literal.
pub(super) fn print(text: &[u8], at: usize) -> Print {
    std::array::from_fn(|place| text.get(at + place).copied())
}

/// Share of all places, about, of a text that is in a large share of texts: once in some hundred bytes.
const EVERYDAY_SHARE: f64 = 0.005;

/// Share of all places, about, of the fingerprints that occur in a large share of texts.
pub(super) fn everyday_share(prints: &[Print]) -> f64 {
    prints.iter().filter(|print| stands_everywhere(print)).map(|_| EVERYDAY_SHARE).sum()
}

fn stands_everywhere(print: &Print) -> bool {
    let bytes: Vec<u8> = print.iter().copied().flatten().collect();
    is_everyday(&bytes)
}

fn cost(print: &Print) -> f64 {
    if stands_everywhere(print) {
        return EVERYDAY_SHARE;
    }
    let share = |byte: &Option<u8>| byte.map_or(1.0, |byte| share(byte).max(LEAST_SHARE));
    print.iter().map(share).product()
}

/// End of each bucket among fingerprints in order, each once, so that all let through as few places as they can; and the share,
/// about, of these. `None` where that is more than `most`.
pub(super) fn ends(prints: &[Print], buckets: usize, most: f64) -> Option<(Vec<usize>, f64)> {
    // For each place and number of buckets the least share up to it, and the beginning of the last bucket.
    let mut shares = vec![[f64::INFINITY; BUCKETS + 1]; prints.len() + 1];
    let mut begins = vec![[0; BUCKETS + 1]; prints.len() + 1];
    shares[0][0] = 0.0;
    for start in 0..prints.len() {
        let up_to_start = shares[start];
        if up_to_start.iter().all(|share| *share > most) {
            continue;
        }
        let mut mixture = [Mixture::default(); LENGTH];
        for end in start + 1..=prints.len() {
            mixture.iter_mut().zip(prints[end - 1]).for_each(|(mixture, byte)| mixture.add(byte));
            let share: f64 = mixture.iter().map(|mixture| mixture.share).product();
            // It grows with every fingerprint.
            if share > most {
                break;
            }
            let with_one_more = shares[end][1..=buckets].iter_mut().zip(&mut begins[end][1..=buckets]);
            for ((best, begin), before) in with_one_more.zip(up_to_start) {
                if before + share < *best {
                    (*best, *begin) = (before + share, start);
                }
            }
        }
    }
    let total = |bucket: &usize| shares[prints.len()][*bucket];
    let mut bucket = (0..=buckets).min_by(|one, other| total(one).total_cmp(&total(other))).unwrap_or(0);
    let (mut ends, mut end, share) = (Vec::new(), prints.len(), total(&bucket));
    if share > most {
        return None;
    }
    while bucket > 0 {
        ends.push(end);
        end = begins[end][bucket];
        bucket -= 1;
    }
    ends.reverse();
    Some((ends, share))
}

/// Bytes of one place that share a bucket, by their halves: any lower one with any upper one is let through.
#[derive(Clone, Copy, Debug, Default)]
struct Mixture {
    low: u16,
    high: u16,
    /// Share of a text, about, that it lets through.
    share: f64,
}

impl Mixture {
    fn add(&mut self, byte: Option<u8>) {
        let (low, high) = byte.map_or((u16::MAX, u16::MAX), |byte| (1 << (byte & 15), 1 << (byte >> 4)));
        if self.low | low == self.low && self.high | high == self.high {
            return;
        }
        (self.low, self.high) = (self.low | low, self.high | high);
        self.share = (b' '..=b'~').filter(|byte| self.holds(*byte)).map(share).sum();
    }

    fn holds(&self, byte: u8) -> bool {
        self.low >> (byte & 15) & self.high >> (byte >> 4) & 1 == 1
    }
}

/// Share of a text, about, that a byte makes up.
fn share(byte: u8) -> f64 {
    /// Hashes and ids consist of nothing else.
    const HEXADECIMAL: f64 = 1.0 / 16.0;
    /// Of all characters of texts in lower case.
    const ALL: f64 = 1_262.0;
    #[expect(clippy::cast_precision_loss, reason = "a few dozen")]
    let weight = |byte: u8| commonness(byte) as f64 + 0.5;
    match byte {
        b'A'..=b'Z' => 0.0,
        b'0'..=b'9' | b'a'..=b'f' => (weight(byte) / ALL).max(HEXADECIMAL),
        _ => weight(byte) / ALL,
    }
}

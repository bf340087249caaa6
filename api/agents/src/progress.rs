//! Actions that a client has reported so far: replays are recognised by sequence number, and rates are counted by hour. Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use common::digest::digest;
use common::hexadecimal;
use common::timestamp::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Sequence numbers below the highest one that are remembered singly: older ones count as reported. A client that has lost a
/// response sends at most its last 500 actions again.
const WINDOW: u64 = 4_096;
const WORDS: usize = 64;
/// Most actions of a client in an hour.
pub(crate) const ACTIONS_PER_HOUR: u32 = 2_000;
/// Most events of a rule and client in an hour: a person reads them.
pub(crate) const EVENTS_PER_HOUR: u32 = 30;
const HOUR: Duration = Duration::from_secs(3_600);

/// Actions that a client has reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Highest sequence number; 0 before the first action.
    pub(crate) highest: u64,
    reported: Window,
    /// Hour of the counts below, since 1970.
    hour: i64,
    actions: u32,
    /// Events of each rule, by a hash of its id.
    events: BTreeMap<u64, u32>,
}

/// One bit for each of the last sequence numbers, at the number modulo [`WINDOW`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Window([u64; WORDS]);

impl Progress {
    /// Begins the counts anew if another hour has begun.
    pub(crate) fn at(&mut self, now: Timestamp) {
        let hour = hour_of(now);
        if hour > self.hour {
            self.hour = hour;
            self.actions = 0;
            self.events.clear();
        }
    }

    /// Whether an action was reported before.
    pub(crate) fn has(&self, sequence: u64) -> bool {
        if sequence > self.highest {
            return false;
        }
        self.highest - sequence >= WINDOW || self.reported.has(sequence)
    }

    /// Counts a new action; `false` when the client has reported as many as it may within the hour.
    pub(crate) fn report(&mut self, sequence: u64) -> bool {
        if self.actions >= ACTIONS_PER_HOUR {
            return false;
        }
        self.actions += 1;
        if sequence > self.highest {
            if sequence - self.highest >= WINDOW {
                self.reported = Window::default();
            } else {
                (self.highest + 1..sequence).for_each(|skipped| self.reported.set(skipped, false));
            }
            self.highest = sequence;
        }
        self.reported.set(sequence, true);
        true
    }

    /// Counts an event of a rule; `false` when it has had as many as it may within the hour.
    pub(crate) fn announce(&mut self, rule: &str) -> bool {
        let key = digest(&[rule.as_bytes()]).first_chunk().copied().map_or(0, u64::from_be_bytes);
        let count = self.events.entry(key).or_default();
        if *count >= EVENTS_PER_HOUR {
            return false;
        }
        *count += 1;
        true
    }
}

/// Seconds until the next hour begins, at least 1.
pub(crate) fn seconds_to_next_hour(now: Timestamp) -> u64 {
    let next = (hour_of(now) + 1).saturating_mul(millis());
    u64::try_from(next - now.as_millis()).unwrap_or_default().div_ceil(1_000).max(1)
}

fn millis() -> i64 {
    i64::try_from(HOUR.as_millis()).unwrap_or(i64::MAX)
}

fn hour_of(now: Timestamp) -> i64 {
    now.as_millis().div_euclid(millis())
}

impl Default for Window {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl Window {
    fn place(sequence: u64) -> (usize, u64) {
        let bit = sequence % WINDOW;
        (usize::try_from(bit / 64).unwrap_or_default(), 1 << (bit % 64))
    }

    fn has(&self, sequence: u64) -> bool {
        let (word, bit) = Self::place(sequence);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    fn set(&mut self, sequence: u64, reported: bool) {
        let (word, bit) = Self::place(sequence);
        if let Some(word) = self.0.get_mut(word) {
            *word = if reported { *word | bit } else { *word & !bit };
        }
    }
}

impl Serialize for Window {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_be_bytes()).collect();
        serializer.serialize_str(&hexadecimal::print(&bytes))
    }
}

impl<'de> Deserialize<'de> for Window {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = hexadecimal::parse(&String::deserialize(deserializer)?);
        let bytes = bytes.filter(|bytes| bytes.len() == WORDS * 8);
        let bytes = bytes.ok_or_else(|| serde::de::Error::custom("expected 1024 hexadecimal digits"))?;
        let mut words = [0; WORDS];
        for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_be_bytes(*chunk);
        }
        Ok(Self(words))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Pseudo-random numbers (xorshift), the same in every run.
    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn the_window_agrees_with_a_set_of_all_reported_numbers() {
        let mut random = 88_172_645_463_325_252;
        for jump in [3, 60, 700, 5_000] {
            let (mut progress, mut all) = (Progress::default(), BTreeSet::new());
            for step in 0..20_000 {
                let reach = next(&mut random) % (jump * 2 + 1);
                let sequence = (progress.highest + jump).saturating_sub(reach).max(1);
                let highest = all.last().copied().unwrap_or(0);
                let expected =
                    all.contains(&sequence) || (sequence <= highest && highest - sequence >= 4_096);
                assert_eq!(progress.has(sequence), expected, "{sequence} of {highest}");
                if !expected {
                    progress.actions = 0;
                    assert!(progress.report(sequence));
                    all.insert(sequence);
                }
                if step % 1_000 == 0 {
                    let text = serde_json::to_string(&progress).unwrap();
                    assert_eq!(serde_json::from_str::<Progress>(&text).unwrap(), progress);
                }
            }
        }
    }

    #[test]
    fn counts_begin_anew_with_the_hour_and_never_go_back() {
        let at = |minutes: i64| Timestamp::from_millis(minutes * 60_000);
        let mut progress = Progress::default();
        progress.at(at(59));
        assert!((1..=2_000).all(|sequence| progress.report(sequence)));
        assert!(!progress.report(2_001) && !progress.has(2_001));
        assert!((0..30).all(|_| progress.announce("a")) && !progress.announce("a") && progress.announce("b"));
        assert_eq!(seconds_to_next_hour(at(59)), 60);
        progress.at(at(60));
        assert!(progress.report(2_001) && progress.announce("a"));
        // A process whose clock is behind.
        progress.at(at(59));
        assert_eq!((progress.actions, seconds_to_next_hour(at(60))), (1, 3_600));
    }
}

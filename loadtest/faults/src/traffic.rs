//! Attacks that are sent: distinguishable from outside, with the bodies that contain them. An attack
//! is one address that fails to log in; its records are sent in three batches of different sizes, so that
//! the number of records the server counts for the address identifies its batches, and their repetitions.

use bytes::Bytes;

use loadtest::forms::{Form, Line};
use loadtest::load::template::address;

/// Batches of an attack.
pub(crate) const BATCHES: usize = 3;
/// Records in each batch of an attack. Each is enough for an incident; no two ways of having each batch
/// not at all, once or twice give the same sum, nor sums that differ by one record. Together they cross
/// the next threshold, so that an incident grows and its severity rises between batches.
pub(crate) const BATCH_SIZES: [u64; BATCHES] = [10, 13, 29];

/// Milliseconds between two records of a batch: all of an attack lies within ten minutes.
const RECORD_STEP_MS: u64 = 1_000;
/// Milliseconds between the first records of two batches.
const BATCH_STEP_MS: u64 = 60_000;
/// Time from the beginning of an attack to its sending, milliseconds: all of it is in the past.
const BEGAN_BEFORE_MS: u64 = 180_000;
const HOST: &str = "bastion-1";
/// Accounts an attack tries.
const ACCOUNTS: usize = 6;

/// An attack: one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attack {
    /// Number of the attack in the run.
    pub(crate) number: u32,
    /// Time of its first record, milliseconds since 1970.
    began_ms: u64,
}

impl Attack {
    /// The attack with this number, sent from `now_ms` on.
    pub(crate) fn new(number: u32, now_ms: u64) -> Self {
        Self { number, began_ms: now_ms.saturating_sub(BEGAN_BEFORE_MS) }
    }

    /// Its source address: unique for more than three million attacks.
    pub(crate) fn address(&self) -> String {
        address(self.number)
    }

    fn lines(&self, batch: usize) -> Vec<Line> {
        let address = self.address();
        let began = self.began_ms + batch as u64 * BATCH_STEP_MS;
        let size = BATCH_SIZES.get(batch).copied().unwrap_or_default();
        let line = |index: u64| {
            // Accounts of its own: one that many attacks tried would be an incident about the account.
            let user = format!("user{}-{}", self.number, index as usize % ACCOUNTS);
            let port = 40_000 + batch as u64 * 100 + index;
            Line {
                time_ms: began + index * RECORD_STEP_MS,
                host: HOST.to_owned(),
                program: "sshd",
                message: format!("Failed password for {user} from {address} port {port} ssh2"),
            }
        };
        (0..size).map(line).collect()
    }

    /// The body of a batch.
    pub(crate) fn body(&self, batch: usize, form: Form, gzip: bool) -> Bytes {
        form.body(&self.lines(batch), gzip)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_count_tells_which_batches_are_there_and_how_often() {
        let mut sums = BTreeMap::new();
        let times = [0, 1, 2];
        for first in times {
            for second in times {
                for third in times {
                    let sum = first * BATCH_SIZES[0] + second * BATCH_SIZES[1] + third * BATCH_SIZES[2];
                    assert_eq!(sums.insert(sum, (first, second, third)), None, "{sum}");
                }
            }
        }
        let sums: Vec<u64> = sums.into_keys().collect();
        assert!(
            sums.windows(2).all(|pair| pair[1] - pair[0] > 1),
            "a lost record looks like another batch: {sums:?}"
        );
    }

    #[test]
    fn every_attack_has_an_address_that_is_part_of_no_other() {
        let addresses: Vec<String> = (0..2_000)
            .chain([149, 22_499, 3_374_999])
            .map(|number| Attack::new(number, 0).address())
            .collect();
        assert_eq!(addresses[0], "10.100.100.100");
        assert_eq!(addresses.last().unwrap(), "10.249.249.249");
        assert!(addresses.iter().all(|address| address.len() == addresses[0].len()));
        let mut distinct = addresses[..2_000].to_vec();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 2_000);
    }

    #[test]
    fn every_form_carries_every_record_with_a_time_of_its_own() {
        let attack = Attack::new(7, 1_783_501_200_000);
        for (batch, size) in BATCH_SIZES.iter().enumerate() {
            let records = attack.lines(batch);
            assert_eq!(records.len() as u64, *size);
            let mut times: Vec<u64> = records.iter().map(|line| line.time_ms).collect();
            times.dedup();
            assert_eq!(times.len() as u64, *size);
            for form in Form::ALL {
                let body = attack.body(batch, form, false);
                let found = body
                    .windows(attack.address().len())
                    .filter(|bytes| *bytes == attack.address().as_bytes());
                assert_eq!(found.count() as u64, *size, "{form:?}");
                assert!(attack.body(batch, form, true).starts_with(&[0x1f, 0x8b]));
            }
        }
    }
}

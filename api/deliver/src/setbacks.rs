//! Failures of a partition's deliverer: how long it rests after each, and how often they are logged.

use std::time::Duration;

use common::partition::Partition;
use tracing::warn;

use crate::worker::WorkerError;

/// The rest after the first failure; it doubles with each further one.
const FIRST_REST: Duration = Duration::from_millis(250);
/// The longest rest: a ledger that is back is used again within it, and one that is damaged costs little.
const LONGEST_REST: Duration = Duration::from_secs(8);
/// Least time between logged failures of a partition. One that comes as long after the last one begins anew.
const LOG_EVERY: Duration = Duration::from_secs(60);

/// Failures in a row.
#[derive(Debug, Default)]
pub(crate) struct Setbacks {
    rest: Option<Duration>,
    /// Monotonic time of the last failure.
    failed_at: Option<Duration>,
    /// Monotonic time of the last line about them.
    logged_at: Option<Duration>,
    /// Failures since that line.
    unlogged: u64,
}

impl Setbacks {
    /// Notes a failure, logs it unless that was done within the last minute, and returns how long to rest.
    pub(crate) fn note(&mut self, partition: Partition, error: &WorkerError, now: Duration) -> Duration {
        let is_late = |at: Option<Duration>| at.is_none_or(|at| now.saturating_sub(at) >= LOG_EVERY);
        let begins_anew = is_late(self.failed_at);
        let rest = self.rest.filter(|_| !begins_anew).map_or(FIRST_REST, |rest| (2 * rest).min(LONGEST_REST));
        self.rest = Some(rest);
        self.failed_at = Some(now);
        self.unlogged += 1;
        if is_late(self.logged_at) {
            let failures = self.unlogged;
            warn!(partition = partition.0, failures, %error, "deliveries are read again from the ledger");
            self.logged_at = Some(now);
            self.unlogged = 0;
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use ledger::LedgerError;

    use super::*;

    #[test]
    fn rests_grow_to_eight_seconds_and_begin_anew_after_a_minute() {
        let error = WorkerError::from(LedgerError::Unavailable { cause: "told to".to_owned() });
        let mut setbacks = Setbacks::default();
        let mut now = Duration::ZERO;
        let mut rests = Vec::new();
        for _ in 0..8 {
            let rest = setbacks.note(Partition(1), &error, now);
            rests.push(rest.as_millis());
            now += rest;
        }
        assert_eq!(rests, [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
        assert_eq!(setbacks.unlogged, 7, "a minute has not passed since the first line");
        now += LOG_EVERY;
        assert_eq!(setbacks.note(Partition(1), &error, now), FIRST_REST);
        assert_eq!(setbacks.unlogged, 0);
    }
}

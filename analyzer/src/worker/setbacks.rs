//! Failed turns of a partition's worker: the number from which the partition is reported as blocked, and the interval of
//! logging them.

use std::time::Duration;

use common::partition::Partition;

use super::TurnError;
use crate::backlog::Reason;

/// Failed turns in a row before the partition is reported: about five seconds of pauses, more than a store needs to fail
/// over to a replica.
const MANY: u32 = 8;
/// Shortest interval between logs of a partition's failed turns: a day of failures leaves 1,440 lines.
const LOG_EVERY: Duration = Duration::from_secs(60);

/// Failed turns since the last commit.
#[derive(Debug, Default)]
pub(super) struct Setbacks {
    turns: u32,
    /// Monotonic time of the last line about them.
    logged_at: Option<Duration>,
    /// Failed turns since that line.
    unlogged: u64,
}

impl Setbacks {
    /// Notes a failed turn, and logs it unless that was done within the last minute. Returns the reason for which the
    /// partition is to be reported, where trying again does not seem to help.
    pub(super) fn note(&mut self, partition: Partition, error: &TurnError, now: Duration) -> Option<Reason> {
        self.turns = self.turns.saturating_add(1);
        self.unlogged += 1;
        let damaged = error.is_damage();
        if self.logged_at.is_none_or(|at| now.saturating_sub(at) >= LOG_EVERY) {
            let (partition, failures) = (partition.0, self.unlogged);
            if damaged {
                tracing::error!(partition, failures, %error, "the partition cannot be analysed: its ledger is damaged");
            } else {
                tracing::warn!(partition, failures, %error, "the state of the partition is reloaded from the ledger");
            }
            self.logged_at = Some(now);
            self.unlogged = 0;
        }
        if damaged {
            return Some(Reason::Damaged);
        }
        (self.turns >= MANY).then_some(Reason::Failing)
    }

    /// Ends the row of failures.
    pub(super) fn end(&mut self) {
        self.turns = 0;
    }
}

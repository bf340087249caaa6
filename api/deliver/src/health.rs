//! Whether a target has stopped answering for so long that it is disabled. Each partition judges by what it has sent;
//! before it acts, it asks the others.

use std::time::Duration;

use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

/// Successes are written down at most this often: they only have to be told from those of days ago.
const NOTED_EVERY: Duration = Duration::from_secs(3_600);
/// Between the first failure and the one that disables lies at least this, whatever is configured: one bad night is no
/// reason.
const LEAST_APART: Duration = Duration::from_secs(12 * 3_600);

/// A partition's observations of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Health {
    /// The first failure since the last success.
    pub(crate) failing_since: Option<Timestamp>,
    /// About when it last answered.
    pub(crate) last_success_at: Option<Timestamp>,
}

/// Consequence of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// Nothing new.
    Same,
    /// It is to be written down.
    Changed,
    /// It fails for so long that it should be disabled.
    Exhausted,
}

impl Health {
    pub(crate) fn succeeded(&mut self, now: Timestamp) -> Followed {
        let is_noted = self.last_success_at.is_some_and(|at| now.since(at) < NOTED_EVERY);
        if self.failing_since.is_none() && is_noted {
            return Followed::Same;
        }
        *self = Self { failing_since: None, last_success_at: Some(now) };
        Followed::Changed
    }

    /// `enabled_at`: failures before somebody enabled the target do not count.
    pub(crate) fn failed(&mut self, now: Timestamp, enabled_at: Timestamp, limit: Duration) -> Followed {
        match self.failing_since.filter(|since| *since >= enabled_at) {
            None => {
                self.failing_since = Some(now);
                Followed::Changed
            }
            Some(since) if now.since(since) >= limit.max(LEAST_APART) => Followed::Exhausted,
            Some(_) => Followed::Same,
        }
    }

    /// Whether another partition has seen the target answer since this one has not.
    pub(crate) fn contradicts(&self, failing_since: Timestamp) -> bool {
        // It may have answered again and again since the success that was noted last.
        self.last_success_at.is_some_and(|at| at.plus(NOTED_EVERY) > failing_since)
            && self.failing_since.is_none_or(|since| since > failing_since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn only_failures_without_any_success_add_up() {
        let start = Timestamp::from_millis(1_800_000_000_000);
        let at = |hours: u32| start.plus(HOUR * hours);
        let limit = HOUR * 120;
        let mut health = Health::default();
        assert_eq!(health.failed(at(0), start, limit), Followed::Changed);
        assert_eq!(health.failed(at(119), start, limit), Followed::Same);
        assert_eq!(health.succeeded(at(119)), Followed::Changed);
        assert_eq!(health.succeeded(at(119)), Followed::Same);
        assert_eq!(health.failed(at(130), start, limit), Followed::Changed);
        assert_eq!(health.failed(at(250), start, limit), Followed::Exhausted);
        assert_eq!(health.failed(at(250), at(200), limit), Followed::Changed, "enabled anew since");
        assert_eq!(health.failed(at(261), at(200), Duration::ZERO), Followed::Same, "not within half a day");
    }

    #[test]
    fn a_partition_that_gets_answers_speaks_for_the_target() {
        let since = Timestamp::from_millis(1_800_000_000_000);
        let seen = |failing_since, last_success_at| Health { failing_since, last_success_at };
        assert!(seen(None, Some(since.plus(HOUR))).contradicts(since));
        assert!(seen(Some(since.plus(HOUR * 3)), Some(since.plus(HOUR * 2))).contradicts(since));
        assert!(!seen(None, Some(since.minus(HOUR * 2))).contradicts(since));
        assert!(!seen(Some(since.minus(HOUR)), Some(since.minus(HOUR * 2))).contradicts(since));
        assert!(!Health::default().contradicts(since));
    }
}

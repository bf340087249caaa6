//! When a refused sender should come back: seconds drawn anew for each refusal from a range that follows from what
//! has to pass, so that a fleet that was refused together does not come back together.

/// What has to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryAfter {
    /// What is in flight becomes durable: seconds. The more is asked of us, the wider the range, so that those who
    /// come back within any second are no more than can be taken.
    Queue,
    /// A store comes back, a process is replaced: a minute or so.
    Restart,
    /// The analysis catches up, somebody makes room on the disk.
    Backlog,
}

/// Seconds over which those refused for the queue are spread, for each time that what can be done is asked for.
const QUEUE_SPREAD: f64 = 4.0;
/// No sender is told to wait longer for the queue: what was measured is old by then.
const MOST_QUEUE_SPREAD: u64 = 59;

impl RetryAfter {
    /// Whole seconds (RFC 9110 section 10.2.3), 1 at least. `pressure` is how many times what can be done is
    /// asked for.
    pub(crate) fn seconds(self, pressure: f64, chance: u64) -> u64 {
        let (least, spread) = match self {
            Self::Queue => (1, ((QUEUE_SPREAD * pressure) as u64).min(MOST_QUEUE_SPREAD)),
            Self::Restart => (5, 10),
            Self::Backlog => (15, 30),
        };
        least + chance % (spread + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(pressure: f64) -> (u64, u64) {
        let all = || (0..1000).map(|chance| RetryAfter::Queue.seconds(pressure, chance));
        (all().min().unwrap(), all().max().unwrap())
    }

    #[test]
    fn the_range_grows_with_the_pressure_up_to_a_minute() {
        assert_eq!(range(1.0), (1, 5));
        assert_eq!(range(2.0), (1, 9));
        assert_eq!(range(7.9), (1, 32));
        assert_eq!(range(1e9), (1, 60));
    }

    #[test]
    fn every_second_of_the_range_is_drawn() {
        let mut drawn: Vec<u64> = (0..90).map(|chance| RetryAfter::Queue.seconds(2.0, chance)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, Vec::from_iter(1..=9));
    }
}

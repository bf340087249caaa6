//! Time after which a refused sender should retry: random seconds for each refusal from a range that follows from
//! its cause, so that a fleet that was refused together does not retry together.

/// Cause to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryAfter {
    /// Batches in flight become durable: seconds. The higher the demand, the wider the range, so that the retries
    /// within any second are within capacity.
    Queue,
    /// A store recovers, a process is replaced: a minute or so.
    Restart,
    /// The analysis catches up, or an operator frees space on the disk.
    Backlog,
}

/// Seconds over which retries of requests refused for the queue are spread, for each multiple of the capacity in demand.
const QUEUE_SPREAD: f64 = 4.0;
/// Maximum waiting time for the queue: the measurements are outdated by then.
const MOST_QUEUE_SPREAD: u64 = 59;

impl RetryAfter {
    /// Whole seconds (RFC 9110 section 10.2.3), 1 at least. `pressure` is the ratio of demand to capacity.
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

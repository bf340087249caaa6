//! The thread beside the readers: serves the events of the Kafka client, commits released offsets,
//! stops reading unused partitions, and checks the lag of analysis.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use common::clock::SharedClock;

use super::error::OpenError;
use super::lag::Lag;
use super::reader::Reader;

/// Time that the thread waits for a report: the delay with which it may notice that the log is closed.
const TURN: Duration = Duration::from_millis(100);
/// Interval at which released offsets are committed to Kafka, and idle partitions are left.
const TELL_EVERY: Duration = Duration::from_secs(1);
/// Interval at which the lag of analysis is checked: hours matter, so that this is soon enough.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// Interval at which offsets are committed again: far below the shortest time that Kafka is ever
/// configured to keep the offsets of a group.
const REPEAT_EVERY: Duration = Duration::from_secs(3600);

pub(super) struct Service {
    stop: Arc<AtomicBool>,
}

impl Service {
    /// Starts the thread. It is not joined: it ends soon after the log and drops the consumer,
    /// which queries Kafka and waits.
    pub(super) fn start(reader: Arc<Reader>, lag: Arc<Lag>, clock: SharedClock) -> Result<Self, OpenError> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopping = Arc::clone(&stop);
        let run = move || {
            let mut tell = Regular::every(TELL_EVERY);
            let mut look = Regular::every(LOOK_EVERY);
            let mut repeat = Regular::every(REPEAT_EVERY);
            while !stopping.load(Ordering::Relaxed) {
                reader.serve(TURN);
                let now = clock.monotonic();
                if repeat.is_due(now) {
                    reader.tell_released_again();
                }
                if tell.is_due(now) {
                    reader.tell_released();
                    reader.leave_idle();
                }
                if look.is_due(now) {
                    lag.look();
                }
            }
            reader.tell_released();
        };
        let builder = thread::Builder::new().name("log-kafka".to_owned());
        builder.spawn(run).map_err(|source| OpenError::Thread { source })?;
        Ok(Self { stop })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Work to be done at once and then regularly.
struct Regular {
    every: Duration,
    next: Duration,
}

impl Regular {
    fn every(every: Duration) -> Self {
        Self { every, next: Duration::ZERO }
    }

    fn is_due(&mut self, now: Duration) -> bool {
        let due = now >= self.next;
        if due {
            self.next = now.saturating_add(self.every);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_regular_is_due_at_once_and_then_once_a_time() {
        let mut regular = Regular::every(Duration::from_secs(10));
        let due: Vec<u64> = (5..40).filter(|seconds| regular.is_due(Duration::from_secs(*seconds))).collect();
        assert_eq!(due, [5, 15, 25, 35]);
    }
}

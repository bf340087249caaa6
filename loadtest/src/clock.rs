//! The wall clock of a run, and its intervals.

use std::time::{Duration, Instant};

use tokio::time::{Interval, MissedTickBehavior};

/// The wall clock, read once when the run begins.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    began_ms: u64,
    began: Instant,
}

impl WallClock {
    /// A clock that goes on from the system's.
    #[expect(
        clippy::disallowed_methods,
        reason = "no internal crate here, so no Clock; the one reading of the run"
    )]
    #[must_use]
    pub fn start() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self { began_ms: u64::try_from(since.as_millis()).unwrap_or(0), began: Instant::now() }
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.began_ms + u64::try_from(self.began.elapsed().as_millis()).unwrap_or(0)
    }
}

/// Turns at a steady interval, the first at once. Missed ones are not made up for.
#[must_use]
pub fn turns(every: Duration) -> Interval {
    let mut turns = tokio::time::interval(every);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turns
}

//! What work costs the thread that does it, in processor time.

use std::time::Duration;

/// Does the work; what it came to, and the processor time that this thread spent on it.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = spent();
    let result = work();
    (result, spent() - before)
}

/// The median of rounds, nanoseconds for each of so many records. There is a round at least.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "some thousand records")]
pub fn median_nanoseconds(rounds: &[Duration], records: usize) -> f64 {
    let mut rounds = rounds.to_vec();
    rounds.sort_unstable();
    rounds[rounds.len() / 2].as_secs_f64() * 1e9 / records as f64
}

fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // No thread has spent less than nothing.
    Duration::new(time.tv_sec.try_into().unwrap_or_default(), time.tv_nsec.try_into().unwrap_or_default())
}

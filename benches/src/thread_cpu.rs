//! Cost of work for its thread, in processor time.

use std::time::Duration;

use criterion::Criterion;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};

/// Benchmarks that are measured in processor time of the thread, so that other load hardly matters, and
/// short enough that all stages are measured in minutes.
#[must_use]
pub fn criterion() -> Criterion<ThreadCpu> {
    Criterion::default()
        .with_measurement(ThreadCpu)
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args()
}

/// Processor time that the thread has spent.
#[derive(Clone, Copy, Debug)]
pub struct ThreadCpu;

/// Formats durations as criterion does.
static WALL_TIME: WallTime = WallTime;

impl Measurement for ThreadCpu {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        spent()
    }

    fn end(&self, before: Duration) -> Duration {
        spent() - before
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WALL_TIME.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WALL_TIME.formatter()
    }
}

/// Does the work; returns its result and the processor time that this thread spent on it.
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

//! Settings of delivery: when it is tried again, how much of it at once, and what is kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Milliseconds between two looks for new events. Default 200: one small read for each partition.
    pub poll_milliseconds: u64,
    /// Seconds from each failed attempt to the next; the first attempt is made at once. Default 5 s, 5 min, 30 min,
    /// 2 h, 5 h, 10 h, 10 h: eight attempts in 28 hours, as receivers know it from other services.
    pub retry_seconds: Vec<u64>,
    /// Percent by which each of them is shortened or lengthened at random, so that what failed together does not come
    /// back together. Default 20.
    pub jitter_percent: u8,
    /// Requests under way at once in this process. Default 512. A quarter of them are for targets that fail.
    pub concurrency: usize,
    /// Requests under way at once to one target, for each partition. Default 8: 80 events a second at 100 ms each.
    /// A target whose last attempts failed gets one at a time.
    pub target_concurrency: usize,
    /// Deliveries that wait for one target, for each partition. Default 1000. What comes on top of them fails at once,
    /// and can be recovered; but while a target works, what comes in a burst waits its turn.
    pub target_backlog: usize,
    /// Deliveries that wait in each partition, all targets together. Default 100,000, about 20 MB. Beyond that a target
    /// may have 20 that wait.
    pub backlog: usize,
    /// Hours of failure without one success after which a target is disabled. Default 120.
    pub disable_after_hours: u64,
    /// Days that events and what became of them are kept. Default 30.
    pub retention_days: u64,
    /// Deliveries of each partition that are kept however young they are. Default 1,000,000, about 500 MB; beyond that
    /// the oldest are forgotten, those that wait too.
    pub kept_deliveries: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            poll_milliseconds: 200,
            retry_seconds: vec![5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
            jitter_percent: 20,
            concurrency: 512,
            target_concurrency: 8,
            target_backlog: 1_000,
            backlog: 100_000,
            disable_after_hours: 120,
            retention_days: 30,
            kept_deliveries: 1_000_000,
        }
    }
}

impl Config {
    pub(crate) fn poll(&self) -> Duration {
        Duration::from_millis(self.poll_milliseconds.max(1))
    }

    pub(crate) fn disable_after(&self) -> Duration {
        Duration::from_secs(self.disable_after_hours.saturating_mul(3_600))
    }

    pub(crate) fn retention(&self) -> Duration {
        Duration::from_secs(self.retention_days.saturating_mul(86_400))
    }
}

//! Settings of the analyzer: bounds of its memory and interval of its commits.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of the analyzer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Threads that match rules, for all partitions together. Default 0: one per core.
    pub threads: usize,
    /// Maximum time between a finding and its commit, in milliseconds. Default 250: imperceptible to people, and long
    /// compared with a ledger commit.
    pub flush_interval_ms: u64,
    /// Bytes of batches prefetched per partition. Default 4 MiB: about one second of a busy partition; a larger batch
    /// is read alone.
    pub prefetch_bytes: usize,
    /// Days after which a resolved incident no longer receives findings; the next finding then opens a new episode, so
    /// that no activity is suppressed permanently. Default 30.
    pub resolved_retention_days: u32,
    /// Maximum number of groups of one correlation, and of entities with risk, per partition. Default 100,000;
    /// `window_bytes` limits all of them together. One organization may use at most three quarters of it, and less if
    /// others have many groups too. Beyond its share, new groups of the organization are counted by network, then by
    /// source. A limit below a few hundred cannot be shared fairly.
    pub groups_per_rule: usize,
    /// Memory limit of the windows of one partition in bytes, including times and identities of their events. Default
    /// 256 MiB: about ten thousand simultaneous attackers, each in a dozen windows. One organization may use at most
    /// three quarters of it, and less if others use much too. Beyond its share, new groups of the organization are
    /// counted for the source as a whole until windows end; other organizations are not affected.
    pub window_bytes: usize,
    /// Incidents cached in memory per partition. Default 2,000; others are read from the ledger when a finding joins
    /// them.
    pub cached_incidents: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            threads: 0,
            flush_interval_ms: 250,
            prefetch_bytes: 4 * 1024 * 1024,
            resolved_retention_days: 30,
            groups_per_rule: 100_000,
            window_bytes: 256 * 1024 * 1024,
            cached_incidents: 2_000,
        }
    }
}

impl Config {
    pub(crate) fn flush_interval(&self) -> Duration {
        Duration::from_millis(self.flush_interval_ms)
    }

    pub(crate) fn resolved_retention(&self) -> Duration {
        Duration::from_secs(u64::from(self.resolved_retention_days) * 24 * 60 * 60)
    }
}

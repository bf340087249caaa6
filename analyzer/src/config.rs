//! Settings of the analyzer: what bounds its memory and how often it commits.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of the analyzer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Threads that match rules, for all partitions together. Default 0: one per core.
    pub threads: usize,
    /// Longest time between a finding and its commit, milliseconds. Default 250: a person cannot
    /// tell, and a ledger commit costs milliseconds.
    pub flush_interval_ms: u64,
    /// Bytes of batches read ahead per partition. Default 4 MiB: a second of a busy partition; a larger batch is
    /// read alone.
    pub prefetch_bytes: usize,
    /// Days after its review until a resolved incident no longer takes in findings: the next one
    /// opens a new episode, so that nothing is silenced for ever. Default 30.
    pub resolved_retention_days: u32,
    /// Groups that one correlation, and entities that the risk of a partition, may have per partition. Default 100,000;
    /// `window_bytes` bounds all of them together. One organization has three quarters of it at most, and less where
    /// others have many too. Beyond its share, what is new of that organization is counted by network, then by source.
    /// Below a few hundred there is little to share out.
    pub groups_per_rule: usize,
    /// Bytes that the windows of one partition may take, with the times and identities of their events. Default
    /// 256 MiB: some ten thousand attackers at a time, each in a dozen windows. One organization has three quarters of
    /// it at most, and less where others hold much too. Beyond its share, what is new of that organization is counted
    /// for the source as a whole until windows end; others keep telling addresses apart.
    pub window_bytes: usize,
    /// Incidents kept in memory per partition. Default 2,000; the others are read back from the ledger
    /// when a finding touches them.
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

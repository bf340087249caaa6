//! Settings of findings, with defaults and units.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of findings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Credits of an automated triage that has a result. Default 1.
    pub triage_price: u64,
    /// The read index behind lists.
    pub index: IndexConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self { triage_price: 1, index: IndexConfig::default() }
    }
}

/// Settings of the read index.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Memory limit of the indexes of all organizations together, in bytes; beyond it the least recently used are evicted.
    /// Default 1 GiB.
    pub memory_bytes: usize,
    /// Memory limit of the index of one organization, in bytes; beyond it lists contain the newest findings only, with a
    /// marker. Default 640 MiB, about a million findings.
    pub organization_bytes: usize,
    /// Seconds without a list request after which an organization's index is dropped. Default 900.
    pub idle_seconds: u64,
    /// Poll interval of the change feeds of a loaded index in milliseconds, at least 1: the maximum lag of lists behind
    /// writes of other processes. Default 200.
    pub poll_milliseconds: u64,
}

impl Default for IndexConfig {
    fn default() -> Self {
        Self {
            memory_bytes: 1024 * 1024 * 1024,
            organization_bytes: 640 * 1024 * 1024,
            idle_seconds: 15 * 60,
            poll_milliseconds: 200,
        }
    }
}

impl IndexConfig {
    /// The limits as the index takes them.
    pub(crate) fn limits(&self) -> index::Config {
        index::Config {
            memory_bytes: self.memory_bytes,
            organization_bytes: self.organization_bytes,
            idle: Duration::from_secs(self.idle_seconds),
            poll: Duration::from_millis(self.poll_milliseconds.max(1)),
        }
    }
}

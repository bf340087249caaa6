//! Settings of an index, with defaults and units. The same for every resource that has them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::slots::Config;

/// Settings of the read index of one resource.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Memory limit of the indexes of all organizations together, in bytes; beyond it the least recently used are evicted.
    /// Default 1 GiB.
    pub memory_bytes: usize,
    /// Memory limit of the index of one organization, in bytes; beyond it lists contain the newest resources only, with a
    /// marker. Default 512 MiB, about a million incidents or findings.
    pub organization_bytes: usize,
    /// Seconds without a list request after which an organization's index is dropped. Default 900.
    pub idle_seconds: u64,
    /// Poll interval of the change feeds of a loaded index in milliseconds, at least 1: the maximum lag of lists behind writes
    /// of other processes. Default 200.
    pub poll_milliseconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            memory_bytes: 1024 * 1024 * 1024,
            organization_bytes: 512 * 1024 * 1024,
            idle_seconds: 15 * 60,
            poll_milliseconds: 200,
        }
    }
}

impl Settings {
    /// The limits as the index takes them.
    #[must_use]
    pub fn limits(&self) -> Config {
        Config {
            memory_bytes: self.memory_bytes,
            organization_bytes: self.organization_bytes,
            idle: Duration::from_secs(self.idle_seconds),
            poll: Duration::from_millis(self.poll_milliseconds.max(1)),
        }
    }
}

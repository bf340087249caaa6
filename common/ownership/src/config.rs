//! Interval of a member's heartbeats, and the time that the others wait for it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Beats that must fit into a lease: one that is lost or late must not cost a member its partitions.
const LEAST_BEATS: u64 = 3;
/// Parts of a lease that one beat may take: a call that hangs is abandoned and retried in time.
const TRIES_IN_A_LEASE: u32 = 3;

/// Settings of shared work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Heartbeat interval of a member in milliseconds, 100 to 60,000. Default 1000: one small commit a second.
    pub beat_milliseconds: u64,
    /// Milliseconds without a heartbeat after which a member is considered dead, at least three heartbeats. Default
    /// 5000: a short interruption, with time to retry a failed heartbeat. A lower value costs only work: another
    /// member reloads the partitions of a live one.
    pub lease_milliseconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { beat_milliseconds: 1_000, lease_milliseconds: 5_000 }
    }
}

impl Config {
    /// The shortest lease for this beat.
    #[must_use]
    pub fn shortest_lease_milliseconds(&self) -> u64 {
        self.beat_milliseconds.saturating_mul(LEAST_BEATS)
    }

    pub(crate) fn beat(&self) -> Duration {
        Duration::from_millis(self.beat_milliseconds)
    }

    pub(crate) fn longest_try(&self) -> Duration {
        self.lease() / TRIES_IN_A_LEASE
    }

    pub(crate) fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_milliseconds)
    }

    pub(crate) fn beats_in_a_lease(&self) -> u64 {
        self.lease_milliseconds / self.beat_milliseconds.max(1)
    }
}

//! Settings of applications, with defaults and units.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of applications.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Requests a minute to an application whose `request_throttle_rpm` is null. Default 60.
    pub requests_per_minute: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { requests_per_minute: 60 }
    }
}

/// Limits of the index of assets: an asset takes about 300 bytes, so that an organization has room for 800,000.
pub(crate) const INDEX: index::Config = index::Config {
    memory_bytes: 512 << 20,
    organization_bytes: 256 << 20,
    idle: Duration::from_secs(15 * 60),
    poll: Duration::from_millis(200),
};

//! What an operator can set about the API, with defaults and units. Nothing is read from the environment here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of the API.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Requests one API key may make per minute, at least 1; the same number may come at once after a quiet minute.
    /// Default 600.
    pub requests_per_minute: u32,
    /// Requests with an `Idempotency-Key` that are remembered per organization, at least 1, each for 24 hours; beyond
    /// that the oldest finished ones are forgotten. Default 100,000, some 150 MiB of the ledger.
    pub idempotency_keys_per_organization: u64,
    /// The same per API key, so that no key of an organization displaces what is remembered of all others. Default
    /// 10,000.
    pub idempotency_keys_per_api_key: u64,
    /// Requests all API keys of an organization may make together per minute, as many at once after a quiet minute.
    /// Default 3,000, five keys at their limit; never less than `requests_per_minute`.
    pub organization_requests_per_minute: u32,
    /// The read index behind lists.
    pub index: IndexConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            requests_per_minute: 600,
            organization_requests_per_minute: 3_000,
            idempotency_keys_per_organization: 100_000,
            idempotency_keys_per_api_key: 10_000,
            index: IndexConfig::default(),
        }
    }
}

impl Config {
    /// The limit of an organization that is in force.
    pub(crate) fn organization_requests_per_minute(&self) -> u32 {
        self.organization_requests_per_minute.max(self.requests_per_minute)
    }
}

/// Settings of the read index.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Memory that the indexes of all organizations may take together, in bytes; the least recently used are
    /// dropped above it. Default 1 GiB.
    pub memory_bytes: usize,
    /// Memory that the index of one organization may take, in bytes; above it lists tell of the newest incidents
    /// only and say so. Default 256 MiB, some 500,000 incidents.
    pub organization_bytes: usize,
    /// Seconds without a list request after which an organization's index is dropped. Default 900.
    pub idle_seconds: u64,
    /// Milliseconds between two looks at the change feeds while an index is loaded, at least 1: how far a list may
    /// lag behind writes of other processes. Default 200.
    pub poll_milliseconds: u64,
}

impl Default for IndexConfig {
    fn default() -> Self {
        Self {
            memory_bytes: 1024 * 1024 * 1024,
            organization_bytes: 256 * 1024 * 1024,
            idle_seconds: 15 * 60,
            poll_milliseconds: 200,
        }
    }
}

impl IndexConfig {
    pub(crate) fn idle(&self) -> Duration {
        Duration::from_secs(self.idle_seconds)
    }

    pub(crate) fn poll(&self) -> Duration {
        Duration::from_millis(self.poll_milliseconds.max(1))
    }

    /// The budget of one organization, never more than that of all together.
    pub(crate) fn organization_budget(&self) -> usize {
        self.organization_bytes.min(self.memory_bytes)
    }
}

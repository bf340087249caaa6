//! Settings of the API, with defaults and units. Nothing is read from the environment here.

use std::time::Duration;

use rest::kit::Limits;
use serde::{Deserialize, Serialize};

/// Settings of the API.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Requests per minute of one API key, at least 1; bursts of the same size are allowed after an idle minute.
    /// Default 600.
    pub requests_per_minute: u32,
    /// Idempotency keys stored per organization, at least 1, each for 24 hours; beyond that the oldest completed ones
    /// are evicted. Default 100,000, about 150 MiB of the ledger.
    pub idempotency_keys_per_organization: u64,
    /// Idempotency keys stored per API key, so that one key cannot evict those of all others. Default 10,000.
    pub idempotency_keys_per_api_key: u64,
    /// Requests per minute of all API keys of an organization together; bursts of the same size are allowed after an
    /// idle minute. Default 3,000, five keys at their limit; never less than `requests_per_minute`.
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
    /// The limits of clients that are in force.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            requests_per_minute: self.requests_per_minute,
            organization_requests_per_minute: self
                .organization_requests_per_minute
                .max(self.requests_per_minute),
            idempotency_keys_per_organization: self.idempotency_keys_per_organization,
            idempotency_keys_per_api_key: self.idempotency_keys_per_api_key,
        }
    }
}

/// Settings of the read index.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Memory limit of the indexes of all organizations together, in bytes; beyond it the least recently used are
    /// evicted. Default 1 GiB.
    pub memory_bytes: usize,
    /// Memory limit of the index of one organization, in bytes; beyond it lists contain the newest incidents only,
    /// with a marker. Default 256 MiB, about 500,000 incidents.
    pub organization_bytes: usize,
    /// Seconds without a list request after which an organization's index is dropped. Default 900.
    pub idle_seconds: u64,
    /// Poll interval of the change feeds of a loaded index in milliseconds, at least 1: the maximum lag of lists
    /// behind writes of other processes. Default 200.
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

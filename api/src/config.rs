//! Settings of the API, with defaults and units. Nothing is read from the environment here.

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
    pub index: index::Settings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            requests_per_minute: 600,
            organization_requests_per_minute: 3_000,
            idempotency_keys_per_organization: 100_000,
            idempotency_keys_per_api_key: 10_000,
            index: index::Settings::default(),
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

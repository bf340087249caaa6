//! Settings of guard, redact and verify, with defaults and units. Nothing is read from the environment here.

use rest::family::Rate;
use serde::{Deserialize, Serialize};

/// Settings of guard, redact and verify.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Requests per minute of one API key, counted apart from those to the organization API, at least 1. Default 6,000.
    pub requests_per_minute: u32,
    /// Requests per minute of all API keys of an organization together; never less than `requests_per_minute`. Default
    /// 30,000.
    pub organization_requests_per_minute: u32,
    /// Credits of one request. Default 0.
    pub price: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { requests_per_minute: 6_000, organization_requests_per_minute: 30_000, price: 0 }
    }
}

impl Config {
    pub(crate) fn rate(&self) -> Rate {
        Rate {
            of_key: self.requests_per_minute,
            of_organization: self.organization_requests_per_minute.max(self.requests_per_minute),
        }
    }
}

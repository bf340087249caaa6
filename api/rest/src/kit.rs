//! Stores, clock and limits that the handlers of all resources share.

use std::sync::Arc;

use common::clock::SharedClock;
use credits::Credits;
use directory::{Authenticator, Directory};
use ledger::Ledger;
use records::Records;

/// Limits of clients.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests per minute of one API key, at least 1.
    pub requests_per_minute: u32,
    /// Requests per minute of all API keys of an organization together; never less than that of one key.
    pub organization_requests_per_minute: u32,
    /// Idempotency keys that are stored per organization, at least 1.
    pub idempotency_keys_per_organization: u64,
    /// Idempotency keys that are stored per API key, at least 1.
    pub idempotency_keys_per_api_key: u64,
}

/// Dependencies of the handlers of every resource. A resource crate keeps it in its own state.
pub struct Kit {
    /// Source of truth of all resources.
    pub ledger: Arc<dyn Ledger>,
    /// Organizations, keys and settings resources, in the same ledger.
    pub directory: Arc<Directory>,
    /// Balances and reservations, in the same ledger.
    pub credits: Credits,
    /// Records of organizations, in the same ledger.
    pub records: Records,
    /// Clock of timestamps, rates and deadlines.
    pub clock: SharedClock,
    /// The specification's `{base_url}`, without a trailing slash.
    pub base_url: String,
    /// Number of partitions of the log, fixed for the life of a deployment.
    pub partitions: u16,
    /// API keys in force.
    pub authenticator: Arc<Authenticator>,
    /// Limits of clients.
    pub limits: Limits,
}

impl Kit {
    /// A kit over the ledger of a directory.
    #[must_use]
    pub fn new(
        ledger: Arc<dyn Ledger>,
        (directory, authenticator): (Arc<Directory>, Arc<Authenticator>),
        clock: SharedClock,
        (base_url, partitions): (String, u16),
        limits: Limits,
    ) -> Self {
        Self {
            records: Records::new(Arc::clone(&ledger), partitions, directory.new_id()),
            credits: Credits::new(Arc::clone(&ledger), Arc::clone(&clock)),
            ledger,
            directory,
            authenticator,
            clock,
            base_url,
            partitions,
            limits,
        }
    }
}

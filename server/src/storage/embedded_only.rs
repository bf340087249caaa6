//! Stands in for `distributed` in a build without the feature `cluster`: every call fails because the back ends are missing.

use std::sync::Arc;

use common::clock::SharedClock;
use durable_log::{DurableLog, kafka_config};
use ledger::cql_config;
use thiserror::Error;

use super::{Ledgers, StorageError};
use crate::settings::Settings;

/// Kafka and CQL are configured, but this program does not contain them.
#[derive(Debug, Error)]
#[error(
    "settings kafka and cql are set, and this binary was built without them: use a released binary or the container, or build \
     with `cargo build --release --features cluster`"
)]
pub(crate) struct DistributedError;

impl DistributedError {
    #[expect(clippy::unused_self, reason = "the same signature as with the feature")]
    pub(super) fn is_unprepared(&self) -> bool {
        false
    }
}

pub(super) fn check() -> Result<(), DistributedError> {
    Err(DistributedError)
}

pub(super) async fn open_ledgers(
    _: &Settings,
    _: &kafka_config::Config,
    _: &cql_config::Config,
    _: &SharedClock,
) -> Result<Ledgers, StorageError> {
    Err(DistributedError.into())
}

pub(super) async fn prepare(
    _: &Settings,
    _: &kafka_config::Config,
    _: &cql_config::Config,
    _: &SharedClock,
) -> Result<Ledgers, StorageError> {
    Err(DistributedError.into())
}

pub(super) async fn open_log(
    _: &kafka_config::Config,
    _: &SharedClock,
) -> Result<Arc<dyn DurableLog>, StorageError> {
    Err(DistributedError.into())
}

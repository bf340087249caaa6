//! The back ends of a distributed deployment: Kafka and a CQL cluster. A process that
//! serves changes the schema of neither; that is done once, when the deployment is prepared.

use std::sync::Arc;

use common::clock::SharedClock;
use common::pepper::Pepper;
use directory::Directory;
use directory::deployment::{self, DeploymentError, DeploymentSettings, StoreFormats};
use durable_log::{DurableLog, kafka, kafka_config};
use ledger::cql::{self, CqlLedger};
use ledger::cql_config;
use thiserror::Error;

use super::pepper::{self, PepperError};
use super::{Ledgers, StorageError};
use crate::settings::Settings;

/// Neither store can hold its format version, so the deployment records both.
const FORMATS: StoreFormats = StoreFormats { ledger: ledger::FORMATS, log: durable_log::FORMATS };

/// Reason why one of the two cannot be opened.
#[derive(Debug, Error)]
pub(crate) enum DistributedError {
    /// The ledger in a cluster.
    #[error("the ledger in CQL cannot be opened")]
    Cql(#[from] cql::ConnectError),
    /// The log in Kafka.
    #[error("the log in Kafka cannot be opened")]
    Kafka(#[from] kafka::OpenError),
}

impl DistributedError {
    pub(super) fn is_unprepared(&self) -> bool {
        matches!(self, Self::Cql(cql::ConnectError::SchemaMissing { .. }))
    }
}

/// Checks that both can be used.
pub(super) fn check() -> Result<(), DistributedError> {
    Ok(())
}

async fn connect(config: &cql_config::Config) -> Result<CqlLedger, DistributedError> {
    Ok(Box::pin(cql::connect(config)).await?)
}

pub(super) async fn open_ledgers(
    settings: &Settings,
    kafka: &kafka_config::Config,
    config: &cql_config::Config,
    clock: &SharedClock,
) -> Result<Ledgers, StorageError> {
    let pepper = match pepper::read(settings) {
        Err(missing @ PepperError::Missing { .. }) => {
            return Err(Box::pin(explain_missing_pepper(missing, config, clock)).await);
        }
        read => read?,
    };
    let ledgers = Ledgers::new(Arc::new(connect(config).await?), clock, pepper);
    deployment::check(&ledgers.directory, FORMATS, &settings_of(kafka)).await?;
    Ok(ledgers)
}

/// Before the deployment is prepared there is no pepper, and the error names the command that creates one.
async fn explain_missing_pepper(
    missing: PepperError,
    config: &cql_config::Config,
    clock: &SharedClock,
) -> StorageError {
    let ledger = match cql::connect(config).await {
        Ok(ledger) => Arc::new(ledger),
        Err(error @ cql::ConnectError::SchemaMissing { .. }) => return DistributedError::from(error).into(),
        // The pepper is missing whatever the ledger contains.
        Err(_) => return missing.into(),
    };
    // The record of a deployment is read without any secret.
    let directory = Directory::new(ledger, Arc::clone(clock), Pepper::new([0; 32]));
    match deployment::is_recorded(&directory).await {
        Ok(false) => DeploymentError::Missing.into(),
        _ => missing.into(),
    }
}

/// Creates keyspace, table and topic if they are missing and that is allowed, and records the settings that all processes
/// share. The pepper is the step before: the recorded hashes must remain verifiable. The topic of a deployment
/// that is already recorded is never created again: it contained batches.
pub(super) async fn prepare(
    settings: &Settings,
    kafka: &kafka_config::Config,
    config: &cql_config::Config,
    clock: &SharedClock,
) -> Result<Ledgers, StorageError> {
    let pepper = pepper::read_or_make(settings)?;
    Box::pin(cql::create_schema(config)).await.map_err(DistributedError::from)?;
    let ledgers = Ledgers::new(Arc::new(connect(config).await?), clock, pepper);
    if deployment::is_recorded(&ledgers.directory).await.map_err(DeploymentError::from)? {
        deployment::check(&ledgers.directory, FORMATS, &settings_of(kafka)).await?;
        open_log(kafka, clock).await?;
        return Ok(ledgers);
    }
    kafka::open(kafka, Arc::clone(clock)).await.map_err(DistributedError::from)?;
    deployment::record(&ledgers.directory, FORMATS, &settings_of(kafka)).await?;
    Ok(ledgers)
}

/// A missing topic is an alarm, not a reason to create another: its batches are lost with it.
pub(super) async fn open_log(
    kafka: &kafka_config::Config,
    clock: &SharedClock,
) -> Result<Arc<dyn DurableLog>, StorageError> {
    let config = kafka_config::Config { create_topic: false, ..kafka.clone() };
    Ok(Arc::new(kafka::open(&config, Arc::clone(clock)).await.map_err(DistributedError::from)?))
}

fn settings_of(kafka: &kafka_config::Config) -> DeploymentSettings {
    let (log, group) = (kafka.topic.clone(), kafka.consumer_group.clone());
    DeploymentSettings { partitions: kafka.partitions, log, group }
}

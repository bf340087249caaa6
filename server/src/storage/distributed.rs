//! The back ends of a deployment of many processes: Kafka and a cluster that speaks CQL. A process that
//! serves changes neither's shape; that is done once, when the deployment is prepared.

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

/// Neither store has a place of its own for its format version, so the deployment records both.
const FORMATS: StoreFormats = StoreFormats { ledger: ledger::FORMATS, log: durable_log::FORMATS };

/// Why one of the two cannot be opened.
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

/// Both can be used.
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

/// Before the deployment is prepared nobody has a pepper, and the command that makes one is the message.
async fn explain_missing_pepper(
    missing: PepperError,
    config: &cql_config::Config,
    clock: &SharedClock,
) -> StorageError {
    let ledger = match cql::connect(config).await {
        Ok(ledger) => Arc::new(ledger),
        Err(error @ cql::ConnectError::SchemaMissing { .. }) => return DistributedError::from(error).into(),
        // The pepper is missing whatever the ledger would say.
        Err(_) => return missing.into(),
    };
    // Whether a deployment is recorded is read without any secret.
    let directory = Directory::new(ledger, Arc::clone(clock), Pepper::new([0; 32]));
    match deployment::is_recorded(&directory).await {
        Ok(false) => DeploymentError::Missing.into(),
        _ => missing.into(),
    }
}

/// Makes keyspace, table and topic where they are missing and that is allowed, and records the settings that all processes share. The
/// pepper is the one step before: what is recorded must be readable tomorrow. The topic of a deployment that
/// is recorded already is never made again: it held batches.
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

/// A topic that is gone is an alarm, not a reason to make another: what it held is gone with it.
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

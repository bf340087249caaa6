//! `palisade config`: whether the configuration holds together, and what it is.

use std::sync::Arc;

use common::clock::{Clock, SharedClock, SystemClock};
use secrets::KeyEncryptionKeys;

use super::{chain, print, runtime};
use crate::cli::{Common, ConfigCommand, Serve};
use crate::serve::rules;
use crate::settings::{self, BackEnds, Settings};
use crate::storage::StorageError;
use crate::{Failure, certificates, storage};

pub(super) fn run(command: &ConfigCommand, common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    match command {
        ConfigCommand::Check => check(&settings),
        // JSON, because it is read by people and programs alike; secrets write themselves as redacted.
        ConfigCommand::Print => print(&serde_json::to_string_pretty(&settings)?),
    }
}

fn check(settings: &Settings) -> Result<(), Failure> {
    storage::check_directory(&settings.data_dir)?;
    redact::Redactor::new(&settings.redaction)?;
    if let Some(keys) = &settings.secrets.key_encryption_keys {
        KeyEncryptionKeys::parse(keys.expose())?;
    }
    certificates::check(settings, SystemClock::new().now())?;
    rules::load(&settings.rules, &SystemClock::new())?;
    if let BackEnds::Distributed { kafka, cql } = settings.back_ends() {
        kafka.check()?;
        cql.check()?;
    }
    let deployment = compare(settings)?;
    print(&format!("the configuration holds together; {deployment}"))
}

/// Compares the configuration, its pepper included, with the ledger of the deployment. A ledger that does not answer is
/// no fault of the configuration.
fn compare(settings: &Settings) -> Result<String, Failure> {
    let clock: SharedClock = Arc::new(SystemClock::new());
    let opened = runtime()?.block_on(Box::pin(storage::open_existing(settings, &clock)));
    match opened {
        Ok(_) => Ok("it fits the ledger of the deployment".to_owned()),
        Err(error) if error.is_unprepared() => {
            Ok("the deployment is not prepared yet: run `palisade init`".to_owned())
        }
        Err(StorageError::Cql(error)) => {
            Ok(format!("it was not compared with the ledger, which cannot be asked: {}", chain(&error)))
        }
        Err(error) => Err(error.into()),
    }
}

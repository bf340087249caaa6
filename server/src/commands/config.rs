//! `palisade config`: checks and prints the configuration.

use std::sync::Arc;

use common::clock::{Clock, SharedClock, SystemClock};
use secrets::KeyEncryptionKeys;
use thiserror::Error;

use super::{code_host, print, runtime};
use crate::cli::{Common, ConfigCommand, Serve};
use crate::serve::rules;
use crate::settings::{self, BackEnds, Settings};
use crate::storage::StorageError;
use crate::{Failure, certificates, storage};

/// The settings are valid by themselves, but do not match the deployment.
#[derive(Debug, Error)]
#[error(
    "the settings are valid, but differ from those recorded for the deployment, or its ledger cannot be \
    read (--offline skips the comparison)"
)]
struct NotCompared {
    source: StorageError,
}

pub(super) fn run(command: &ConfigCommand, common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    match command {
        ConfigCommand::Check { offline } => check(&settings, *offline),
        // JSON, because it is read by people and programs alike; secrets are serialized as redacted.
        ConfigCommand::Print => print(&serde_json::to_string_pretty(&settings)?),
    }
}

fn check(settings: &Settings, offline: bool) -> Result<(), Failure> {
    storage::check_directory(&settings.data_dir)?;
    redact::Redactor::new(&settings.redaction)?;
    if settings.code_host.github.is_some() {
        code_host::client(settings, &(Arc::new(SystemClock::new()) as SharedClock))?;
    }
    if let Some(keys) = &settings.secrets.key_encryption_keys {
        KeyEncryptionKeys::parse(keys.expose())?;
    }
    certificates::check(settings, SystemClock::new().now())?;
    rules::load(&settings.rules, &SystemClock::new())?;
    if let BackEnds::Distributed { kafka, cql } = settings.back_ends() {
        kafka.check()?;
        cql.check()?;
    }
    storage::check_back_ends(settings)?;
    let deployment = if offline { "it was not compared with the ledger" } else { compare(settings)? };
    print(&format!("the configuration is valid; {deployment}"))
}

/// Compares the configuration, its pepper included, with the ledger of the deployment.
///
/// # Errors
/// When they differ, and when the ledger cannot be read: an uncompared configuration is not yet valid.
fn compare(settings: &Settings) -> Result<&'static str, Failure> {
    let clock: SharedClock = Arc::new(SystemClock::new());
    match runtime()?.block_on(Box::pin(storage::open_existing(settings, &clock))) {
        Ok(_) => Ok("it matches the ledger of the deployment"),
        Err(error) if error.is_unprepared() => Ok("the deployment is not prepared yet: run `palisade init`"),
        Err(source) => Err(NotCompared { source }.into()),
    }
}

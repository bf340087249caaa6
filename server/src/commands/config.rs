//! `palisade config`: whether the configuration holds together, and what it is.

use common::clock::SystemClock;
use secrets::KeyEncryptionKeys;

use super::print;
use crate::Failure;
use crate::cli::{Common, ConfigCommand, Serve};
use crate::serve::rules;
use crate::settings::{self, BackEnds};

pub(super) fn run(command: &ConfigCommand, common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    match command {
        ConfigCommand::Check => {
            redact::Redactor::new(&settings.redaction)?;
            if let Some(keys) = &settings.secrets.key_encryption_keys {
                KeyEncryptionKeys::parse(keys.expose())?;
            }
            rules::load(&settings.rules, &SystemClock::new())?;
            if let BackEnds::Distributed { kafka, cql } = settings.back_ends() {
                kafka.check()?;
                cql.check()?;
            }
            print("the configuration holds together")
        }
        // JSON, because it is read by people and programs alike; secrets write themselves as redacted.
        ConfigCommand::Print => print(&serde_json::to_string_pretty(&settings)?),
    }
}

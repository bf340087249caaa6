//! Consistency of the parts of a data directory: the ledger records the id that the log was made under and a check of
//! the pepper, once, at the first start. Every later start compares both, so that a part of another deployment, or of
//! another backup of it, is noticed before anything is read with it.

use std::fmt;

use ledger::LedgerId;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::pepper_check;
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::rows::DATA_DIRECTORY;

/// Names a deployment on one machine: a random number, kept in its log and in its ledger. No secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeploymentId(pub u64);

impl fmt::Display for DeploymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Stored form.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    id: DeploymentId,
    /// Proves that a pepper is the same without telling it.
    pepper_check: String,
}

/// Reason why the parts of a data directory do not belong together.
#[derive(Debug, Error)]
pub enum DataDirectoryError {
    /// Nothing is recorded: the ledger was replaced.
    #[error("the ledger does not record which log and pepper belong to it")]
    NotRecorded,
    /// The log is that of another deployment.
    #[error(
        "the log is that of deployment {found}, expected that of deployment {expected}, which the ledger records"
    )]
    Log {
        /// The id in the ledger.
        expected: DeploymentId,
        /// The id in the log.
        found: DeploymentId,
    },
    /// Another pepper.
    #[error(
        "the pepper is not the one whose check the ledger of deployment {id} records: no API key would be recognised"
    )]
    Pepper {
        /// The id in the ledger.
        id: DeploymentId,
    },
    /// The record cannot be read or written.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// Records a new deployment under the id of its log; one that is recorded must be the same.
///
/// # Errors
/// [`DataDirectoryError`], but not `NotRecorded`.
pub async fn record(directory: &Directory, log: DeploymentId) -> Result<(), DataDirectoryError> {
    let mut attempts = directory.attempts(LedgerId::Platform);
    while attempts.next().await.map_err(DirectoryError::from)? {
        if let Some(recorded) = read(directory).await? {
            return compare(directory, &recorded, log);
        }
        let record = Record { id: log, pepper_check: pepper_check(directory) };
        let row = put(DATA_DIRECTORY.to_vec(), &record).map_err(DirectoryError::from)?;
        if attempts.commit(vec![row]).await.map_err(DirectoryError::from)? {
            return Ok(());
        }
    }
    Err(DirectoryError::Conflict.into())
}

/// Whether the log under this id and the pepper of the directory belong to the ledger.
///
/// # Errors
/// [`DataDirectoryError`], which says which of them does not.
pub async fn check(directory: &Directory, log: DeploymentId) -> Result<(), DataDirectoryError> {
    let recorded = read(directory).await?.ok_or(DataDirectoryError::NotRecorded)?;
    compare(directory, &recorded, log)
}

async fn read(directory: &Directory) -> Result<Option<Record>, DirectoryError> {
    directory.read(LedgerId::Platform, DATA_DIRECTORY).await
}

fn compare(directory: &Directory, recorded: &Record, log: DeploymentId) -> Result<(), DataDirectoryError> {
    if recorded.id != log {
        return Err(DataDirectoryError::Log { expected: recorded.id, found: log });
    }
    if recorded.pepper_check != pepper_check(directory) {
        return Err(DataDirectoryError::Pepper { id: recorded.id });
    }
    Ok(())
}

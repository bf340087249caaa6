//! Settings that all processes of a deployment must share: recorded once, when it is prepared, and compared by
//! every process that starts. Two that disagree would look for incidents in different places, or know no
//! key.

pub mod data_directory;

use common::format::{Formats, UnknownFormat};
use common::hexadecimal;
use common::row::decode;
use ledger::{Kind, LedgerId};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::rows::DEPLOYMENT;

/// Settings that all processes of a deployment share, beside the pepper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeploymentSettings {
    /// Partitions of the log.
    pub partitions: u16,
    /// Name of the log in its store, for example a topic.
    pub log: String,
    /// Under which name it is remembered there how far the log was analysed, for example a consumer group.
    pub group: String,
}

/// Stored form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    #[serde(flatten)]
    formats: RecordedFormats,
    #[serde(flatten)]
    settings: DeploymentSettings,
    /// Proves that a pepper is the same without telling it.
    pepper_check: String,
}

/// The format versions that the stores of a deployment are written in. Every version of the record has these two fields, so
/// that any build can read them before it reads the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RecordedFormats {
    ledger_format: u32,
    log_format: u32,
}

/// The format versions of the stores that a process reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreFormats {
    /// Of the ledger.
    pub ledger: Formats,
    /// Of the log.
    pub log: Formats,
}

impl StoreFormats {
    /// Those that are written.
    fn written(self) -> RecordedFormats {
        RecordedFormats { ledger_format: self.ledger.newest, log_format: self.log.newest }
    }

    fn check(self, recorded: RecordedFormats) -> Result<(), DeploymentError> {
        for (store, formats, found) in
            [("ledger", self.ledger, recorded.ledger_format), ("log", self.log, recorded.log_format)]
        {
            formats.check(found).map_err(|cause| DeploymentError::Format { store, cause })?;
        }
        Ok(())
    }
}

/// The settings of the names, as they are written.
const LOG: &str = "kafka.topic (PALISADE__KAFKA__TOPIC)";
const GROUP: &str = "kafka.consumer_group (PALISADE__KAFKA__CONSUMER_GROUP)";

/// Outcome of recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The deployment is new.
    New,
    /// It was recorded before, with the same settings.
    Already,
}

/// Reason why a process does not belong to the deployment.
#[derive(Debug, Error)]
pub enum DeploymentError {
    /// Nothing is recorded.
    #[error("the deployment is not prepared yet: run `palisade init` once")]
    Missing,
    /// A store is written in another format.
    #[error("the {store} of the deployment has {cause}")]
    Format {
        /// Ledger or log.
        store: &'static str,
        /// The recorded format, and the supported ones.
        cause: UnknownFormat,
    },
    /// Another number of partitions.
    #[error(
        "the deployment has {recorded} partitions for the life of its log, kafka.partitions \
         (PALISADE__KAFKA__PARTITIONS) of this process is {found}"
    )]
    Partitions {
        /// Those of the deployment.
        recorded: u16,
        /// Those of this process.
        found: u16,
    },
    /// Another log, or another group.
    #[error("the deployment was prepared with {what} {recorded:?}, that of this process is {found:?}")]
    Name {
        /// Which of them.
        what: &'static str,
        /// That of the deployment.
        recorded: String,
        /// That of this process.
        found: String,
    },
    /// Another pepper.
    #[error("the pepper of this process is not that of the deployment: no key would be recognised")]
    Pepper,
    /// The record cannot be read or written.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// Records a new deployment; one that is recorded must be with the same settings. Of several processes at the
/// same moment one wins, and the others compare.
///
/// # Errors
/// [`DeploymentError`], but not `Missing`.
pub async fn record(
    directory: &Directory,
    formats: StoreFormats,
    settings: &DeploymentSettings,
) -> Result<Recorded, DeploymentError> {
    let mut attempts = directory.attempts(LedgerId::Platform);
    while attempts.next().await.map_err(DirectoryError::from)? {
        if let Some(recorded) = read(directory, formats).await? {
            return compare(directory, &recorded, settings).map(|()| Recorded::Already);
        }
        let record = Record {
            formats: formats.written(),
            settings: settings.clone(),
            pepper_check: pepper_check(directory),
        };
        let row = put(DEPLOYMENT.to_vec(), &record).map_err(DirectoryError::from)?;
        if attempts.commit(vec![row]).await.map_err(DirectoryError::from)? {
            return Ok(Recorded::New);
        }
    }
    Err(DirectoryError::Conflict.into())
}

/// Whether a deployment is recorded, whatever its formats and settings.
///
/// # Errors
/// [`DirectoryError`] when the record cannot be read.
pub async fn is_recorded(directory: &Directory) -> Result<bool, DirectoryError> {
    Ok(directory.read::<RecordedFormats>(LedgerId::Platform, DEPLOYMENT).await?.is_some())
}

/// Whether this process reads the stores of the recorded deployment and belongs to it.
///
/// # Errors
/// [`DeploymentError`], which names the difference.
pub async fn check(
    directory: &Directory,
    formats: StoreFormats,
    settings: &DeploymentSettings,
) -> Result<(), DeploymentError> {
    let recorded = read(directory, formats).await?.ok_or(DeploymentError::Missing)?;
    compare(directory, &recorded, settings)
}

/// The record, once it is known that its format is read.
async fn read(directory: &Directory, formats: StoreFormats) -> Result<Option<Record>, DeploymentError> {
    let body = directory.ledger.get(LedgerId::Platform, Kind::Head, DEPLOYMENT).await;
    let Some(body) = body.map_err(DirectoryError::from)? else { return Ok(None) };
    formats.check(decode(&body).map_err(DirectoryError::from)?)?;
    Ok(Some(decode(&body).map_err(DirectoryError::from)?))
}

fn compare(
    directory: &Directory,
    recorded: &Record,
    settings: &DeploymentSettings,
) -> Result<(), DeploymentError> {
    if recorded.settings.partitions != settings.partitions {
        let (recorded, found) = (recorded.settings.partitions, settings.partitions);
        return Err(DeploymentError::Partitions { recorded, found });
    }
    for (what, recorded, found) in
        [(LOG, &recorded.settings.log, &settings.log), (GROUP, &recorded.settings.group, &settings.group)]
    {
        if recorded != found {
            let (recorded, found) = (recorded.clone(), found.clone());
            return Err(DeploymentError::Name { what, recorded, found });
        }
    }
    if recorded.pepper_check != pepper_check(directory) {
        return Err(DeploymentError::Pepper);
    }
    Ok(())
}

fn pepper_check(directory: &Directory) -> String {
    let hash = directory.pepper.hash("deployment", &[b"check"]);
    hexadecimal::print(&hash[..16])
}

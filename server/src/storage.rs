//! Opening of the durable state: the only module that knows the available back ends.
//! All others receive a trait object. Code for one kind of back end is in `embedded` and
//! `distributed`.

mod data_dir;
#[cfg(feature = "cluster")]
mod distributed;
mod embedded;
#[cfg(not(feature = "cluster"))]
mod embedded_only;
mod key_encryption_keys;
mod pepper;
mod secret_file;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::clock::SharedClock;
use common::pepper::Pepper;
use directory::Directory;
use directory::deployment::DeploymentError;
use directory::deployment::data_directory::DataDirectoryError;
use durable_log::DurableLog;
use ledger::Ledger;
use ledger::embedded::{Inspection, ServerLock};
use process::settings::named;
use secrets::KeyEncryptionKeys;
use thiserror::Error;

use crate::settings::{BackEnds, Settings};
use data_dir::DataDirError;
#[cfg(not(feature = "cluster"))]
use embedded_only as distributed;
use key_encryption_keys::KeyFileError;
use pepper::PepperError;

/// Dependencies of every command.
pub(crate) struct Ledgers {
    /// The ledger.
    pub ledger: Arc<dyn Ledger>,
    /// Its organizations, keys and sources.
    pub directory: Arc<Directory>,
    /// Key of the stored hashes.
    pub pepper: Pepper,
}

impl Ledgers {
    fn new(ledger: Arc<dyn Ledger>, clock: &SharedClock, pepper: Pepper) -> Self {
        let directory = Arc::new(Directory::new(Arc::clone(&ledger), Arc::clone(clock), pepper.clone()));
        Self { ledger, directory, pepper }
    }
}

/// Reason why a store could not be opened.
#[derive(Debug, Error)]
pub(crate) enum StorageError {
    /// The directory is missing and cannot be created.
    #[error("the data directory {} cannot be used", path.display())]
    DataDirectory {
        /// The directory.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The path of the data directory is not a directory.
    #[error(
        "setting {} (--data-dir) is {}, which is a file, expected a directory, for example /var/lib/palisade",
        named("data_dir"),
        path.display()
    )]
    NotADirectory {
        /// The file.
        path: PathBuf,
    },
    /// There is no deployment in the directory.
    #[error(
        "{} holds no Palisade data, not prepared yet: run `palisade init` or start the server, or name another --data-dir",
        path.display()
    )]
    Empty {
        /// The directory.
        path: PathBuf,
    },
    /// Parts of the data directory are missing.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// Parts of the data directory belong to different deployments.
    #[error(
        "the parts of the data directory {} do not belong together; restore pepper, ledger and log from the same backup. \
         Nothing was changed",
        path.display()
    )]
    Parts {
        /// The directory.
        path: PathBuf,
        /// The part of another deployment.
        source: DataDirectoryError,
    },
    /// The operating system provides no randomness.
    #[error("no random bytes for the id of a new deployment")]
    Random(#[source] rand::rngs::SysError),
    /// The pepper.
    #[error(transparent)]
    Pepper(#[from] PepperError),
    /// The key-encryption keys.
    #[error(transparent)]
    KeyEncryptionKeys(#[from] KeyFileError),
    /// The ledger in a file.
    #[error("the ledger cannot be opened")]
    Ledger(#[from] ledger::embedded::OpenError),
    /// The log in files.
    #[error("the log cannot be opened")]
    Log(#[from] durable_log::embedded::OpenError),
    /// Kafka or the CQL cluster.
    #[error(transparent)]
    Distributed(#[from] distributed::DistributedError),
    /// This process does not match the deployment.
    #[error(transparent)]
    Deployment(#[from] DeploymentError),
}

impl StorageError {
    /// Whether the deployment has not been prepared yet, as opposed to damaged, unreachable or another one.
    pub(crate) fn is_unprepared(&self) -> bool {
        match self {
            Self::Empty { .. } | Self::Deployment(DeploymentError::Missing) => true,
            Self::Distributed(error) => error.is_unprepared(),
            _ => false,
        }
    }
}

/// Whether a path can be the data directory: it is a directory, or does not exist yet.
///
/// # Errors
/// [`StorageError::NotADirectory`], [`StorageError::DataDirectory`].
pub(crate) fn check_directory(path: &Path) -> Result<(), StorageError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(StorageError::NotADirectory { path: path.to_owned() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(StorageError::DataDirectory { path: path.to_owned(), source }),
    }
}

/// Whether this program contains the configured back ends.
///
/// # Errors
/// [`StorageError::Distributed`].
pub(crate) fn check_back_ends(settings: &Settings) -> Result<(), StorageError> {
    match settings.back_ends() {
        BackEnds::Embedded => Ok(()),
        BackEnds::Distributed { .. } => Ok(distributed::check()?),
    }
}

/// Creates the data directory if it is missing, readable by its owner only.
///
/// # Errors
/// [`StorageError::NotADirectory`], [`StorageError::DataDirectory`].
pub(crate) fn prepare_directory(path: &Path) -> Result<(), StorageError> {
    use std::os::unix::fs::DirBuilderExt;
    check_directory(path)?;
    let mut builder = std::fs::DirBuilder::new();
    builder
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| StorageError::DataDirectory { path: path.to_owned(), source })
}

/// Locks the data directory for this server until the lock is dropped, and creates it if it is missing. A distributed
/// process keeps nothing there that concurrent use could damage.
///
/// # Errors
/// [`StorageError::Ledger`] when another server has it.
pub(crate) fn lock(settings: &Settings) -> Result<Option<ServerLock>, StorageError> {
    match settings.back_ends() {
        BackEnds::Embedded => {
            prepare_directory(&settings.data_dir)?;
            Ok(Some(ServerLock::acquire(&settings.data_dir)?))
        }
        BackEnds::Distributed { .. } => Ok(None),
    }
}

/// Whether a server runs on the data directory. Read-only.
pub(crate) fn is_running(settings: &Settings) -> bool {
    // Locking would create a missing lock file.
    let is_there = ledger::embedded::lock_file(&settings.data_dir).try_exists().unwrap_or(false);
    is_there && matches!(lock(settings), Err(StorageError::Ledger(ledger::embedded::OpenError::InUse { .. })))
}

/// Prepares a deployment: everything that must exist before its first process serves. Repeating it
/// changes nothing, and checks whether this process belongs to it. The data directory must exist.
///
/// # Errors
/// [`StorageError`].
pub(crate) async fn prepare(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    let ledgers = match settings.back_ends() {
        BackEnds::Embedded => embedded::open_or_make(settings, clock).await?,
        BackEnds::Distributed { kafka, cql } => distributed::prepare(settings, kafka, cql, clock).await?,
    };
    key_encryption_keys::read_or_make(settings, &ledgers).await?;
    Ok(ledgers)
}

/// Opens the ledger for a process that serves: in an empty data directory it is created, with the pepper and the log;
/// a distributed one was prepared before.
///
/// # Errors
/// [`StorageError`].
pub(crate) async fn open_ledgers(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    match settings.back_ends() {
        BackEnds::Embedded => embedded::open_or_make(settings, clock).await,
        BackEnds::Distributed { kafka, cql } => distributed::open_ledgers(settings, kafka, cql, clock).await,
    }
}

/// Opens the ledger of an existing deployment; safe beside running servers. Creates nothing.
///
/// # Errors
/// [`StorageError::Empty`] when there is none.
pub(crate) async fn open_existing(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    match settings.back_ends() {
        BackEnds::Embedded => {
            check_directory(&settings.data_dir)?;
            embedded::open_existing(settings, clock).await
        }
        BackEnds::Distributed { kafka, cql } => distributed::open_ledgers(settings, kafka, cql, clock).await,
    }
}

/// Reads every page and row of an embedded ledger, also while a server has it open; `None` if there is no such
/// file. Blocks while it reads.
///
/// # Errors
/// [`StorageError::Ledger`] when it cannot be read for another reason than damage.
pub(crate) fn inspect_ledger(settings: &Settings) -> Result<Option<Inspection>, StorageError> {
    let file = settings.data_dir.join(ledger::embedded::FILE_NAME);
    let is_there = file.try_exists();
    let is_there = is_there.map_err(|source| StorageError::DataDirectory { path: file, source })?;
    if !is_there || !matches!(settings.back_ends(), BackEnds::Embedded) {
        return Ok(None);
    }
    Ok(Some(ledger::embedded::inspect(&settings.data_dir, &settings.ledger)?))
}

/// The key-encryption keys of organizations' secrets: in the data directory they are created at the first
/// start, and an error if missing later; each of many processes must be given them.
///
/// # Errors
/// [`StorageError::KeyEncryptionKeys`].
pub(crate) async fn key_encryption_keys(
    settings: &Settings,
    ledgers: &Ledgers,
) -> Result<KeyEncryptionKeys, StorageError> {
    Ok(match settings.back_ends() {
        BackEnds::Embedded => key_encryption_keys::read_or_make(settings, ledgers).await?,
        BackEnds::Distributed { .. } => key_encryption_keys::read(settings)?,
    })
}

/// The same keys if they exist; creates none.
///
/// # Errors
/// [`StorageError::KeyEncryptionKeys`] when existing ones cannot be used.
pub(crate) fn present_key_encryption_keys(
    settings: &Settings,
) -> Result<Option<KeyEncryptionKeys>, StorageError> {
    Ok(key_encryption_keys::present(settings)?)
}

/// Opens the log; an embedded one recovers after a crash.
///
/// # Errors
/// [`StorageError::Log`], [`StorageError::Distributed`].
pub(crate) async fn open_log(
    settings: &Settings,
    clock: &SharedClock,
) -> Result<Arc<dyn DurableLog>, StorageError> {
    match settings.back_ends() {
        BackEnds::Embedded => embedded::open_log(settings, clock),
        BackEnds::Distributed { kafka, .. } => distributed::open_log(kafka, clock).await,
    }
}

/// The log for reading, also while a server has an embedded one open.
///
/// # Errors
/// [`StorageError::Log`], [`StorageError::Distributed`].
pub(crate) async fn view_log(
    settings: &Settings,
    clock: &SharedClock,
) -> Result<Arc<dyn DurableLog>, StorageError> {
    match settings.back_ends() {
        BackEnds::Embedded => embedded::view_log(settings),
        BackEnds::Distributed { kafka, .. } => distributed::open_log(kafka, clock).await,
    }
}

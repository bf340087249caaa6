//! Opening what is durable: the only place in the product that knows which back ends there are.
//! Everybody else is handed a trait object. What belongs to one kind of back end lies in `embedded` and
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

/// What every command works on.
pub(crate) struct Ledgers {
    /// Everything that is remembered.
    pub ledger: Arc<dyn Ledger>,
    /// Organizations, keys and sources in it.
    pub directory: Arc<Directory>,
    /// The secret that keys hashes.
    pub pepper: Pepper,
}

impl Ledgers {
    fn new(ledger: Arc<dyn Ledger>, clock: &SharedClock, pepper: Pepper) -> Self {
        let directory = Arc::new(Directory::new(Arc::clone(&ledger), Arc::clone(clock), pepper.clone()));
        Self { ledger, directory, pepper }
    }
}

/// Why something durable could not be opened.
#[derive(Debug, Error)]
pub(crate) enum StorageError {
    /// The directory is missing and cannot be made.
    #[error("the data directory {} cannot be used", path.display())]
    DataDirectory {
        /// The directory.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The data directory is something else.
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
    /// Parts of the data directory are not of one deployment.
    #[error(
        "the parts of the data directory {} do not belong together; restore pepper, ledger and log from the same backup. \
         Nothing was changed",
        path.display()
    )]
    Parts {
        /// The directory.
        path: PathBuf,
        /// Which part is another's.
        source: DataDirectoryError,
    },
    /// The operating system gives no randomness.
    #[error("no random bytes for the id of a new deployment")]
    Random(#[source] rand::rngs::SysError),
    /// The secret that keys hashes.
    #[error(transparent)]
    Pepper(#[from] PepperError),
    /// The keys that wrap what secrets are encrypted with.
    #[error(transparent)]
    KeyEncryptionKeys(#[from] KeyFileError),
    /// The ledger in a file.
    #[error("the ledger cannot be opened")]
    Ledger(#[from] ledger::embedded::OpenError),
    /// The log in files.
    #[error("the log cannot be opened")]
    Log(#[from] durable_log::embedded::OpenError),
    /// Kafka or the cluster that speaks CQL.
    #[error(transparent)]
    Distributed(#[from] distributed::DistributedError),
    /// This process and the deployment do not fit.
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

/// Whether a path can be the data directory: it is a directory, or nothing yet.
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

/// Whether this program has the back ends that the settings name.
///
/// # Errors
/// [`StorageError::Distributed`].
pub(crate) fn check_back_ends(settings: &Settings) -> Result<(), StorageError> {
    match settings.back_ends() {
        BackEnds::Embedded => Ok(()),
        BackEnds::Distributed { .. } => Ok(distributed::check()?),
    }
}

/// Makes the data directory where there is none, readable by its owner only.
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

/// Takes the data directory for this server, for as long as the lock is held, and makes it where there is none. A distributed process keeps
/// nothing there that two could damage.
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

/// Whether a server runs on the data directory. Changes nothing.
pub(crate) fn is_running(settings: &Settings) -> bool {
    // Taking a lock that is not there would make its file.
    let is_there = ledger::embedded::lock_file(&settings.data_dir).try_exists().unwrap_or(false);
    is_there && matches!(lock(settings), Err(StorageError::Ledger(ledger::embedded::OpenError::InUse { .. })))
}

/// Prepares a deployment: everything that has to be there before its first process serves. Doing it again
/// changes nothing, and says whether this process belongs to it. The data directory must be there.
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

/// Opens the ledger for a process that serves: in a data directory that holds nothing it is made, with the pepper and the log;
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

/// Opens the ledger of a deployment that exists; safe beside running servers. Makes nothing.
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

/// Reads every page and row of an embedded ledger, also beside the server that has it open; `None` where there is no such
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

/// The keys that wrap what organizations' secrets are encrypted with: in the data directory they are made at the first
/// start and missed when they are gone; of many processes each must be given them.
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

/// The same keys if they are there; makes none.
///
/// # Errors
/// [`StorageError::KeyEncryptionKeys`] when what is there cannot be used.
pub(crate) fn present_key_encryption_keys(
    settings: &Settings,
) -> Result<Option<KeyEncryptionKeys>, StorageError> {
    Ok(key_encryption_keys::present(settings)?)
}

/// Opens the log; an embedded one recovers what a crash left behind.
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

/// The log for looking at it, also beside the server that has an embedded one open.
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

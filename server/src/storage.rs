//! Opening what is durable: the only place in the product that knows which back ends there are.
//! Everybody else is handed a trait object.

mod pepper;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::clock::SharedClock;
use common::pepper::Pepper;
use directory::Directory;
use durable_log::DurableLog;
use durable_log::embedded as embedded_log;
use ledger::Ledger;
use ledger::embedded as embedded_ledger;
use ledger::embedded::ServerLock;
use thiserror::Error;

use crate::settings::Settings;
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
    /// There is no deployment in the directory.
    #[error("{} holds no Palisade data: start the server once, or name another --data-dir", path.display())]
    Empty {
        /// The directory.
        path: PathBuf,
    },
    /// The secret that keys hashes.
    #[error(transparent)]
    Pepper(#[from] PepperError),
    /// The ledger.
    #[error("the ledger cannot be opened")]
    Ledger(#[from] embedded_ledger::OpenError),
    /// The log.
    #[error("the log cannot be opened")]
    Log(#[from] embedded_log::OpenError),
}

/// Makes the data directory where there is none, readable by its owner only.
///
/// # Errors
/// [`StorageError::DataDirectory`].
pub(crate) fn prepare_directory(path: &Path) -> Result<(), StorageError> {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = std::fs::DirBuilder::new();
    builder
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| StorageError::DataDirectory { path: path.to_owned(), source })
}

/// Takes the data directory for this server, for as long as the lock is held.
///
/// # Errors
/// [`StorageError::Ledger`] when another server has it.
pub(crate) fn lock(settings: &Settings) -> Result<ServerLock, StorageError> {
    Ok(ServerLock::acquire(&settings.data_dir)?)
}

/// Opens the ledger, making it at the first start.
///
/// # Errors
/// [`StorageError`].
pub(crate) fn open_ledgers(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    let pepper = pepper::read_or_make(&settings.data_dir, settings.secrets.pepper.as_ref())?;
    let ledger: Arc<dyn Ledger> = Arc::new(embedded_ledger::open(&settings.data_dir, &settings.ledger)?);
    let directory = Arc::new(Directory::new(Arc::clone(&ledger), Arc::clone(clock), pepper.clone()));
    Ok(Ledgers { ledger, directory, pepper })
}

/// Opens the ledger of a deployment that exists; safe beside a running server.
///
/// # Errors
/// [`StorageError::Empty`] when there is none.
pub(crate) fn open_existing(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    let file = settings.data_dir.join(embedded_ledger::FILE_NAME);
    let there = file
        .try_exists()
        .map_err(|source| StorageError::DataDirectory { path: settings.data_dir.clone(), source })?;
    if !there {
        return Err(StorageError::Empty { path: settings.data_dir.clone() });
    }
    open_ledgers(settings, clock)
}

/// Opens the log, recovering what a crash left behind.
///
/// # Errors
/// [`StorageError::Log`].
pub(crate) fn open_log(
    settings: &Settings,
    clock: &SharedClock,
) -> Result<Arc<dyn DurableLog>, StorageError> {
    let directory = settings.log_dir();
    prepare_directory(&directory)?;
    Ok(Arc::new(embedded_log::open(&directory, &settings.log, Arc::clone(clock))?))
}

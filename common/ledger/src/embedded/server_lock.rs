//! One server a directory: the lock that a server holds for as long as it runs, and commands do not.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::file::OpenError;

/// Name of the lock file. It stays when the server ends; only the lock on it counts, and the operating system
/// drops that with the process.
const FILE_NAME: &str = "server.lock";
/// Readable and writable by its owner only: nobody else can hold the lock and so keep the server from starting.
const OWNER_ONLY: u32 = 0o600;

/// Path of the lock file in a data directory.
#[must_use]
pub fn lock_file(directory: &Path) -> PathBuf {
    directory.join(FILE_NAME)
}

/// Held by the one server that runs on a data directory.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// Takes the lock of `directory`, and creates both when they are not there. Does not wait.
    ///
    /// # Errors
    /// [`OpenError::InUse`] while another server holds it, [`OpenError::Io`] when it cannot be taken.
    pub fn acquire(directory: &Path) -> Result<Self, OpenError> {
        let path = lock_file(directory);
        let io_error = |source| OpenError::Io { path: path.clone(), source };
        fs::create_dir_all(directory).map_err(io_error)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(OWNER_ONLY);
        let file = options.open(&path).map_err(io_error)?;
        // The mode above is that of a new file only.
        file.set_permissions(Permissions::from_mode(OWNER_ONLY)).map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path }),
            Err(TryLockError::Error(source)) => Err(OpenError::Io { path, source }),
        }
    }
}

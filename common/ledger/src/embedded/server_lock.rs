//! One server a directory: the lock that a server holds for as long as it runs, and commands do not.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::file::OpenError;

/// Name of the lock file. It stays when the server ends; only the lock on it counts, and the operating system
/// drops that with the process.
const FILE_NAME: &str = "server.lock";
/// Readable and writable by its owner only: no other user can hold the lock and so prevent the server from starting.
const OWNER_ONLY: u32 = 0o600;
/// Content of the file while a server works on the directory; empty after an orderly end.
const RUNNING: &[u8] = b"running\n";

/// Path of the lock file in a data directory.
#[must_use]
pub fn lock_file(directory: &Path) -> PathBuf {
    directory.join(FILE_NAME)
}

/// Held by the one server that runs on a data directory.
#[derive(Debug)]
pub struct ServerLock {
    file: File,
    path: PathBuf,
}

impl ServerLock {
    /// Takes the lock of `directory`, and creates both when they do not exist. Does not wait.
    ///
    /// # Errors
    /// [`OpenError::InUse`] while another server holds it, [`OpenError::Io`] when it cannot be taken.
    pub fn acquire(directory: &Path) -> Result<Self, OpenError> {
        let path = lock_file(directory);
        let io_error = |source| OpenError::Io { path: path.clone(), source };
        fs::create_dir_all(directory).map_err(io_error)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true).mode(OWNER_ONLY);
        let file = options.open(&path).map_err(io_error)?;
        // The mode above is that of a new file only.
        file.set_permissions(Permissions::from_mode(OWNER_ONLY)).map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file, path }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path }),
            Err(TryLockError::Error(source)) => Err(OpenError::Io { path, source }),
        }
    }

    /// Notes durably that a server works on the directory from now on. Returns whether the one before it ended in order;
    /// true where there was none.
    ///
    /// # Errors
    /// [`OpenError::Io`].
    pub fn begin(&self) -> Result<bool, OpenError> {
        let was_orderly = self.begin_file();
        was_orderly.map_err(|source| OpenError::Io { path: self.path.clone(), source })
    }

    fn begin_file(&self) -> io::Result<bool> {
        let mut said = Vec::new();
        let mut file = &self.file;
        file.rewind()?;
        // One byte suffices.
        file.take(1).read_to_end(&mut said)?;
        // An existing note is left alone: on a full disk it could be emptied and not rewritten.
        if said.is_empty() {
            self.rewrite(RUNNING)?;
        }
        Ok(said.is_empty())
    }

    /// Notes durably that the server ends in order: nothing is written after this.
    ///
    /// # Errors
    /// [`OpenError::Io`].
    pub fn end(&self) -> Result<(), OpenError> {
        self.rewrite(&[]).map_err(|source| OpenError::Io { path: self.path.clone(), source })
    }

    fn rewrite(&self, text: &[u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(text)?;
        file.sync_all()
    }
}

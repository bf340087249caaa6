//! A directory of the real file system.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Disk, DiskFile};

/// Logs of other people: nobody but the service's own user reads them.
const FILE_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// A directory, opened once so that it can be synced.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    handle: File,
}

impl Directory {
    /// Opens a directory; makes it, and those above it, where they are missing.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !path.try_exists()? {
            DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path)?;
            let parent = path.canonicalize()?.parent().map(Path::to_owned);
            if let Some(parent) = parent {
                File::open(parent)?.sync_all()?;
            }
        }
        Ok(Self { path: path.to_owned(), handle: File::open(path)? })
    }

    /// Takes the lock file of this name, so that no second process opens the same directory. The
    /// lock is held until the returned file is dropped, or the process ends.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when it is taken; otherwise whatever the file system says.
    pub fn lock(&self, name: &str) -> io::Result<File> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(self.path.join(name))?;
        file.try_lock().map_err(io::Error::from)?;
        Ok(file)
    }
}

impl Disk for Directory {
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .mode(FILE_MODE)
            .open(self.path.join(name))?;
        Ok(Arc::new(file))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(OpenOptions::new().read(true).write(true).open(self.path.join(name))?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path.join(name))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            // A name that is not UTF-8 is none of ours.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.handle.sync_all()
    }

    fn available_bytes(&self) -> io::Result<u64> {
        let free = rustix::fs::fstatvfs(&self.handle)?;
        Ok(free.f_bavail.saturating_mul(free.f_frsize))
    }
}

impl DiskFile for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> io::Result<()> {
        self.write_all_at(bytes, position)
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let at = position.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
            match FileExt::read_at(self, &mut buffer[filled..], at) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn sync_data(&self) -> io::Result<()> {
        File::sync_data(self)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

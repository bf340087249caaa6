//! A directory of the real file system. Aligned writes go to the disk directly where the file system
//! allows it; everything else goes through the page cache.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, IoSlice};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::aligned::is_aligned;
use super::{Disk, DiskFile};

/// The logs are confidential: only the service's own user reads them.
const FILE_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// A directory, opened once so that it can be synced.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    handle: File,
}

impl Directory {
    /// Opens a directory; creates it, and its parents, where they are missing.
    ///
    /// # Errors
    /// The error of the file system.
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
    /// [`io::ErrorKind::WouldBlock`] when it is taken; otherwise the error of the file system.
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
        let path = self.path.join(name);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true).mode(FILE_MODE);
        Ok(Arc::new(OpenFile::new(options.open(&path)?, &path)?))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let path = self.path.join(name);
        Ok(Arc::new(OpenFile::new(OpenOptions::new().read(true).write(true).open(&path)?, &path)?))
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

/// A file, opened twice: reads and unaligned writes go through the page cache, aligned writes bypass
/// it. That saves copying the data into the cache and writing it back from there, which costs several
/// times as much CPU as the write itself. The kernel keeps both ways coherent: a direct write drops
/// what the cache held of its range (open(2), O_DIRECT).
struct OpenFile {
    cached: File,
    /// Absent where the file system does not support direct writes.
    direct: Option<File>,
    /// The file system accepted the flag and refused a write: it needs more alignment than a page.
    refused: AtomicBool,
}

impl OpenFile {
    fn new(cached: File, path: &Path) -> io::Result<Self> {
        Ok(Self { cached, direct: open_direct(path)?, refused: AtomicBool::new(false) })
    }

    /// The handle for a write, if it may bypass the page cache.
    fn direct(&self, parts: &[&[u8]], position: u64) -> Option<&File> {
        let is_aligned = || parts.iter().all(|part| is_aligned(part, position));
        let usable = !self.refused.load(Ordering::Relaxed) && is_aligned();
        self.direct.as_ref().filter(|_| usable)
    }
}

/// Writes parts with as few calls as the system allows.
#[cfg(target_os = "linux")]
fn write_parts(file: &File, parts: &[&[u8]], mut position: u64) -> io::Result<()> {
    /// Maximum number of parts of one call (UIO_MAXIOV).
    const MOST_PARTS: usize = 1024;
    for parts in parts.chunks(MOST_PARTS) {
        let mut slices: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
        let mut left = slices.as_mut_slice();
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            match rustix::io::pwritev(file, left, position) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    position += written as u64;
                    IoSlice::advance_slices(&mut left, written);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn write_parts(file: &File, parts: &[&[u8]], mut position: u64) -> io::Result<()> {
    for part in parts {
        file.write_all_at(part, position)?;
        position += part.len() as u64;
    }
    Ok(())
}

/// Opens a file for direct writes; `None` where the file system refuses the flag.
#[cfg(target_os = "linux")]
fn open_direct(path: &Path) -> io::Result<Option<File>> {
    let flag = i32::try_from(rustix::fs::OFlags::DIRECT.bits()).map_err(io::Error::other)?;
    match OpenOptions::new().write(true).custom_flags(flag).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_refusal(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_direct(_path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// EINVAL, the error of file systems for unsupported direct writes. Nothing was written then.
fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
}

impl DiskFile for OpenFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.cached.metadata()?.len())
    }

    fn write_parts_at(&self, parts: &[&[u8]], position: u64) -> io::Result<()> {
        let Some(direct) = self.direct(parts, position) else {
            return write_parts(&self.cached, parts, position);
        };
        match write_parts(direct, parts, position) {
            Err(error) if is_refusal(&error) => {
                self.refused.store(true, Ordering::Relaxed);
                write_parts(&self.cached, parts, position)
            }
            written => written,
        }
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let at = position.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
            match self.cached.read_at(&mut buffer[filled..], at) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Covers both ways: a sync is the file's, not the handle's (fsync(2)).
    fn sync_data(&self) -> io::Result<()> {
        self.cached.sync_data()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.cached.set_len(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::aligned::{ALIGNMENT, AlignedBuffer};

    #[test]
    fn direct_and_cached_writes_see_each_other() {
        // Beside the build: /tmp often is in memory, without support for direct writes.
        let place = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let disk = Directory::open(place.path()).unwrap();
        let file = disk.create("a").unwrap();
        let mut buffer = AlignedBuffer::default();
        for round in 0..4_u8 {
            buffer.reset(2 * ALIGNMENT);
            buffer.tail().extend(std::iter::repeat_n(round, 2 * ALIGNMENT));
            file.write_at(buffer.content(), u64::from(round) * ALIGNMENT as u64).unwrap();
            let mut found = vec![9; ALIGNMENT];
            let end = u64::from(round + 1) * ALIGNMENT as u64;
            assert_eq!(file.read_at(&mut found, end).unwrap(), ALIGNMENT);
            assert!(found.iter().all(|byte| *byte == round), "the cache shows what was written past it");
            file.write_at(b"odd", end + 1).unwrap();
            file.read_at(&mut found, end).unwrap();
            assert_eq!(&found[..5], &[round, b'o', b'd', b'd', round]);
        }
        file.sync_data().unwrap();
        assert_eq!(file.length().unwrap(), 5 * ALIGNMENT as u64);
    }

    #[test]
    fn parts_stand_one_behind_the_other_however_they_are_written() {
        let place = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let disk = Directory::open(place.path()).unwrap();
        let file = disk.create("a").unwrap();
        let mut blocks = AlignedBuffer::default();
        blocks.reset(3 * ALIGNMENT);
        blocks.tail().extend((0..3 * ALIGNMENT).map(|at| (at / ALIGNMENT) as u8 + 1));
        let (one, others) = blocks.content().split_at(ALIGNMENT);
        for repeated in [1, 1_500] {
            let aligned = [others, one].repeat(repeated);
            let odd = [&others[..5], one, &one[1..], others].repeat(repeated);
            for parts in [aligned, odd] {
                file.write_parts_at(&parts, 4 * ALIGNMENT as u64).unwrap();
                let mut found = vec![0; parts.iter().map(|part| part.len()).sum()];
                assert_eq!(file.read_at(&mut found, 4 * ALIGNMENT as u64).unwrap(), found.len());
                assert!(found == parts.concat(), "{repeated} times {} parts", parts.len() / repeated);
            }
        }
    }
}

//! Operations that the embedded log needs of a file system: one flat directory, positional reads and writes,
//! and explicit syncs. Small on purpose, so that a simulated disk can replace it and fail in every way.

use std::io;
use std::sync::Arc;

pub mod aligned;
pub mod file;
#[cfg(any(test, feature = "simulation"))]
pub mod simulated;
#[cfg(test)]
mod tests;

/// A directory of files.
///
/// * Creating, renaming and removing a file survive a loss of power only after
///   [`sync_directory`](Disk::sync_directory).
/// * Data that [`DiskFile::write_at`] wrote survives one only after [`DiskFile::sync_data`]; before,
///   each part of it may or may not be there. After a failed sync the state of the data it covered
///   is unknown, and a later successful one proves nothing about it.
pub trait Disk: Send + Sync {
    /// Creates an empty file, or truncates the one of that name.
    ///
    /// # Errors
    /// The error of the file system.
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Opens an existing file for reading and writing.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when there is none; otherwise the error of the file system.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Renames a file; a file that had the new name is replaced.
    ///
    /// # Errors
    /// The error of the file system.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file. Handles that are open can still read it.
    ///
    /// # Errors
    /// The error of the file system.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Names of all files, in no particular order.
    ///
    /// # Errors
    /// The error of the file system.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Makes all creations, renames and removals so far survive a loss of power.
    ///
    /// # Errors
    /// The error of the file system; the state of those names is then unknown.
    fn sync_directory(&self) -> io::Result<()>;

    /// Bytes that can still be written.
    ///
    /// # Errors
    /// The error of the file system.
    fn available_bytes(&self) -> io::Result<u64>;
}

/// An open file.
pub trait DiskFile: Send + Sync {
    /// Length in bytes.
    ///
    /// # Errors
    /// The error of the file system.
    fn length(&self) -> io::Result<u64>;

    /// Writes all of the parts at a position, one after the other; the file grows as needed.
    ///
    /// # Errors
    /// The error of the file system; any of the parts may then have been written.
    fn write_parts_at(&self, parts: &[&[u8]], position: u64) -> io::Result<()>;

    /// As [`write_parts_at`](DiskFile::write_parts_at), of one part.
    ///
    /// # Errors
    /// As there.
    fn write_at(&self, bytes: &[u8], position: u64) -> io::Result<()> {
        self.write_parts_at(&[bytes], position)
    }

    /// Fills as much of `buffer` as the file has from a position on; returns the number of bytes.
    ///
    /// # Errors
    /// The error of the file system.
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize>;

    /// Makes all writes to this file so far survive a loss of power.
    ///
    /// # Errors
    /// The error of the file system; see [`Disk`] for the state of the data then.
    fn sync_data(&self) -> io::Result<()>;

    /// Cuts the file to a length it has at least.
    ///
    /// # Errors
    /// The error of the file system.
    fn truncate(&self, length: u64) -> io::Result<()>;
}

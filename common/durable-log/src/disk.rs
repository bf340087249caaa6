//! What the embedded log asks of a file system: one flat directory, positional reads and writes, and
//! explicit syncs. Small on purpose, so that a simulated disk can stand in and fail in every way.

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
/// * What [`DiskFile::write_at`] wrote survives one only after [`DiskFile::sync_data`]; before, each
///   part of it may be there or not. After a failed sync nothing is known about what it covered, and
///   a later successful one proves nothing about it.
pub trait Disk: Send + Sync {
    /// Makes an empty file, or empties the one of that name.
    ///
    /// # Errors
    /// Whatever the file system says.
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Opens an existing file for reading and writing.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when there is none; otherwise whatever the file system says.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Gives a file another name; a file that had it is gone.
    ///
    /// # Errors
    /// Whatever the file system says.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file. Those who hold it open can go on reading it.
    ///
    /// # Errors
    /// Whatever the file system says.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Names of all files, in no particular order.
    ///
    /// # Errors
    /// Whatever the file system says.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Makes what was created, renamed and removed so far survive a loss of power.
    ///
    /// # Errors
    /// Whatever the file system says; then nothing is known about those names.
    fn sync_directory(&self) -> io::Result<()>;

    /// Bytes that can still be written.
    ///
    /// # Errors
    /// Whatever the file system says.
    fn available_bytes(&self) -> io::Result<u64>;
}

/// An open file.
pub trait DiskFile: Send + Sync {
    /// Length in bytes.
    ///
    /// # Errors
    /// Whatever the file system says.
    fn length(&self) -> io::Result<u64>;

    /// Writes all of the parts at a position, one behind the other; the file grows where it has to.
    ///
    /// # Errors
    /// Whatever the file system says; then anything of the parts may have been written.
    fn write_parts_at(&self, parts: &[&[u8]], position: u64) -> io::Result<()>;

    /// As [`write_parts_at`](DiskFile::write_parts_at), of one part.
    ///
    /// # Errors
    /// As there.
    fn write_at(&self, bytes: &[u8], position: u64) -> io::Result<()> {
        self.write_parts_at(&[bytes], position)
    }

    /// Fills as much of `buffer` as the file has from a position on; returns how much that was.
    ///
    /// # Errors
    /// Whatever the file system says.
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize>;

    /// Makes everything written to this file so far survive a loss of power.
    ///
    /// # Errors
    /// Whatever the file system says; see [`Disk`] for what is known then.
    fn sync_data(&self) -> io::Result<()>;

    /// Cuts the file to a length it has at least.
    ///
    /// # Errors
    /// Whatever the file system says.
    fn truncate(&self, length: u64) -> io::Result<()>;
}

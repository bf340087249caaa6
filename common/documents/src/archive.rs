//! Archives to their entries within bounds: ZIP, tar (also a gem), gzip with either a tar archive or a file in it.
//!
//! Nothing is written to a disk. Links are not followed, and an entry whose path leaves the folder is never read. For use inside the
//! sandbox: the memory of hostile directories is bounded by the process.

mod entries;
mod listing;
mod path;

use std::cell::Cell;
use std::io::{Cursor, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use zip::ZipArchive;

pub use self::entries::Entries;
pub use self::listing::{Listed, Listing, Unpacked};

/// Bounds of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Bytes of the archive itself.
    pub packed: u64,
    /// Bytes of all entries together.
    pub unpacked: u64,
    /// Number of entries, folders included.
    pub entries: u32,
    /// Bytes of all entries for each byte of the archive, above [`RATIO_FROM`].
    pub ratio: u64,
    /// Bytes of an entry. Larger ones are skipped.
    pub entry: u64,
}

impl Default for Bounds {
    /// 64 MiB packed, 256 MiB and 20,000 entries unpacked, ratio 200, 25 MiB an entry: more than packages and documents have, and less
    /// than memory.
    fn default() -> Self {
        Self { packed: 64 << 20, unpacked: 256 << 20, entries: 20_000, ratio: 200, entry: 25 << 20 }
    }
}

/// Unpacked bytes up to which the ratio is not judged: a small file of zeros is no bomb.
pub const RATIO_FROM: u64 = 1 << 20;

/// Reason why an archive, or its rest, was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveError {
    /// It is of another format.
    #[error("is no archive that can be read")]
    Format,
    /// More bytes than the bound.
    #[error("is too large")]
    TooLarge,
    /// More entries than the bound.
    #[error("has too many entries")]
    TooManyEntries,
    /// Its entries have more bytes than the bound.
    #[error("has too much content")]
    TooMuchContent,
    /// It unpacks to more than the bound for its size.
    #[error("is compressed beyond the permitted ratio")]
    Ratio,
    /// Its structure cannot be read.
    #[error("is damaged")]
    Damaged,
}

/// Reason why an entry was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skipped {
    /// A symbolic or hard link.
    #[error("is a link")]
    Link,
    /// A device, pipe or sparse file.
    #[error("is a special file")]
    Special,
    /// An absolute path, or one that leaves the folder.
    #[error("has a path outside of the archive")]
    Path,
    /// It needs a password.
    #[error("is encrypted")]
    Encrypted,
    /// More bytes than [`Bounds::entry`].
    #[error("is too large")]
    TooLarge,
    /// A method of compression that is not supported.
    #[error("is compressed by an unsupported method")]
    Method,
    /// Its data does not agree with its checksum or structure.
    #[error("is damaged")]
    Damaged,
}

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path with `/` between its parts, without `.` parts. As written if the entry is skipped for its path.
    pub path: String,
    /// Bytes, as the archive declares them if the entry is skipped.
    pub size: u64,
    /// Whether the archive marks it as executable.
    pub is_executable: bool,
    /// Content, or the reason why it was not read.
    pub content: Result<Vec<u8>, Skipped>,
}

/// An archive that is open.
pub struct Archive<'a> {
    reader: Reader<'a>,
    bounds: Bounds,
    packed: u64,
    limit: Rc<Cell<Option<ArchiveError>>>,
}

enum Reader<'a> {
    Zip(ZipArchive<Cursor<&'a [u8]>>),
    Tar(tar::Archive<Box<dyn Read + 'a>>),
    /// A compressed file and its name.
    File(Option<(Box<dyn Read + 'a>, String)>),
}

impl std::fmt::Debug for Archive<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Archive").field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

impl<'a> Archive<'a> {
    /// Opens an archive, whose format is recognised by its content.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`]; `TooMuchContent` and `Ratio` appear only while entries are read.
    pub fn open(content: &'a [u8], bounds: Bounds) -> Result<Self, ArchiveError> {
        let packed = content.len() as u64;
        if packed > bounds.packed {
            return Err(ArchiveError::TooLarge);
        }
        let limit = Rc::new(Cell::new(None));
        let limited = |inner: Box<dyn Read + 'a>| -> Box<dyn Read + 'a> {
            let left = bounds.unpacked.saturating_add(u64::from(bounds.entries) * TAR_BLOCK * 3);
            Box::new(Limited { inner, read: 0, left, packed, ratio: bounds.ratio, limit: Rc::clone(&limit) })
        };
        let reader = if content.starts_with(b"\x1f\x8b") {
            let decoder = || limited(Box::new(MultiGzDecoder::new(content)));
            if starts_as_tar(decoder()) {
                Reader::Tar(tar::Archive::new(decoder()))
            } else {
                Reader::File(Some((decoder(), path::of_gzip(content))))
            }
        } else if starts_as_tar(content) {
            Reader::Tar(tar::Archive::new(limited(Box::new(content))))
        } else {
            Reader::Zip(open_zip(content, bounds)?)
        };
        limit.set(None);
        Ok(Self { reader, bounds, packed, limit })
    }

    /// Files in the order of the archive, each read when it is asked for. An error ends the iteration: the rest is unread.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Damaged`] if it was called before.
    pub fn entries(&mut self) -> Result<Entries<'_, 'a>, ArchiveError> {
        Entries::of(self)
    }

    /// Whether programs may differ in the content: two entries of one name, entries that share data, or a directory that disagrees with
    /// the entries. Honest programs write no such archives.
    pub fn is_ambiguous(&mut self) -> bool {
        match &mut self.reader {
            Reader::Zip(archive) => {
                archive.has_duplicate_names()
                    || archive.has_overlapping_entries().unwrap_or(true)
                    || archive.validate_header_consistency().is_err()
            }
            Reader::Tar(_) | Reader::File(_) => false,
        }
    }
}

/// Bytes of a block of tar.
const TAR_BLOCK: u64 = 512;

fn open_zip(content: &[u8], bounds: Bounds) -> Result<ZipArchive<Cursor<&[u8]>>, ArchiveError> {
    // The number of entries in the last record, before a directory of them is built.
    let record = memchr::memmem::rfind(content, b"PK\x05\x06").ok_or(ArchiveError::Format)?;
    let count = content.get(record + 10..record + 12).ok_or(ArchiveError::Damaged)?;
    if count.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)) > bounds.entries {
        return Err(ArchiveError::TooManyEntries);
    }
    let archive = ZipArchive::new(Cursor::new(content)).map_err(|_| ArchiveError::Damaged)?;
    if archive.len() as u64 > u64::from(bounds.entries) {
        Err(ArchiveError::TooManyEntries)
    } else {
        Ok(archive)
    }
}

/// Whether a content begins with a header of tar, by its checksum.
fn starts_as_tar(mut content: impl Read) -> bool {
    let mut block = [0_u8; TAR_BLOCK as usize];
    if content.read_exact(&mut block).is_err() {
        return false;
    }
    let header = tar::Header::from_byte_slice(&block);
    let own: u32 = block
        .iter()
        .enumerate()
        .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) })
        .sum();
    block.first().is_some_and(|first| *first != 0) && header.cksum().is_ok_and(|sum| sum == own)
}

/// A reader that ends with an error at the bounds.
struct Limited<'a> {
    inner: Box<dyn Read + 'a>,
    read: u64,
    left: u64,
    packed: u64,
    ratio: u64,
    limit: Rc<Cell<Option<ArchiveError>>>,
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        let error = if self.read > self.left {
            Some(ArchiveError::TooMuchContent)
        } else if self.read > RATIO_FROM && self.read / self.ratio.max(1) > self.packed {
            Some(ArchiveError::Ratio)
        } else {
            None
        };
        match error {
            Some(error) => {
                self.limit.set(Some(error));
                Err(std::io::Error::other(error))
            }
            None => Ok(count),
        }
    }
}

#[cfg(test)]
mod tests;

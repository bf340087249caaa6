//! Entries of an archive, one after the other.

use std::cell::Cell;
use std::io::{Cursor, Read};
use std::rc::Rc;

use zip::ZipArchive;
use zip::result::ZipError;

use super::{Archive, ArchiveError, Bounds, Entry, RATIO_FROM, Reader, Skipped, path};

/// Iterator over the files of an archive.
pub struct Entries<'s, 'a> {
    source: Source<'s, 'a>,
    bounds: Bounds,
    packed: u64,
    /// Entries and bytes so far.
    count: u32,
    unpacked: u64,
    limit: Rc<Cell<Option<ArchiveError>>>,
    has_ended: bool,
}

enum Source<'s, 'a> {
    Zip { archive: &'s mut ZipArchive<Cursor<&'a [u8]>>, next: usize },
    Tar(tar::Entries<'s, Box<dyn Read + 'a>>),
    File(Option<(Box<dyn Read + 'a>, String)>),
}

impl std::fmt::Debug for Entries<'_, '_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Entries").field("count", &self.count).finish_non_exhaustive()
    }
}

impl<'s, 'a> Entries<'s, 'a> {
    pub(super) fn of(archive: &'s mut Archive<'a>) -> Result<Self, ArchiveError> {
        let source = match &mut archive.reader {
            Reader::Zip(archive) => Source::Zip { archive, next: 0 },
            Reader::Tar(archive) => Source::Tar(archive.entries().map_err(|_| ArchiveError::Damaged)?),
            Reader::File(file) => Source::File(Some(file.take().ok_or(ArchiveError::Damaged)?)),
        };
        let limit = Rc::clone(&archive.limit);
        let (bounds, packed) = (archive.bounds, archive.packed);
        Ok(Self { source, bounds, packed, count: 0, unpacked: 0, limit, has_ended: false })
    }

    /// The next file; `None` at the end.
    fn advance(&mut self) -> Result<Option<Entry>, ArchiveError> {
        loop {
            if self.count > self.bounds.entries {
                return Err(ArchiveError::TooManyEntries);
            }
            self.count += 1;
            let room = self.bounds.unpacked.saturating_sub(self.unpacked).min(self.bounds.entry);
            let next = match &mut self.source {
                Source::Zip { archive, next } => {
                    *next += 1;
                    if *next > archive.len() {
                        return Ok(None);
                    }
                    of_zip(archive, *next - 1, room)?
                }
                Source::Tar(entries) => match entries.next() {
                    None => return Ok(None),
                    Some(entry) => {
                        of_tar(entry.map_err(|_| self.failure())?, room).map_err(|_| self.failure())?
                    }
                },
                Source::File(file) => {
                    let Some((reader, name)) = file.take() else { return Ok(None) };
                    let content = read(reader, room).map_err(|_| self.failure())?;
                    let size = content.as_ref().map_or(room, |content| content.len() as u64);
                    Some(Entry { path: name, size, is_executable: false, content })
                }
            };
            let Some(entry) = next else { continue };
            self.count_bytes(&entry)?;
            return Ok(Some(entry));
        }
    }

    fn count_bytes(&mut self, entry: &Entry) -> Result<(), ArchiveError> {
        match &entry.content {
            Ok(content) => self.unpacked += content.len() as u64,
            // It was read up to its bound, which is the rest of the archive's if that is less.
            Err(Skipped::TooLarge) if self.bounds.unpacked - self.unpacked < self.bounds.entry => {
                return Err(ArchiveError::TooMuchContent);
            }
            Err(_) => {}
        }
        if self.unpacked > RATIO_FROM && self.unpacked / self.bounds.ratio.max(1) > self.packed {
            return Err(ArchiveError::Ratio);
        }
        Ok(())
    }

    /// The bound that ended a stream, or damage.
    fn failure(&self) -> ArchiveError {
        self.limit.get().unwrap_or(ArchiveError::Damaged)
    }
}

impl Iterator for Entries<'_, '_> {
    type Item = Result<Entry, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let next = self.advance();
        self.has_ended = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

/// Reads a content; `TooLarge` beyond `room`.
fn read(reader: impl Read, room: u64) -> std::io::Result<Result<Vec<u8>, Skipped>> {
    let mut content = Vec::new();
    reader.take(room + 1).read_to_end(&mut content)?;
    Ok(if content.len() as u64 > room { Err(Skipped::TooLarge) } else { Ok(content) })
}

fn of_zip(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    room: u64,
) -> Result<Option<Entry>, ArchiveError> {
    const EXECUTABLE: u32 = 0o111;
    let raw = archive.by_index_raw(index).map_err(|_| ArchiveError::Damaged)?;
    if raw.is_dir() {
        return Ok(None);
    }
    let (name, size) = (raw.name_raw().to_vec(), raw.size());
    let is_executable = raw.unix_mode().is_some_and(|mode| mode & EXECUTABLE != 0);
    let reason = if raw.is_symlink() {
        Some(Skipped::Link)
    } else if raw.encrypted() {
        Some(Skipped::Encrypted)
    } else if size > room {
        Some(Skipped::TooLarge)
    } else {
        None
    };
    drop(raw);
    let (path, reason) = placed(&name, reason);
    let content = match reason {
        Some(reason) => Err(reason),
        None => match archive.by_index(index) {
            Ok(file) => read(file, room).unwrap_or(Err(Skipped::Damaged)),
            Err(ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_)) => {
                Err(Skipped::Method)
            }
            Err(_) => Err(Skipped::Damaged),
        },
    };
    Ok(Some(Entry {
        path,
        size: content.as_ref().map_or(size, |content| content.len() as u64),
        is_executable,
        content,
    }))
}

fn of_tar(entry: tar::Entry<'_, impl Read>, room: u64) -> std::io::Result<Option<Entry>> {
    let kind = entry.header().entry_type();
    if kind.is_dir() || kind.is_pax_global_extensions() {
        return Ok(None);
    }
    let reason = if kind.is_symlink() || kind.is_hard_link() {
        Some(Skipped::Link)
    } else if !(kind.is_file() || kind.is_contiguous()) {
        Some(Skipped::Special)
    } else if entry.size() > room {
        Some(Skipped::TooLarge)
    } else {
        None
    };
    let is_executable = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
    let size = entry.size();
    let (path, reason) = placed(&entry.path_bytes(), reason);
    let content = match reason {
        Some(reason) => Err(reason),
        None => read(entry, room)?,
    };
    Ok(Some(Entry {
        path,
        size: content.as_ref().map_or(size, |content| content.len() as u64),
        is_executable,
        content,
    }))
}

/// The path, and the reason to skip the entry. That of its path precedes others.
fn placed(raw: &[u8], reason: Option<Skipped>) -> (String, Option<Skipped>) {
    match path::within(raw) {
        Some(path) => (path, reason),
        None => (String::from_utf8_lossy(raw).into_owned(), Some(Skipped::Path)),
    }
}

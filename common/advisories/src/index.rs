//! The index file, read.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::timestamp::Timestamp;
use thiserror::Error;
use versions::{Ecosystem, ParseError, Version, normalized_name};

use crate::entry::{Advisory, Entry};
use crate::write::{Block, FOOTER, MAGIC, Table, key};

/// Longest table: 50 times that of all of OSV.
const MAX_TABLE: u64 = 256 * 1_024 * 1_024;
/// Longest block: one package with all entries that an import takes.
const MAX_BLOCK: u64 = 256 * 1_024 * 1_024;

/// Reason why there is no answer.
#[derive(Debug, Error)]
pub enum IndexError {
    /// There is no index.
    #[error("there is no advisory index at {path}: run palisade advisories import")]
    Absent {
        /// Its place.
        path: String,
    },
    /// It cannot be read.
    #[error("the advisory index {path} cannot be read")]
    Unreadable {
        /// Its place.
        path: String,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// A part has another checksum or form: import again.
    #[error("the advisory index {path} is damaged: {part}; run palisade advisories import")]
    Damaged {
        /// Its place.
        path: String,
        /// The part.
        part: &'static str,
    },
    /// A name that is none of the ecosystem.
    #[error(transparent)]
    Name(#[from] ParseError),
}

/// State of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Time of the import.
    pub imported_at: Timestamp,
    /// Time of the newest advisory.
    pub newest: Timestamp,
    /// Advisories.
    pub advisories: usize,
    /// Those of malicious packages.
    pub malicious: usize,
    /// Packages with an advisory.
    pub packages: usize,
    /// Files that could not be read at the import.
    pub corrupt_files: usize,
}

impl Status {
    /// Time since the import.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> Duration {
        now.since(self.imported_at)
    }
}

/// Answer to a look-up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// Advisories that concern the version, or all of the package where none was given.
    pub advisories: Vec<Advisory>,
    /// Advisories of the package of which this cannot be told, because the version has no order (a commit, a branch), or is a
    /// tag that moves and a part of its line is concerned.
    pub undecided: Vec<Advisory>,
}

/// An index.
#[derive(Debug)]
pub struct Index {
    path: String,
    file: File,
    table: Table,
}

impl Index {
    /// Opens an index.
    ///
    /// # Errors
    /// [`IndexError`].
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let shown = path.display().to_string();
        let failed = |cause: io::Error| match cause.kind() {
            io::ErrorKind::NotFound => IndexError::Absent { path: shown.clone() },
            _ => IndexError::Unreadable { path: shown.clone(), cause },
        };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let damaged = |part| IndexError::Damaged { path: shown.clone(), part };
        let mut footer = [0; FOOTER];
        let footer_at = length.checked_sub(FOOTER as u64).ok_or_else(|| damaged("the footer"))?;
        file.read_exact_at(&mut footer, footer_at).map_err(failed)?;
        let (offset, size, crc) = footer_parts(&footer).ok_or_else(|| damaged("the footer"))?;
        if size > MAX_TABLE || offset.checked_add(size) != Some(footer_at) {
            return Err(damaged("the footer"));
        }
        let mut body = vec![0; usize::try_from(size).unwrap_or_default()];
        file.read_exact_at(&mut body, offset).map_err(failed)?;
        if crc32c::crc32c(&body) != crc {
            return Err(damaged("the table"));
        }
        let table = serde_json::from_slice(&body).map_err(|_| damaged("the table"))?;
        Ok(Self { path: shown, file, table })
    }

    /// Its state.
    #[must_use]
    pub fn status(&self) -> Status {
        let table = &self.table;
        Status {
            imported_at: table.imported_at,
            newest: table.newest,
            advisories: table.advisories,
            malicious: table.malicious,
            packages: table.packages,
            corrupt_files: table.corrupt_files,
        }
    }

    /// The advisories of a package that concern a version, in the order of their ids.
    ///
    /// # Errors
    /// [`IndexError`].
    pub fn lookup(
        &self,
        ecosystem: Ecosystem,
        name: &str,
        version: Option<&str>,
    ) -> Result<Lookup, IndexError> {
        let key = key(ecosystem, &normalized_name(ecosystem, name)?);
        let line = version.map(|version| line(ecosystem, version)).unwrap_or_default();
        let mut found = Lookup::default();
        for entry in self.entries(&key)? {
            match version.map_or(Some(true), |text| concerns(&entry, text, &line)) {
                Some(true) => found.advisories.push(entry.advisory()),
                Some(false) => {}
                None => found.undecided.push(entry.advisory()),
            }
        }
        Ok(found)
    }

    fn entries(&self, key: &str) -> Result<Vec<Entry>, IndexError> {
        let after = self.table.blocks.partition_point(|block| block.first.as_str() <= key);
        let Some(block) = after.checked_sub(1).and_then(|at| self.table.blocks.get(at)) else {
            return Ok(Vec::new());
        };
        let body = self.block(block)?;
        let damaged = || IndexError::Damaged { path: self.path.clone(), part: "a record" };
        let mut rest = body.as_slice();
        while !rest.is_empty() {
            let found = part(&mut rest).ok_or_else(damaged)?;
            let value = part(&mut rest).ok_or_else(damaged)?;
            if found == key.as_bytes() {
                return serde_json::from_slice(value).map_err(|_| damaged());
            }
        }
        Ok(Vec::new())
    }

    fn block(&self, block: &Block) -> Result<Vec<u8>, IndexError> {
        let damaged = || IndexError::Damaged { path: self.path.clone(), part: "a block" };
        if block.length > MAX_BLOCK {
            return Err(damaged());
        }
        let mut body = vec![0; usize::try_from(block.length).map_err(|_| damaged())?];
        let failed = |cause| IndexError::Unreadable { path: self.path.clone(), cause };
        self.file.read_exact_at(&mut body, block.offset).map_err(failed)?;
        if crc32c::crc32c(&body) == block.crc { Ok(body) } else { Err(damaged()) }
    }
}

/// The versions that a text stands for: one, or the lowest and highest of a line. Tags of actions such as `v4` move with the
/// newest release of their line. None where it has no order.
fn line(ecosystem: Ecosystem, text: &str) -> Vec<Version> {
    let numbers = 1 + text.bytes().filter(|byte| *byte == b'.').count();
    if ecosystem != Ecosystem::GitHubAction || numbers >= 3 || text.contains('-') {
        return Version::parse(ecosystem, text).into_iter().collect();
    }
    let padded = |number: u64| format!("{text}{}", format!(".{number}").repeat(3 - numbers));
    let ends = [padded(0), padded(u64::MAX)];
    ends.iter().filter_map(|end| Version::parse(ecosystem, end).ok()).collect()
}

/// Whether an entry concerns a version; `None` where it concerns a part of its line, or the version has no order.
fn concerns(entry: &Entry, text: &str, line: &[Version]) -> Option<bool> {
    let Some((lowest, others)) = line.split_first() else { return entry.affects(text, None) };
    let found = entry.affects(text, Some(lowest));
    others.iter().all(|version| entry.affects(text, Some(version)) == found).then_some(found).flatten()
}

/// Offset, length and checksum of the table.
fn footer_parts(footer: &[u8; FOOTER]) -> Option<(u64, u64, u32)> {
    let (offset, rest) = footer.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (crc, magic) = rest.split_first_chunk::<4>()?;
    (magic == MAGIC)
        .then(|| (u64::from_le_bytes(*offset), u64::from_le_bytes(*length), u32::from_le_bytes(*crc)))
}

/// The next part of a record.
fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (part, after) = after.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    *rest = after;
    Some(part)
}

/// Identity of a file: device, inode, length and time of change.
type Identity = (u64, u64, u64, i64, i64);

/// The current index at a place; opened again when an import replaced it.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    open: Mutex<Option<(Identity, Arc<Index>)>>,
}

impl Source {
    /// The index at a place, which need not exist yet.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, open: Mutex::new(None) }
    }

    /// The current index.
    ///
    /// # Errors
    /// [`IndexError`].
    pub fn current(&self) -> Result<Arc<Index>, IndexError> {
        let path = || self.path.display().to_string();
        let metadata = std::fs::metadata(&self.path).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => IndexError::Absent { path: path() },
            _ => IndexError::Unreadable { path: path(), cause },
        })?;
        let identity =
            (metadata.dev(), metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        // A panic can leave nothing half-done in it.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, index)) = open.as_ref()
            && *known == identity
        {
            return Ok(Arc::clone(index));
        }
        let index = Arc::new(Index::open(&self.path)?);
        *open = Some((identity, Arc::clone(&index)));
        Ok(index)
    }
}

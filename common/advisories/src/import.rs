//! Directories of OSV files to the index.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use common::timestamp::Timestamp;
use thiserror::Error;
use versions::Ecosystem;

use crate::entry::Entry;
use crate::osv;
use crate::write;

/// Bounds of an import.
mod most {
    /// Bytes of one advisory; the longest published one has about 3 MiB.
    pub(super) const ADVISORY: u64 = 16 * 1_024 * 1_024;
    /// Files and folders below all directories.
    pub(super) const FILES: usize = 2_000_000;
    /// Folders within each other.
    pub(super) const DEPTH: usize = 16;
    /// Entries of one ZIP file.
    pub(super) const ZIP_ENTRIES: usize = 1_000_000;
    /// Bytes that one ZIP file inflates to.
    pub(super) const ZIP_INFLATED: u64 = 32 * 1_024 * 1_024 * 1_024;
    /// Entries of packages, each about 300 bytes in memory; all of OSV has a sixth of them.
    pub(super) const ENTRIES: usize = 3_000_000;
    /// Corrupt files that are named; all are counted.
    pub(super) const NAMED: usize = 100;
}

/// Result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Advisories that were read, each id once.
    pub advisories: usize,
    /// Those of malicious packages.
    pub malicious: usize,
    /// Packages with an advisory.
    pub packages: usize,
    /// Withdrawn advisories, which are left out.
    pub withdrawn: usize,
    /// Affected packages of other ecosystems or without a readable name, which are left out.
    pub left_out: usize,
    /// Files and entries of ZIP files that could not be read.
    pub corrupt_files: usize,
    /// The first hundred of them.
    pub corrupt: Vec<Corrupt>,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupt {
    /// The file; an entry of a ZIP file after `!`.
    pub file: String,
    /// The cause, with the field.
    pub cause: String,
}

/// Reason why there is no new index.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A directory cannot be read.
    #[error("the directory {path} cannot be read")]
    Directory {
        /// The directory.
        path: String,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// A bound is exceeded.
    #[error("expected at most {most} {thing}, found more")]
    TooMany {
        /// The counted items.
        thing: &'static str,
        /// The bound.
        most: usize,
    },
    /// Nothing to import, so that the old index stays.
    #[error(
        "no advisory of npm, PyPI, Go, RubyGems, crates.io or GitHub Actions was found; {corrupt} files could not be read"
    )]
    Nothing {
        /// Corrupt files.
        corrupt: usize,
    },
    /// The index cannot be written.
    #[error("the index {path} cannot be written")]
    Write {
        /// The index.
        path: String,
        /// The cause.
        #[source]
        cause: io::Error,
    },
}

/// Entries by package, and the time of each.
pub(crate) type Packages = BTreeMap<(Ecosystem, String), Vec<(Timestamp, Entry)>>;

#[derive(Default)]
struct Collected {
    report: Report,
    packages: Packages,
    /// Newest time of each id, so that an older file does not replace it.
    newest: BTreeMap<String, Timestamp>,
    entries: usize,
}

/// Reads the directories and replaces the index.
///
/// # Errors
/// [`ImportError`]; then the index is unchanged.
pub fn import(directories: &[PathBuf], index: &Path, now: Timestamp) -> Result<Report, ImportError> {
    let mut collected = Collected::default();
    for path in files(directories)? {
        let shown = path.display().to_string();
        let read = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => collected.file(&path, &shown),
            Some("zip") => collected.zip(&path, &shown),
            _ => continue,
        };
        if let Err(cause) = read {
            collected.corrupt(shown, cause);
        }
        if collected.entries > most::ENTRIES {
            return Err(ImportError::TooMany { thing: "entries of packages", most: most::ENTRIES });
        }
    }
    let Collected { mut report, mut packages, newest, .. } = collected;
    // An entry of an older file of the same id is dropped.
    for entries in packages.values_mut() {
        entries.retain(|(modified, entry)| newest.get(&entry.id) == Some(modified));
        entries.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
        entries.dedup_by(|(_, a), (_, b)| a == b);
    }
    packages.retain(|_, entries| !entries.is_empty());
    report.advisories = newest.len();
    report.malicious = newest.keys().filter(|id| id.starts_with("MAL-")).count();
    report.packages = packages.len();
    if packages.is_empty() {
        return Err(ImportError::Nothing { corrupt: report.corrupt_files });
    }
    let failed = |cause| ImportError::Write { path: index.display().to_string(), cause };
    let newest = newest.values().max().copied().unwrap_or_default();
    write::replace(index, &packages, &report, (now, newest)).map_err(failed)?;
    Ok(report)
}

/// The files below the directories in the order of their paths.
fn files(directories: &[PathBuf]) -> Result<Vec<PathBuf>, ImportError> {
    let mut waiting: Vec<(PathBuf, usize)> = directories.iter().cloned().map(|path| (path, 0)).collect();
    let mut found = Vec::new();
    while let Some((directory, depth)) = waiting.pop() {
        let failed = |cause| ImportError::Directory { path: directory.display().to_string(), cause };
        for item in fs::read_dir(&directory).map_err(failed)? {
            let item = item.map_err(failed)?;
            let kind = item.file_type().map_err(failed)?;
            if kind.is_dir() && depth < most::DEPTH {
                waiting.push((item.path(), depth + 1));
            } else if kind.is_file() {
                found.push(item.path());
            }
            if found.len() + waiting.len() > most::FILES {
                return Err(ImportError::TooMany { thing: "files", most: most::FILES });
            }
        }
    }
    found.sort();
    Ok(found)
}

impl Collected {
    fn file(&mut self, path: &Path, shown: &str) -> Result<(), String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let body = bounded(file)?;
        self.add(&body, shown);
        Ok(())
    }

    fn zip(&mut self, path: &Path, shown: &str) -> Result<(), String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| error.to_string())?;
        let count = archive.len();
        if count > most::ZIP_ENTRIES {
            return Err(format!("expected at most {} entries, found {count}", most::ZIP_ENTRIES));
        }
        let mut left = most::ZIP_INFLATED;
        for at in 0..count {
            let read = archive.by_index(at).map_err(|error| error.to_string()).and_then(|entry| {
                let name = entry.name().map_err(|error| error.to_string())?.into_owned();
                if !name.ends_with(".json") {
                    return Ok(None);
                }
                bounded(entry).map(|body| Some((name, body)))
            });
            match read {
                Ok(None) => {}
                Ok(Some((name, body))) => {
                    left = left.checked_sub(body.len() as u64).ok_or_else(|| {
                        format!("expected at most {} bytes inflated, found more", most::ZIP_INFLATED)
                    })?;
                    self.add(&body, &format!("{shown}!{name}"));
                }
                Err(cause) => self.corrupt(format!("{shown}!{at}"), cause),
            }
        }
        Ok(())
    }

    fn add(&mut self, body: &[u8], shown: &str) {
        let read = match osv::read(body) {
            Ok(read) => read,
            Err(cause) => return self.corrupt(shown.to_owned(), cause),
        };
        self.report.left_out += read.left_out;
        if read.is_withdrawn {
            self.report.withdrawn += 1;
            return;
        }
        if read.entries.is_empty() || self.newest.get(&read.id).is_some_and(|newest| *newest > read.modified)
        {
            return;
        }
        self.newest.insert(read.id, read.modified);
        for (ecosystem, name, entry) in read.entries {
            self.entries += 1;
            self.packages.entry((ecosystem, name)).or_default().push((read.modified, entry));
        }
    }

    fn corrupt(&mut self, file: String, cause: String) {
        self.report.corrupt_files += 1;
        if self.report.corrupt.len() < most::NAMED {
            self.report.corrupt.push(Corrupt { file, cause });
        }
    }
}

/// The bytes of an advisory.
fn bounded(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    reader.take(most::ADVISORY + 1).read_to_end(&mut body).map_err(|error| error.to_string())?;
    if body.len() as u64 > most::ADVISORY {
        return Err(format!("expected at most {} bytes, found more", most::ADVISORY));
    }
    Ok(body)
}

//! An archive or a folder to the files that matter, in the order of their importance and within bounds.

use documents::{
    Archive, ArchiveError, Bounds, Entry, Format, FormatGroup, Skipped as SkippedEntry, decode_text,
};

use super::pickle;
use super::rank::{MANIFESTS, Rank, is_code, is_in_tests, rank};
use crate::score::Skipped;
use crate::text::is_text;

/// Bytes of relevant files that are held while an archive is read, and of those that are analysed: the bounds of the analysis of code.
const MOST_HELD: usize = 96 << 20;
/// Bytes of them that may be data.
const MOST_DATA: usize = 16 << 20;
const MOST_BYTES: usize = code_signals::MOST_SET_BYTES;
const MOST_FILES: usize = code_signals::MOST_FILES;
/// Bytes of a file that are kept: one more than are analysed, so that the analysis reports the rest as unread.
const MOST_FILE_BYTES: usize = code_signals::MOST_FILE_BYTES + 1;
/// Pickles with calls that are reported.
const MOST_PICKLES: usize = 20;
/// Names of the parts of a gem.
const GEM_DATA: &str = "data.tar.gz";
const GEM_METADATA: &str = "metadata.gz";

/// A file of a package.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) content: Vec<u8>,
    pub(super) rank: Rank,
}

/// Files of a package, the most important first, and notes about the others.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(super) files: Vec<File>,
    pub(super) skipped: Vec<Skipped>,
    /// Paths of programs, of bytecode and of inner archives.
    pub(super) programs: Vec<String>,
    pub(super) bytecode: Vec<String>,
    pub(super) archives: Vec<String>,
    /// Data files that call a function when Python loads them, with its name.
    pub(super) pickles: Vec<(String, String)>,
    pub(super) is_ambiguous: bool,
    held: usize,
    data: usize,
}

impl Collected {
    /// Reads an archive. A gem is an archive of archives. `is_npm`: npm removes the first part of every path, whatever it is.
    ///
    /// # Errors
    /// [`ArchiveError`] if nothing of it can be read. Later failures are parts that were not read.
    pub(crate) fn from_archive(bytes: &[u8], is_npm: bool) -> Result<Self, ArchiveError> {
        let mut collected = Self::default();
        collected.read(bytes, Bounds::default(), true)?;
        if is_npm {
            collected.strip_first()
        } else {
            collected.strip()
        }
        if collected.files.is_empty() {
            collected.skip("the archive", &"expected files of code or text, found none that can be read");
        }
        Ok(collected.selected())
    }

    /// Files of a folder, by their paths below it.
    pub(crate) fn from_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let mut collected = Self::default();
        for (path, content) in files {
            collected.add(Entry {
                path,
                size: content.len() as u64,
                is_executable: false,
                content: Ok(content),
            });
        }
        collected.selected()
    }

    fn read(&mut self, bytes: &[u8], bounds: Bounds, is_outer: bool) -> Result<(), ArchiveError> {
        let mut archive = Archive::open(bytes, bounds)?;
        self.is_ambiguous |= archive.is_ambiguous();
        let mut is_empty = true;
        for entry in archive.entries()? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if is_empty => return Err(error),
                Err(error) => {
                    self.skip("the rest of the archive", &error);
                    return Ok(());
                }
            };
            is_empty = false;
            match (&entry.content, entry.path.as_str()) {
                (Ok(inner), GEM_DATA) if is_outer => {
                    if let Err(error) = self.read(inner, bounds, false) {
                        self.skip(GEM_DATA, &error);
                    }
                }
                (Ok(inner), GEM_METADATA) if is_outer => {
                    if let Err(error) = self.read(inner, bounds, false) {
                        self.skip(GEM_METADATA, &error);
                    }
                }
                (_, "checksums.yaml.gz") if is_outer => {}
                _ => self.add(entry),
            }
        }
        if is_empty { Err(ArchiveError::Damaged) } else { Ok(()) }
    }

    fn skip(&mut self, what: &str, reason: &impl ToString) {
        self.skipped.push(Skipped { what: what.to_owned(), reason: reason.to_string() });
    }

    fn add(&mut self, entry: Entry) {
        let Entry { path, content, .. } = entry;
        let mut content = match content {
            Ok(content) => content,
            // A link executes nothing: its target is a file of the archive, or is not in it.
            Err(SkippedEntry::Link) => return,
            Err(SkippedEntry::TooLarge) if rank(&path, b"") == Some(Rank::Data) => return,
            Err(reason) => return self.skip(&path, &format!("the file {reason}")),
        };
        // One form of text for all readers behind: those of code know UTF-8 only.
        if is_wide(&content) {
            content = decode_text(&content, None).into_owned().into_bytes();
        }
        if let Some(opaque) = self.opaque(&content) {
            opaque.push(path.clone());
            // Interpreters go by the name, whatever format the beginning resembles.
            if !is_code(&path) {
                return;
            }
        }
        let Some(rank) = rank(&path, &content) else { return };
        if rank == Rank::Data
            && !is_in_tests(&path)
            && self.pickles.len() < MOST_PICKLES
            && let Some(name) = pickle::called(&content)
        {
            self.pickles.push((path.clone(), name));
        }
        if rank == Rank::Data && memchr::memchr(0, &content).is_some() {
            return;
        }
        content.truncate(MOST_FILE_BYTES);
        if rank == Rank::Data {
            self.data += content.len();
            if self.data > MOST_DATA {
                return;
            }
        }
        if self.held + content.len() > MOST_HELD {
            if rank != Rank::Data {
                self.skip(&path, &format!("more than {MOST_HELD} bytes of text are in the package"));
            }
            return;
        }
        self.held += content.len();
        content.shrink_to_fit();
        self.files.push(File { path, content, rank });
    }

    /// The list for a file that is not text. Text is text, also where it begins with the letters of another format.
    fn opaque(&mut self, content: &[u8]) -> Option<&mut Vec<String>> {
        match documents::recognize(content).filter(|_| !is_text(content))? {
            Format::Elf | Format::PortableExecutable | Format::MachO => Some(&mut self.programs),
            Format::Bytecode => Some(&mut self.bytecode),
            Format::Zip | Format::Tar | Format::Gzip | Format::OtherArchive | Format::JavaArchive => {
                Some(&mut self.archives)
            }
            _ => None,
        }
    }

    /// Removes the first part of every path. Files of one path are then one file to npm.
    fn strip_first(&mut self) {
        let mut paths = std::collections::BTreeSet::new();
        for file in &mut self.files {
            if let Some((_, below)) = file.path.split_once('/') {
                file.path = below.to_owned();
            }
            self.is_ambiguous |= !paths.insert(file.path.clone());
        }
    }

    /// Removes the folder that contains everything: `name-version/` of a source distribution. Names of Go modules
    /// contain a version behind `@`.
    fn strip(&mut self) {
        if let Some(end) = self
            .files
            .iter()
            .find_map(|file| Some(file.path.find('@')? + file.path.get(file.path.find('@')?..)?.find('/')?))
            && let Some(front) = self.files.first().and_then(|file| file.path.get(..=end)).map(str::to_owned)
            && self.files.iter().all(|file| file.path.starts_with(&front))
        {
            self.files.iter_mut().for_each(|file| file.path = file.path.split_off(front.len()));
            return;
        }
        let first = self.files.first().and_then(|file| Some(file.path.split_once('/')?.0.to_owned()));
        let Some(folder) = first.map(|folder| format!("{folder}/")) else { return };
        // A wheel is one folder beside another, or begins with that of the module itself.
        let has_entry = |name: &str| self.files.iter().any(|file| file.path == format!("{folder}{name}"));
        let is_root = MANIFESTS.iter().any(|name| has_entry(name)) || has_entry("README.md");
        if is_root && self.files.iter().all(|file| file.path.starts_with(&folder)) {
            self.files.iter_mut().for_each(|file| file.path = file.path.split_off(folder.len()));
        }
    }

    /// The most important files within the bounds of the analysis.
    fn selected(mut self) -> Self {
        for file in &mut self.files {
            // Folders were removed since it was ranked.
            file.rank = rank(&file.path, &file.content).unwrap_or(Rank::Data);
        }
        self.files.sort_by(|one, other| (one.rank, &one.path).cmp(&(other.rank, &other.path)));
        let (mut bytes, mut count, mut left_out) = (0, 0, 0_usize);
        self.files.retain(|file| {
            let fits = count < MOST_FILES && bytes + file.content.len() <= MOST_BYTES;
            if fits {
                bytes += file.content.len();
                count += 1;
            } else if file.rank < Rank::Test {
                left_out += 1;
            }
            fits
        });
        if left_out > 0 {
            let reason = format!("at most {MOST_FILES} files and {MOST_BYTES} bytes are analysed");
            self.skip(&format!("{left_out} files"), &reason);
        }
        self
    }
}

/// Whether bytes are text in UTF-16, by their mark.
fn is_wide(content: &[u8]) -> bool {
    let is_marked = content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff");
    let is_text = |format: Format| {
        format == Format::Script || matches!(format.group(), FormatGroup::Text | FormatGroup::Page)
    };
    is_marked && documents::recognize(content).is_some_and(is_text)
}

#[cfg(test)]
mod tests;

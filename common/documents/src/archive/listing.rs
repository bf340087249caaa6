//! Contents of an archive by name, size and format, with those of archives within it, and the bytes of the files that have text.

use serde::{Deserialize, Serialize};

use super::{Archive, ArchiveError, Bounds, Entry, Skipped};
use crate::recognize::{Claim, Format, claim, formats, has_deceptive_name};

/// Archives within archives that are read.
const DEEPEST: usize = 3;
/// Entries of a listing at most; the rest is counted. Bounds the reply of the sandbox.
const MOST_LISTED: usize = 20_000;
/// Bytes of a path in a listing at most.
const MOST_PATH_BYTES: usize = 1_024;
/// Files whose bytes are kept, and their bytes together. An archive for people has fewer, and the text of the others is unread.
const MOST_CONTENTS: usize = 200;
const MOST_CONTENT_BYTES: usize = 24 << 20;

/// Contents of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Files, those of inner archives directly behind the archive.
    pub entries: Vec<Listed>,
    /// Whether programs may differ in the content ([`Archive::is_ambiguous`]).
    pub is_ambiguous: bool,
    /// Reason why the rest of it, or of an archive in it, was not read.
    pub failure: Option<ArchiveError>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Path, of a long one its end; `outer.zip!/inner.txt` for a file in an inner archive.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Formats of the content; several if it is a polyglot, none if it is empty or was not read.
    pub formats: Vec<Format>,
    /// Relation of content and name.
    pub claim: Claim,
    /// Whether its name contains characters that change how it looks.
    pub has_deceptive_name: bool,
    /// Whether the archive marks it as executable.
    pub is_executable: bool,
    /// Reason why it was not read.
    pub skipped: Option<Skipped>,
}

/// An archive with the bytes of its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// All files.
    pub listing: Listing,
    /// Bytes of files that may have text, also of those in inner archives, each with its index in [`Listing::entries`]. At most 200 files
    /// and 24 MiB.
    pub contents: Vec<(u32, Vec<u8>)>,
    /// Number of further files that may have text.
    pub left_out: u32,
}

impl Listing {
    /// Lists an archive.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] if it cannot be opened. Later failures are part of the listing.
    pub fn read(content: &[u8], bounds: Bounds) -> Result<Self, ArchiveError> {
        Ok(Unpacked::read(content, bounds)?.listing)
    }

    /// Whether the bounds hold. A reply of the sandbox is trusted no further than this.
    pub(crate) fn is_within_bounds(&self) -> bool {
        self.entries.len() <= MOST_LISTED
            && self
                .entries
                .iter()
                .all(|entry| entry.path.len() <= MOST_PATH_BYTES && entry.formats.len() <= 3)
    }
}

/// Formats that may have text for people.
fn has_text(format: Format) -> bool {
    matches!(
        format,
        Format::Pdf
            | Format::Word
            | Format::Sheet
            | Format::Slides
            | Format::OpenDocument
            | Format::Html
            | Format::Svg
            | Format::Xml
            | Format::Mail
            | Format::Text
            | Format::Script
    )
}

impl Unpacked {
    /// Lists an archive and keeps the bytes of files that may have text.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] if it cannot be opened. Later failures are part of the listing.
    pub fn read(content: &[u8], bounds: Bounds) -> Result<Self, ArchiveError> {
        let mut unpacked = Self::default();
        let mut left = bounds;
        unpacked.add(content, "", &mut left, DEEPEST)?;
        Ok(unpacked)
    }

    /// Whether the bounds hold. A reply of the sandbox is trusted no further than this.
    pub(crate) fn is_within_bounds(&self) -> bool {
        let bytes: usize = self.contents.iter().map(|(_, content)| content.len()).sum();
        let is_listed = |index: u32| (index as usize) < self.listing.entries.len();
        self.listing.is_within_bounds()
            && self.contents.len() <= MOST_CONTENTS
            && bytes <= MOST_CONTENT_BYTES
            && self.contents.iter().all(|(index, _)| is_listed(*index))
    }

    /// Adds an archive. The bounds of inner ones are the rest of those of the outer one.
    fn add(
        &mut self,
        content: &[u8],
        prefix: &str,
        left: &mut Bounds,
        depth: usize,
    ) -> Result<(), ArchiveError> {
        let mut archive = Archive::open(content, *left)?;
        self.listing.is_ambiguous |= archive.is_ambiguous();
        for entry in archive.entries()? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.listing.failure.get_or_insert(error);
                    return Ok(());
                }
            };
            if self.listing.entries.len() >= MOST_LISTED || left.entries == 0 {
                self.listing.failure.get_or_insert(ArchiveError::TooManyEntries);
                return Ok(());
            }
            left.entries -= 1;
            self.add_entry(entry, prefix, left, depth);
        }
        Ok(())
    }

    fn add_entry(&mut self, entry: Entry, prefix: &str, left: &mut Bounds, depth: usize) {
        let path = format!("{prefix}{}", entry.path);
        // The end of a long path is kept: it has the name of the file, by which systems choose a program.
        let start = path.ceil_char_boundary(path.len().saturating_sub(MOST_PATH_BYTES));
        let path = path.get(start..).unwrap_or_default().to_owned();
        let formats = entry.content.as_ref().map(|content| formats(content)).unwrap_or_default();
        let claim = formats.iter().map(|format| claim(*format, Some(&entry.path), None)).max();
        let is_archive = formats
            .iter()
            .any(|format| matches!(format, Format::Zip | Format::Tar | Format::Gzip | Format::JavaArchive));
        self.listing.entries.push(Listed {
            path: path.clone(),
            size: entry.size,
            formats,
            claim: claim.unwrap_or(Claim::None),
            has_deceptive_name: has_deceptive_name(&entry.path),
            is_executable: entry.is_executable,
            skipped: entry.content.as_ref().err().copied(),
        });
        let Ok(content) = entry.content else { return };
        left.unpacked = left.unpacked.saturating_sub(content.len() as u64);
        let index = self.listing.entries.len() - 1;
        if is_archive && depth == 0 {
            self.listing.failure.get_or_insert(ArchiveError::TooManyEntries);
        } else if is_archive && let Err(error) = self.add(&content, &format!("{path}!/"), left, depth - 1) {
            self.listing.failure.get_or_insert(error);
        }
        self.keep(index, content);
    }

    /// Keeps the bytes of a file that was listed, if it may have text.
    fn keep(&mut self, index: usize, content: Vec<u8>) {
        let formats = self.listing.entries.get(index).map(|file| file.formats.as_slice());
        if !formats.unwrap_or_default().iter().any(|format| has_text(*format)) {
            return;
        }
        let bytes: usize = self.contents.iter().map(|(_, content)| content.len()).sum();
        if self.contents.len() >= MOST_CONTENTS || bytes + content.len() > MOST_CONTENT_BYTES {
            self.left_out = self.left_out.saturating_add(1);
        } else {
            self.contents.push((index as u32, content));
        }
    }
}

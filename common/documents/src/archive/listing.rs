//! Contents of an archive by name, size and format, with those of archives within it.

use serde::{Deserialize, Serialize};

use super::{Archive, ArchiveError, Bounds, Entry, Skipped};
use crate::recognize::{Claim, Format, claim, formats, is_invisible};

/// Archives within archives that are read.
const DEEPEST: usize = 3;
/// Entries of a listing at most; the rest is counted. Bounds the reply of the sandbox.
const MOST_LISTED: usize = 20_000;
/// Bytes of a path in a listing at most.
const MOST_PATH_BYTES: usize = 1_024;

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
    /// Path; `outer.zip!/inner.txt` for a file in an inner archive.
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

impl Listing {
    /// Lists an archive.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] if it cannot be opened. Later failures are part of the listing.
    pub fn read(content: &[u8], bounds: Bounds) -> Result<Self, ArchiveError> {
        let mut listing = Self::default();
        let mut left = bounds;
        listing.add(content, "", &mut left, DEEPEST)?;
        Ok(listing)
    }

    /// Whether the bounds hold. A reply of the sandbox is trusted no further than this.
    pub(crate) fn is_within_bounds(&self) -> bool {
        self.entries.len() <= MOST_LISTED
            && self
                .entries
                .iter()
                .all(|entry| entry.path.len() <= MOST_PATH_BYTES && entry.formats.len() <= 3)
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
        self.is_ambiguous |= archive.is_ambiguous();
        for entry in archive.entries()? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.failure.get_or_insert(error);
                    return Ok(());
                }
            };
            if self.entries.len() >= MOST_LISTED || left.entries == 0 {
                self.failure.get_or_insert(ArchiveError::TooManyEntries);
                return Ok(());
            }
            left.entries -= 1;
            self.add_entry(&entry, prefix, left, depth);
        }
        Ok(())
    }

    fn add_entry(&mut self, entry: &Entry, prefix: &str, left: &mut Bounds, depth: usize) {
        let path = format!("{prefix}{}", entry.path);
        let end = path.floor_char_boundary(MOST_PATH_BYTES);
        let path = path.get(..end).unwrap_or_default().to_owned();
        let formats = entry.content.as_ref().map(|content| formats(content)).unwrap_or_default();
        let claim = formats.iter().map(|format| claim(*format, Some(&entry.path), None)).max();
        let is_archive = formats
            .iter()
            .any(|format| matches!(format, Format::Zip | Format::Tar | Format::Gzip | Format::JavaArchive));
        self.entries.push(Listed {
            path: path.clone(),
            size: entry.size,
            formats,
            claim: claim.unwrap_or(Claim::None),
            has_deceptive_name: entry.path.chars().any(|sign| sign.is_control() || is_invisible(sign)),
            is_executable: entry.is_executable,
            skipped: entry.content.as_ref().err().copied(),
        });
        let Ok(content) = &entry.content else { return };
        left.unpacked = left.unpacked.saturating_sub(content.len() as u64);
        if !is_archive {
            return;
        }
        if depth == 0 {
            self.failure.get_or_insert(ArchiveError::TooManyEntries);
        } else if let Err(error) = self.add(content, &format!("{path}!/"), left, depth - 1) {
            self.failure.get_or_insert(error);
        }
    }
}

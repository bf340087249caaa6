//! Files that contain one secret each, in the data directory: readable by their owner only, complete or absent.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The beginning of a file, up to a number of bytes.
///
/// # Errors
/// Error of the operating system; not found if there is none.
pub(super) fn read(path: &Path, most_bytes: usize) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(most_bytes as u64).read_to_string(&mut text)?;
    Ok(text)
}

/// Written to a temporary file and renamed, so that no start finds a partial one.
///
/// # Errors
/// Error of the operating system.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    std::fs::rename(&beside, path)?;
    path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

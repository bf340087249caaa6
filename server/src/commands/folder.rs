//! Folders of unpacked packages, read for a scan without a server.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Entries and bytes of a folder at most: the bounds of an unpacked archive.
const MOST_ENTRIES: usize = 20_000;
const MOST_BYTES: u64 = 256 << 20;
/// Files of more bytes are left out: they are no code.
const MOST_FILE_BYTES: u64 = 25 << 20;

/// Reason why a folder is not read.
#[derive(Debug, Error)]
pub(super) enum FolderError {
    /// A file or folder cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// There are too many entries.
    #[error("expected at most {MOST_ENTRIES} entries, found more")]
    TooMany,
    /// There are too many bytes.
    #[error("expected at most {MOST_BYTES} bytes, found more")]
    TooLarge,
}

/// Files below a folder in the order of their paths, with `/` between the parts. Links are not followed, hidden folders of version control
/// and dependencies that were installed are left out.
///
/// # Errors
/// [`FolderError`].
pub(super) fn read(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, FolderError> {
    let unreadable = |path: &Path, cause| FolderError::Unreadable { path: path.to_owned(), cause };
    let mut files = Vec::new();
    let (mut entries, mut bytes) = (0, 0);
    let mut waiting = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|cause| unreadable(&folder, cause))? {
            let entry = entry.map_err(|cause| unreadable(&folder, cause))?;
            entries += 1;
            if entries > MOST_ENTRIES {
                return Err(FolderError::TooMany);
            }
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let metadata = entry.metadata().map_err(|cause| unreadable(&path, cause))?;
            if metadata.is_dir() && !matches!(name.as_str(), ".git" | "node_modules") {
                waiting.push((path, format!("{prefix}{name}/")));
            } else if metadata.is_file() && metadata.len() <= MOST_FILE_BYTES {
                bytes += metadata.len();
                if bytes > MOST_BYTES {
                    return Err(FolderError::TooLarge);
                }
                let content = std::fs::read(&path).map_err(|cause| unreadable(&path, cause))?;
                files.push((format!("{prefix}{name}"), content));
            }
        }
    }
    files.sort();
    Ok(files)
}

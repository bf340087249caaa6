//! The data directory of a deployment on one machine: its existing parts. Pepper, ledger and log belong
//! together; if one is missing while others exist, it is never created again, because its contents are lost. Only the first
//! start creates them, in an empty directory, and a marker file exists until all of them do.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{key_encryption_keys, pepper};
use crate::settings::Settings;

/// Exists while the first start creates the parts: an interrupted one is resumed.
const UNFINISHED: &str = "first-start.unfinished";

/// State of a data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It contains nothing of a deployment.
    New,
    /// A first start is in progress, or was interrupted before it served anything.
    Unfinished,
    /// Every part exists.
    Whole,
}

/// Reason why a data directory cannot be used as it is. Nothing in it was changed.
#[derive(Debug, Error)]
pub(crate) enum DataDirError {
    /// A part is missing while others exist.
    #[error(
        "the {part} {} is missing, but {} holds {present}: this is not a first start, and nothing was \
        created in its place. \
         Restore {part} from the backup of this data directory, or name another --data-dir",
        path.display(),
        data_dir.display()
    )]
    Missing {
        /// The missing part.
        part: &'static str,
        /// Path that was tried.
        path: PathBuf,
        /// The data directory.
        data_dir: PathBuf,
        /// Names of the existing files.
        present: String,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The log's manifest cannot be read.
    #[error("the log in {} cannot be recognised", path.display())]
    Log {
        /// The log's directory.
        path: PathBuf,
        /// The cause.
        source: durable_log::embedded::OpenError,
    },
}

/// A required part of a deployment.
struct Part {
    name: &'static str,
    path: PathBuf,
    is_there: bool,
}

/// The parts in the data directory. Read-only.
///
/// # Errors
/// [`DataDirError::Missing`] when it contains only some of them; the others when it cannot be read.
pub(super) fn inspect(settings: &Settings) -> Result<State, DataDirError> {
    let data_dir = &settings.data_dir;
    if is_file(&data_dir.join(UNFINISHED))? {
        return Ok(State::Unfinished);
    }
    let parts = parts(settings)?;
    let mut present: Vec<String> =
        parts.iter().filter(|part| part.is_there).map(|part| name_of(&part.path)).collect();
    // Created later, but still evidence of a deployment.
    for path in [settings.first_run_file(), data_dir.join(key_encryption_keys::FILE_NAME)] {
        if is_file(&path)? {
            present.push(name_of(&path));
        }
    }
    let missing = parts.into_iter().find(|part| !part.is_there);
    match missing {
        None => Ok(State::Whole),
        Some(_) if present.is_empty() => Ok(State::New),
        Some(Part { name: part, path, .. }) => {
            Err(DataDirError::Missing { part, path, data_dir: data_dir.clone(), present: present.join(", ") })
        }
    }
}

/// Marks the first start as in progress; called before anything else is created. Idempotent.
///
/// # Errors
/// [`DataDirError::Io`].
pub(super) fn begin_first_start(data_dir: &Path) -> Result<(), DataDirError> {
    let path = data_dir.join(UNFINISHED);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    file.and_then(|file| file.sync_all())
        .and_then(|()| sync(data_dir))
        .map_err(|source| DataDirError::Io { path, source })
}

/// From here on a missing part is an error; called when all of them exist and the ledger records them.
///
/// # Errors
/// [`DataDirError::Io`].
pub(super) fn end_first_start(data_dir: &Path) -> Result<(), DataDirError> {
    let path = data_dir.join(UNFINISHED);
    fs::remove_file(&path).and_then(|()| sync(data_dir)).map_err(|source| DataDirError::Io { path, source })
}

/// The parts, the ledger first: without it the others are useless.
fn parts(settings: &Settings) -> Result<Vec<Part>, DataDirError> {
    let ledger = settings.data_dir.join(ledger::embedded::FILE_NAME);
    let log = settings.log_dir();
    let identity = durable_log::embedded::identity(&log)
        .map_err(|source| DataDirError::Log { path: log.clone(), source })?;
    let mut parts = vec![
        Part { name: "ledger", is_there: is_file(&ledger)?, path: ledger },
        Part { name: "log", is_there: identity.is_some(), path: log },
    ];
    // A configured pepper is stored elsewhere.
    if settings.secrets.pepper.is_none() {
        let path = settings.data_dir.join(pepper::FILE_NAME);
        parts.push(Part { name: "pepper", is_there: is_file(&path)?, path });
    }
    Ok(parts)
}

fn is_file(path: &Path) -> Result<bool, DataDirError> {
    path.try_exists().map_err(|source| DataDirError::Io { path: path.to_owned(), source })
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(data_dir: &Path) -> Settings {
        Settings { data_dir: data_dir.to_owned(), ..Settings::default() }
    }

    #[test]
    fn an_interrupted_first_start_is_taken_up_again_and_a_finished_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let settings = settings(dir.path());
        assert_eq!(inspect(&settings).unwrap(), State::New);
        begin_first_start(dir.path()).unwrap();
        fs::write(dir.path().join(pepper::FILE_NAME), "x").unwrap();
        assert_eq!(inspect(&settings).unwrap(), State::Unfinished);
        begin_first_start(dir.path()).unwrap();
        end_first_start(dir.path()).unwrap();
        let refused = inspect(&settings).unwrap_err();
        assert!(matches!(refused, DataDirError::Missing { part: "ledger", .. }), "{refused}");
    }
}

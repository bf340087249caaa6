//! Working directory of a run: a given empty directory, or a temporary one.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use thiserror::Error;

/// Reason why there is no working directory.
#[derive(Debug, Error)]
pub enum WorkError {
    #[error("{} holds something already, expected an empty or a new directory", directory.display())]
    NotEmpty { directory: PathBuf },
    #[error("the directory to work in: {0}")]
    Io(#[from] std::io::Error),
}

/// Working directory of a run.
pub enum Work {
    Named(PathBuf),
    Temporary(TempDir),
}

impl Work {
    /// The given directory, or a temporary one.
    pub fn open(named: Option<&Path>) -> Result<Self, WorkError> {
        let Some(directory) = named else {
            return Ok(Self::Temporary(TempDir::with_prefix("palisade-loadtest-")?));
        };
        std::fs::create_dir_all(directory)?;
        if std::fs::read_dir(directory)?.next().is_some() {
            return Err(WorkError::NotEmpty { directory: directory.to_owned() });
        }
        // Processes are started with paths below it.
        Ok(Self::Named(std::path::absolute(directory)?))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        match self {
            Self::Named(directory) => directory,
            Self::Temporary(directory) => directory.path(),
        }
    }

    /// Removes a temporary directory after a clean run; otherwise returns the path of the directory.
    pub fn leave(self, is_clean: bool) -> Option<PathBuf> {
        match self {
            Self::Named(directory) => Some(directory),
            Self::Temporary(_) if is_clean => None,
            Self::Temporary(directory) => Some(directory.keep()),
        }
    }
}

//! Files of training data. The digest of each file that was read becomes part of the model.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::TrainError;

/// SHA-256 of a text in hexadecimal.
#[must_use]
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A directory of training data.
#[derive(Debug)]
pub struct Data {
    directory: PathBuf,
    digests: BTreeMap<String, String>,
}

impl Data {
    /// The files below `directory`. Nothing is read yet.
    #[must_use]
    pub fn open(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), digests: BTreeMap::new() }
    }

    /// A whole file as text.
    ///
    /// # Errors
    /// [`TrainError::File`] where it cannot be read or is not UTF-8.
    pub fn text(&mut self, name: &str) -> Result<String, TrainError> {
        let path = self.directory.join(name);
        let text = fs::read_to_string(&path).map_err(|source| TrainError::File { path, source })?;
        self.digests.insert(name.to_owned(), digest(&text));
        Ok(text)
    }

    /// The records of a file of JSON lines.
    ///
    /// # Errors
    /// [`TrainError::File`] where it cannot be read, [`TrainError::Line`] where a line is no such record.
    pub fn records<R: DeserializeOwned>(&mut self, name: &str) -> Result<Vec<R>, TrainError> {
        let text = self.text(name)?;
        let mut records = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let path = || self.directory.join(name);
            let record = serde_json::from_str(line).map_err(|source| TrainError::Line {
                path: path(),
                line: number + 1,
                source,
            })?;
            records.push(record);
        }
        Ok(records)
    }

    /// SHA-256 of each file that was read, by name.
    #[must_use]
    pub fn digests(&self) -> &BTreeMap<String, String> {
        &self.digests
    }
}

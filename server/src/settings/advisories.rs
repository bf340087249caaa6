//! Settings of security advisories of packages.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Settings of security advisories of packages.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AdvisorySettings {
    /// Directories with advisories of the OSV schema (`*.json`, `*.zip`, read recursively), which
    /// `palisade advisories import` reads. Default none.
    pub directories: Vec<PathBuf>,
    /// The index that the import writes and the server reads. Default `advisories.index` in the data directory.
    pub index_file: Option<PathBuf>,
}

impl AdvisorySettings {
    /// The index of a deployment with this data directory.
    pub(crate) fn index_file(&self, data_dir: &Path) -> PathBuf {
        self.index_file.clone().unwrap_or_else(|| data_dir.join("advisories.index"))
    }
}

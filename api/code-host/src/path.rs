//! Resources whose ids stand in paths: decimal numbers of the host.

use code_host::{InstallationId, RepositoryId};
use rest::path::PathParameter;

/// An installation.
pub(crate) enum InstallationPath {}
/// A repository.
pub(crate) enum RepositoryPath {}

impl PathParameter for InstallationPath {
    type Id = InstallationId;
    const NAME: &'static str = "installation";
}

impl PathParameter for RepositoryPath {
    type Id = RepositoryId;
    const NAME: &'static str = "repository";
}

//! The interface to the host.

use async_trait::async_trait;
use thiserror::Error;

use crate::id::{InstallationId, RepositoryId};

/// A repository as the host lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostedRepository {
    /// Its id.
    pub id: RepositoryId,
    /// `owner/name`.
    pub full_name: String,
    /// Whether only invited users of the host can read it.
    pub private: bool,
    /// Name of its default branch.
    pub default_branch: String,
}

/// Reason why the host gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    /// The installation was removed or suspended at the host.
    #[error("the installation is not active at the code host")]
    NotInstalled,
    /// The host cannot be reached, or refuses for now.
    #[error("the code host is not available: {0}")]
    Unavailable(String),
}

/// A code host.
#[async_trait]
pub trait CodeHost: Send + Sync {
    /// All repositories that an installation gives access to.
    ///
    /// # Errors
    /// [`HostError`].
    async fn repositories(&self, installation: InstallationId) -> Result<Vec<HostedRepository>, HostError>;
}

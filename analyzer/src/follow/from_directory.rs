//! Rules of an organization that were unloaded, compiled again from the directory.

use std::sync::Arc;

use async_trait::async_trait;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use directory::Directory;
use sigma::Layer;

use super::SharedRules;
use crate::documents::Documents;
use crate::residence::{LoadError, Loader};

/// Compiles rules of organizations again from the directory.
pub(super) struct FromDirectory {
    documents: Arc<Documents>,
    directory: Arc<Directory>,
}

impl FromDirectory {
    /// Beside the shared rules.
    pub(super) fn new(shared_rules: &SharedRules, directory: &Arc<Directory>) -> Self {
        Self { documents: Arc::clone(&shared_rules.documents), directory: Arc::clone(directory) }
    }
}

impl std::fmt::Debug for FromDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FromDirectory").finish_non_exhaustive()
    }
}

#[async_trait]
impl Loader for FromDirectory {
    async fn load(&self, organization: OrganizationId, at: Timestamp) -> Result<Layer, LoadError> {
        let own = self.directory.own_detection(organization).await;
        let own = own.map_err(|source| LoadError::Unread { organization, source })?;
        let documents = Arc::clone(&self.documents);
        let compiled = tokio::task::spawn_blocking(move || documents.compile(&own, at).0).await;
        compiled.map_err(|_| LoadError::Broken(organization))
    }
}

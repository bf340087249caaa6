//! From a source's id to the source, cached for seconds: what ingestion asks for every batch.

use std::sync::Arc;

use common::ids::{OrganizationId, SourceId};
use thiserror::Error;

use crate::directory::Directory;
use crate::source::Source;

/// Reason why a source could not be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LookupError {
    /// The ledger cannot be reached and the source was not seen within the last minute.
    #[error("sources cannot be looked up at the moment")]
    Unavailable,
}

/// Finds sources, under the same rules as [`Authenticator`](crate::Authenticator): five seconds
/// fresh, a minute while the ledger cannot be reached, bounded. A change made through the same
/// [`Directory`] is seen by every look-up that begins after it.
pub struct SourceLookup {
    directory: Arc<Directory>,
}

impl SourceLookup {
    /// A lookup over a directory, with what that already knows.
    #[must_use]
    pub fn new(directory: Arc<Directory>) -> Self {
        Self { directory }
    }

    /// The organization's source; `None` when there is no such source, or when it belongs to another
    /// organization. The caller looks at `enabled`.
    ///
    /// # Errors
    /// [`LookupError::Unavailable`].
    pub async fn find(
        &self,
        organization: OrganizationId,
        id: SourceId,
    ) -> Result<Option<Arc<Source>>, LookupError> {
        let sources = self.directory.sources();
        let read = sources.get(organization, id);
        self.directory.known_sources.get((organization, id), read).await.map_err(|_| LookupError::Unavailable)
    }
}

impl std::fmt::Debug for SourceLookup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SourceLookup(..)")
    }
}

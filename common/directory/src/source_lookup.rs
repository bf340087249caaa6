//! From a source's id to the source, cached for seconds: what ingestion asks for every batch.

use std::sync::Arc;

use common::clock::SharedClock;
use common::ids::{OrganizationId, SourceId};
use thiserror::Error;

use crate::directory::Directory;
use crate::read_through::ReadThrough;
use crate::source::Source;

/// Why a source could not be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LookupError {
    /// The ledger cannot be reached and the source was not seen within the last minute.
    #[error("sources cannot be looked up at the moment")]
    Unavailable,
}

/// Finds sources, under the same rules as [`Authenticator`](crate::Authenticator): five seconds
/// fresh, a minute while the ledger cannot be reached, bounded.
pub struct SourceLookup {
    directory: Arc<Directory>,
    known: ReadThrough<(OrganizationId, SourceId), Source>,
}

impl SourceLookup {
    /// A lookup that knows nothing yet.
    #[must_use]
    pub fn new(directory: Arc<Directory>, clock: SharedClock) -> Self {
        Self { directory, known: ReadThrough::new(clock) }
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
        let read = self.directory.get_source(organization, id);
        self.known.get((organization, id), read).await.map_err(|_| LookupError::Unavailable)
    }
}

impl std::fmt::Debug for SourceLookup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SourceLookup(..)")
    }
}

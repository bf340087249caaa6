//! The names of an organization's sources, as new as the organization's ledger: one read of its sequence number per
//! list, a listing only when that has moved.

use std::sync::Arc;

use common::ids::OrganizationId;
use directory::{Directory, DirectoryError};
use ledger::{Ledger, LedgerId, Seq};
use tokio::sync::Mutex;

use super::filter::SourceNames;

/// The names as last read.
#[derive(Default)]
pub(super) struct NamesCache(Mutex<Option<(Seq, Arc<SourceNames>)>>);

impl NamesCache {
    /// The names of now; those read last while the ledger cannot be asked.
    pub(super) async fn latest(
        &self,
        organization: OrganizationId,
        ledger: &dyn Ledger,
        directory: &Directory,
    ) -> Result<Arc<SourceNames>, DirectoryError> {
        let mut cached = self.0.lock().await;
        match (read(organization, ledger, directory, cached.as_ref()).await, cached.as_ref()) {
            (Ok((seq, names)), _) => {
                *cached = Some((seq, Arc::clone(&names)));
                Ok(names)
            }
            (Err(DirectoryError::Unavailable(_)), Some((_, names))) => Ok(Arc::clone(names)),
            (Err(error), _) => Err(error),
        }
    }
}

async fn read(
    organization: OrganizationId,
    ledger: &dyn Ledger,
    directory: &Directory,
    cached: Option<&(Seq, Arc<SourceNames>)>,
) -> Result<(Seq, Arc<SourceNames>), DirectoryError> {
    let seq = ledger.seq(LedgerId::Organization(organization)).await?;
    if let Some((known, names)) = cached.filter(|(known, _)| *known == seq) {
        return Ok((*known, Arc::clone(names)));
    }
    let sources = directory.list_sources(organization).await?;
    let names = sources.into_iter().map(|source| (source.id, source.name.into())).collect();
    Ok((seq, Arc::new(names)))
}

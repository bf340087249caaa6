//! The names of an organization's sources, as new as the organization's ledger: one read of its sequence number per
//! list, a listing only when that has moved.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::ids::OrganizationId;
use directory::DirectoryError;
use ledger::{LedgerId, Seq};
use rest::kit::Kit;

use super::filter::SourceNames;

/// Time that a list with cached names waits for the ledger before it uses them.
const PATIENCE: Duration = Duration::from_secs(1);

/// The names as last read.
#[derive(Default)]
pub(super) struct NamesCache(Mutex<Option<Known>>);

type Known = (Seq, Arc<SourceNames>);

impl NamesCache {
    /// The names of now; those read last while the ledger cannot be asked.
    pub(super) async fn latest(
        &self,
        organization: OrganizationId,
        kit: &Kit,
    ) -> Result<Arc<SourceNames>, DirectoryError> {
        let cached = self.lock().clone();
        let reading = read(organization, kit, cached.as_ref());
        let Some((_, names)) = &cached else { return Ok(self.keep(reading.await?)) };
        match tokio::time::timeout(PATIENCE, reading).await {
            Ok(Ok(known)) => Ok(self.keep(known)),
            Err(_) | Ok(Err(DirectoryError::Unavailable(_))) => Ok(Arc::clone(names)),
            Ok(Err(error)) => Err(error),
        }
    }

    /// Keeps what was read, unless another request has read something newer meanwhile.
    fn keep(&self, known: Known) -> Arc<SourceNames> {
        let mut cached = self.lock();
        let names = Arc::clone(&known.1);
        if cached.as_ref().is_none_or(|(seq, _)| *seq <= known.0) {
            *cached = Some(known);
        }
        names
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn read(
    organization: OrganizationId,
    kit: &Kit,
    cached: Option<&Known>,
) -> Result<Known, DirectoryError> {
    let seq = kit.ledger.seq(LedgerId::Organization(organization)).await?;
    if let Some((known, names)) = cached.filter(|(known, _)| *known == seq) {
        return Ok((*known, Arc::clone(names)));
    }
    let sources = kit.directory.sources().list(organization).await?;
    let names = sources.into_iter().map(|source| (source.id, source.name.into())).collect();
    Ok((seq, Arc::new(names)))
}

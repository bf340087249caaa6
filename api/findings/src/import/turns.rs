//! Turns of imports: memory for bodies is bounded over all organizations, and one organization has one import at a time, so that
//! slow senders of one do not keep others waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::ids::OrganizationId;
use rest::error::ApiError;
use threads::ThreadsError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Imports at a time over all organizations, from the first byte of the body to the last commit: 20 MiB of body each.
const PLACES: usize = 8;
/// Time that a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// The turns of all organizations.
pub(crate) struct Turns {
    places: Arc<Semaphore>,
    organizations: Mutex<HashMap<OrganizationId, Arc<Semaphore>>>,
}

/// Held while an import goes on.
pub(crate) struct Turn {
    _organization: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

impl Turns {
    pub(crate) fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(PLACES)), organizations: Mutex::default() }
    }

    /// Waits for the turn of an organization.
    ///
    /// # Errors
    /// 503 when it does not come in time.
    pub(crate) async fn begin(&self, organization: OrganizationId) -> Result<Turn, ApiError> {
        let own = self.own(organization);
        let waiting = async {
            let own = own.acquire_owned().await.ok()?;
            let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
            Some(Turn { _organization: own, _place: place })
        };
        let turn = tokio::time::timeout(PATIENCE, waiting).await.ok().flatten();
        turn.ok_or_else(|| ApiError::unavailable(ThreadsError::Busy { patience: PATIENCE }))
    }

    /// The semaphore of an organization; unused ones are removed.
    fn own(&self, organization: OrganizationId) -> Arc<Semaphore> {
        let mut organizations = self.organizations.lock().unwrap_or_else(PoisonError::into_inner);
        organizations.retain(|_, own| Arc::strong_count(own) > 1 || own.available_permits() == 0);
        Arc::clone(organizations.entry(organization).or_insert_with(|| Arc::new(Semaphore::new(1))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_import_of_one_organization_delays_no_other() {
        let turns = Turns::new();
        let _stalled = turns.begin(organization(1)).await.unwrap();
        assert!(turns.begin(organization(1)).await.is_err(), "its next one waits, and is refused");
        let others: Vec<_> =
            futures_util::future::join_all((2..9).map(|number| turns.begin(organization(number)))).await;
        assert!(others.iter().all(Result::is_ok));
        assert!(turns.begin(organization(9)).await.is_err(), "all places are taken");
        drop(others);
        assert!(turns.begin(organization(9)).await.is_ok());
    }
}

//! Turns of requests by the memory of their analysis: their memory is bounded over all organizations, and those of one organization
//! are bounded too, so that slow senders of one do not keep others waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::ids::OrganizationId;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ApiError;

/// Bounds of turns.
#[derive(Clone, Copy, Debug)]
pub struct TurnLimits {
    /// Units over all organizations: requests, or KiB of memory.
    pub units: u32,
    /// Turns of one organization at a time.
    pub of_organization: usize,
    /// Time limit of the wait.
    pub patience: Duration,
}

/// The turns of all organizations.
pub struct MemoryTurns {
    limits: TurnLimits,
    units: Arc<Semaphore>,
    organizations: Mutex<HashMap<OrganizationId, Arc<Semaphore>>>,
}

/// Held while a request goes on.
pub struct Turn {
    _organization: OwnedSemaphorePermit,
    _units: OwnedSemaphorePermit,
}

/// No turn came in time.
#[derive(Debug, Error)]
#[error("expected a turn within {patience:?}, found none")]
struct NoTurn {
    patience: Duration,
}

impl MemoryTurns {
    /// Turns within limits.
    #[must_use]
    pub fn new(limits: TurnLimits) -> Self {
        let units = Arc::new(Semaphore::new(limits.units as usize));
        Self { limits, units, organizations: Mutex::default() }
    }

    /// Waits for the turn of an organization with so many units; more than half of all count as half.
    ///
    /// # Errors
    /// 503 when it does not come in time.
    pub async fn begin(&self, organization: OrganizationId, units: u32) -> Result<Turn, ApiError> {
        let own = self.own(organization);
        let units = units.clamp(1, (self.limits.units / 2).max(1));
        let waiting = async {
            let own = own.acquire_owned().await.ok()?;
            let units = Arc::clone(&self.units).acquire_many_owned(units).await.ok()?;
            Some(Turn { _organization: own, _units: units })
        };
        let patience = self.limits.patience;
        let turn = tokio::time::timeout(patience, waiting).await.ok().flatten();
        turn.ok_or_else(|| ApiError::unavailable(NoTurn { patience }))
    }

    /// The semaphore of an organization; unused ones are removed.
    fn own(&self, organization: OrganizationId) -> Arc<Semaphore> {
        let most = self.limits.of_organization;
        let mut organizations = self.organizations.lock().unwrap_or_else(PoisonError::into_inner);
        organizations.retain(|_, own| Arc::strong_count(own) > 1 || own.available_permits() < most);
        Arc::clone(organizations.entry(organization).or_insert_with(|| Arc::new(Semaphore::new(most))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: TurnLimits = TurnLimits { units: 8, of_organization: 1, patience: Duration::from_secs(10) };

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_request_of_one_organization_delays_no_other() {
        let turns = MemoryTurns::new(LIMITS);
        let _stalled = turns.begin(organization(1), 1).await.unwrap();
        assert!(turns.begin(organization(1), 1).await.is_err(), "its next one waits, and is refused");
        let others: Vec<_> =
            futures_util::future::join_all((2..9).map(|number| turns.begin(organization(number), 1))).await;
        assert!(others.iter().all(Result::is_ok));
        assert!(turns.begin(organization(9), 1).await.is_err(), "all places are taken");
        drop(others);
        assert!(turns.begin(organization(9), 1).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_request_takes_half_at_most() {
        let turns = MemoryTurns::new(LIMITS);
        let _large = turns.begin(organization(1), u32::MAX).await.unwrap();
        assert!(turns.begin(organization(2), 4).await.is_ok());
        assert!(turns.begin(organization(3), 5).await.is_ok(), "as many as half");
    }
}

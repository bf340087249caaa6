//! Turns of requests with a large body or analysis: requests and memory are bounded over all organizations, and requests of one
//! organization are bounded too, so that its slow senders delay no other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::ids::OrganizationId;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ApiError;

/// Bounds of turns.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Units over all organizations: requests, or KiB of memory.
    pub units: u32,
    /// Requests of one organization at a time.
    pub of_organization: usize,
    /// Time limit of each wait.
    pub patience: Duration,
}

/// The turns of all organizations.
pub struct Turns {
    limits: Limits,
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

impl Turns {
    /// Turns within limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let units = Arc::new(Semaphore::new(limits.units as usize));
        Self { limits, units, organizations: Mutex::default() }
    }

    /// Waits for the turn of an organization with a number of units; more than half of all count as half.
    ///
    /// # Errors
    /// 503 when it does not come in time.
    pub async fn begin(&self, organization: OrganizationId, units: u32) -> Result<Turn, ApiError> {
        let own = self.own(organization);
        let units = units.clamp(1, (self.limits.units / 2).max(1));
        self.wait(async {
            let own = own.acquire_owned().await.ok()?;
            let units = Arc::clone(&self.units).acquire_many_owned(units).await.ok()?;
            Some(Turn { _organization: own, _units: units })
        })
        .await
    }

    /// Waits until a request of an organization may be received, for a route that takes units only once it has arrived.
    ///
    /// # Errors
    /// 503 when that is not in time.
    pub async fn receive(&self, organization: OrganizationId) -> Result<OwnedSemaphorePermit, ApiError> {
        let own = self.own(organization);
        self.wait(async { own.acquire_owned().await.ok() }).await
    }

    /// Waits for a unit in which a received request is processed.
    ///
    /// # Errors
    /// 503 when it does not come in time.
    pub async fn process(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        self.wait(async { Arc::clone(&self.units).acquire_owned().await.ok() }).await
    }

    async fn wait<T>(&self, turn: impl Future<Output = Option<T>>) -> Result<T, ApiError> {
        let patience = self.limits.patience;
        let turn = tokio::time::timeout(patience, turn).await.ok().flatten();
        turn.ok_or_else(|| ApiError::unavailable(NoTurn { patience }))
    }

    /// The semaphore of an organization; unused ones are removed.
    fn own(&self, organization: OrganizationId) -> Arc<Semaphore> {
        let mut organizations = self.organizations.lock().unwrap_or_else(PoisonError::into_inner);
        // Each permit and each wait holds a reference.
        organizations.retain(|_, own| Arc::strong_count(own) > 1);
        let new = || Arc::new(Semaphore::new(self.limits.of_organization));
        Arc::clone(organizations.entry(organization).or_insert_with(new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { units: 8, of_organization: 1, patience: Duration::from_secs(10) };

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_request_of_one_organization_delays_no_other() {
        let turns = Turns::new(LIMITS);
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
        let turns = Turns::new(LIMITS);
        let _large = turns.begin(organization(1), u32::MAX).await.unwrap();
        assert!(turns.begin(organization(2), 4).await.is_ok());
        assert!(turns.begin(organization(3), 5).await.is_ok(), "as many as half");
    }

    #[tokio::test(start_paused = true)]
    async fn slow_senders_of_one_organization_delay_no_other() {
        let turns = Turns::new(Limits { units: 2, of_organization: 2, patience: Duration::from_secs(5) });
        let slow = [turns.receive(organization(1)).await, turns.receive(organization(1)).await];
        assert!(slow.iter().all(Result::is_ok));
        assert!(turns.receive(organization(1)).await.is_err(), "its third waits, and is refused");
        let other = turns.receive(organization(2)).await.unwrap();
        let processed = [turns.process().await, turns.process().await];
        assert!(processed.iter().all(Result::is_ok));
        assert!(turns.process().await.is_err());
        drop(processed);
        assert!(turns.process().await.is_ok());
        drop((slow, other));
        assert!(turns.receive(organization(1)).await.is_ok());
        drop(turns.receive(organization(3)).await.unwrap());
        assert_eq!(turns.organizations.lock().unwrap().len(), 1, "of the last one only");
    }
}

//! Turns of requests with a large body: an organization receives a few at a time, so that its slow senders delay no other, and
//! those that have arrived are processed in a bounded number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::ids::OrganizationId;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::error::ApiError;

/// The turns of one route.
pub struct Turns {
    places: Semaphore,
    per_organization: usize,
    patience: Duration,
    organizations: Mutex<HashMap<OrganizationId, Arc<Semaphore>>>,
}

/// No turn came within the patience.
#[derive(Debug, Error)]
#[error("no request of this kind ended within {patience:?}")]
struct Busy {
    patience: Duration,
}

impl Turns {
    /// So many requests are processed at a time, and so many of an organization received or processed. Each waits at most for
    /// the patience, twice.
    #[must_use]
    pub fn new(places: usize, per_organization: usize, patience: Duration) -> Self {
        let (places, organizations) = (Semaphore::new(places), Mutex::default());
        Self { places, per_organization, patience, organizations }
    }

    /// Waits until a request of an organization may be received.
    ///
    /// # Errors
    /// 503 when that is not in time.
    pub async fn receive(&self, organization: OrganizationId) -> Result<OwnedSemaphorePermit, ApiError> {
        self.wait(self.own(organization).acquire_owned()).await
    }

    /// Waits until a received request may be processed.
    ///
    /// # Errors
    /// 503 when that is not in time.
    pub async fn process(&self) -> Result<SemaphorePermit<'_>, ApiError> {
        self.wait(self.places.acquire()).await
    }

    async fn wait<P, E>(&self, permit: impl Future<Output = Result<P, E>>) -> Result<P, ApiError> {
        let patience = self.patience;
        let permit = tokio::time::timeout(patience, permit).await;
        permit.ok().and_then(Result::ok).ok_or_else(|| ApiError::unavailable(Busy { patience }))
    }

    /// The semaphore of an organization; unused ones are removed.
    fn own(&self, organization: OrganizationId) -> Arc<Semaphore> {
        let mut organizations = self.organizations.lock().unwrap_or_else(PoisonError::into_inner);
        organizations.retain(|_, own| Arc::strong_count(own) > 1);
        let new = || Arc::new(Semaphore::new(self.per_organization));
        Arc::clone(organizations.entry(organization).or_insert_with(new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    #[tokio::test(start_paused = true)]
    async fn slow_senders_of_one_organization_delay_no_other() {
        let turns = Turns::new(2, 2, Duration::from_secs(5));
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

//! Results in [`LedgerId::Shared`].
//!
//! | kind | key | body |
//! |---|---|---|
//! | detail | organization, nil for shared results, `context/`, number of the origin, SHA-256 of the identifier | [`Artifact`] |
//! | state | `context-expiry/`, day of the expiry, key of the result | empty |
//!
//! Rows are written in groups after the reply; until then this process answers them from memory. A result that was not written when
//! the process ended is unknown, and its content is scanned again when it is sent again. A pending result of public content may be written
//! after the job has written the whole one: it is left out then, so that no finished scan is pending.

mod expiry;
mod row;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use common::clock::SharedClock;
use common::digest::digest;
use common::ids::OrganizationId;
use common::partition::Shard;
use common::row::{BodyError, decode};
use common::timestamp::Timestamp;
use ledger::{Kind, Ledger, LedgerError, LedgerId};
use records::shard_of_identifier;
use rest::error::ApiError;
use thiserror::Error;
use tokio::sync::mpsc;

use row::{Waiting, commit};
pub(crate) use row::{owned, write_failure, write_now};

use crate::artifact::Origin;
use crate::record::{Artifact, Subject};

/// Largest row.
const MAX_ROW_BYTES: usize = 64 * 1024;
/// Results that wait to be written: 16 MiB at most.
const WAITING: usize = 256;
/// Time limit of the wait for a place among them.
const PATIENCE: Duration = Duration::from_secs(2);
/// Results in one commit: a commit has at most 1 MiB.
const GROUP: usize = 12;
/// Time between searches for expired results.
const SWEEP: Duration = Duration::from_secs(3600);
const NANOSECONDS_OF_DAY: i64 = 24 * 3600 * 1_000_000_000;
const EXPIRY: &[u8] = b"context-expiry/";

/// Reason why a result cannot be stored.
#[derive(Debug, Error)]
pub(crate) enum StoreError {
    #[error("expected a result of at most {MAX_ROW_BYTES} bytes, found {found}")]
    TooLarge { found: usize },
    #[error("no result could be queued within {PATIENCE:?}")]
    Busy,
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a stored result cannot be read")]
    Body(#[from] BodyError),
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Ledger(ref cause) if cause.is_damage() => Self::internal(error),
            StoreError::Ledger(_) | StoreError::Busy => Self::unavailable(error),
            StoreError::TooLarge { .. } | StoreError::Body(_) => Self::internal(error),
        }
    }
}

/// The results.
pub(crate) struct Store {
    ledger: Arc<dyn Ledger>,
    clock: SharedClock,
    shards: u16,
    waiting: Mutex<HashMap<Vec<u8>, Bytes>>,
    queue: mpsc::Sender<Waiting>,
}

/// Writes the results of a store.
pub(crate) struct Writer {
    store: Arc<Store>,
    queued: mpsc::Receiver<Waiting>,
}

fn key(organization: OrganizationId, origin: Origin, identifier: &str) -> Vec<u8> {
    let name = digest(&[identifier.as_bytes()]);
    [organization.as_bytes().as_slice(), b"context/", &[origin.number()], &name].concat()
}

fn day(time: Timestamp) -> u32 {
    u32::try_from(time.0.div_euclid(NANOSECONDS_OF_DAY)).unwrap_or(0)
}

fn expiry_key(expires_at: Timestamp, key: &[u8]) -> Vec<u8> {
    [EXPIRY, &day(expires_at).to_be_bytes(), key].concat()
}

impl Store {
    pub(crate) fn new(ledger: Arc<dyn Ledger>, clock: SharedClock, shards: u16) -> (Arc<Self>, Writer) {
        let (queue, queued) = mpsc::channel(WAITING);
        let store = Arc::new(Self { ledger, clock, shards, waiting: Mutex::default(), queue });
        (Arc::clone(&store), Writer { store, queued })
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<Vec<u8>, Bytes>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result of a content, unless it has expired.
    pub(crate) async fn get(
        &self,
        organization: OrganizationId,
        origin: Origin,
        identifier: &str,
    ) -> Result<Option<Artifact>, StoreError> {
        let key = key(organization, origin, identifier);
        let waiting = self.waiting().get(&key).cloned();
        let body = match waiting {
            Some(body) => Some(body),
            None => {
                let shard = shard_of_identifier(identifier.as_bytes(), self.shards);
                self.ledger.get(LedgerId::Shared(shard), Kind::Detail, &key).await?
            }
        };
        let Some(body) = body else { return Ok(None) };
        let artifact: Artifact = decode(&body)?;
        let is_kept = artifact.expires_at > self.clock.now() && artifact.subject.identifier == identifier;
        Ok(is_kept.then_some(artifact))
    }

    /// The result of public content that an organization sees: the shared one while it is whole and current, since it has more than one
    /// that a failed connection made; else the better one of the shared and its own.
    pub(crate) async fn seen(
        &self,
        organization: OrganizationId,
        origin: Origin,
        identifier: &str,
    ) -> Result<Option<Artifact>, StoreError> {
        if origin.is_private() {
            return self.get(organization, origin, identifier).await;
        }
        let shared = self.get(OrganizationId::NONE, origin, identifier).await?;
        let now = self.clock.now();
        let is_best = |shared: &Artifact| !(shared.is_pending || shared.is_partial || shared.is_stale(now));
        if shared.as_ref().is_some_and(is_best) {
            return Ok(shared);
        }
        let own = self.get(organization, origin, identifier).await?;
        Ok(match (shared, own) {
            (Some(shared), Some(own)) => Some(if own.may_replace(&shared) { own } else { shared }),
            (shared, own) => shared.or(own),
        })
    }

    /// Queues the result of a scan that goes on. A whole result that has come meanwhile, of another scan of the content, is returned
    /// in its place.
    pub(crate) async fn put_pending(&self, artifact: Artifact) -> Result<Artifact, StoreError> {
        let Subject { origin, identifier, .. } = &artifact.subject;
        let later = self.get(artifact.organization, *origin, identifier).await?;
        if let Some(whole) = later.filter(|later| !artifact.may_replace(later)) {
            return Ok(whole);
        }
        self.put(&artifact).await?;
        Ok(artifact)
    }

    /// Queues a result to be written; it is readable in this process at once.
    pub(crate) async fn put(&self, artifact: &Artifact) -> Result<(), StoreError> {
        let waiting = Waiting::new(artifact, self.shards)?;
        let place = tokio::time::timeout(PATIENCE, self.queue.reserve()).await;
        let place = place.ok().and_then(Result::ok).ok_or(StoreError::Busy)?;
        self.waiting().insert(waiting.key.clone(), waiting.body.clone());
        place.send(waiting);
        Ok(())
    }

    /// Writes a group of results of one shard.
    async fn write(&self, shard: Shard, group: Vec<Waiting>) {
        if let Err(error) = commit(self.ledger.as_ref(), shard, &group).await {
            tracing::warn!(error = %error, results = group.len(), "results of context scans were not stored");
        }
        let mut waiting = self.waiting();
        for one in group {
            if waiting.get(&one.key).is_some_and(|body| *body == one.body) {
                waiting.remove(&one.key);
            }
        }
    }
}

impl Writer {
    /// Writes queued results, and deletes expired ones every hour, until the store is gone.
    pub(crate) async fn run(mut self) {
        let mut sweeps = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                first = self.queued.recv() => {
                    let Some(first) = first else { return };
                    self.write(first).await;
                }
                _ = sweeps.tick() => {
                    if let Err(error) = self.store.sweep().await {
                        tracing::warn!(error = %error, "expired results of context scans were not deleted");
                    }
                }
            }
        }
    }

    async fn write(&mut self, first: Waiting) {
        let mut groups: HashMap<Shard, Vec<Waiting>> = HashMap::from([(first.shard, vec![first])]);
        for _ in 1..GROUP {
            let Ok(next) = self.queued.try_recv() else { break };
            groups.entry(next.shard).or_default().push(next);
        }
        for (shard, group) in groups {
            self.store.write(shard, group).await;
        }
    }
}

#[cfg(test)]
mod tests;

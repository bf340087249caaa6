//! Answers of the directory kept for seconds, so that ingestion does not ask the ledger for every
//! batch, and goes on for a while when the ledger cannot be reached.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;

use crate::error::DirectoryError;
use crate::generations::Generations;

/// Time that an answer is used without asking again: a key that another process revoked works no longer than this.
const FRESH: Duration = Duration::from_secs(5);
/// Time that a found value is used while the ledger cannot be reached.
const STALE: Duration = Duration::from_secs(60);
/// Pause of reads of the ledger after a failure: senders in their thousands must not all wait
/// for it to fail again.
const REST: Duration = Duration::from_secs(1);
/// Time limit of one read, after which it counts as a failure.
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Most entries found: a fleet has thousands of keys and sources, at some hundred bytes each.
const MAX_FOUND: usize = 10_000;
/// Most entries known to be absent. They lie apart, so that a sender who tries keys cannot push out
/// the good ones.
const MAX_ABSENT: usize = 10_000;
/// Most concurrent reads of the ledger: one per gate.
const GATES: usize = 64;

/// The ledger cannot be reached and nothing recent enough is known.
#[derive(Debug)]
pub(crate) struct Unreachable;

/// A bounded cache in front of a read. Keys that share a gate are read one after the other, so that a
/// thousand requests with one key cause one read.
pub(crate) struct ReadThrough<K, V> {
    clock: SharedClock,
    found: Mutex<Generations<K, Found<V>>>,
    absent: Mutex<Generations<K, Duration>>,
    gates: Vec<tokio::sync::Mutex<()>>,
    gate_choice: RandomState,
    failed_at: Mutex<Option<Duration>>,
}

struct Found<V> {
    value: Arc<V>,
    /// Monotonic time before the read began, so that its age is never underestimated.
    read_at: Duration,
}

impl<V> Clone for Found<V> {
    fn clone(&self) -> Self {
        Self { value: Arc::clone(&self.value), read_at: self.read_at }
    }
}

impl<K: Eq + Hash + Clone, V> ReadThrough<K, V> {
    /// An empty cache.
    pub(crate) fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            found: Mutex::new(Generations::new(MAX_FOUND)),
            absent: Mutex::new(Generations::new(MAX_ABSENT)),
            gates: (0..GATES).map(|_| tokio::sync::Mutex::new(())).collect(),
            gate_choice: RandomState::new(),
            failed_at: Mutex::new(None),
        }
    }

    /// The cached value of `key`; `read` is called when there is none, or it is too old.
    pub(crate) async fn get(
        &self,
        key: K,
        read: impl Future<Output = Result<Option<V>, DirectoryError>>,
    ) -> Result<Option<Arc<V>>, Unreachable> {
        if let Some(answer) = self.fresh(&key) {
            return Ok(answer);
        }
        let _passage = self.gate(&key).lock().await;
        if let Some(answer) = self.fresh(&key) {
            return Ok(answer);
        }
        if self.is_resting() {
            return self.stale(&key);
        }
        let read_at = self.clock.monotonic();
        match tokio::time::timeout(READ_TIMEOUT, read).await {
            Ok(Ok(value)) => Ok(self.remember(key, value, read_at)),
            Ok(Err(error)) => {
                tracing::warn!(%error, "the directory cannot be read; cached entries are used");
                // A row that cannot be read says nothing of the others.
                if !matches!(error, DirectoryError::Corrupt(_)) {
                    self.rest();
                }
                self.stale(&key)
            }
            Err(_) => {
                tracing::warn!(timeout = ?READ_TIMEOUT, "the directory did not answer; cached entries are used");
                self.rest();
                self.stale(&key)
            }
        }
    }

    /// Forgets what is known of `key`, so that the next answer is read. A read under way is waited for, since it may have
    /// begun before whatever changed.
    pub(crate) async fn forget(&self, key: &K) {
        let _passage = self.gate(key).lock().await;
        lock(&self.found).remove(key);
        lock(&self.absent).remove(key);
    }

    /// `Some` when the cache alone can answer.
    fn fresh(&self, key: &K) -> Option<Option<Arc<V>>> {
        let now = self.clock.monotonic();
        if let Some(found) =
            lock(&self.found).get(key).filter(|found| now.saturating_sub(found.read_at) < FRESH)
        {
            return Some(Some(found.value));
        }
        let read_at = lock(&self.absent).get(key)?;
        (now.saturating_sub(read_at) < FRESH).then_some(None)
    }

    /// The value found within the last minute. That something was absent is not repeated: it may have
    /// been created since, and a refusal is final for its sender.
    fn stale(&self, key: &K) -> Result<Option<Arc<V>>, Unreachable> {
        let now = self.clock.monotonic();
        let found = lock(&self.found).get(key).ok_or(Unreachable)?;
        if now.saturating_sub(found.read_at) > STALE {
            return Err(Unreachable);
        }
        Ok(Some(found.value))
    }

    fn remember(&self, key: K, value: Option<V>, read_at: Duration) -> Option<Arc<V>> {
        let Some(value) = value.map(Arc::new) else {
            lock(&self.found).remove(&key);
            lock(&self.absent).insert(key, read_at);
            return None;
        };
        lock(&self.absent).remove(&key);
        lock(&self.found).insert(key, Found { value: Arc::clone(&value), read_at });
        Some(value)
    }

    fn gate(&self, key: &K) -> &tokio::sync::Mutex<()> {
        let hash = self.gate_choice.hash_one(key);
        // The remainder is below GATES, and there are GATES gates.
        &self.gates[usize::try_from(hash % GATES as u64).unwrap_or(0)]
    }

    fn is_resting(&self) -> bool {
        lock(&self.failed_at).is_some_and(|failed_at| self.clock.monotonic().saturating_sub(failed_at) < REST)
    }

    fn rest(&self) {
        *lock(&self.failed_at) = Some(self.clock.monotonic());
    }
}

/// The maps are whole after every step, so a panic of another holder is no reason to stop.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

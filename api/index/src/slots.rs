//! The indexes of all organizations in use, within the memory of the process.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::OrganizationId;
use ledger::{Ledger, LedgerError, Seq};
use rest::error::ApiError;
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::listed::Listed;
use crate::measure;
use crate::organization::OrganizationIndex;
use crate::page::{Page, Part};
use rest::page::PageQuery;

/// Most indexes loaded at a time, since an index that is being loaded is not yet weighed against the others.
const LOADS_AT_ONCE: usize = 2;

/// Limits of the indexes of one resource.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Memory limit of the indexes of all organizations together, in bytes.
    pub memory_bytes: usize,
    /// Memory limit of the index of one organization, in bytes.
    pub organization_bytes: usize,
    /// Time without a list after which an organization's index is dropped.
    pub idle: Duration,
    /// Poll interval of the change feeds.
    pub poll: Duration,
}

/// Reason why a list cannot be answered.
#[derive(Debug, Error)]
pub enum IndexError {
    /// The ledger cannot be read.
    #[error("the index cannot read the ledger")]
    Ledger(#[from] LedgerError),
    /// The first load takes longer than a request waits.
    #[error("the index of the organization is still being loaded")]
    StillLoading,
}

impl From<IndexError> for ApiError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Ledger(error) => error.into(),
            IndexError::StillLoading => Self::unavailable(error),
        }
    }
}

/// The indexes of all organizations in use, of one resource.
pub struct Index<L: Listed> {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) clock: SharedClock,
    pub(crate) shards: u16,
    pub(crate) config: Config,
    slots: Mutex<Slots<L>>,
    pub(crate) loads: Semaphore,
    resource: PhantomData<fn() -> L>,
}

pub(crate) type Slots<L> = HashMap<OrganizationId, Arc<Slot<L>>>;

/// The index of one organization.
pub(crate) struct Slot<L: Listed> {
    pub(crate) organization: OrganizationId,
    index: RwLock<OrganizationIndex<L>>,
    beside: L::Beside,
    /// Held by the one request that loads.
    pub(crate) loading: tokio::sync::Mutex<()>,
    /// Monotonic nanoseconds of the last list.
    used: AtomicU64,
}

impl<L: Listed> Slot<L> {
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, OrganizationIndex<L>> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, OrganizationIndex<L>> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> Duration {
        Duration::from_nanos(self.used.load(Ordering::Relaxed))
    }
}

/// The loaded index of an organization.
pub struct Opened<L: Listed>(Arc<Slot<L>>);

impl<L: Listed> Opened<L> {
    /// The index, locked against changes while it is read. Must not be held across an await.
    pub fn read(&self) -> RwLockReadGuard<'_, OrganizationIndex<L>> {
        self.0.read()
    }

    /// The reply to a list request: `cut` takes the part of the list out of the index, and `view` shows a row of it.
    pub fn page<V>(
        &self,
        query: PageQuery,
        cut: impl FnOnce(&OrganizationIndex<L>, Part) -> Page<L>,
        view: impl Fn(&L::Row) -> V,
    ) -> rest::page::Page<V> {
        let index = self.read();
        let part = Part { offset: query.offset as usize, limit: query.limit as usize };
        let (rows, total) = cut(&index, part);
        let views = rows.iter().map(|row| view(row)).collect();
        let mut page = rest::page::Page::new(query, views, total as u64);
        page.pagination.index_truncated = index.is_truncated();
        page
    }

    /// Data that the resource keeps beside the index.
    #[must_use]
    pub fn beside(&self) -> &L::Beside {
        &self.0.beside
    }
}

impl<L: Listed> Index<L> {
    /// No index is loaded. `shards` is the number of ledgers that hold heads of the resource.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, clock: SharedClock, shards: u16, config: Config) -> Self {
        measure::describe(L::NAME);
        let (slots, loads) = (Mutex::default(), Semaphore::new(LOADS_AT_ONCE));
        Self { ledger, clock, shards, config, slots, loads, resource: PhantomData }
    }

    /// The index of an organization, loaded where needed.
    ///
    /// # Errors
    /// When the ledger cannot be read, or the load takes longer than a request waits.
    pub async fn open(&self, organization: OrganizationId) -> Result<Opened<L>, IndexError> {
        let slot = self.slot(organization);
        self.ensure_loaded(&slot).await?;
        Ok(Opened(slot))
    }

    /// Shows a change that this process committed as `seq` of its ledger at once.
    pub fn apply(&self, head: &L::Head, seq: Seq) {
        let (organization, id) = L::identity(head);
        let Some(slot) = self.slots().get(&organization).cloned() else { return };
        let mut index = slot.write();
        // The follower has read what it has passed itself, perhaps even a later deletion.
        if index.cursor(L::shard(id)).is_none_or(|cursor| cursor < seq) {
            index.put(head, seq);
        }
    }

    /// Removes a resource at once that this process deleted by commit `seq` of its ledger.
    pub fn removed(&self, organization: OrganizationId, id: L::Id, seq: Seq) {
        let Some(slot) = self.slots().get(&organization).cloned() else { return };
        slot.write().remove(id, seq);
    }

    /// The slot of an organization, marked as used now.
    fn slot(&self, organization: OrganizationId) -> Arc<Slot<L>> {
        let mut slots = self.slots();
        let slot = slots.entry(organization).or_insert_with(|| {
            // Never more than the budget of all together.
            let budget = self.config.organization_bytes.min(self.config.memory_bytes);
            Arc::new(Slot {
                organization,
                index: RwLock::new(OrganizationIndex::new(self.shards, budget)),
                beside: L::Beside::default(),
                loading: tokio::sync::Mutex::default(),
                used: AtomicU64::new(0),
            })
        });
        let now = u64::try_from(self.clock.monotonic().as_nanos()).unwrap_or(u64::MAX);
        slot.used.store(now, Ordering::Relaxed);
        Arc::clone(slot)
    }

    pub(crate) fn slots(&self) -> MutexGuard<'_, Slots<L>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops indexes that no list has used lately, and, least recently used first, those beyond the memory limit; the one used
    /// last stays. Reports the rest.
    pub(crate) fn make_room(&self) {
        let now = self.clock.monotonic();
        let mut slots = self.slots();
        slots.retain(|_, slot| {
            now.saturating_sub(slot.used()) < self.config.idle && !slot.read().has_stale_values()
        });
        let mut by_use: Vec<(Duration, OrganizationId, usize)> =
            slots.values().map(|slot| (slot.used(), slot.organization, slot.read().bytes())).collect();
        by_use.sort_unstable();
        let mut bytes: usize = by_use.iter().map(|(_, _, bytes)| bytes).sum();
        let droppable = by_use.len().saturating_sub(1);
        for (_, organization, freed) in by_use.into_iter().take(droppable) {
            if bytes <= self.config.memory_bytes {
                break;
            }
            slots.remove(&organization);
            bytes -= freed;
            measure::evicted(L::NAME);
        }
        let rows = slots.values().map(|slot| slot.read().len()).sum();
        measure::loaded(L::NAME, slots.len(), rows, bytes);
    }
}

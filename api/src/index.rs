//! The read index: lists, filters, exact totals and literal search over the ledger's incidents, in memory, one index
//! per organization. Loaded on first use, kept fresh by following the ledgers, dropped when idle or when memory is
//! short. The ledger stays the truth: single incidents are not read from here.

mod dictionary;
mod filter;
mod follow;
mod list;
mod load;
mod measure;
mod ordered;
mod organization;
mod row;
mod source_names;
mod summary;
mod text;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::OrganizationId;
use common::incident::IncidentHead;
use common::timestamp::Timestamp;
use directory::{Directory, DirectoryError};
use ledger::{Ledger, LedgerError, Seq};
use thiserror::Error;
use tokio::sync::Semaphore;

pub(crate) use filter::{Filter, State};
pub(crate) use list::{Part, Sort};
pub(crate) use row::Row;
pub(crate) use summary::{BySeverity, FacetCounts, Histogram};

use crate::config::IndexConfig;
use filter::SourceNames;
use organization::OrganizationIndex;
use source_names::NamesCache;

/// Most indexes loaded at a time, since what is being loaded is not yet weighed against the others.
const LOADS_AT_ONCE: usize = 2;
/// How long a list waits for its index. What was loaded until then is kept, so that the next request goes on there.
const LOAD_PATIENCE: Duration = Duration::from_secs(20);

/// Why a list cannot be answered.
#[derive(Debug, Error)]
pub(crate) enum IndexError {
    #[error("the index cannot read the ledger")]
    Ledger(#[from] LedgerError),
    #[error("the index cannot read the names of sources")]
    Directory(#[from] DirectoryError),
    #[error("the index of the organization is still being loaded")]
    StillLoading,
}

/// The indexes of all organizations in use.
pub(crate) struct Index {
    ledger: Arc<dyn Ledger>,
    directory: Arc<Directory>,
    clock: SharedClock,
    partitions: u16,
    config: IndexConfig,
    slots: Mutex<Slots>,
    loads: Semaphore,
}

type Slots = HashMap<OrganizationId, Arc<Slot>>;

/// One organization's place among them.
struct Slot {
    organization: OrganizationId,
    index: RwLock<OrganizationIndex>,
    names: NamesCache,
    /// Held by the one request that loads.
    loading: tokio::sync::Mutex<()>,
    /// Monotonic nanoseconds of the last list.
    used: AtomicU64,
}

impl Slot {
    fn read(&self) -> RwLockReadGuard<'_, OrganizationIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, OrganizationIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> Duration {
        Duration::from_nanos(self.used.load(Ordering::Relaxed))
    }
}

/// A part of an organization's list.
#[derive(Debug)]
pub(crate) struct Listed {
    /// The incidents with the names of their sources; `None` for a source that was deleted.
    pub(crate) rows: Vec<(Arc<Row>, Option<Arc<str>>)>,
    /// Exact number of incidents that match.
    pub(crate) total: usize,
    /// Whether the oldest incidents are missing for want of memory.
    pub(crate) truncated: bool,
}

/// What an index says.
pub(crate) struct Answer<A> {
    pub(crate) answer: A,
    /// The names of the organization's sources.
    pub(crate) names: Arc<SourceNames>,
    /// Whether the oldest incidents are missing for want of memory.
    pub(crate) truncated: bool,
}

impl Index {
    pub(crate) fn new(
        ledger: Arc<dyn Ledger>,
        directory: Arc<Directory>,
        clock: SharedClock,
        partitions: u16,
        config: IndexConfig,
    ) -> Self {
        measure::describe();
        let (slots, loads) = (Mutex::default(), Semaphore::new(LOADS_AT_ONCE));
        Self { ledger, directory, clock, partitions, config, slots, loads }
    }

    /// A part of an organization's list, loading its index where needed.
    pub(crate) async fn list(
        &self,
        organization: OrganizationId,
        filter: &Filter,
        part: Part,
    ) -> Result<Listed, IndexError> {
        let read = |index: &OrganizationIndex, names: &SourceNames| list::list(index, filter, names, part);
        let Answer { answer: (rows, total), names, truncated } = self.ask(organization, read).await?;
        let named = |row: Arc<Row>| {
            let name = names.get(&row.source).cloned();
            (row, name)
        };
        Ok(Listed { rows: rows.into_iter().map(named).collect(), total, truncated })
    }

    /// The incidents that match between two times by last activity, in so many spans (at least one).
    pub(crate) async fn histogram(
        &self,
        organization: OrganizationId,
        filter: &Filter,
        times: (Timestamp, Timestamp),
        spans: usize,
    ) -> Result<Answer<Histogram>, IndexError> {
        self.ask(organization, |index, names| summary::histogram(index, filter, names, times, spans)).await
    }

    /// The incidents that match by each value.
    pub(crate) async fn facets(
        &self,
        organization: OrganizationId,
        filter: &Filter,
    ) -> Result<Answer<FacetCounts>, IndexError> {
        self.ask(organization, |index, names| summary::facets(index, filter, names)).await
    }

    async fn ask<A>(
        &self,
        organization: OrganizationId,
        read: impl FnOnce(&OrganizationIndex, &SourceNames) -> A,
    ) -> Result<Answer<A>, IndexError> {
        let slot = self.slot(organization);
        self.ensure_loaded(&slot).await?;
        let names = slot.names.latest(organization, self.ledger.as_ref(), &self.directory).await?;
        let index = slot.read();
        Ok(Answer { answer: read(&index, &names), truncated: index.is_truncated(), names })
    }

    /// Shows a change that this process committed as `seq` of its partition at once.
    pub(crate) fn apply(&self, head: &IncidentHead, seq: Seq) {
        let Some(slot) = self.slots().get(&head.organization).cloned() else { return };
        let mut index = slot.write();
        // What the follower has passed it has read itself, perhaps even a later deletion.
        if index.cursor(head.id.partition()).is_none_or(|cursor| cursor < seq) {
            index.put(head, seq);
        }
    }

    /// The slot of an organization, marked as used now.
    fn slot(&self, organization: OrganizationId) -> Arc<Slot> {
        let mut slots = self.slots();
        let slot = slots.entry(organization).or_insert_with(|| {
            let index = OrganizationIndex::new(self.partitions, self.config.organization_budget());
            Arc::new(Slot {
                organization,
                index: RwLock::new(index),
                names: NamesCache::default(),
                loading: tokio::sync::Mutex::default(),
                used: AtomicU64::new(0),
            })
        });
        let now = u64::try_from(self.clock.monotonic().as_nanos()).unwrap_or(u64::MAX);
        slot.used.store(now, Ordering::Relaxed);
        Arc::clone(slot)
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops what nobody has asked for lately, and, least recently used first, what is too much; the one used last
    /// stays. Reports what remains.
    fn make_room(&self) {
        let now = self.clock.monotonic();
        let mut slots = self.slots();
        slots.retain(|_, slot| now.saturating_sub(slot.used()) < self.config.idle());
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
            metrics::counter!("palisade_api_index_evictions_total").increment(1);
        }
        report(&slots, bytes);
    }
}

#[expect(clippy::cast_precision_loss, reason = "gauges are floating point; sizes in memory are below 2^53")]
fn report(slots: &Slots, bytes: usize) {
    let incidents: usize = slots.values().map(|slot| slot.read().order.len()).sum();
    metrics::gauge!("palisade_api_index_bytes").set(bytes as f64);
    metrics::gauge!("palisade_api_index_organizations").set(slots.len() as f64);
    metrics::gauge!("palisade_api_index_incidents").set(incidents as f64);
}

#[cfg(test)]
mod million;

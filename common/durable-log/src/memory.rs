//! The log in memory: the whole contract except that nothing outlives the process. For tests and
//! demonstrations; it can be made to refuse, to fail, and to delay senders.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use common::batch::Batch;
use common::partition::{Offset, Partition};
use tokio::sync::watch;

use crate::embedded::MAX_FRAME_BYTES;
use crate::{AppendError, DurableLog, Entry, FetchError, Usage};

/// Approximate bytes of a batch beside its payload: of the same order as in the embedded log.
const BATCH_OVERHEAD_BYTES: u64 = 256;

/// Capacity of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBounds {
    /// Number of partitions, at least 1.
    pub partitions: u16,
    /// Most bytes of unreleased batches.
    pub capacity_bytes: u64,
    /// Most unreleased batches.
    pub max_batches: usize,
    /// Most bytes that wait while appends are held.
    pub queue_bytes: u64,
}

impl MemoryBounds {
    /// Bounds that fit a test: 64 MiB of batches, 100,000 of them, 64 MiB waiting.
    #[must_use]
    pub fn of_partitions(partitions: u16) -> Self {
        let (capacity_bytes, queue_bytes) = (64 * 1024 * 1024, 64 * 1024 * 1024);
        Self { partitions, capacity_bytes, max_batches: 100_000, queue_bytes }
    }
}

/// A log in memory.
pub struct MemoryLog {
    bounds: MemoryBounds,
    state: Mutex<State>,
    /// Offset of the last batch of each partition.
    ends: Vec<watch::Sender<u64>>,
    held: watch::Sender<bool>,
    queued_bytes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    partitions: Vec<Batches>,
    next_offset: u64,
    used_bytes: u64,
    batches: usize,
    closed: bool,
    poison: Option<String>,
    refuse_appends: Option<AppendError>,
    refuse_fetches: Option<FetchError>,
}

#[derive(Clone, Default)]
struct Batches {
    entries: VecDeque<Entry>,
    forgotten: u64,
}

impl MemoryLog {
    /// An empty log with [`MemoryBounds::of_partitions`].
    #[must_use]
    pub fn new(partitions: u16) -> Self {
        Self::with_bounds(MemoryBounds::of_partitions(partitions))
    }

    /// An empty log.
    #[must_use]
    pub fn with_bounds(bounds: MemoryBounds) -> Self {
        let partitions = vec![Batches::default(); usize::from(bounds.partitions)];
        let ends = partitions.iter().map(|_| watch::Sender::new(0)).collect();
        let state = Mutex::new(State { partitions, next_offset: 1, ..State::default() });
        Self { bounds, state, ends, held: watch::Sender::new(false), queued_bytes: watch::Sender::new(0) }
    }

    /// Refuses every append with this error, until it is set to `None`.
    pub fn refuse_appends(&self, error: Option<AppendError>) {
        self.lock().refuse_appends = error;
    }

    /// Refuses every fetch with this error, until it is set to `None`.
    pub fn refuse_fetches(&self, error: Option<FetchError>) {
        self.lock().refuse_fetches = error;
    }

    /// Acts as a failed sync does: waiting senders do not learn their outcome, and no append is
    /// taken afterwards.
    pub fn poison(&self, cause: &str) {
        self.lock().poison = Some(cause.to_owned());
        self.held.send_replace(false);
    }

    /// Delays appends, as a slow disk does, until [`resume_appends`](Self::resume_appends).
    pub fn hold_appends(&self) {
        self.held.send_replace(true);
    }

    /// Makes waiting batches durable, and delays no further ones.
    pub fn resume_appends(&self) {
        self.held.send_replace(false);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a batch; it counts as waiting until the returned place is dropped.
    fn admit(&self, partition: Partition, bytes: u64) -> Result<Queued<'_>, AppendError> {
        let MemoryBounds { partitions, capacity_bytes, max_batches, queue_bytes } = self.bounds;
        if partition.0 >= partitions {
            return Err(AppendError::NoSuchPartition { partition: partition.0, partitions });
        }
        if bytes > MAX_FRAME_BYTES {
            return Err(AppendError::TooLarge { found: bytes, limit: MAX_FRAME_BYTES });
        }
        let state = self.lock();
        if let Some(error) = &state.refuse_appends {
            return Err(error.clone());
        }
        if let Some(cause) = &state.poison {
            return Err(AppendError::Poisoned { cause: cause.clone() });
        }
        if state.closed {
            return Err(AppendError::Closed);
        }
        let queued = *self.queued_bytes.borrow();
        if queued > 0 && queued + bytes > queue_bytes {
            return Err(AppendError::QueueFull { queued, capacity: queue_bytes });
        }
        let used = state.used_bytes + queued;
        if used + bytes > capacity_bytes {
            return Err(AppendError::Full { used, capacity: capacity_bytes });
        }
        if state.batches >= max_batches {
            return Err(AppendError::Full { used: state.batches as u64, capacity: max_batches as u64 });
        }
        self.queued_bytes.send_modify(|queued| *queued += bytes);
        Ok(Queued { log: self, bytes })
    }

    fn no_such_partition(&self, partition: Partition) -> FetchError {
        FetchError::NoSuchPartition { partition: partition.0, partitions: self.bounds.partitions }
    }

    fn read(&self, partition: Partition, from: Offset, max_bytes: usize) -> Result<Vec<Entry>, FetchError> {
        let state = self.lock();
        if let Some(error) = &state.refuse_fetches {
            return Err(error.clone());
        }
        let Some(batches) = state.partitions.get(usize::from(partition.0)) else {
            return Err(self.no_such_partition(partition));
        };
        // Offsets start at 1: 0 is equivalent to 1.
        if from.0.max(1) <= batches.forgotten {
            let oldest = batches.entries.front().map_or(batches.forgotten + 1, |entry| entry.offset.0);
            return Err(FetchError::Trimmed { partition: partition.0, from: from.0, oldest });
        }
        let start = batches.entries.partition_point(|entry| entry.offset < from);
        let mut found = Vec::new();
        let mut total = 0;
        for entry in batches.entries.range(start..) {
            total += entry.batch.payload.len();
            if total > max_bytes && !found.is_empty() {
                break;
            }
            found.push(entry.clone());
        }
        Ok(found)
    }
}

fn size(batch: &Batch) -> u64 {
    batch.payload.len() as u64 + BATCH_OVERHEAD_BYTES
}

/// A waiting batch; one whose sender gave up waits no longer.
struct Queued<'a> {
    log: &'a MemoryLog,
    bytes: u64,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.log.queued_bytes.send_modify(|queued| *queued -= self.bytes);
    }
}

#[async_trait]
impl DurableLog for MemoryLog {
    fn partitions(&self) -> u16 {
        self.bounds.partitions
    }

    async fn append(&self, partition: Partition, batch: Batch) -> Result<Offset, AppendError> {
        let bytes = size(&batch);
        let queued = self.admit(partition, bytes)?;
        // The sender lives as long as `self`, so this cannot fail.
        let _ = self.held.subscribe().wait_for(|held| !*held).await;
        let mut state = self.lock();
        if let Some(cause) = &state.poison {
            return Err(AppendError::Unknown { cause: cause.clone() });
        }
        let offset = Offset(state.next_offset);
        let index = usize::from(partition.0);
        let (Some(batches), Some(end)) = (state.partitions.get_mut(index), self.ends.get(index)) else {
            let partitions = self.bounds.partitions;
            return Err(AppendError::NoSuchPartition { partition: partition.0, partitions });
        };
        batches.entries.push_back(Entry { offset, batch });
        end.send_replace(offset.0);
        state.next_offset += 1;
        state.used_bytes += bytes;
        state.batches += 1;
        drop(queued);
        Ok(offset)
    }

    async fn fetch(
        &self,
        partition: Partition,
        from: Offset,
        max_bytes: usize,
        max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError> {
        let end = self.ends.get(usize::from(partition.0)).ok_or_else(|| self.no_such_partition(partition))?;
        let mut end = end.subscribe();
        let refused = self.lock().refuse_fetches.is_some();
        let arrived = end.wait_for(|end| *end >= from.0 || refused);
        if tokio::time::timeout(max_wait, arrived).await.is_err() {
            return Ok(Vec::new());
        }
        self.read(partition, from, max_bytes)
    }

    async fn end(&self, partition: Partition) -> Result<Offset, FetchError> {
        let end = self.ends.get(usize::from(partition.0)).ok_or_else(|| self.no_such_partition(partition))?;
        Ok(Offset(*end.borrow()))
    }

    /// All partitions share one sequence of offsets.
    async fn last_assigned(&self, partition: Partition) -> Result<Offset, FetchError> {
        let mut last = self.end(partition).await?;
        for other in 0..self.partitions() {
            last = last.max(self.end(Partition(other)).await?);
        }
        Ok(last)
    }

    fn release(&self, partition: Partition, through: Offset) {
        let mut state = self.lock();
        let State { partitions, used_bytes, batches: count, .. } = &mut *state;
        let Some(batches) = partitions.get_mut(usize::from(partition.0)) else { return };
        while let Some(entry) = batches.entries.pop_front_if(|entry| entry.offset <= through) {
            batches.forgotten = entry.offset.0;
            *used_bytes -= size(&entry.batch);
            *count -= 1;
        }
    }

    fn usage(&self) -> Usage {
        let state = self.lock();
        Usage {
            unreleased_bytes: state.used_bytes,
            capacity_bytes: self.bounds.capacity_bytes,
            unreleased_batches: state.batches as u64,
            capacity_batches: self.bounds.max_batches as u64,
            queued_bytes: *self.queued_bytes.borrow(),
            queue_capacity_bytes: self.bounds.queue_bytes,
            writable: state.poison.is_none() && !state.closed,
            partitions_behind: 0,
            disk_low: false,
        }
    }

    async fn close(&self) {
        self.lock().closed = true;
        self.resume_appends();
        // The sender lives as long as `self`, so this cannot fail.
        let _ = self.queued_bytes.subscribe().wait_for(|queued| *queued == 0).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::conformance::{self, Bounds, batch};

    async fn open(bounds: Bounds) -> Arc<dyn DurableLog> {
        let Bounds { partitions, capacity_bytes, queue_bytes } = bounds;
        let bounds = MemoryBounds::of_partitions(partitions);
        Arc::new(MemoryLog::with_bounds(MemoryBounds { capacity_bytes, queue_bytes, ..bounds }))
    }

    #[tokio::test]
    async fn it_keeps_the_contract() {
        conformance::contract(open).await;
        conformance::bounds(open).await;
    }

    #[tokio::test]
    async fn held_appends_wait_within_the_bound_of_the_queue() {
        let bounds = MemoryBounds { queue_bytes: 1000, ..MemoryBounds::of_partitions(1) };
        let log = Arc::new(MemoryLog::with_bounds(bounds));
        log.hold_appends();
        let first = {
            let log = Arc::clone(&log);
            async move { log.append(Partition(0), batch(1, 600)).await }
        };
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(first);
        tokio::task::yield_now().await;
        assert_eq!(log.usage().queued_bytes, 856);
        assert_eq!(log.end(Partition(0)).await, Ok(Offset(0)), "nothing is readable before it is durable");
        let refused = log.append(Partition(0), batch(2, 600)).await;
        assert_eq!(refused, Err(AppendError::QueueFull { queued: 856, capacity: 1000 }));
        log.resume_appends();
        assert_eq!(tasks.join_next().await.unwrap().unwrap(), Ok(Offset(1)));
        assert_eq!(log.usage().queued_bytes, 0);
    }

    #[tokio::test]
    async fn it_fails_as_it_is_told() {
        let log = MemoryLog::new(1);
        log.refuse_appends(Some(AppendError::Closed));
        assert_eq!(log.append(Partition(0), batch(1, 1)).await, Err(AppendError::Closed));
        log.refuse_appends(None);
        log.append(Partition(0), batch(1, 1)).await.unwrap();

        let unavailable = FetchError::Unavailable { cause: "told to".to_owned() };
        log.refuse_fetches(Some(unavailable.clone()));
        assert_eq!(log.fetch(Partition(0), Offset(9), 1, Duration::MAX).await, Err(unavailable));

        log.poison("told to");
        let poisoned = AppendError::Poisoned { cause: "told to".to_owned() };
        assert_eq!(log.append(Partition(0), batch(1, 1)).await, Err(poisoned));
        assert!(!log.usage().writable);
    }

    #[tokio::test]
    async fn a_sender_that_gives_up_waits_no_longer() {
        let log = MemoryLog::new(1);
        log.hold_appends();
        let given_up = tokio::time::timeout(Duration::ZERO, log.append(Partition(0), batch(1, 1))).await;
        assert!(given_up.is_err());
        assert_eq!(log.usage().queued_bytes, 0);
        log.close().await;
    }
}

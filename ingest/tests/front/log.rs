//! A log in memory with configurable failures and delays.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use common::batch::Batch;
use common::partition::{Offset, Partition};
use durable_log::{AppendError, DurableLog, Entry, FetchError, Usage};
use tokio::sync::{Notify, Semaphore, watch};

/// Time that an append may take to arrive.
const MOST_WAIT: Duration = Duration::from_secs(60);

/// Keeps appended batches, in order of arrival.
pub(crate) struct ScriptedLog {
    state: Mutex<State>,
    /// One permit per append that may become durable.
    durable: Semaphore,
    /// Notified whenever an append arrives.
    pub(crate) arrived: Notify,
    /// Number that have arrived.
    count: watch::Sender<usize>,
}

struct State {
    batches: Vec<(Partition, Batch)>,
    fails_with: Option<AppendError>,
    takes: Result<(), AppendError>,
    usage: Usage,
}

impl ScriptedLog {
    pub(crate) fn new() -> Self {
        let usage = Usage {
            unreleased_bytes: 0,
            capacity_bytes: 1 << 30,
            unreleased_batches: 0,
            capacity_batches: u64::MAX,
            queued_bytes: 0,
            queue_capacity_bytes: 1 << 30,
            writable: true,
            partitions_behind: 0,
            disk_low: false,
        };
        Self {
            state: Mutex::new(State { batches: Vec::new(), fails_with: None, takes: Ok(()), usage }),
            durable: Semaphore::new(Semaphore::MAX_PERMITS),
            arrived: Notify::new(),
            count: watch::Sender::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Batches appended so far, durable or not.
    pub(crate) fn batches(&self) -> Vec<(Partition, Batch)> {
        self.state().batches.clone()
    }

    /// Waits until this many appends have arrived in all, a minute at most: where one was refused, it never comes.
    pub(crate) async fn has_seen(&self, appends: usize) {
        let mut count = self.count.subscribe();
        let seen = tokio::time::timeout(MOST_WAIT, count.wait_for(|count| *count >= appends)).await;
        seen.unwrap_or_else(|_| panic!("{appends} appends were expected")).unwrap();
    }

    /// From now on appends fail so, or succeed again.
    pub(crate) fn fail_with(&self, error: Option<AppendError>) {
        self.state().fails_with = error;
    }

    /// Its answer before a batch arrives.
    pub(crate) fn say_beforehand(&self, takes: Result<(), AppendError>) {
        self.state().takes = takes;
    }

    pub(crate) fn set_usage(&self, change: impl FnOnce(&mut Usage)) {
        change(&mut self.state().usage);
    }

    /// From now on nothing becomes durable until released.
    pub(crate) fn hold(&self) {
        self.durable.forget_permits(Semaphore::MAX_PERMITS);
    }

    /// Makes this many appends durable.
    pub(crate) fn let_through(&self, appends: usize) {
        self.durable.add_permits(appends);
    }
}

#[async_trait]
impl DurableLog for ScriptedLog {
    fn partitions(&self) -> u16 {
        4
    }

    async fn append(&self, partition: Partition, batch: Batch) -> Result<Offset, AppendError> {
        let offset = {
            let mut state = self.state();
            if let Some(error) = &state.fails_with {
                return Err(error.clone());
            }
            state.batches.push((partition, batch));
            Offset(state.batches.len() as u64)
        };
        self.arrived.notify_one();
        self.count.send_modify(|count| *count += 1);
        self.durable.acquire().await.unwrap().forget();
        Ok(offset)
    }

    fn takes(&self, _partition: Partition) -> Result<(), AppendError> {
        self.state().takes.clone()
    }

    async fn fetch(
        &self,
        _partition: Partition,
        _from: Offset,
        _max_bytes: usize,
        _max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError> {
        Err(FetchError::Unavailable { cause: "ingestion only appends".to_owned() })
    }

    async fn end(&self, _partition: Partition) -> Result<Offset, FetchError> {
        Err(FetchError::Unavailable { cause: "ingestion only appends".to_owned() })
    }

    fn release(&self, _partition: Partition, _through: Offset) {}

    fn usage(&self) -> Usage {
        self.state().usage
    }

    async fn close(&self) {}
}

//! The state of the workers of this process, as they report it: the partitions they work on, and those that they cannot
//! analyse. The delay of each partition is determined without them, in `backlog`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::partition::Partition;
use tokio::sync::watch;

use crate::backlog::Reason;

/// The state of this process's workers. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct WorkerStatus {
    state: Arc<watch::Sender<State>>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    working: BTreeSet<Partition>,
    troubles: BTreeMap<Partition, Reason>,
}

impl WorkerStatus {
    /// The partitions that workers of this process cannot analyse, and why.
    #[must_use]
    pub fn troubles(&self) -> BTreeMap<Partition, Reason> {
        self.state.borrow().troubles.clone()
    }

    /// The partitions that this process works on, those it cannot analyse included.
    #[must_use]
    pub fn working(&self) -> BTreeSet<Partition> {
        self.state.borrow().working.clone()
    }

    pub(crate) fn set_working(&self, working: BTreeSet<Partition>) {
        self.state.send_if_modified(|state| {
            let before = state.troubles.len();
            state.troubles.retain(|partition, _| working.contains(partition));
            state.working = working;
            state.troubles.len() != before
        });
    }

    pub(crate) fn is_troubled(&self, partition: Partition) -> bool {
        self.state.borrow().troubles.contains_key(&partition)
    }

    pub(crate) fn report(&self, partition: Partition, reason: Reason) {
        self.state.send_if_modified(|state| state.troubles.insert(partition, reason) != Some(reason));
    }

    pub(crate) fn clear(&self, partition: Partition) {
        self.state.send_if_modified(|state| state.troubles.remove(&partition).is_some());
    }

    /// Follows changes of [`WorkerStatus::troubles`].
    pub(crate) fn follow(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }
}

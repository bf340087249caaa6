//! Whether analysis goes on: which partitions cannot be analysed at all. For readiness and metrics.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use common::partition::Partition;

/// The partitions that are halted. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Halted {
    partitions: Arc<Mutex<BTreeSet<Partition>>>,
}

impl Halted {
    /// The partitions of this process that cannot be analysed: batches that were not analysed yet are no
    /// longer in the log, or are damaged. Empty when all is well.
    #[must_use]
    pub fn partitions(&self) -> Vec<Partition> {
        self.lock().iter().copied().collect()
    }

    pub(crate) fn insert(&self, partition: Partition) {
        self.change(|partitions| partitions.insert(partition));
    }

    pub(crate) fn remove(&self, partition: Partition) {
        self.change(|partitions| partitions.remove(&partition));
    }

    fn change(&self, change: impl FnOnce(&mut BTreeSet<Partition>) -> bool) {
        let mut partitions = self.lock();
        change(&mut partitions);
        #[expect(clippy::cast_precision_loss, reason = "65,536 at most")]
        metrics::gauge!("palisade_analysis_partitions_halted").set(partitions.len() as f64);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<Partition>> {
        // A set that was being changed by a thread that panicked is still a set.
        self.partitions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Interface between the keeper of a membership and its worker: the partitions that should be worked
//! on, and those that are.

use std::collections::{BTreeMap, BTreeSet};

use common::partition::Partition;
use tokio::sync::watch;

/// One process's share of the work, as its worker sees it.
#[derive(Debug)]
pub struct Share {
    wanted: watch::Receiver<BTreeSet<Partition>>,
    working: watch::Sender<BTreeSet<Partition>>,
    troubles: watch::Sender<BTreeMap<Partition, String>>,
    /// Kept where no keeper decides the wanted partitions.
    everything: Option<watch::Sender<BTreeSet<Partition>>>,
}

/// The same as the keeper sees it.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) wanted: watch::Sender<BTreeSet<Partition>>,
    pub(crate) working: watch::Receiver<BTreeSet<Partition>>,
    pub(crate) troubles: watch::Receiver<BTreeMap<Partition, String>>,
}

/// Both ends.
pub(crate) fn share() -> (Desk, Share) {
    let (wanted, wanted_by) = watch::channel(BTreeSet::new());
    let (working, worked_on) = watch::channel(BTreeSet::new());
    let (troubles, told) = watch::channel(BTreeMap::new());
    let desk = Desk { wanted, working: worked_on, troubles: told };
    (desk, Share { wanted: wanted_by, working, troubles, everything: None })
}

impl Share {
    /// Everything, for ever: the share of a process that is alone by construction.
    #[must_use]
    pub fn all(partitions: u16) -> Self {
        let (wanted, wanted_by) = watch::channel((0..partitions).map(Partition).collect());
        let (working, _) = watch::channel(BTreeSet::new());
        let (troubles, _) = watch::channel(BTreeMap::new());
        Self { wanted: wanted_by, working, troubles, everything: Some(wanted) }
    }

    /// Whether it is everything, for ever.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.everything.is_some()
    }

    /// Partitions that should be worked on now.
    #[must_use]
    pub fn wanted(&self) -> BTreeSet<Partition> {
        self.wanted.borrow().clone()
    }

    /// Returns when [`Share::wanted`] may have changed since it was last awaited; never once the keeper
    /// has ended, as the wanted partitions then no longer change.
    pub async fn changed(&mut self) {
        if self.wanted.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Reports the partitions being worked on. Those no longer wanted must be named until no step of work on them can follow.
    pub fn report(&self, working: BTreeSet<Partition>) {
        self.working.send_if_modified(|before| {
            let changed = *before != working;
            *before = working;
            changed
        });
    }
    /// Reports the partitions on which this process cannot work, each with a word for the reason: at the next
    /// beat every process can read it.
    pub fn report_troubles(&self, troubles: BTreeMap<Partition, String>) {
        self.troubles.send_replace(troubles);
    }
}

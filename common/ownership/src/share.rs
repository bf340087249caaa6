//! What is between the keeper of a membership and whoever does the work: what should be worked on, and
//! what is.

use std::collections::BTreeSet;

use common::partition::Partition;
use tokio::sync::watch;

/// One process's share of the work, as the one who does it sees it.
#[derive(Debug)]
pub struct Share {
    wanted: watch::Receiver<BTreeSet<Partition>>,
    working: watch::Sender<BTreeSet<Partition>>,
    /// Kept where nobody else decides what is wanted.
    everything: Option<watch::Sender<BTreeSet<Partition>>>,
}

/// The same as the keeper sees it.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) wanted: watch::Sender<BTreeSet<Partition>>,
    pub(crate) working: watch::Receiver<BTreeSet<Partition>>,
}

/// Both ends.
pub(crate) fn share() -> (Desk, Share) {
    let (wanted, wanted_by) = watch::channel(BTreeSet::new());
    let (working, worked_on) = watch::channel(BTreeSet::new());
    (Desk { wanted, working: worked_on }, Share { wanted: wanted_by, working, everything: None })
}

impl Share {
    /// Everything, for ever: the share of a process that is alone by construction.
    #[must_use]
    pub fn all(partitions: u16) -> Self {
        let (wanted, wanted_by) = watch::channel((0..partitions).map(Partition).collect());
        let (working, _) = watch::channel(BTreeSet::new());
        Self { wanted: wanted_by, working, everything: Some(wanted) }
    }

    /// Whether it is everything, for ever.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.everything.is_some()
    }

    /// What should be worked on now.
    #[must_use]
    pub fn wanted(&self) -> BTreeSet<Partition> {
        self.wanted.borrow().clone()
    }

    /// Returns when [`Share::wanted`] may have changed since it was last awaited; never once the keeper
    /// has ended, as what is wanted then stays as it is.
    pub async fn changed(&mut self) {
        if self.wanted.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Says what is being worked on. What is no longer wanted must be named until no step of it can follow.
    pub fn report(&self, working: BTreeSet<Partition>) {
        self.working.send_if_modified(|before| {
            let changed = *before != working;
            *before = working;
            changed
        });
    }
}

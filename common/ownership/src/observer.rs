//! The leases as seen by a process that need not hold any: partitions without an owner, and those on which their owners
//! cannot work.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use common::clock::SharedClock;
use common::partition::Partition;
use ledger::{Ledger, LedgerId, Work};

use crate::config::Config;
use crate::member::{self, MemberError};
use crate::sighting::Sightings;

/// Looks without a new beat after which a member counts as dead, beside the length of a lease: an observer looks less
/// often than members beat.
const LOOKS: u64 = 2;

/// Reads the leases on one kind of work. It writes nothing.
pub struct Observer {
    ledger: Arc<dyn Ledger>,
    clock: SharedClock,
    work: Work,
    partitions: u16,
    config: Config,
    sightings: Mutex<Sightings>,
}

/// Observations of one look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leases {
    /// Partitions that no living member holds.
    pub unowned: BTreeSet<Partition>,
    /// Partitions that their owners report as blocked, each with a word for the reason.
    pub troubles: BTreeMap<Partition, String>,
}

impl Observer {
    /// An observer of this many partitions.
    #[must_use]
    pub fn new(
        ledger: Arc<dyn Ledger>,
        clock: SharedClock,
        work: Work,
        partitions: u16,
        config: &Config,
    ) -> Self {
        let beat_milliseconds = (config.lease_milliseconds / LOOKS).max(1);
        let config = Config { beat_milliseconds, ..config.clone() };
        Self { ledger, clock, work, partitions, config, sightings: Mutex::default() }
    }

    /// Reads the rows of all members: one scan of a few hundred small rows at most. Dead members are detected by
    /// several looks over the length of a lease.
    ///
    /// # Errors
    /// [`MemberError`] when they cannot be read.
    pub async fn look(&self) -> Result<Leases, MemberError> {
        let mut members = member::read(self.ledger.as_ref(), LedgerId::Ownership(self.work)).await?;
        let now = self.clock.monotonic();
        let dead = {
            let mut sightings = self.sightings.lock().unwrap_or_else(PoisonError::into_inner);
            sightings.look(&members, now, &self.config)
        };
        members.retain(|id, _| !dead.contains(id));
        let mut leases =
            Leases { unowned: (0..self.partitions).map(Partition).collect(), ..Leases::default() };
        for member in members.into_values() {
            leases.unowned.retain(|partition| !member.partitions.contains(partition));
            leases.troubles.extend(member.troubles);
        }
        Ok(leases)
    }
}

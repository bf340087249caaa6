//! The index of one organization: its incidents in order, within a budget, each as new as some commit of its
//! partition's ledger. Pure: reading the ledger is the loader's and the follower's.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use common::ids::{IncidentId, SourceId};
use common::incident::{IncidentHead, Triage};
use common::partition::Partition;
use ledger::Seq;

use super::dictionary::Dictionary;
use super::ordered::Ordered;
use super::row::{Facets, Place, Row};

/// The incidents of one organization.
#[derive(Debug)]
pub(super) struct OrganizationIndex {
    pub(super) order: Ordered,
    pub(super) sources: Dictionary<SourceId>,
    pub(super) groups: Dictionary<Arc<str>>,
    pub(super) environments: Dictionary<Arc<str>>,
    known: HashMap<IncidentId, Known>,
    /// Per partition, the commit through which everything is here; `None` while it is being loaded.
    cursors: Vec<Option<Seq>>,
    bytes: usize,
    budget: usize,
    /// The newest place that was cut off for want of budget: nothing at or behind it is kept, so that what is kept is
    /// exactly the newest part.
    floor: Option<Place>,
}

/// What is known of an incident besides its row.
#[derive(Clone, Copy, Debug)]
struct Known {
    place: Place,
    /// The row is at least as new as this commit of its partition.
    seq: Seq,
}

impl OrganizationIndex {
    pub(super) fn new(partitions: u16, budget: usize) -> Self {
        Self {
            order: Ordered::default(),
            sources: Dictionary::default(),
            groups: Dictionary::default(),
            environments: Dictionary::default(),
            known: HashMap::new(),
            cursors: vec![None; usize::from(partitions)],
            bytes: 0,
            budget,
            floor: None,
        }
    }

    /// Whether every partition has been loaded.
    pub(super) fn is_complete(&self) -> bool {
        self.cursors.iter().all(Option::is_some)
    }

    pub(super) fn cursor(&self, partition: Partition) -> Option<Seq> {
        self.cursors.get(usize::from(partition.0)).copied().flatten()
    }

    /// Says that everything through `seq` is here. Never goes back.
    pub(super) fn advance(&mut self, partition: Partition, seq: Seq) {
        if let Some(cursor) = self.cursors.get_mut(usize::from(partition.0)) {
            *cursor = Some(cursor.map_or(seq, |before| before.max(seq)));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_truncated(&self) -> bool {
        self.floor.is_some()
    }

    /// Takes in an incident as it is at `seq` or later, unless what is here is newer.
    pub(super) fn put(&mut self, head: &IncidentHead, seq: Seq) {
        if self.known.get(&head.id).is_some_and(|known| known.seq > seq) {
            return;
        }
        self.forget(head.id);
        // What a person has worked on stays where it was.
        let is_untouched = head.triage.version == Triage::default().version;
        if head.analysis.superseded && is_untouched {
            return;
        }
        let place = Place::of(head);
        if self.floor.is_some_and(|floor| place >= floor) {
            return;
        }
        let (source, _) = self.sources.intern(&head.source);
        let (group, group_text) = self.groups.intern(head.application_group.as_str());
        let (environment, environment_text) = self.environments.intern(head.environment.as_str());
        let facets = Facets {
            severity: head.analysis.severity,
            status: head.triage.status,
            resolution: head.triage.resolution,
            source,
            application_group: group,
            environment,
        };
        let row = Arc::new(Row::new(head, group_text, environment_text));
        self.bytes += row.bytes();
        self.order.insert(place, facets, row);
        self.known.insert(head.id, Known { place, seq });
        self.cut();
    }

    /// Lets go of an incident that is not there at `seq` or later, unless what is here is newer.
    pub(super) fn remove(&mut self, id: IncidentId, seq: Seq) {
        if self.known.get(&id).is_some_and(|known| known.seq <= seq) {
            self.forget(id);
        }
    }

    /// Lets go of a partition's incidents that a whole scan begun at `seq` did not meet.
    pub(super) fn retain_seen(&mut self, partition: Partition, seen: &HashSet<IncidentId>, seq: Seq) {
        let gone: Vec<IncidentId> = self
            .known
            .keys()
            .filter(|id| id.partition() == partition && !seen.contains(id))
            .copied()
            .collect();
        for id in gone {
            self.remove(id, seq);
        }
    }

    fn forget(&mut self, id: IncidentId) {
        let Some(known) = self.known.remove(&id) else { return };
        if let Some(row) = self.order.remove(known.place) {
            self.bytes -= row.bytes();
        }
    }

    /// Cuts the oldest off until the rest is within budget.
    fn cut(&mut self) {
        while self.bytes > self.budget {
            let Some(last) = self.order.last() else { return };
            self.forget(last.id.0);
            self.floor = Some(last);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;

//! The queued jobs of a process, in memory: which job runs next. Organizations take turns; within one the greater priority
//! comes first, then the job that was due first. Pure: no clock, no ledger.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, VecDeque};

use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;

use crate::claims;
use crate::job::Job;
use crate::kind::{Class, Jobs};
use crate::tables::Place;

/// Queued jobs kept in memory, about 300 bytes each. What is beyond is read once there is room.
pub(crate) const MOST_WAITING: usize = 100_000;

/// A queued job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) id: RecordId,
    pub(crate) place: Place,
    pub(crate) organization: OrganizationId,
    pub(crate) kind: &'static str,
    pub(crate) class: Class,
    /// Jobs of the organization and kind that run at once.
    pub(crate) limit: usize,
    /// Key that it must claim to run.
    pub(crate) claim: Option<String>,
    pub(crate) priority: u8,
    pub(crate) due: Timestamp,
}

impl Jobs {
    /// A queued job as it waits for its turn; `None` for one of a kind that this process does not know, which is left to
    /// another. One that only has to be ended waits for no bound of the organization, no key, and no processor.
    pub(crate) fn ticket(&self, place: Place, job: &Job) -> Option<Ticket> {
        let kind = self.kinds.get(job.kind.as_str())?;
        let (class, limit, claim) = match job.ending {
            Some(_) => (Class::Light, usize::MAX, None),
            None => (kind.class, kind.running, claims::needed(job).map(|(_, key)| key.to_owned())),
        };
        let Job { id, organization, priority, due, .. } = *job;
        Some(Ticket { id, place, organization, kind: kind.name, class, limit, claim, priority, due })
    }
}

type Rank = (Reverse<u8>, Timestamp, RecordId);

impl Ticket {
    fn rank(&self) -> Rank {
        (Reverse(self.priority), self.due, self.id)
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    tickets: HashMap<RecordId, Ticket>,
    later: BTreeSet<(Timestamp, RecordId)>,
    ready: HashMap<OrganizationId, BTreeSet<Rank>>,
    /// Organizations with jobs that are due.
    turns: VecDeque<OrganizationId>,
}

impl Waiting {
    /// Puts a job in its place, instead of the same one as it was before; `false` when there is no room.
    pub(crate) fn put(&mut self, ticket: Ticket) -> bool {
        self.remove(ticket.id);
        if self.tickets.len() >= MOST_WAITING {
            return false;
        }
        self.later.insert((ticket.due, ticket.id));
        self.tickets.insert(ticket.id, ticket);
        true
    }

    pub(crate) fn remove(&mut self, id: RecordId) {
        let Some(ticket) = self.tickets.remove(&id) else { return };
        if self.later.remove(&(ticket.due, id)) {
            return;
        }
        if let Some(ready) = self.ready.get_mut(&ticket.organization) {
            ready.remove(&ticket.rank());
        }
    }

    /// Removes the jobs of a ledger.
    pub(crate) fn remove_place(&mut self, place: Place) {
        let of_place = |ticket: &&Ticket| ticket.place == place;
        let ids: Vec<_> = self.tickets.values().filter(of_place).map(|ticket| ticket.id).collect();
        ids.into_iter().for_each(|id| self.remove(id));
    }

    /// Makes ready what is due.
    pub(crate) fn release(&mut self, now: Timestamp) {
        while let Some((due, id)) = self.later.first().copied().filter(|(due, _)| *due <= now) {
            self.later.remove(&(due, id));
            let Some(ticket) = self.tickets.get(&id) else { continue };
            let ready = self.ready.entry(ticket.organization).or_insert_with(|| {
                self.turns.push_back(ticket.organization);
                BTreeSet::new()
            });
            ready.insert(ticket.rank());
        }
    }

    /// The next job that may run: of the organization whose turn it is, or the next one that has such a job.
    pub(crate) fn pick(&mut self, mut may: impl FnMut(&Ticket) -> bool) -> Option<Ticket> {
        for _ in 0..self.turns.len() {
            let organization = self.turns.pop_front()?;
            let ready = self.ready.get(&organization).filter(|ready| !ready.is_empty());
            let Some(ready) = ready else {
                self.ready.remove(&organization);
                continue;
            };
            self.turns.push_back(organization);
            let tickets = &self.tickets;
            let allowed = |rank: &&Rank| tickets.get(&rank.2).is_some_and(&mut may);
            if let Some((_, _, id)) = ready.iter().find(allowed).copied() {
                let ticket = self.tickets.get(&id).cloned();
                self.remove(id);
                return ticket;
            }
        }
        None
    }

    /// Their number.
    pub(crate) fn len(&self) -> usize {
        self.tickets.len()
    }

    /// When the job was due that is ready for the longest time.
    pub(crate) fn oldest_ready(&self) -> Option<Timestamp> {
        self.ready.values().flatten().map(|(_, due, _)| *due).min()
    }
}

#[cfg(test)]
mod tests {
    use common::partition::Shard;
    use proptest::prelude::*;
    use records::Home;

    use super::*;

    fn ticket(organization: u8, number: u8, priority: u8, due: i64) -> Ticket {
        Ticket {
            id: RecordId::new(Shard(u16::from(organization)), &[number; 32]),
            place: (Home::Records, Shard(u16::from(organization))),
            organization: OrganizationId::from_bytes([organization; 16]),
            kind: "kind",
            class: Class::Light,
            limit: 2,
            claim: None,
            priority,
            due: Timestamp(due),
        }
    }

    fn order(waiting: &mut Waiting) -> Vec<(u8, u8)> {
        let picked = std::iter::from_fn(|| waiting.pick(|_| true));
        picked.map(|ticket| (ticket.organization.as_bytes()[0], ticket.id.as_bytes()[15])).collect()
    }

    #[test]
    fn organizations_take_turns_and_priority_then_due_time_decide_within() {
        let mut waiting = Waiting::default();
        for ticket in [
            ticket(1, 1, 0, 1),
            ticket(1, 2, 0, 2),
            ticket(1, 3, 9, 3),
            ticket(2, 4, 0, 4),
            ticket(2, 5, 0, 99),
        ] {
            assert!(waiting.put(ticket));
        }
        waiting.release(Timestamp(50));
        assert_eq!(waiting.oldest_ready(), Some(Timestamp(1)));
        assert_eq!(order(&mut waiting), [(1, 3), (2, 4), (1, 1), (1, 2)]);
        assert_eq!((waiting.len(), waiting.oldest_ready()), (1, None));
        waiting.release(Timestamp(99));
        assert_eq!(order(&mut waiting), [(2, 5)]);
    }

    #[test]
    fn an_organization_whose_jobs_may_not_run_is_passed_over() {
        let mut waiting = Waiting::default();
        for number in 0..3 {
            waiting.put(ticket(1, number, 0, 0));
        }
        waiting.put(ticket(2, 9, 0, 0));
        waiting.release(Timestamp(0));
        let blocked = OrganizationId::from_bytes([1; 16]);
        let picked = waiting.pick(|ticket| ticket.organization != blocked).unwrap();
        assert_eq!(picked.organization, OrganizationId::from_bytes([2; 16]));
        assert!(waiting.pick(|ticket| ticket.organization != blocked).is_none());
        assert_eq!(order(&mut waiting).len(), 3);
    }

    proptest! {
        /// Whatever is put, put again, removed and released: each job is picked once, when it is due, and none is lost.
        #[test]
        fn every_job_is_picked_once(
            steps in proptest::collection::vec((0..4_u8, 1..4_u8, 0..8_u8, 0..3_u8, 0..100_i64), 1..80),
        ) {
            let mut waiting = Waiting::default();
            let mut model = HashMap::new();
            let mut now = 0;
            for (action, organization, number, priority, due) in steps {
                let ticket = ticket(organization, number, priority, due);
                match action {
                    0 | 1 => {
                        waiting.put(ticket.clone());
                        model.insert(ticket.id, ticket);
                    }
                    2 => {
                        waiting.remove(ticket.id);
                        model.remove(&ticket.id);
                    }
                    _ => {
                        now = now.max(due);
                        waiting.release(Timestamp(now));
                        if let Some(picked) = waiting.pick(|_| true) {
                            prop_assert!(picked.due.0 <= now);
                            prop_assert_eq!(model.remove(&picked.id), Some(picked));
                        } else {
                            prop_assert!(model.values().all(|ticket| ticket.due.0 > now));
                        }
                    }
                }
                prop_assert_eq!(waiting.len(), model.len());
            }
            waiting.release(Timestamp(100));
            prop_assert_eq!(order(&mut waiting).len(), model.len());
        }
    }
}

//! Order of matching batches: organizations take turns, however many batches each has waiting. An organization whose own rules
//! made its last batch costly has at most half of the threads until one of its batches is cheap again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use common::ids::OrganizationId;

/// Work that waits, by organization.
#[derive(Debug)]
pub(super) struct Turns<J> {
    /// Organizations that have work waiting, the next one first.
    order: VecDeque<OrganizationId>,
    waiting: BTreeMap<OrganizationId, VecDeque<J>>,
    /// Number of running jobs of each.
    running: BTreeMap<OrganizationId, usize>,
    costly: BTreeSet<OrganizationId>,
    /// Most jobs of a costly organization at a time.
    most_costly: usize,
    /// Threads that were called for work that had to wait: the thread that ends other work does it.
    passed_over: usize,
}

impl<J> Turns<J> {
    /// For so many threads.
    pub(super) fn new(threads: usize) -> Self {
        Self {
            order: VecDeque::new(),
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            costly: BTreeSet::new(),
            most_costly: (threads / 2).max(1),
            passed_over: 0,
        }
    }

    /// Adds work of an organization.
    pub(super) fn push(&mut self, organization: OrganizationId, job: J) {
        let waiting = self.waiting.entry(organization).or_default();
        if waiting.is_empty() {
            self.order.push_back(organization);
        }
        waiting.push_back(job);
    }

    /// The work of the next organization, and whether that is costly; none where all waiting work belongs to organizations that
    /// have their share. Called once for each job that was added.
    pub(super) fn take(&mut self) -> Option<(OrganizationId, bool, J)> {
        let next = self.next();
        self.passed_over += usize::from(next.is_none());
        next
    }

    /// Ends work of an organization. Work that was passed over and may be done now is returned, for the same thread.
    pub(super) fn end(
        &mut self,
        organization: OrganizationId,
        was_costly: bool,
    ) -> Option<(OrganizationId, bool, J)> {
        if let Some(running) = self.running.get_mut(&organization) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(&organization);
            }
        }
        match was_costly {
            true => self.costly.insert(organization),
            false => self.costly.remove(&organization),
        };
        if self.passed_over == 0 {
            return None;
        }
        let next = self.next();
        self.passed_over -= usize::from(next.is_some());
        next
    }

    fn next(&mut self) -> Option<(OrganizationId, bool, J)> {
        let place = self.order.iter().position(|organization| !self.has_its_share(*organization))?;
        let organization = self.order.remove(place)?;
        let waiting = self.waiting.get_mut(&organization)?;
        let job = waiting.pop_front()?;
        if waiting.is_empty() {
            self.waiting.remove(&organization);
        } else {
            self.order.push_back(organization);
        }
        *self.running.entry(organization).or_default() += 1;
        Some((organization, self.costly.contains(&organization), job))
    }

    fn has_its_share(&self, organization: OrganizationId) -> bool {
        let running = self.running.get(&organization).copied().unwrap_or(0);
        self.costly.contains(&organization) && running >= self.most_costly
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    #[test]
    fn organizations_take_turns() {
        let mut turns = Turns::new(2);
        (0..5).for_each(|job| turns.push(organization(1), job));
        turns.push(organization(2), 10);
        let taken: Vec<i32> = (0..6).filter_map(|_| turns.take()).map(|(.., job)| job).collect();
        assert_eq!(taken, [0, 10, 1, 2, 3, 4]);
    }

    #[test]
    fn a_costly_organization_has_half_of_the_threads_until_it_is_cheap_again() {
        let mut turns = Turns::new(4);
        turns.push(organization(1), 0);
        assert!(turns.take().is_some());
        assert!(turns.end(organization(1), true).is_none());
        (1..6).for_each(|job| turns.push(organization(1), job));
        let taken: Vec<_> = (1..6).filter_map(|_| turns.take()).collect();
        assert_eq!(taken, [(organization(1), true, 1), (organization(1), true, 2)]);
        turns.push(organization(2), 10);
        assert_eq!(turns.take(), Some((organization(2), false, 10)), "others are not kept waiting");
        assert_eq!(turns.end(organization(2), false), None);
        assert_eq!(turns.end(organization(1), true), Some((organization(1), true, 3)), "one after the other");
        assert_eq!(turns.end(organization(1), false), Some((organization(1), false, 4)), "no longer costly");
        assert_eq!(turns.end(organization(1), false), Some((organization(1), false, 5)), "none is forgotten");
        assert_eq!([turns.end(organization(1), false), turns.end(organization(1), false)], [None, None]);
        assert!(turns.running.is_empty() && turns.waiting.is_empty() && turns.passed_over == 0);
    }
}

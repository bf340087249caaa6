//! One quantity that all requests share, fairly between organizations: the amount each holds, and whether it
//! may have more. `admit` defines the quantity, memory or places in the queue.
//!
//! An organization may hold a fixed multiple of the free amount (the dynamic thresholds of Choudhury and Hahne, IEEE/ACM
//! Transactions on Networking 6 (2), 1998). One alone gets four fifths; two that want everything get four ninths each; one that
//! wants less than the others always finds room, because the others are limited to a multiple of the amount they leave free.
//! Organizations that hold nothing have no state.

use std::collections::HashMap;

use common::ids::OrganizationId;

/// Multiple of the free amount that one organization may hold. More leaves less idle when one
/// organization is alone; less leaves more to the next one.
const TIMES_FREE: usize = 4;

/// The shared quantity, and the holders of its parts.
#[derive(Debug)]
pub(super) struct Shares {
    capacity: usize,
    held: usize,
    /// Holders only: never more than there are requests.
    holders: HashMap<OrganizationId, usize>,
}

impl Shares {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, held: 0, holders: HashMap::new() }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Changes the total. Amounts held beyond it stay held.
    pub(super) fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    /// Total held.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Whether an organization holds nothing.
    pub(super) fn has_none(&self, who: OrganizationId) -> bool {
        !self.holders.contains_key(&who)
    }

    /// Takes more for an organization, if it is free and within its share. The share is a multiple of the free
    /// amount before: one request may need all of it.
    pub(super) fn take(&mut self, who: OrganizationId, more: usize) -> bool {
        let free = self.free();
        self.take_within(who, more, free)
    }

    /// The same with a share that is a multiple of the free amount afterwards: however large a piece is, a fifth is
    /// left to others. One that needs more than four fifths never gets it this way.
    pub(super) fn take_sparing(&mut self, who: OrganizationId, more: usize) -> bool {
        let left = self.free().saturating_sub(more);
        self.take_within(who, more, left)
    }

    fn take_within(&mut self, who: OrganizationId, more: usize, measure: usize) -> bool {
        let own = self.holders.get(&who).copied().unwrap_or_default();
        if more > self.free() || own.saturating_add(more) > measure.saturating_mul(TIMES_FREE) {
            return false;
        }
        self.take_anyway(who, more);
        true
    }

    fn free(&self) -> usize {
        self.capacity.saturating_sub(self.held)
    }

    /// Takes more for an organization, whether or not it is free.
    pub(super) fn take_anyway(&mut self, who: OrganizationId, more: usize) {
        if more > 0 {
            self.held = self.held.saturating_add(more);
            *self.holders.entry(who).or_default() += more;
        }
    }

    /// Returns an amount that an organization held.
    pub(super) fn give_back(&mut self, who: OrganizationId, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
        if let Some(own) = self.holders.get_mut(&who) {
            *own = own.saturating_sub(bytes);
            if *own == 0 {
                self.holders.remove(&who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId(Uuid::from_bytes([number; 16]))
    }

    fn own(shares: &Shares, number: u8) -> usize {
        shares.holders.get(&organization(number)).copied().unwrap_or_default()
    }

    /// As much as is granted, a piece at a time.
    fn take_all(shares: &mut Shares, number: u8) {
        while shares.take(organization(number), 1) {}
    }

    #[test]
    fn one_alone_leaves_a_fifth_and_two_share_evenly() {
        let mut shares = Shares::new(900);
        take_all(&mut shares, 1);
        assert_eq!(own(&shares, 1), 720);
        // The second one takes the rest of its share; the first one gets nothing again until it is below its own.
        take_all(&mut shares, 2);
        assert_eq!(own(&shares, 2), 144);
        assert!(!shares.take(organization(1), 1));
        for _ in 0..2_000 {
            shares.give_back(organization(1), 1);
            shares.give_back(organization(2), 1);
            take_all(&mut shares, 2);
            take_all(&mut shares, 1);
        }
        let (first, second) = (own(&shares, 1), own(&shares, 2));
        assert!((390..=410).contains(&first) && (390..=410).contains(&second), "{first} and {second}");
    }

    #[test]
    fn what_is_not_there_is_not_taken_however_small_the_share() {
        let mut shares = Shares::new(100);
        assert!(!shares.take(organization(1), 101));
        assert!(shares.take(organization(1), 100), "one request may need all of it");
        assert!(!shares.take(organization(2), 1));
        shares.give_back(organization(1), 100);
        assert!(shares.has_none(organization(1)) && shares.holders.is_empty());
    }

    proptest! {
        /// Pieces of any size, of any number of organizations: the limits always leave some to others.
        #[test]
        fn a_share_is_never_exceeded_by_a_large_piece(
            asked in prop::collection::vec((1_u8..6, 1_usize..2_000, any::<bool>()), 1..200),
        ) {
            let mut shares = Shares::new(1_000);
            for (who, more, gives_back) in asked {
                if gives_back {
                    let less = more.min(own(&shares, who));
                    shares.give_back(organization(who), less);
                } else if shares.take_sparing(organization(who), more) {
                    let left = shares.free();
                    prop_assert!(own(&shares, who) <= TIMES_FREE * left, "{} of {left}", own(&shares, who));
                }
                prop_assert!(shares.held() <= 1_000);
            }
        }

        /// However many want everything, an organization that wants less than its part of an even share gets it.
        #[test]
        fn nobody_is_starved(greedy in 1_u8..20, wanted in 1_usize..400, order in any::<u64>()) {
            let mut shares = Shares::new(1_000);
            let quiet = 0;
            let even = 1_000 / (usize::from(greedy) + 2);
            let wanted = wanted.min(even * 3 / 4);
            let mut random = order | 1;
            for _ in 0..3_000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let who = 1 + (random >> 33) as u8 % greedy;
                if own(&shares, who) > 0 && random >> 63 == 0 {
                    shares.give_back(organization(who), 1);
                } else {
                    shares.take(organization(who), 1);
                }
            }
            while own(&shares, quiet) < wanted {
                let took = shares.take(organization(quiet), 1);
                prop_assert!(took || shares.held() > 0);
                if !took {
                    // Organizations that hold too much finish something, and get nothing for it.
                    let most = (1..=greedy).max_by_key(|who| own(&shares, *who)).unwrap();
                    prop_assert!(!shares.take(organization(most), 1));
                    shares.give_back(organization(most), 1);
                }
            }
            prop_assert_eq!(shares.held, shares.holders.values().sum::<usize>());
        }
    }
}

//! Shares of organizations in a resource that a partition bounds: the held amount of each, and its remaining room. The
//! consequences of having no room are the caller's.
//!
//! An organization may hold a fixed multiple of the free rest (the dynamic thresholds of Choudhury and Hahne, IEEE/ACM
//! Transactions on Networking 6 (2), 1998), so that one that holds much has no more room while one that holds little still has.
//! The sums follow from the held amounts alone: they are the same when these are read back.

use std::collections::HashMap;

use common::ids::OrganizationId;

/// Multiple of the free rest that one organization may hold. More leaves less idle when one organization is
/// alone; less leaves more to the next one that comes.
const TIMES_FREE: usize = 4;
/// Part of the bound that no organization has by that rule. Members and coarsest groups grow whatever
/// is free: then this is left for an organization that holds little. With it, one alone gets three quarters.
const RESERVE: usize = 16;
/// Part of the bound that is little: an organization may hold it as long as any of it is free. Of 256 MiB of windows
/// some thirty attackers.
const LITTLE: usize = 256;

/// Held amount, in bytes or pieces.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    all: usize,
    /// Of those organizations that hold any.
    of: HashMap<OrganizationId, usize>,
}

impl Shares {
    /// Something of an organization takes another amount than before.
    pub(crate) fn change(&mut self, who: OrganizationId, before: usize, after: usize) {
        if before == after {
            return;
        }
        self.all = self.all - before + after;
        let own = self.of.entry(who).or_default();
        *own = *own - before + after;
        if *own == 0 {
            self.of.remove(&who);
        }
    }

    /// Remaining room of an organization in `most`, which is for all.
    pub(crate) fn room_for(&self, who: OrganizationId, most: usize) -> usize {
        let own = self.of.get(&who).copied().unwrap_or_default();
        let free = (most - most / RESERVE).saturating_sub(self.all);
        let share = free.saturating_mul(TIMES_FREE).max(most / LITTLE);
        share.saturating_sub(own).min(most.saturating_sub(self.all))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOST: usize = 256 * 1_024;
    const WINDOW: usize = 64;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    fn own(shares: &Shares, number: u8) -> usize {
        shares.of.get(&organization(number)).copied().unwrap_or_default()
    }

    /// One more window, if there is room.
    fn open(shares: &mut Shares, number: u8) -> bool {
        let has_room = shares.room_for(organization(number), MOST) > 0;
        if has_room {
            shares.change(organization(number), 0, WINDOW);
        }
        has_room
    }

    #[test]
    fn one_alone_gets_three_quarters_and_leaves_the_next_one_room() {
        let mut shares = Shares::default();
        while open(&mut shares, 1) {}
        let alone = own(&shares, 1);
        assert!((MOST * 3 / 4..MOST * 3 / 4 + WINDOW).contains(&alone), "{alone}");
        while open(&mut shares, 2) {}
        assert!(own(&shares, 2) >= MOST / 8, "{}", own(&shares, 2));
        assert!(!open(&mut shares, 1));
        shares.change(organization(2), own(&shares, 2), 0);
        assert_eq!((shares.all, shares.of.len()), (alone, 1), "who holds nothing is forgotten");
    }

    #[test]
    fn what_grows_beyond_its_share_leaves_a_little_to_others_below_the_bound() {
        let mut shares = Shares::default();
        // Members and coarsest windows are admitted without a check.
        shares.change(organization(1), 0, MOST - 2 * WINDOW);
        assert_eq!(shares.room_for(organization(1), MOST), 0);
        assert!(open(&mut shares, 2) && open(&mut shares, 2));
        assert!(!open(&mut shares, 2) && !open(&mut shares, 3), "the bound holds for all");
    }

    proptest! {
        /// However many take all they get, an organization that holds little still finds room, and all stay below the bound.
        #[test]
        fn nobody_is_crowded_out(asking in prop::collection::vec(1_u8..40, 1..9_000)) {
            let mut shares = Shares::default();
            for number in asking {
                open(&mut shares, number);
            }
            prop_assert_eq!(shares.all, shares.of.values().sum::<usize>());
            let quiet = 0;
            while own(&shares, quiet) < MOST / LITTLE {
                prop_assert!(open(&mut shares, quiet));
            }
            prop_assert!(shares.all <= MOST);
        }
    }
}

//! How much windows take, in all and of each organization, and whether an organization still has room for new
//! ones. What happens where it has none is the caller's.
//!
//! An organization may hold a fixed multiple of what all leave free (the dynamic thresholds of Choudhury and Hahne,
//! IEEE/ACM Transactions on Networking 6 (2), 1998), so that who holds much has no more room while who holds little
//! still has. The sums follow from the windows alone: they are the same when windows are read back.

use std::collections::HashMap;

use common::ids::OrganizationId;

use super::group::KeptBytes;

/// How many times what is free one organization may hold. More leaves less idle when one organization is
/// alone; less leaves more to the next one that comes.
const TIMES_FREE: usize = 4;
/// Which part of the bound is nobody's by that rule. Windows that go on as members and the coarsest ones grow whatever
/// is free: this is what an organization that holds little finds then. With it, one alone gets three quarters.
const RESERVE: usize = 16;
/// Which part of the bound is little: what an organization may hold as long as any of it is free. At 256 MiB some thirty attackers.
const LITTLE: usize = 256;

/// What windows take.
#[derive(Debug)]
pub(super) struct Shares {
    most_bytes: usize,
    all: KeptBytes,
    /// Bytes of windows with their events, of those organizations that have any.
    windows_of: HashMap<OrganizationId, usize>,
}

impl Shares {
    /// Nothing is held of at most about `most_bytes`.
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, all: KeptBytes::default(), windows_of: HashMap::new() }
    }

    /// What all windows hold.
    pub(super) fn all(&self) -> KeptBytes {
        self.all
    }

    /// A window of an organization takes something else than before.
    pub(super) fn change(&mut self, who: OrganizationId, before: KeptBytes, after: KeptBytes) {
        self.all = self.all.changed(before, after);
        let own = self.windows_of.entry(who).or_default();
        *own = *own - before.windows + after.windows;
        if *own == 0 {
            self.windows_of.remove(&who);
        }
    }

    /// Whether an organization holds all that it may.
    pub(super) fn is_full_for(&self, who: OrganizationId) -> bool {
        let held = self.all.windows;
        if held >= self.most_bytes {
            return true;
        }
        let free = (self.most_bytes - self.most_bytes / RESERVE).saturating_sub(held);
        let share = free.saturating_mul(TIMES_FREE).max(self.most_bytes / LITTLE);
        self.windows_of.get(&who).is_some_and(|own| *own >= share)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    const MOST: usize = 256 * 1_024;
    const WINDOW: usize = 64;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId(Uuid::from_bytes([number; 16]))
    }

    fn bytes(windows: usize) -> KeptBytes {
        KeptBytes { windows, ..KeptBytes::default() }
    }

    fn own(shares: &Shares, number: u8) -> usize {
        shares.windows_of.get(&organization(number)).copied().unwrap_or_default()
    }

    /// One more window, if there is room.
    fn open(shares: &mut Shares, number: u8) -> bool {
        let has_room = !shares.is_full_for(organization(number));
        if has_room {
            shares.change(organization(number), bytes(0), bytes(WINDOW));
        }
        has_room
    }

    #[test]
    fn one_alone_gets_three_quarters_and_leaves_the_next_one_room() {
        let mut shares = Shares::new(MOST);
        while open(&mut shares, 1) {}
        let alone = own(&shares, 1);
        assert!((MOST * 3 / 4..MOST * 3 / 4 + WINDOW).contains(&alone), "{alone}");
        while open(&mut shares, 2) {}
        assert!(own(&shares, 2) >= MOST / 8, "{}", own(&shares, 2));
        assert!(!open(&mut shares, 1));
        shares.change(organization(2), bytes(own(&shares, 2)), bytes(0));
        assert_eq!(
            (shares.all().windows, shares.windows_of.len()),
            (alone, 1),
            "who holds nothing is forgotten"
        );
    }

    #[test]
    fn what_grows_beyond_its_share_leaves_a_little_to_others_below_the_bound() {
        let mut shares = Shares::new(MOST);
        // Members and coarsest windows are let in without being asked for.
        shares.change(organization(1), bytes(0), bytes(MOST - 2 * WINDOW));
        assert!(shares.is_full_for(organization(1)));
        assert!(open(&mut shares, 2) && open(&mut shares, 2));
        assert!(!open(&mut shares, 2) && !open(&mut shares, 3), "the bound holds for all");
    }

    proptest! {
        /// However many take all they get, who holds little still finds room, and all stay below the bound.
        #[test]
        fn nobody_is_crowded_out(asking in prop::collection::vec(1_u8..40, 1..9_000)) {
            let mut shares = Shares::new(MOST);
            for number in asking {
                open(&mut shares, number);
            }
            prop_assert_eq!(shares.all().windows, shares.windows_of.values().sum::<usize>());
            let quiet = 0;
            while own(&shares, quiet) < MOST / LITTLE {
                prop_assert!(open(&mut shares, quiet));
            }
            prop_assert!(shares.all().windows <= MOST);
        }
    }
}

//! Memory for small and large requests, in pieces of any size and any order.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;

const MIB: usize = 1 << 20;
const BUDGET: usize = 256 * MIB;
const LITTLE: usize = BUDGET / LITTLE_PART;

fn organization(number: u8) -> OrganizationId {
    OrganizationId(Uuid::from_bytes([number; 16]))
}

#[test]
fn the_least_budget_leaves_what_is_asked_for_and_one_less_does_not() {
    for common in (1..200).chain([96 * MIB + 7, BUDGET]) {
        let left = |budget: usize| Memory::new(budget).rooms.common.capacity();
        let budget = budget_for(common);
        assert!(left(budget) >= common && left(budget - 1) < common, "{budget} for {common}");
    }
    assert_eq!(budget_for(usize::MAX), usize::MAX);
}

#[test]
fn what_outgrows_the_room_of_little_ones_is_all_among_the_common() {
    let mut memory = Memory::new(BUDGET);
    let mut held = Reservation::nothing(Room::Little);
    assert!(memory.take(organization(1), &mut held, LITTLE / 2));
    assert_eq!((memory.held_by_little(), memory.held()), (LITTLE / 2, LITTLE / 2));
    assert!(memory.take(organization(1), &mut held, LITTLE));
    assert_eq!((memory.held_by_little(), memory.held(), held.bytes), (0, LITTLE * 3 / 2, LITTLE * 3 / 2));
    assert!(!memory.take(organization(1), &mut held, BUDGET));
    let all = held.bytes;
    memory.give_back(organization(1), &mut held, all);
    assert_eq!((memory.held(), held.bytes), (0, 0));
}

#[test]
fn who_needs_no_more_is_not_refused_whoever_holds_all() {
    let mut memory = Memory::new(BUDGET);
    let (mut first, mut second) = (Reservation::nothing(Room::Common), Reservation::nothing(Room::Common));
    assert!(memory.take(organization(1), &mut first, BUDGET / 2));
    assert!(memory.take(organization(2), &mut second, BUDGET - LITTLE - BUDGET / 2));
    assert!(memory.take(organization(1), &mut first, 0));
    assert!(!memory.take(organization(1), &mut first, 1));
}

proptest! {
    /// Large requests of any organization, its own included, take nothing from small ones, and all together never
    /// hold more than the budget.
    #[test]
    fn large_ones_never_take_what_little_ones_need(
        pieces in prop::collection::vec((1_u8..4, 1..100 * MIB, any::<bool>(), any::<bool>()), 1..100),
        needed in prop::collection::vec(4096_usize..=MIB, 1..8),
    ) {
        let mut memory = Memory::new(BUDGET);
        let mut large: Vec<(OrganizationId, Reservation)> = Vec::new();
        for (who, more, looks_little, is_done) in pieces {
            let who = organization(who);
            if let Some((who, mut held)) = is_done.then(|| large.pop()).flatten() {
                let all = held.bytes;
                memory.give_back(who, &mut held, all);
            }
            let mut held = Reservation::nothing(if looks_little { Room::Little } else { Room::Common });
            // As for a small one that turns out not to be: joins the large ones before it grows.
            let pays = memory.take(who, &mut held, more.min(MIB)) && memory.join_large(who, &mut held);
            if pays && memory.take(who, &mut held, more) {
                large.push((who, held));
            } else {
                let all = held.bytes;
                memory.give_back(who, &mut held, all);
            }
            prop_assert_eq!(memory.held_by_little(), 0);
            prop_assert_eq!(memory.held(), large.iter().map(|(_, held)| held.bytes).sum::<usize>());
            let mut little = Vec::new();
            for bytes in &needed {
                let mut held = Reservation::nothing(Room::Little);
                prop_assert!(memory.take(organization(1), &mut held, *bytes));
                little.push(held);
            }
            prop_assert!(memory.held() <= BUDGET);
            for mut held in little {
                let all = held.bytes;
                memory.give_back(organization(1), &mut held, all);
            }
        }
    }
}

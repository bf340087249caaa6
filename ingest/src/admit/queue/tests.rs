//! Little ones and large ones in one queue, in any order and at any length.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;

const MIB: usize = 1 << 20;
const USUAL: usize = 32 * MIB;

fn organization(number: u8) -> OrganizationId {
    OrganizationId(Uuid::from_bytes([number; 16]))
}

/// As many requests of a weight as are admitted.
fn fill(queue: &mut Queue, who: u8, weight: usize) -> usize {
    std::iter::from_fn(|| queue.enter(organization(who), weight)).count()
}

#[test]
fn pieces_that_do_not_fit_well_leave_a_fifth_all_the_same() {
    // Weight of a bomb of a gibibyte by its head: five of them would fit, and leave almost nothing.
    let mut queue = Queue::new(USUAL);
    assert_eq!(fill(&mut queue, 1, 6_377_592), 4);
    assert_eq!(fill(&mut queue, 2, MIB), 6, "what they left is for the next");
}

#[test]
fn little_ones_alone_take_their_room_and_four_fifths() {
    let mut queue = Queue::new(USUAL);
    let count = fill(&mut queue, 1, 64 * 1024);
    assert_eq!(count, 51 + 409, "of 4 MiB and of 32 MiB");
    assert!(queue.enter(organization(2), 64 * 1024).is_some(), "the next one finds some left");
}

#[test]
fn what_goes_first_is_not_what_is_overtaken() {
    let mut queue = Queue::new(USUAL);
    assert_eq!(queue.enter(organization(1), 20 * MIB), Some(Room::Common));
    assert_eq!(queue.enter(organization(1), 4096), Some(Room::Little));
    assert_eq!((queue.ahead(Room::Little), queue.ahead(Room::Common)), (4096, 20 * MIB + 4096));
    queue.leave(organization(1), 4096, Room::Little);
    queue.leave(organization(1), 20 * MIB, Room::Common);
    assert_eq!(queue.ahead(Room::Common), 0);
}

/// Operations on a queue.
#[derive(Clone, Debug)]
enum Event {
    Arrives {
        who: u8,
        weight: usize,
    },
    /// One of the large ones is finished.
    IsDone(prop::sample::Index),
    /// The delay sets another length.
    Length(usize),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (1_u8..4, 130 * 1024..25 * MIB).prop_map(|(who, weight)| Event::Arrives { who, weight }),
        2 => any::<prop::sample::Index>().prop_map(Event::IsDone),
        1 => (USUAL / 4..8 * USUAL).prop_map(Event::Length),
    ]
}

proptest! {
    /// Large requests of any organization, its own included, take nothing from small ones: one with few small
    /// requests in progress always finds a place, and the queue in front of it is short.
    #[test]
    fn large_ones_never_turn_a_little_one_away(
        events in prop::collection::vec(event(), 1..100),
        weights in prop::collection::vec(4096_usize..=128 * 1024, 1..8),
    ) {
        let mut queue = Queue::new(USUAL);
        let mut large = Vec::new();
        for event in events {
            match event {
                Event::Arrives { who, weight } => {
                    if queue.enter(organization(who), weight) == Some(Room::Common) {
                        large.push((who, weight));
                    }
                }
                Event::IsDone(which) if !large.is_empty() => {
                    let (who, weight) = large.swap_remove(which.index(large.len()));
                    queue.leave(organization(who), weight, Room::Common);
                }
                Event::IsDone(_) => {}
                Event::Length(capacity) => queue.set_capacity(capacity),
            }
            for weight in &weights {
                prop_assert_eq!(queue.enter(organization(1), *weight), Some(Room::Little));
            }
            prop_assert!(queue.ahead(Room::Little) <= 8 * 128 * 1024);
            for weight in &weights {
                queue.leave(organization(1), *weight, Room::Little);
            }
        }
    }

    /// Small requests of one organization, however many, leave room for those of another.
    #[test]
    fn little_ones_are_shared_too(weight in 4096_usize..=128 * 1024, quiet in 4096_usize..=128 * 1024) {
        let mut queue = Queue::new(USUAL);
        fill(&mut queue, 1, weight);
        prop_assert!(queue.enter(organization(2), quiet).is_some());
        prop_assert!(queue.enter(organization(2), quiet).is_some());
        prop_assert!(queue.ahead(Room::Common) <= USUAL + USUAL / LITTLE_ROOM);
    }
}

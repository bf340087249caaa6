//! The remembered deliveries of one source: a queue, and the place of each in it. Their rows are managed elsewhere.

use std::collections::VecDeque;

use hashbrown::HashTable;

use crate::identity::DeliveryId;

/// Deliveries remembered per source: about 2 MiB; more than two batches a second for 8 hours.
pub(super) const MOST_PER_SOURCE: usize = 65_536;

/// At most [`MOST_PER_SOURCE`] deliveries in the order in which they came, each with the number of its row.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    order: VecDeque<(DeliveryId, u64)>,
    /// Number of deliveries before each one, by delivery. The count wraps around, which `order` never does.
    places: HashTable<u32>,
    /// Number of deliveries before the oldest.
    oldest: u32,
}

impl Remembered {
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub(super) fn contains(&self, delivery: &DeliveryId) -> bool {
        let is_at = |slot: &u32| at(&self.order, self.oldest, *slot) == Some(delivery);
        self.places.find(hash(delivery), is_at).is_some()
    }

    /// Adds a delivery; returns the oldest, where there is no room for both. One that is there already, which rows that are
    /// read back may have twice, is remembered until the later one goes.
    pub(super) fn push(&mut self, delivery: DeliveryId, row: u64) -> Option<(DeliveryId, u64)> {
        let forgotten = if self.order.len() < MOST_PER_SOURCE { None } else { self.pop_if(|_| true) };
        // A table with more buckets has room for the maximum: it is filled by removed entries, each of which takes room until
        // another entry replaces it.
        let is_full = self.places.len() == self.places.capacity();
        if is_full && self.places.num_buckets() > MOST_PER_SOURCE {
            self.make_room();
        }
        // Never cut off: there are at most `MOST_PER_SOURCE`.
        let slot = self.oldest.wrapping_add(self.order.len() as u32);
        self.order.push_back((delivery, row));
        let Self { order, places, oldest } = self;
        places.insert_unique(hash(&delivery), slot, |slot| hash_at(order, *oldest, *slot));
        forgotten
    }

    /// Forgets the oldest delivery if its row is meant; returns it.
    pub(super) fn pop_if(&mut self, is_meant: impl Fn(u64) -> bool) -> Option<(DeliveryId, u64)> {
        let (delivery, row) = self.order.pop_front_if(|(_, row)| is_meant(*row))?;
        let oldest = self.oldest;
        if let Ok(slot) = self.places.find_entry(hash(&delivery), |slot| *slot == oldest) {
            slot.remove();
        }
        self.oldest = oldest.wrapping_add(1);
        Some((delivery, row))
    }

    /// Gives the room of removed places back, all at once. By itself the table would become twice as large.
    fn make_room(&mut self) {
        let Self { order, places, oldest } = self;
        places.clear();
        for ((delivery, _), number) in order.iter().zip(0_u32..) {
            let slot = oldest.wrapping_add(number);
            places.insert_unique(hash(delivery), slot, |slot| hash_at(order, *oldest, *slot));
        }
    }
}

fn at(order: &VecDeque<(DeliveryId, u64)>, oldest: u32, slot: u32) -> Option<&DeliveryId> {
    order.get(slot.wrapping_sub(oldest) as usize).map(|(delivery, _)| delivery)
}

/// Of the delivery at a place; there is one for every place in the table.
fn hash_at(order: &VecDeque<(DeliveryId, u64)>, oldest: u32, slot: u32) -> u64 {
    at(order, oldest, slot).map_or(0, hash)
}

/// A part of the id, which is a keyed hash already.
fn hash(delivery: &DeliveryId) -> u64 {
    let [hash, _] = delivery.as_chunks::<8>().0 else { return 0 };
    u64::from_le_bytes(*hash)
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// Consecutive numbers are adjacent in the table, where a removed one keeps its room.
    pub(in crate::deliveries) fn delivery(number: u64) -> DeliveryId {
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) << 32 | number;
        let mut id = [0; 16];
        id[..8].copy_from_slice(&hash.to_le_bytes());
        id
    }

    #[test]
    fn it_takes_no_more_room_however_many_come() {
        let mut remembered = Remembered::default();
        let (mut number, mut cleaned) = (0, 0);
        let mut fill = |remembered: &mut Remembered, count: usize| {
            for _ in 0..count {
                let is_full = remembered.places.capacity() == remembered.places.len();
                remembered.push(delivery(number), number / 256);
                cleaned += usize::from(is_full && number > MOST_PER_SOURCE as u64);
                number += 1;
            }
            (remembered.places.allocation_size(), remembered.order.capacity(), cleaned)
        };
        let full = fill(&mut remembered, MOST_PER_SOURCE);
        assert!(full.0 < 1 << 20 && full.1 == MOST_PER_SOURCE, "{full:?}");
        let later = fill(&mut remembered, 8 * MOST_PER_SOURCE);
        assert_eq!((later.0, later.1), (full.0, full.1));
        assert!(later.2 > 2, "the table was never full of what was removed: {later:?}");
        let last = 9 * MOST_PER_SOURCE as u64;
        let first = last - MOST_PER_SOURCE as u64;
        assert!((first..last).all(|number| remembered.contains(&delivery(number))));
        assert!((0..first).step_by(4_099).all(|number| !remembered.contains(&delivery(number))));
        assert_eq!(remembered.places.len(), MOST_PER_SOURCE);
    }

    #[test]
    fn what_is_there_twice_is_remembered_until_the_later_goes() {
        let mut remembered = Remembered::default();
        for (number, row) in [(1, 1), (2, 1), (1, 2)] {
            remembered.push(delivery(number), row);
        }
        assert_eq!(remembered.pop_if(|row| row == 1), Some((delivery(1), 1)));
        assert!(remembered.contains(&delivery(1)));
        while remembered.pop_if(|_| true).is_some() {}
        assert!(!remembered.contains(&delivery(1)) && remembered.places.is_empty());
    }

    proptest! {
        #[test]
        fn what_is_in_the_queue_is_found_and_nothing_else(
            begins_at in prop::sample::select(vec![0, 7, u32::MAX - 20]),
            steps in prop::collection::vec((any::<bool>(), 0_u64..300), 0..400),
        ) {
            let mut remembered = Remembered { oldest: begins_at, ..Remembered::default() };
            let mut queue: VecDeque<u64> = VecDeque::new();
            for (comes, number) in steps {
                if comes && !queue.contains(&number) {
                    prop_assert_eq!(remembered.push(delivery(number), number), None);
                    queue.push_back(number);
                } else if !comes {
                    let expected = queue.pop_front_if(|front| *front < number);
                    prop_assert_eq!(remembered.pop_if(|row| row < number), expected.map(|front| (delivery(front), front)));
                }
            }
            let held: HashSet<u64> = queue.into_iter().collect();
            for number in 0..300 {
                prop_assert_eq!(remembered.contains(&delivery(number)), held.contains(&number));
            }
        }
    }
}

//! Deliveries that were folded before, or are just being matched: they are not matched again, or an organization could have its
//! expensive records matched as often as it sends them, at no cost of its own. The fold decides whether a batch is a repeat,
//! and has it matched if it is none.

use std::collections::VecDeque;

use common::ids::SourceId;

use crate::deliveries::SharedDeliveries;
use crate::identity::{Delivery, DeliveryId};

/// Deliveries that the fold may not have seen yet: as many as batches are matched at a time.
const MOST_AHEAD: usize = crate::worker::BATCHES_UNDER_WAY;

/// Deliveries that the fold has seen, and those ahead of it.
#[derive(Debug)]
pub(crate) struct Repeats {
    folded: SharedDeliveries,
    ahead: VecDeque<(SourceId, Vec<DeliveryId>)>,
}

impl Repeats {
    /// With nothing ahead of the fold.
    pub(crate) fn new(folded: SharedDeliveries) -> Self {
        Self { folded, ahead: VecDeque::with_capacity(MOST_AHEAD) }
    }

    /// Whether a delivery seems to be a repeat; called for every batch in order.
    pub(crate) fn seems_one(&mut self, source: SourceId, delivery: &Delivery) -> bool {
        let marks = &delivery.marks;
        let is_ahead = |(of, other): &(SourceId, Vec<DeliveryId>)| {
            *of == source && marks.iter().any(|mark| other.contains(mark))
        };
        let seems_one = self.folded.lock().contains_any(source, marks) || self.ahead.iter().any(is_ahead);
        if self.ahead.len() >= MOST_AHEAD {
            self.ahead.pop_front();
        }
        self.ahead.push_back((source, marks.clone()));
        seems_one
    }
}

#[cfg(test)]
mod tests {
    use common::timestamp::Timestamp;

    use super::*;

    fn delivery(marks: &[u8]) -> Delivery {
        let marks: Vec<DeliveryId> = marks.iter().map(|mark| [*mark; 16]).collect();
        Delivery { id: [0; 16], marks }
    }

    #[test]
    fn a_repeat_shares_a_mark_with_what_was_folded_or_lies_just_ahead() {
        let [source, other] = [1, 2].map(|number| SourceId::from_bytes([number; 16]));
        let mut repeats = Repeats::new(SharedDeliveries::default());
        repeats.folded.lock().insert(source, [1; 16], Timestamp(0));
        assert!(repeats.seems_one(source, &delivery(&[9, 1])));
        assert!(!repeats.seems_one(other, &delivery(&[1])), "of another source");
        assert!(!repeats.seems_one(source, &delivery(&[2])));
        assert!(repeats.seems_one(source, &delivery(&[2, 3])), "it is ahead");
        assert!(!repeats.seems_one(source, &delivery(&[])), "it cannot be recognised");
        for mark in 10..10 + u8::try_from(MOST_AHEAD).unwrap() {
            assert!(!repeats.seems_one(source, &delivery(&[mark])));
        }
        assert!(!repeats.seems_one(source, &delivery(&[2])), "the fold would have seen it");
    }
}

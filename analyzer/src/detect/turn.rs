//! One turn of matching a batch: from which record on, how much work it may be, and whether it is still wanted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use common::ids::OrganizationId;
use common::partition::{Offset, Position};
use sigma::{Spender, Spent};

/// Steps of an organization's own documents after which the part of a batch that is matched in one turn ends: some
/// tenths of a second. What was matched is folded and committed before the turn of the rest.
const TURN_STEPS: u64 = 1 << 26;

/// What is to be matched of the batches from a position on.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    from: Position,
    left_out: Arc<BTreeMap<OrganizationId, Vec<Spender>>>,
    cancelled: Arc<AtomicBool>,
}

/// Cancels turns when nobody waits for them any more, for example because other rules are in force.
#[derive(Debug)]
pub(crate) struct CancelOnDrop(Arc<AtomicBool>);

/// How much more of a batch is matched.
#[derive(Debug)]
pub(super) struct Limit<'t> {
    cancelled: &'t AtomicBool,
    first: u32,
    steps: AtomicU64,
}

impl Turn {
    /// From the record at `from` on, without the documents that are suspended.
    pub(crate) fn from(
        from: Position,
        left_out: BTreeMap<OrganizationId, Vec<Spender>>,
    ) -> (Self, CancelOnDrop) {
        let cancelled = Arc::new(AtomicBool::new(false));
        let turn = Self { from, left_out: Arc::new(left_out), cancelled: Arc::clone(&cancelled) };
        (turn, CancelOnDrop(cancelled))
    }

    /// Documents of an organization that are not asked for.
    pub(super) fn left_out(&self, organization: OrganizationId) -> &[Spender] {
        self.left_out.get(&organization).map_or(&[], Vec::as_slice)
    }

    /// The first record of the batch at an offset.
    pub(super) fn first(&self, offset: Offset) -> usize {
        let is_begun = offset == self.from.offset;
        if is_begun { usize::try_from(self.from.record).unwrap_or(usize::MAX) } else { 0 }
    }

    /// The limit of one batch, of which `first` is matched in any case.
    pub(super) fn limit(&self, first: u32) -> Limit<'_> {
        Limit { cancelled: &self.cancelled, first, steps: AtomicU64::new(0) }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Limit<'_> {
    /// Whether a record is left to another turn.
    pub(super) fn is_reached(&self, record: u32) -> bool {
        let is_used_up = record != self.first && self.steps.load(Ordering::Relaxed) >= TURN_STEPS;
        is_used_up || self.cancelled.load(Ordering::Relaxed)
    }

    /// Counts the steps that documents took for a record.
    pub(super) fn took(&self, spent: &[Spent]) {
        let cut_short: u64 = spent.iter().map(|spent| u64::from(spent.cut_short)).sum();
        if cut_short > 0 {
            metrics::counter!("palisade_analysis_searches_cut_short_total").increment(cut_short);
        }
        let steps = spent.iter().map(|spent| spent.steps).sum();
        self.steps.fetch_add(steps, Ordering::Relaxed);
    }

    /// Steps of all records together.
    pub(super) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_ends_when_its_steps_are_used_up_or_nobody_waits_but_matches_one_record() {
        let (turn, cancel) = Turn::from(Position { offset: Offset(7), record: 3 }, BTreeMap::new());
        assert_eq!([turn.first(Offset(7)), turn.first(Offset(8))], [3, 0]);
        let limit = turn.limit(3);
        let spent = Spent { spender: Spender::Rule(0), steps: TURN_STEPS, cut_short: 0, inconclusive: false };
        assert!(!limit.is_reached(4));
        limit.took(&[spent]);
        assert_eq!([limit.is_reached(3), limit.is_reached(4)], [false, true]);
        assert!(!turn.limit(0).is_reached(1), "each batch has its own");
        drop(cancel);
        assert!(turn.limit(0).is_reached(0));
    }
}

//! One turn of matching a batch: its first record, its most work, and whether it is still wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use common::ids::OrganizationId;
use common::partition::{Offset, Position};
use common::timestamp::Timestamp;
use sigma::{Allowance, Spender, Spent};

use crate::catalogue::Catalogue;
use crate::steps::{Steps, minute_of};

/// Steps of an organization's own documents after which the part of a batch that is matched in one turn ends: some tenths of a
/// second. The matched part is folded and committed before the turn of the rest.
const TURN_STEPS: u64 = 1 << 26;

/// Remaining work on the batches from a position on.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    from: Position,
    left_out: Arc<BTreeMap<OrganizationId, Vec<Spender>>>,
    /// Organizations that have used up their share of the minute of the log's time in which the turn began.
    used_up: Arc<BTreeSet<OrganizationId>>,
    began_at: Timestamp,
    /// The log's time at the batch that is matched.
    log_time: Timestamp,
    cancelled: Arc<AtomicBool>,
}

/// Cancels turns whose result is no longer awaited, for example because other rules are in force.
#[derive(Debug)]
pub(crate) struct CancelOnDrop(Arc<AtomicBool>);

/// Remaining part of a batch that is matched.
#[derive(Debug)]
pub(super) struct Limit<'t> {
    cancelled: &'t AtomicBool,
    first: u32,
    steps: AtomicU64,
}

impl Turn {
    /// From the record at `from` on, the log's time being `log_time`, as the steps so far decide it: without the
    /// documents that are suspended.
    pub(crate) fn from(
        from: Position,
        log_time: Timestamp,
        steps: &Steps,
        catalogue: &Catalogue,
    ) -> (Self, CancelOnDrop) {
        Self::new(from, log_time, steps.left_out(catalogue), steps.used_up(log_time))
    }

    fn new(
        from: Position,
        log_time: Timestamp,
        left_out: BTreeMap<OrganizationId, Vec<Spender>>,
        used_up: BTreeSet<OrganizationId>,
    ) -> (Self, CancelOnDrop) {
        let cancelled = Arc::new(AtomicBool::new(false));
        let (left_out, used_up) = (Arc::new(left_out), Arc::new(used_up));
        let cancel = CancelOnDrop(Arc::clone(&cancelled));
        (Self { from, left_out, used_up, began_at: log_time, log_time, cancelled }, cancel)
    }

    /// Moves the log's time on to a batch that was accepted at this time; called for each batch in order.
    pub(crate) fn advance(&mut self, received_at: Timestamp) {
        self.log_time = self.log_time.max(received_at);
    }

    /// Steps that documents of an organization may take for each record of the batch.
    pub(super) fn allowance(&self, organization: OrganizationId) -> Allowance {
        let is_same_minute = minute_of(self.log_time) == minute_of(self.began_at);
        match is_same_minute && self.used_up.contains(&organization) {
            true => Allowance::SMALL,
            false => Allowance::FULL,
        }
    }

    /// Documents of an organization that are not evaluated.
    pub(super) fn left_out(&self, organization: OrganizationId) -> &[Spender] {
        self.left_out.get(&organization).map_or(&[], Vec::as_slice)
    }

    /// The first record of the batch at an offset.
    pub(crate) fn first(&self, offset: Offset) -> usize {
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

    fn turn(used_up: BTreeSet<OrganizationId>) -> (Turn, CancelOnDrop) {
        let from = Position { offset: Offset(7), record: 3 };
        Turn::new(from, Timestamp::from_millis(30_000), BTreeMap::new(), used_up)
    }

    #[test]
    fn a_share_that_is_used_up_is_used_up_until_the_logs_minute_ends() {
        let [frugal, lavish] = [1, 2].map(|number| OrganizationId::from_bytes([number; 16]));
        let (mut turn, _cancel) = turn([lavish].into());
        turn.advance(Timestamp::from_millis(59_999));
        turn.advance(Timestamp::from_millis(10_000));
        assert_eq!([frugal, lavish].map(|of| turn.allowance(of)), [Allowance::FULL, Allowance::SMALL]);
        turn.advance(Timestamp::from_millis(60_000));
        turn.advance(Timestamp::from_millis(59_999));
        assert_eq!([frugal, lavish].map(|of| turn.allowance(of)), [Allowance::FULL; 2]);
    }

    #[test]
    fn a_turn_ends_when_its_steps_are_used_up_or_nobody_waits_but_matches_one_record() {
        let (turn, cancel) = turn(BTreeSet::new());
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

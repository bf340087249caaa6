//! Tallies: numbers of matches of each rule in each source's records that were routine, inconclusive, qualified or suppressed,
//! so that noisy rules are recognised. Incidents are not counted here.

use bytes::Bytes;
use common::row::{self, RuleTally};
use common::timestamp::Timestamp;

use crate::finding::RecordContext;
use crate::state_table::StateTable;

/// Rows of a partition at most: three hundred rules in each of three hundred sources. Beyond, a match is
/// not counted.
const MOST_ROWS: usize = 100_000;
/// Bytes of a row, about.
const ROW_BYTES: usize = 320;

/// The outcome of one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing followed.
    Routine,
    /// It could not be judged.
    Inconclusive,
    /// It joined or opened an incident.
    Qualified,
    /// A filter took it away.
    Suppressed,
}

/// The tallies of a partition.
#[derive(Debug)]
pub(crate) struct Tallies(pub(crate) StateTable<Bytes, RuleTally>);

impl Default for Tallies {
    fn default() -> Self {
        Self(StateTable::new(row::TALLIES_PREFIX))
    }
}

impl Tallies {
    /// Counts a match of the rule, or a suppression by the filter, of this id.
    pub(crate) fn count(
        &mut self,
        context: &RecordContext<'_>,
        id: &str,
        event_time: Timestamp,
        outcome: Outcome,
    ) {
        let key = key(context, id);
        if self.0.count() >= MOST_ROWS && !self.0.contains(&key) {
            metrics::counter!("palisade_analysis_tallies_left_out_total").increment(1);
            return;
        }
        let tally = self.0.get_or_insert_with(key.clone(), RuleTally::default);
        let count = match outcome {
            Outcome::Routine => &mut tally.routine,
            Outcome::Inconclusive => &mut tally.inconclusive,
            Outcome::Qualified => &mut tally.qualified,
            Outcome::Suppressed => &mut tally.suppressed,
        };
        *count += 1;
        tally.last_at = tally.last_at.max(event_time);
        self.0.mark(key, ROW_BYTES);
    }

    /// Counts a finding of a rule as qualified that was counted as routine before: others have completed the sum.
    pub(crate) fn qualify_later(&mut self, context: &RecordContext<'_>, id: &str) {
        let key = key(context, id);
        let Some(tally) = self.0.get_mut(&key).filter(|tally| tally.routine > 0) else { return };
        tally.routine -= 1;
        tally.qualified += 1;
        self.0.mark(key, ROW_BYTES);
    }
}

fn key(context: &RecordContext<'_>, id: &str) -> Bytes {
    let key = Bytes::from(row::rule_tally_key(context.headers.organization, id, context.headers.source));
    key.slice(row::TALLIES_PREFIX.len()..)
}

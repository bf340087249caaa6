//! What became of the findings of each rule in each source's records: counted for whoever wants to know which
//! rules are noise. Incidents are not counted here.

use bytes::Bytes;
use common::row::{self, BodyError, RuleTally};
use common::timestamp::Timestamp;

use super::finding::RecordContext;
use super::state_table::StateTable;

/// Rows of a partition at most: three hundred rules in each of three hundred sources. What would be one more is
/// not counted.
const MOST_ROWS: usize = 100_000;
/// About how many bytes a row takes.
const ROW_BYTES: usize = 320;

/// What became of one finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
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
pub(crate) struct Tallies(StateTable<Bytes, RuleTally>);

impl Default for Tallies {
    fn default() -> Self {
        Self(StateTable::new(row::TALLIES_PREFIX))
    }
}

impl Tallies {
    /// Counts a finding of a rule, or something that the filter of this id took away.
    pub(crate) fn count(&mut self, context: &RecordContext<'_>, id: &str, event_time: Timestamp, came: Came) {
        let key = key(context, id);
        if self.0.len() >= MOST_ROWS && !self.0.contains(&key) {
            metrics::counter!("palisade_analysis_tallies_left_out_total").increment(1);
            return;
        }
        let tally = self.0.get_or_insert_with(key.clone(), RuleTally::default);
        let count = match came {
            Came::Routine => &mut tally.routine,
            Came::Inconclusive => &mut tally.inconclusive,
            Came::Qualified => &mut tally.qualified,
            Came::Suppressed => &mut tally.suppressed,
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

    /// About how many rows and bytes the changes since the last [`Self::take_changes`] take.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        self.0.pending_cost()
    }

    /// Rows to write since the last call.
    ///
    /// # Errors
    /// When a tally cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        self.0.take_changes(|_, tally| row::encode(tally))
    }

    /// Reads a tally back; `key` is what follows the prefix in its row's.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(&mut self, key: &[u8], body: &[u8]) -> Result<(), BodyError> {
        self.0.restore(Bytes::copy_from_slice(key), row::decode(body)?);
        Ok(())
    }
}

fn key(context: &RecordContext<'_>, id: &str) -> Bytes {
    let key = Bytes::from(row::rule_tally_key(context.headers.organization, id, context.headers.source));
    key.slice(row::TALLIES_PREFIX.len()..)
}

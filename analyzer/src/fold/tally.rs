//! What became of the findings of each rule in each source's records: counted for whoever wants to know which
//! rules are noise. Incidents are not counted here.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use common::row::{self, BodyError, RuleTally};
use common::timestamp::Timestamp;

use super::finding::Place;

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
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    rows: BTreeMap<Bytes, RuleTally>,
    changed: BTreeSet<Bytes>,
}

impl Tallies {
    /// Counts a finding of a rule, or something that the filter of this id took away.
    pub(crate) fn count(&mut self, place: &Place<'_>, id: &str, event_time: Timestamp, came: Came) {
        let headers = place.headers;
        let key = Bytes::from(row::rule_tally_key(headers.organization, id, headers.source));
        if self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&key) {
            metrics::counter!("palisade_analysis_tallies_left_out_total").increment(1);
            return;
        }
        let tally = self.rows.entry(key.clone()).or_default();
        let count = match came {
            Came::Routine => &mut tally.routine,
            Came::Inconclusive => &mut tally.inconclusive,
            Came::Qualified => &mut tally.qualified,
            Came::Suppressed => &mut tally.suppressed,
        };
        *count += 1;
        tally.last_at = tally.last_at.max(event_time);
        self.changed.insert(key);
    }

    /// Counts a finding of a rule as qualified that was counted as routine before: others have completed the sum.
    pub(crate) fn qualify_later(&mut self, place: &Place<'_>, id: &str) {
        let headers = place.headers;
        let key = Bytes::from(row::rule_tally_key(headers.organization, id, headers.source));
        let Some(tally) = self.rows.get_mut(&key).filter(|tally| tally.routine > 0) else { return };
        tally.routine -= 1;
        tally.qualified += 1;
        self.changed.insert(key);
    }

    /// About how many rows and bytes the changes since the last [`Self::take_changes`] take.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        (self.changed.len(), self.changed.len() * ROW_BYTES)
    }

    /// Rows to write since the last call.
    ///
    /// # Errors
    /// When a tally cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        let tallies = changed.filter_map(|key| self.rows.get(&key).map(|tally| (key, tally)));
        tallies.map(|(key, tally)| Ok((key, row::encode(tally)?))).collect()
    }

    /// Reads a tally back.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(&mut self, key: Bytes, body: &[u8]) -> Result<(), BodyError> {
        self.rows.insert(key, row::decode(body)?);
        Ok(())
    }
}

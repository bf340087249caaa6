//! The storm guard: at most 200 new incidents per source, family and hour; what comes after joins one
//! incident that stands for many entities. Escalations are bounded likewise.

use std::time::Duration;

use bytes::Bytes;
use common::ids::SourceId;
use common::row::{self, BodyError};
use common::severity::Severity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::rows::{self, PendingDeletes};
use super::state_table::StateTable;

/// New incidents per source, family and hour: more than a person reads.
pub(crate) const MOST_NEW_INCIDENTS: u32 = 200;
/// Escalations per source, family, hour and severity: many that are less severe drown none that is more so.
pub(crate) const MOST_ESCALATIONS: u32 = 200;
/// More than a row takes.
const ROW_BYTES: usize = 1_024;
const HOUR: Duration = Duration::from_secs(3_600);

/// How many incidents were opened in the hours that still matter.
#[derive(Debug)]
pub(crate) struct Storms(StateTable<Bytes, Opened>);

impl Default for Storms {
    fn default() -> Self {
        Self(StateTable::new(rows::STORM))
    }
}

/// Incidents of one source and family in one hour of log time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opened {
    hour: i64,
    count: u32,
    /// Escalations by severity, mildest first.
    escalated: [u32; Severity::ALL.len()],
}

impl Storms {
    /// Asks for one more incident; false when there have been enough this hour.
    pub(crate) fn may_open(&mut self, source: SourceId, family: &str, log_time: Timestamp) -> bool {
        self.take_one(source, family, log_time, MOST_NEW_INCIDENTS, |opened| Some(&mut opened.count))
    }

    /// Asks for one more escalation; false when there have been enough of this severity this hour.
    pub(crate) fn may_escalate(
        &mut self,
        source: SourceId,
        family: &str,
        severity: Severity,
        log_time: Timestamp,
    ) -> bool {
        let context = Severity::ALL.iter().position(|one| *one == severity);
        self.take_one(source, family, log_time, MOST_ESCALATIONS, |opened| opened.escalated.get_mut(context?))
    }

    /// Takes one of the `most` there are in an hour, counted where `count` says.
    fn take_one(
        &mut self,
        source: SourceId,
        family: &str,
        log_time: Timestamp,
        most: u32,
        count: impl FnOnce(&mut Opened) -> Option<&mut u32>,
    ) -> bool {
        let hour = hour_of(log_time);
        let key = Bytes::from([source.as_bytes().as_slice(), family.as_bytes()].concat());
        let fresh = Opened { hour, ..Opened::default() };
        let opened = self.0.get_or_insert_with(key.clone(), || fresh);
        if opened.hour != hour {
            *opened = fresh;
        }
        let Some(count) = count(opened).filter(|count| **count < most) else { return false };
        *count += 1;
        self.0.mark(key, ROW_BYTES);
        true
    }

    /// Forgets hours that are over.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, pending_deletes: &mut PendingDeletes) {
        let hour = hour_of(log_time);
        self.0.remove_if(|_, opened| opened.hour < hour, pending_deletes);
    }

    /// About how many rows and bytes the changes since the last [`Self::take_changes`] take.
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        self.0.pending_cost()
    }

    /// Counts to write since the last call.
    ///
    /// # Errors
    /// When a count cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        self.0.take_changes(|_, opened| row::encode(opened))
    }

    /// Reads a count back; `key` is what follows the prefix in its row's.
    ///
    /// # Errors
    /// When the row is broken.
    pub(crate) fn restore(&mut self, key: &[u8], body: &[u8]) -> Result<(), BodyError> {
        self.0.restore(Bytes::copy_from_slice(key), row::decode(body)?);
        Ok(())
    }
}

fn hour_of(time: Timestamp) -> i64 {
    time.0.div_euclid(i64::try_from(HOUR.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_opens_a_bounded_number_of_each_family() {
        let source = SourceId::from_bytes([1; 16]);
        let mut storms = Storms::default();
        for _ in 0..MOST_NEW_INCIDENTS {
            assert!(storms.may_open(source, "a", Timestamp(0)));
        }
        assert!(!storms.may_open(source, "a", Timestamp(0)));
        assert!(storms.may_open(source, "b", Timestamp(0)));
        assert!(storms.may_open(source, "a", Timestamp(0).plus(HOUR)));
    }

    #[test]
    fn an_hour_escalates_a_bounded_number_of_each_severity() {
        let source = SourceId::from_bytes([1; 16]);
        let mut storms = Storms::default();
        for _ in 0..MOST_ESCALATIONS {
            assert!(storms.may_escalate(source, "a", Severity::High, Timestamp(0)));
        }
        assert!(!storms.may_escalate(source, "a", Severity::High, Timestamp(0)));
        assert!(storms.may_escalate(source, "a", Severity::Critical, Timestamp(0)));
        assert!(storms.may_open(source, "a", Timestamp(0)), "the two are counted apart");
        assert!(storms.may_escalate(source, "a", Severity::High, Timestamp(0).plus(HOUR)));
    }
}

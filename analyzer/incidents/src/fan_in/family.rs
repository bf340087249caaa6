//! Numbers of opened and escalated incidents of one family and source in one hour of log time.

use std::time::Duration;

use bytes::Bytes;
use common::ids::SourceId;
use common::severity::Severity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

/// New incidents per source, family and hour: more than a person reads.
const MOST_NEW_INCIDENTS: u32 = 200;
/// Escalations per source, family, hour and severity, so that many mild ones do not suppress a severe one.
const MOST_ESCALATIONS: u32 = 200;
/// More than a row takes.
pub(super) const ROW_BYTES: usize = 1_024;
const HOUR: Duration = Duration::from_secs(3_600);

/// Incidents of one source and family in one hour of log time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FamilyHour {
    hour: i64,
    opened: u32,
    /// Escalations by severity, mildest first.
    escalated: [u32; Severity::ALL.len()],
}

impl FamilyHour {
    /// Whether one more incident may be opened.
    pub(super) fn may_open(&self, log_time: Timestamp) -> bool {
        self.hour != hour_of(log_time) || self.opened < MOST_NEW_INCIDENTS
    }

    /// Counts an opened incident.
    pub(super) fn open(&mut self, log_time: Timestamp) {
        self.begin(log_time);
        self.opened += 1;
    }

    /// Whether one more incident of a severity may be escalated; counts it if so.
    pub(super) fn may_escalate(&mut self, severity: Severity, log_time: Timestamp) -> bool {
        self.begin(log_time);
        let counts = Severity::ALL.iter().zip(&mut self.escalated);
        let Some((_, count)) = counts.into_iter().find(|(own, _)| **own == severity) else { return false };
        let may_escalate = *count < MOST_ESCALATIONS;
        *count += u32::from(may_escalate);
        may_escalate
    }

    /// Whether its hour is over.
    pub(super) fn is_over(&self, log_time: Timestamp) -> bool {
        self.hour < hour_of(log_time)
    }

    fn begin(&mut self, log_time: Timestamp) {
        let hour = hour_of(log_time);
        if self.hour != hour {
            *self = Self { hour, ..Self::default() };
        }
    }
}

/// Key of a family of a source.
pub(super) fn key(source: SourceId, family: &str) -> Bytes {
    Bytes::from([source.as_bytes().as_slice(), family.as_bytes()].concat())
}

fn hour_of(time: Timestamp) -> i64 {
    time.0.div_euclid(i64::try_from(HOUR.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_opens_a_bounded_number() {
        let (begin, mut family) = (Timestamp(0), FamilyHour::default());
        for _ in 0..MOST_NEW_INCIDENTS {
            assert!(family.may_open(begin));
            family.open(begin);
        }
        assert_eq!([begin, begin.plus(HOUR)].map(|time| family.may_open(time)), [false, true]);
    }

    #[test]
    fn an_hour_escalates_a_bounded_number_of_each_severity() {
        let (begin, mut family) = (Timestamp(0), FamilyHour::default());
        for _ in 0..MOST_ESCALATIONS {
            assert!(family.may_escalate(Severity::High, begin));
        }
        assert!(!family.may_escalate(Severity::High, begin));
        assert!(family.may_escalate(Severity::Critical, begin));
        assert!(family.may_open(begin), "opened and escalated incidents are counted apart");
        assert!(family.may_escalate(Severity::High, begin.plus(HOUR)));
    }
}

//! The storm guard: at most 200 new incidents per source, family and hour; what comes after joins one
//! incident that stands for many entities.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use bytes::Bytes;
use common::ids::SourceId;
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::rows::{self, Gone};

/// New incidents per source, family and hour: more than a person reads.
pub(crate) const MOST_NEW_INCIDENTS: u32 = 200;
const HOUR: Duration = Duration::from_secs(3_600);

/// How many incidents were opened in the hours that still matter.
#[derive(Debug, Default)]
pub(crate) struct Storms {
    opened: HashMap<(SourceId, String), Opened>,
    changed: BTreeSet<(SourceId, String)>,
}

/// Incidents of one source and family in one hour of log time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opened {
    hour: i64,
    count: u32,
}

impl Storms {
    /// Asks for one more incident; false when there have been enough this hour.
    pub(crate) fn may_open(&mut self, source: SourceId, family: &str, log_time: Timestamp) -> bool {
        let hour = hour_of(log_time);
        let key = (source, family.to_owned());
        let opened = self.opened.entry(key.clone()).or_insert(Opened { hour, count: 0 });
        if opened.hour != hour {
            *opened = Opened { hour, count: 0 };
        }
        if opened.count >= MOST_NEW_INCIDENTS {
            return false;
        }
        opened.count += 1;
        self.changed.insert(key);
        true
    }

    /// Forgets hours that are over.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, gone: &mut Gone) {
        let hour = hour_of(log_time);
        let changed = &mut self.changed;
        self.opened.retain(|key, opened| {
            let kept = opened.hour >= hour;
            if !kept {
                changed.remove(key);
                gone.push(row_key(key));
            }
            kept
        });
    }

    /// How many counts changed since the last [`Self::take_changes`].
    pub(crate) fn changed(&self) -> usize {
        self.changed.len()
    }

    /// Counts to write since the last call.
    ///
    /// # Errors
    /// When a count cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<(Bytes, Vec<u8>)>, BodyError> {
        let changed = std::mem::take(&mut self.changed);
        let counts = changed.iter().filter_map(|key| Some((row_key(key), self.opened.get(key)?)));
        counts.map(|(key, opened)| Ok((key, row::encode(opened)?))).collect()
    }

    /// Reads a count back.
    pub(crate) fn restore(&mut self, source: SourceId, family: String, opened: Opened) {
        self.opened.insert((source, family), opened);
    }
}

fn row_key((source, family): &(SourceId, String)) -> Bytes {
    rows::key(rows::STORM, &[source.as_bytes().as_slice(), family.as_bytes()].concat())
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
}

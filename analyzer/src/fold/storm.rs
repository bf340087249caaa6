//! The storm guard: at most 200 new incidents per source, family and hour; what comes after joins one
//! incident that stands for many entities.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use common::ids::SourceId;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

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
    pub(crate) fn may_open(&mut self, source: SourceId, family: &str, received_at: Timestamp) -> bool {
        let hour = hour_of(received_at);
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
    pub(crate) fn forget_before(&mut self, received_through: Timestamp) {
        let hour = hour_of(received_through);
        let changed = &mut self.changed;
        self.opened.retain(|key, opened| {
            let kept = opened.hour >= hour;
            if !kept {
                changed.insert(key.clone());
            }
            kept
        });
    }

    /// How many counts changed since the last [`Self::take_changes`].
    pub(crate) fn changed(&self) -> usize {
        self.changed.len()
    }

    /// Counts to write (or, where there is none, to delete) since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<((SourceId, String), Option<Opened>)> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_iter().map(|key| (key.clone(), self.opened.get(&key).copied())).collect()
    }

    /// Reads a count back.
    pub(crate) fn restore(&mut self, source: SourceId, family: String, opened: Opened) {
        self.opened.insert((source, family), opened);
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
}

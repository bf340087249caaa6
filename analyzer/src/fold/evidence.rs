//! Which member records are shown: per level of the rules that matched, the first five and the last
//! five by event time. What is kept depends on the set of members only.

use std::collections::{BTreeMap, BTreeSet};

use common::incident::Evidence;
use common::severity::Severity;
use serde::{Deserialize, Serialize};

use crate::identity::RecordId;
use crate::note::Note;

/// How many of the earliest, and how many of the latest, are kept per level.
const KEPT_AT_EACH_END: usize = 5;

/// Evidence of one incident: for each level its earliest and latest records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EvidencePools(BTreeMap<Severity, Vec<Item>>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Item {
    record: RecordId,
    rules: BTreeSet<String>,
    note: Note,
}

impl EvidencePools {
    /// Offers a record as evidence for a rule of some level; tells whether that changed anything.
    pub(crate) fn offer(&mut self, level: Severity, rule: &str, record: RecordId, note: &Note) -> bool {
        let pool = self.0.entry(level).or_default();
        let order = (note.event_time, record);
        let place = pool.partition_point(|item| (item.note.event_time, item.record) < order);
        if let Some(item) = pool.get_mut(place).filter(|item| item.record == record) {
            return item.rules.insert(rule.to_owned());
        }
        let full = pool.len() == 2 * KEPT_AT_EACH_END;
        if full && place == KEPT_AT_EACH_END {
            return false;
        }
        let rules = BTreeSet::from([rule.to_owned()]);
        pool.insert(place, Item { record, rules, note: note.clone() });
        if full {
            pool.remove(KEPT_AT_EACH_END);
        }
        true
    }

    /// About how many bytes it takes.
    pub(crate) fn cost(&self) -> usize {
        self.0.values().flatten().map(|item| item.note.cost() + 64 * item.rules.len()).sum()
    }

    /// What is shown: worst level first, then by event time and id; a record once.
    pub(crate) fn shown(&self) -> Vec<Evidence> {
        let mut shown: Vec<Evidence> = Vec::new();
        for (level, pool) in self.0.iter().rev() {
            for item in pool {
                let id = item.record.to_string();
                match shown.iter_mut().find(|evidence| evidence.record_id == id) {
                    Some(evidence) => {
                        let rules: BTreeSet<_> =
                            evidence.rules.drain(..).chain(item.rules.iter().cloned()).collect();
                        evidence.rules = rules.into_iter().collect();
                    }
                    None => shown.push(item.shown(id, *level)),
                }
            }
        }
        shown
    }
}

impl Item {
    fn shown(&self, record_id: String, severity: Severity) -> Evidence {
        Evidence {
            record_id,
            event_time: self.note.event_time,
            time_inferred: self.note.time_inferred,
            received_at: self.note.received_at,
            severity,
            rules: self.rules.iter().cloned().collect(),
            message: self.note.message.clone(),
            fields: self.note.fields.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use common::timestamp::Timestamp;

    use super::*;

    fn note(time: i64) -> Note {
        Note {
            event_time: Timestamp(time),
            time_inferred: false,
            received_at: Timestamp(0),
            message: String::new(),
            fields: BTreeMap::new(),
        }
    }

    fn record(number: u8) -> RecordId {
        RecordId([number; 16])
    }

    #[test]
    fn first_and_last_stay_whatever_the_order_of_arrival() {
        let times: Vec<u8> = (0..40).collect();
        let mut shuffled = times.clone();
        shuffled.sort_by_key(|time| time.wrapping_mul(73));
        let mut shown = Vec::new();
        for order in [times, shuffled] {
            let mut pools = EvidencePools::default();
            for time in order {
                pools.offer(Severity::High, "rule", record(time), &note(i64::from(time)));
            }
            shown.push(pools.shown().iter().map(|evidence| evidence.event_time.0).collect::<Vec<_>>());
        }
        assert_eq!(shown[0], [0, 1, 2, 3, 4, 35, 36, 37, 38, 39]);
        assert_eq!(shown[0], shown[1]);
    }

    #[test]
    fn worst_comes_first_and_a_record_appears_once() {
        let mut pools = EvidencePools::default();
        pools.offer(Severity::Low, "weak", record(1), &note(1));
        pools.offer(Severity::Low, "weak", record(2), &note(2));
        pools.offer(Severity::High, "strong", record(2), &note(2));
        let shown = pools.shown();
        assert_eq!(shown.len(), 2);
        assert_eq!(
            (shown[0].severity, shown[0].rules.clone()),
            (Severity::High, vec!["strong".to_owned(), "weak".to_owned()])
        );
        assert_eq!(shown[1].event_time, Timestamp(1));
    }
}

//! Selection of the member records that are shown: per level of the rules that matched, the first five and the last five by
//! event time. The selection depends on the set of members only.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::incident::Evidence;
use common::severity::Severity;
use serde::{Deserialize, Serialize};

use crate::identity::RecordId;
use crate::note::Note;

/// Numbers of the earliest, and of the latest, that are kept per level.
const KEPT_AT_EACH_END: usize = 5;

/// Evidence of one incident: for each level its earliest and latest records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EvidencePools(BTreeMap<Severity, Vec<Item>>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Item {
    record: RecordId,
    /// Sorted.
    rules: Vec<String>,
    note: Arc<Note>,
}

impl EvidencePools {
    /// Offers a record as evidence for a rule of some level; returns whether that changed anything.
    pub(crate) fn offer(&mut self, level: Severity, rule: &str, record: RecordId, note: &Arc<Note>) -> bool {
        let pool = self.0.entry(level).or_default();
        let order = (note.event_time, record);
        let index = pool.partition_point(|item| (item.note.event_time, item.record) < order);
        if let Some(item) = pool.get_mut(index).filter(|item| item.record == record) {
            return item.matched(rule);
        }
        let full = pool.len() == 2 * KEPT_AT_EACH_END;
        if full && index == KEPT_AT_EACH_END {
            return false;
        }
        pool.insert(index, Item { record, rules: vec![rule.to_owned()], note: Arc::clone(note) });
        if full {
            pool.remove(KEPT_AT_EACH_END);
        }
        true
    }

    /// Bytes, about, that it takes.
    pub(crate) fn cost(&self) -> usize {
        self.0.values().flatten().map(|item| item.note.cost() + 64 * item.rules.len()).sum()
    }

    /// The evidence as it is shown: worst level first, then by event time and id; a record once.
    pub(crate) fn shown(&self) -> Vec<Evidence> {
        let mut shown: Vec<Evidence> = Vec::new();
        for (level, pool) in self.0.iter().rev() {
            for item in pool {
                let id = item.record.to_string();
                match shown.iter_mut().find(|evidence| evidence.record_id == id) {
                    Some(evidence) => {
                        evidence.rules.extend_from_slice(&item.rules);
                        evidence.rules.sort_unstable();
                        evidence.rules.dedup();
                    }
                    None => shown.push(item.shown(id, *level)),
                }
            }
        }
        shown
    }
}

impl Item {
    /// Adds a rule that matched it; returns whether it is new.
    fn matched(&mut self, rule: &str) -> bool {
        let index = self.rules.partition_point(|own| own.as_str() < rule);
        let new = self.rules.get(index).is_none_or(|own| own != rule);
        if new {
            self.rules.insert(index, rule.to_owned());
        }
        new
    }

    fn shown(&self, record_id: String, severity: Severity) -> Evidence {
        Evidence {
            record_id,
            event_time: self.note.event_time,
            time_inferred: self.note.time_inferred,
            received_at: self.note.received_at,
            severity,
            rules: self.rules.clone(),
            message: self.note.message().to_owned(),
            fields: self.note.fields().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use common::timestamp::Timestamp;
    use sigma::event::Event;

    use super::*;

    fn note(time: i64) -> Arc<Note> {
        Arc::new(Note::of(&Event::default(), "", Timestamp(time), false, Timestamp(0)))
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

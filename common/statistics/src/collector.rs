//! Counts in memory, between two flushes.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::ids::OrganizationId;
use common::timestamp::Timestamp;

use crate::row::{Example, SourceKey, Totals, count, day};

/// Sources that are counted between two flushes: about 2 KiB each, 20 MiB together.
const MOST_SOURCES: usize = 10_000;
/// The same of one organization, so that one with many sources leaves room for the others.
const MOST_OF_ORGANIZATION: usize = 1_000;

/// Counts of all roles of a process since the last flush.
#[derive(Debug, Default)]
pub struct Statistics {
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    sources: BTreeMap<SourceKey, Totals>,
    of_organization: HashMap<OrganizationId, usize>,
}

/// Tells the recorder the meaning of each metric; once, after it is installed.
pub fn describe_metrics() {
    metrics::describe_counter!(
        "palisade_source_statistics_left_out_total",
        "Counts left out of the statistics of sources: too many sources between two flushes, or a ledger that could not be written."
    );
    for reason in ["too_many_sources", "unwritten"] {
        metrics::counter!("palisade_source_statistics_left_out_total", "reason" => reason).increment(0);
    }
}

/// Counts an addition that is left out.
pub(crate) fn left_out(reason: &'static str) {
    metrics::counter!("palisade_source_statistics_left_out_total", "reason" => reason).increment(1);
}

impl Statistics {
    /// Counts accepted records.
    pub fn accepted(&self, key: SourceKey, records: u32, at: Timestamp) {
        self.change(key, |totals| {
            totals.first_at = totals.first_at.or(Some(at)).min(Some(at));
            totals.last_at = totals.last_at.max(Some(at));
            totals.accepted = totals.accepted.saturating_add(u64::from(records));
        });
    }

    /// Counts a refused request.
    pub fn refused(&self, key: SourceKey, reason: &'static str) {
        self.change(key, |totals| count(&mut totals.refused, Cow::Borrowed(reason), 1));
    }

    /// Counts analysed records by format, `None` for those not recognised, with texts of some of the latter.
    pub fn analysed(
        &self,
        key: SourceKey,
        at: Timestamp,
        formats: impl IntoIterator<Item = (Option<&'static str>, u32)>,
        examples: impl IntoIterator<Item = String>,
    ) {
        self.change(key, |totals| {
            let day = totals.days.entry(day(at)).or_default();
            for (format, records) in formats {
                let records = u64::from(records);
                match format {
                    Some(format) => count(&mut day.recognised, Cow::Borrowed(format), records),
                    None => day.unrecognised = day.unrecognised.saturating_add(records),
                }
            }
            for text in examples {
                totals.add_example(Example::new(&text, at));
            }
        });
    }

    fn change(&self, key: SourceKey, change: impl FnOnce(&mut Totals)) {
        let mut pending = self.lock();
        match pending.entry(key) {
            Some(totals) => change(totals),
            None => left_out("too_many_sources"),
        }
    }

    /// Takes all counts.
    pub(crate) fn take(&self) -> BTreeMap<SourceKey, Totals> {
        std::mem::take(&mut *self.lock()).sources
    }

    /// Counts again what could not be written.
    pub(crate) fn put_back(&self, key: SourceKey, totals: &Totals) {
        self.change(key, |own| own.add(totals));
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    /// The counts of a source; `None` where there is no room for them.
    fn entry(&mut self, key: SourceKey) -> Option<&mut Totals> {
        if !self.sources.contains_key(&key) {
            let of_organization = self.of_organization.entry(key.organization).or_default();
            if self.sources.len() >= MOST_SOURCES || *of_organization >= MOST_OF_ORGANIZATION {
                return None;
            }
            *of_organization += 1;
        }
        Some(self.sources.entry(key).or_default())
    }
}

#[cfg(test)]
mod tests {
    use common::ids::SourceId;

    use super::*;

    fn key(organization: u8, source: u16) -> SourceKey {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&source.to_be_bytes());
        SourceKey {
            organization: OrganizationId::from_bytes([organization; 16]),
            source: SourceId::from_bytes(bytes),
        }
    }

    #[test]
    fn one_organization_leaves_room_for_the_others() {
        let statistics = Statistics::default();
        for source in 0..2_000 {
            statistics.refused(key(1, source), "malformed");
        }
        statistics.refused(key(2, 0), "malformed");
        let taken = statistics.take();
        assert_eq!(taken.len(), MOST_OF_ORGANIZATION + 1);
        assert!(taken.contains_key(&key(2, 0)));
        statistics.refused(key(1, 1_999), "malformed");
        assert_eq!(statistics.take().len(), 1, "a flush makes room");
    }

    #[test]
    fn memory_is_bounded_over_all_organizations() {
        let statistics = Statistics::default();
        for organization in 0..20 {
            for source in 0..1_000 {
                statistics.refused(key(organization, source), "malformed");
            }
        }
        assert_eq!(statistics.take().len(), MOST_SOURCES);
    }

    #[test]
    fn times_reach_from_the_first_to_the_last() {
        let statistics = Statistics::default();
        for at in [5, 3, 9] {
            statistics.accepted(key(1, 1), 2, Timestamp(at));
        }
        let totals = statistics.take().remove(&key(1, 1)).unwrap();
        assert_eq!((totals.first_at, totals.last_at), (Some(Timestamp(3)), Some(Timestamp(9))));
        assert_eq!(totals.accepted, 6);
    }
}

//! Counts in memory, between two flushes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::ids::OrganizationId;
use common::timestamp::Timestamp;

use crate::row::{Example, MOST_EXAMPLES, SourceKey, Totals, count, day};

/// Sources that are counted between two flushes: about 2 KiB each, 40 MiB together.
const MOST_SOURCES: usize = 20_000;
/// The same of one organization: all that it may have. It leaves room for the others.
const MOST_OF_ORGANIZATION: usize = 10_000;
/// Examples of all sources of an organization between two flushes: 2.5 MiB. Beyond, a source has fewer or none until
/// the next flush; those it has are still replaced by later ones.
const MOST_EXAMPLES_OF_ORGANIZATION: usize = 5_000;

/// Counts of all roles of a process since the last flush.
#[derive(Debug, Default)]
pub struct Statistics {
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    sources: BTreeMap<SourceKey, Totals>,
    of_organization: HashMap<OrganizationId, Share>,
}

/// Share of one organization.
#[derive(Debug, Default)]
struct Share {
    sources: usize,
    examples: usize,
}

/// Tells the recorder the meaning of each metric; once, after it is installed.
pub fn describe_metrics() {
    metrics::describe_counter!(
        "palisade_source_statistics_left_out_total",
        "Counts left out of the statistics of sources, because of too many sources between two flushes, a failed write to the ledger or a damaged row."
    );
    for reason in ["too_many_sources", "unwritten", "damaged"] {
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
        self.change(key, |totals, _| {
            totals.first_at = totals.first_at.or(Some(at)).min(Some(at));
            totals.last_at = totals.last_at.max(Some(at));
            totals.accepted = totals.accepted.saturating_add(u64::from(records));
        });
    }

    /// Counts a refused request.
    pub fn refused(&self, key: SourceKey, reason: &'static str) {
        self.change(key, |totals, _| count(&mut totals.refused, Cow::Borrowed(reason), 1));
    }

    /// Counts analysed records by format, `None` for those not recognised, with texts of some of the latter.
    pub fn analysed(
        &self,
        key: SourceKey,
        at: Timestamp,
        formats: impl IntoIterator<Item = (Option<&'static str>, u32)>,
        examples: impl IntoIterator<Item = String>,
    ) {
        self.change(key, |totals, share| {
            let day = totals.days.entry(day(at)).or_default();
            for (format, records) in formats {
                let records = u64::from(records);
                match format {
                    Some(format) => count(&mut day.recognised, Cow::Borrowed(format), records),
                    None => day.unrecognised = day.unrecognised.saturating_add(records),
                }
            }
            for text in examples {
                share.add_example(totals, Example::new(&text, at));
            }
        });
    }

    fn change(&self, key: SourceKey, change: impl FnOnce(&mut Totals, &mut Share)) {
        let mut pending = self.lock();
        match pending.entry(key) {
            Some((totals, share)) => change(totals, share),
            None => left_out("too_many_sources"),
        }
    }

    /// Takes all counts.
    pub(crate) fn take(&self) -> BTreeMap<SourceKey, Totals> {
        std::mem::take(&mut *self.lock()).sources
    }

    /// Counts again what could not be written.
    pub(crate) fn put_back(&self, key: SourceKey, totals: &Totals) {
        self.change(key, |own, share| {
            own.add_counts(totals);
            for example in &totals.examples {
                share.add_example(own, example.clone());
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    /// The counts of a source, and what its organization takes; `None` where there is no room for them.
    fn entry(&mut self, key: SourceKey) -> Option<(&mut Totals, &mut Share)> {
        let is_full = self.sources.len() >= MOST_SOURCES;
        let share = self.of_organization.entry(key.organization).or_default();
        match self.sources.entry(key) {
            Entry::Occupied(known) => Some((known.into_mut(), share)),
            Entry::Vacant(_) if is_full || share.sources >= MOST_OF_ORGANIZATION => None,
            Entry::Vacant(free) => {
                share.sources += 1;
                Some((free.insert(Totals::default()), share))
            }
        }
    }
}

impl Share {
    /// Adds an example where it replaces another one, or where there is room.
    fn add_example(&mut self, totals: &mut Totals, example: Example) {
        let before = totals.examples.len();
        if before < MOST_EXAMPLES && self.examples >= MOST_EXAMPLES_OF_ORGANIZATION {
            totals.replace_example(example);
        } else {
            totals.add_example(example);
        }
        self.examples += totals.examples.len().saturating_sub(before);
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
    fn all_sources_of_an_organization_are_counted_and_leave_room_for_the_others() {
        let statistics = Statistics::default();
        for source in 0..12_000 {
            statistics.refused(key(1, source), "malformed");
        }
        statistics.refused(key(2, 0), "malformed");
        let taken = statistics.take();
        assert_eq!(taken.len(), MOST_OF_ORGANIZATION + 1);
        assert!(taken.contains_key(&key(2, 0)));
        statistics.refused(key(1, 11_999), "malformed");
        assert_eq!(statistics.take().len(), 1, "a flush makes room");
    }

    #[test]
    fn memory_is_bounded_over_all_organizations() {
        let statistics = Statistics::default();
        for organization in 0..25 {
            for source in 0..1_000 {
                statistics.refused(key(organization, source), "malformed");
            }
        }
        assert_eq!(statistics.take().len(), MOST_SOURCES);
    }

    #[test]
    fn examples_of_an_organization_are_bounded_and_the_latest() {
        let statistics = Statistics::default();
        let analysed = |organization, source, at, text: &str| {
            let texts = (0..MOST_EXAMPLES).map(|number| format!("{text} {number}"));
            statistics.analysed(key(organization, source), Timestamp(at), [(None, 5)], texts);
        };
        for source in 0..1_200 {
            analysed(1, source, 1, "early");
        }
        analysed(1, 0, 2, "late");
        analysed(2, 0, 1, "early");
        let taken = statistics.take();
        let examples = |organization: u8| {
            let own = taken.iter().filter(move |(key, _)| **key == self::key(organization, 0));
            own.flat_map(|(_, totals)| &totals.examples).map(|example| &*example.text).collect::<Vec<_>>()
        };
        let all: usize = taken.values().map(|totals| totals.examples.len()).sum();
        assert_eq!(all, MOST_EXAMPLES_OF_ORGANIZATION + MOST_EXAMPLES);
        assert!(examples(1).iter().all(|text| text.starts_with("late")), "{:?}", examples(1));
        assert_eq!(examples(2).len(), MOST_EXAMPLES);
        assert_eq!(taken[&key(1, 1_199)].of_week().unrecognised, 5, "counted without examples");
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

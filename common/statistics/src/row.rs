//! The totals of a source, their row, and how long its parts are kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use common::ids::{OrganizationId, SourceId};
use common::partition::Partition;
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Examples of unrecognised records of a source at most.
pub const MOST_EXAMPLES: usize = 5;
/// Longest text of an example, in bytes.
const EXAMPLE_BYTES: usize = 512;
/// Examples and counts by format are kept for so long.
const RETENTION_DAYS: u32 = 7;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Names of formats and reasons in one count at most. Both sets are closed; those of other versions may differ.
const MOST_NAMES: usize = 256;
/// Writers whose last flush a row remembers: more processes than write to one source within an interval.
const MOST_MARKS: usize = 8;
/// Times a removal is tried against other writers.
const REMOVAL_ATTEMPTS: u32 = 20;

/// A source and its organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceKey {
    /// The organization.
    pub organization: OrganizationId,
    /// The source.
    pub source: SourceId,
}

impl SourceKey {
    /// The key of its row: organization, source.
    pub(crate) fn bytes(self) -> Vec<u8> {
        [self.organization.as_bytes().as_slice(), self.source.as_bytes()].concat()
    }

    /// The ledger of its row, which follows from its partition in the log.
    pub(crate) fn ledger(self, partitions: u16) -> LedgerId {
        LedgerId::Statistics(Partition::of_source(self.source, partitions))
    }
}

/// Names and their counts.
pub(crate) type Counts = BTreeMap<Cow<'static, str>, u64>;

/// The totals of a source, or an addition to them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// When the first batch with records was accepted.
    pub first_at: Option<Timestamp>,
    /// When the latest was.
    pub last_at: Option<Timestamp>,
    /// Records accepted.
    pub accepted: u64,
    /// Requests refused, by reason.
    pub refused: Counts,
    /// Records analysed, by the day of their acceptance (days since 1970-01-01, UTC).
    pub days: BTreeMap<u32, Day>,
    /// Latest examples of unrecognised records.
    pub examples: Vec<Example>,
}

/// Records of one day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Day {
    /// Recognised records, by format.
    pub recognised: Counts,
    /// Records that were not recognised.
    pub unrecognised: u64,
}

/// An unrecognised record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Its text: redacted before it was stored, and cut to 512 bytes.
    pub text: String,
    /// When it was accepted.
    pub at: Timestamp,
}

impl Example {
    /// An example of a text, cut at a character boundary.
    #[must_use]
    pub fn new(text: &str, at: Timestamp) -> Self {
        Self { text: text.get(..text.floor_char_boundary(EXAMPLE_BYTES)).unwrap_or_default().to_owned(), at }
    }
}

/// The day of a moment.
pub(crate) fn day(at: Timestamp) -> u32 {
    u32::try_from(at.since(Timestamp::default()).as_secs() / DAY.as_secs()).unwrap_or(u32::MAX)
}

pub(crate) fn count(counts: &mut Counts, name: Cow<'static, str>, by: u64) {
    if counts.len() >= MOST_NAMES && !counts.contains_key(&name) {
        return;
    }
    let total = counts.entry(name).or_default();
    *total = total.saturating_add(by);
}

impl Totals {
    /// Adds other totals.
    pub fn add(&mut self, other: &Self) {
        self.add_counts(other);
        for example in &other.examples {
            self.add_example(example.clone());
        }
    }

    /// Adds other totals without their examples.
    pub(crate) fn add_counts(&mut self, other: &Self) {
        let times = [self.first_at, other.first_at];
        self.first_at = times.into_iter().flatten().min();
        self.last_at = self.last_at.max(other.last_at);
        self.accepted = self.accepted.saturating_add(other.accepted);
        for (reason, by) in &other.refused {
            count(&mut self.refused, reason.clone(), *by);
        }
        for (day, added) in &other.days {
            let own = self.days.entry(*day).or_default();
            own.unrecognised = own.unrecognised.saturating_add(added.unrecognised);
            for (format, by) in &added.recognised {
                count(&mut own.recognised, format.clone(), *by);
            }
        }
    }

    /// Keeps an example instead of the same text, or where there are enough of the oldest.
    pub(crate) fn add_example(&mut self, example: Example) {
        let is_new = self.examples.iter().all(|own| own.text != example.text);
        if is_new && self.examples.len() < MOST_EXAMPLES {
            self.examples.push(example);
        } else {
            self.replace_example(example);
        }
    }

    /// Keeps an example instead of the same text or of the oldest, if there is any.
    pub(crate) fn replace_example(&mut self, example: Example) {
        if let Some(same) = self.examples.iter_mut().find(|own| own.text == example.text) {
            same.at = same.at.max(example.at);
        } else if let Some(oldest) = self.examples.iter_mut().min_by_key(|own| own.at) {
            *oldest = example;
        }
    }

    /// Whether nothing is left of them: what was counted for a source after it was deleted has expired.
    pub(crate) fn is_empty(&self) -> bool {
        self.accepted == 0 && self.refused.is_empty() && self.days.is_empty() && self.examples.is_empty()
    }

    /// Drops what is older than seven days; tells whether anything was.
    pub(crate) fn expire(&mut self, now: Timestamp) -> bool {
        let before = (self.days.len(), self.examples.len());
        let first_day = day(now).saturating_sub(RETENTION_DAYS - 1);
        self.days.retain(|day, _| *day >= first_day);
        let oldest = now.minus(DAY * RETENTION_DAYS);
        self.examples.retain(|example| example.at > oldest);
        before != (self.days.len(), self.examples.len())
    }

    /// Records of the kept days: recognised by format, and unrecognised.
    #[must_use]
    pub fn of_week(&self) -> Day {
        let mut week = Day::default();
        for day in self.days.values() {
            week.unrecognised = week.unrecognised.saturating_add(day.unrecognised);
            for (format, by) in &day.recognised {
                count(&mut week.recognised, format.clone(), *by);
            }
        }
        week
    }
}

/// The row of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceRow {
    pub(crate) totals: Totals,
    /// The last flush of each of the latest writers, the latest last.
    marks: Vec<(u64, u64)>,
}

impl SourceRow {
    /// Whether a flush of a writer is part of the totals: after a commit of unknown outcome.
    pub(crate) fn has(&self, writer: u64, flush: u64) -> bool {
        self.marks.contains(&(writer, flush))
    }

    /// Takes note of a flush that becomes part of the totals.
    pub(crate) fn mark(&mut self, writer: u64, flush: u64) {
        self.marks.retain(|(own, _)| *own != writer);
        let surplus = (self.marks.len() + 1).saturating_sub(MOST_MARKS);
        self.marks.drain(..surplus);
        self.marks.push((writer, flush));
    }
}

/// Reason why totals could not be read or removed.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The ledger could not be asked.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The row is broken.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// Other writers were always first, or the outcome of the commit is unknown.
    #[error("the row could not be changed")]
    Contended,
}

/// The totals of a source; `None` while nothing of it was counted. What is older than seven days at `now` is left out.
///
/// # Errors
/// [`ReadError`].
pub async fn read(
    ledger: &dyn Ledger,
    partitions: u16,
    key: SourceKey,
    now: Timestamp,
) -> Result<Option<Totals>, ReadError> {
    let Some(body) = ledger.get(key.ledger(partitions), Kind::State, &key.bytes()).await? else {
        return Ok(None);
    };
    let SourceRow { mut totals, .. } = row::decode(&body)?;
    totals.expire(now);
    Ok(Some(totals))
}

/// Removes the row of a source that is deleted.
///
/// # Errors
/// [`ReadError`].
pub async fn forget(ledger: &dyn Ledger, partitions: u16, key: SourceKey) -> Result<(), ReadError> {
    let id = key.ledger(partitions);
    for _ in 0..REMOVAL_ATTEMPTS {
        let at = ledger.seq(id).await?;
        if ledger.get(id, Kind::State, &key.bytes()).await?.is_none() {
            return Ok(());
        }
        let op = Op::Delete { kind: Kind::State, key: key.bytes().into() };
        if let Commit::Done(_) = ledger.commit(id, at, vec![op]).await? {
            return Ok(());
        }
    }
    Err(ReadError::Contended)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_millis(day * 86_400_000 + 3_600_000)
    }

    #[test]
    fn examples_are_distinct_few_and_the_latest() {
        let mut totals = Totals::default();
        for number in 0..8 {
            totals.add_example(Example::new(&format!("line {}", number % 6), at(number)));
        }
        let mut texts: Vec<&str> = totals.examples.iter().map(|example| example.text.as_str()).collect();
        texts.sort_unstable();
        // `line 0` and `line 1` came a second time, after the oldest of six had made room.
        assert_eq!(texts, ["line 0", "line 1", "line 3", "line 4", "line 5"]);
    }

    #[test]
    fn an_example_is_cut_between_characters() {
        let example = Example::new(&"é".repeat(400), at(1));
        assert_eq!(example.text.len(), 512);
        assert_eq!(Example::new(&format!("a{}", "é".repeat(400)), at(1)).text.len(), 511);
    }

    #[test]
    fn days_and_examples_expire_after_seven_days() {
        let mut totals = Totals::default();
        for day in 1..=8 {
            totals.days.insert(day, Day { unrecognised: 1, ..Day::default() });
        }
        totals.examples = vec![Example::new("old", at(1)), Example::new("new", at(2))];
        assert!(totals.expire(at(8)));
        assert_eq!(totals.days.keys().copied().collect::<Vec<_>>(), Vec::from_iter(2..=8));
        assert_eq!(totals.examples, [Example::new("new", at(2))]);
        assert!(!totals.expire(at(8)), "nothing is left to drop");
        assert_eq!(totals.of_week().unrecognised, 7);
    }

    #[test]
    fn a_row_remembers_the_last_flush_of_few_writers() {
        let mut row = SourceRow::default();
        row.mark(1, 1);
        row.mark(1, 2);
        assert!(row.has(1, 2) && !row.has(1, 1));
        for writer in 2..=9 {
            row.mark(writer, 1);
        }
        assert!(!row.has(1, 2), "the longest silent writer is forgotten");
        assert_eq!(row.marks.len(), MOST_MARKS);
    }
}

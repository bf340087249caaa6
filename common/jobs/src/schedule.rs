//! Schedules: when a job is queued again and again.

use std::time::Duration;

use common::digest::digest;
use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use records::{Draft, RecordError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::enqueue::{EnqueueError, NewJob};
use crate::job::Exclusive;
use crate::kind::Jobs;
use crate::tables::{Place, SCHEDULES};

const DAY: i64 = 86_400;
/// Days of a month on which monthly schedules run: every month has them.
const MONTH_DAYS: u64 = 28;
const NANOS: i64 = 1_000_000_000;

/// Period of a schedule. The moment within the period follows from the id of the schedule, so that schedules that were
/// made together do not run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cadence {
    /// Once in this number of minutes, at least 1: for housekeeping of the service itself.
    Minutes(u16),
    /// Once a day.
    Daily,
    /// Once a week.
    Weekly,
    /// Once a month, on one of the first 28 days.
    Monthly,
}

/// A schedule as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Its id; a record has one schedule at most for each id.
    pub id: RecordId,
    /// The period.
    pub cadence: Cadence,
    /// Kind of the jobs.
    pub kind: String,
    /// The organization.
    pub organization: OrganizationId,
    /// The record that the jobs work on.
    pub resource: RecordId,
    /// Payload of the jobs.
    pub payload: Value,
    /// Priority of the jobs.
    pub priority: u8,
    /// A claim that the jobs need; a slot is skipped while another job has one of scope [`Scope::Unfinished`](crate::Scope).
    pub exclusive: Option<Exclusive>,
    /// When it runs next.
    pub next_due: Timestamp,
    /// The last job.
    pub job: Option<RecordId>,
    /// When the last job was queued.
    pub last_run_at: Option<Timestamp>,
    /// Slots in a row without a job: the last one was unfinished, or the organization had no room.
    pub skipped: u32,
}

impl Cadence {
    /// The first slot after a moment.
    #[must_use]
    pub fn next(self, id: RecordId, after: Timestamp) -> Timestamp {
        let hash = digest(&[b"schedule", id.as_bytes()]);
        let jitter = hash.first_chunk::<8>().map_or(0, |head| u64::from_be_bytes(*head));
        let after = after.0.div_euclid(NANOS);
        let seconds = match self.period() {
            Some(period) => next_of_period(period, jitter, after),
            None => next_of_month(jitter, after),
        };
        Timestamp(seconds.saturating_mul(NANOS))
    }

    /// Seconds of the period; `None` for months, which differ.
    fn period(self) -> Option<i64> {
        match self {
            Self::Minutes(minutes) => Some(i64::from(minutes.max(1)) * 60),
            Self::Daily => Some(DAY),
            Self::Weekly => Some(7 * DAY),
            Self::Monthly => None,
        }
    }
}

fn next_of_period(period: i64, jitter: u64, after: i64) -> i64 {
    let offset = i64::try_from(jitter % period.unsigned_abs()).unwrap_or(0);
    ((after - offset).div_euclid(period) + 1) * period + offset
}

fn next_of_month(jitter: u64, after: i64) -> i64 {
    let day = i64::try_from(jitter % MONTH_DAYS).unwrap_or(0);
    let second = i64::try_from(jitter / MONTH_DAYS % DAY.unsigned_abs()).unwrap_or(0);
    let today =
        jiff::Timestamp::from_second(after).unwrap_or_default().to_zoned(jiff::tz::TimeZone::UTC).date();
    let first = today.first_of_month();
    let slot = |first: jiff::civil::Date| {
        let midnight = first.to_datetime(jiff::civil::Time::midnight()).to_zoned(jiff::tz::TimeZone::UTC);
        midnight.map_or(i64::MAX, |midnight| midnight.timestamp().as_second() + day * DAY + second)
    };
    let this_month = slot(first);
    if this_month > after {
        return this_month;
    }
    slot(first.last_of_month().tomorrow().unwrap_or(first))
}

impl Jobs {
    /// Adds a schedule to a draft, in the ledger of its record. One of the same id keeps its last job, and with the
    /// same cadence its next due time.
    ///
    /// # Errors
    /// As [`Jobs::enqueue`] for a kind that is not known and a payload that is too large, and when the ledger cannot be read.
    pub async fn schedule(
        &self,
        draft: &mut Draft,
        id: RecordId,
        cadence: Cadence,
        new: NewJob,
    ) -> Result<Schedule, EnqueueError> {
        self.check(&new)?;
        if new.resource.shard() != draft.place().1 {
            return Err(RecordError::WrongLedger.into());
        }
        let before: Option<Schedule> = self.records.row_after(draft, SCHEDULES, id.as_bytes()).await?;
        let next_due =
            before.as_ref().filter(|before| before.cadence == cadence).map(|before| before.next_due);
        let schedule = Schedule {
            id,
            cadence,
            kind: new.kind,
            organization: new.organization,
            resource: new.resource,
            payload: new.payload,
            priority: new.priority,
            exclusive: new.exclusive,
            next_due: next_due.unwrap_or_else(|| cadence.next(id, self.clock.now())),
            job: before.as_ref().and_then(|before| before.job),
            last_run_at: before.as_ref().and_then(|before| before.last_run_at),
            skipped: before.map_or(0, |before| before.skipped),
        };
        draft.put_row(SCHEDULES, id.as_bytes(), &schedule)?;
        Ok(schedule)
    }

    /// Removes a schedule in a draft; a job of it goes on.
    pub fn unschedule(&self, draft: &mut Draft, id: RecordId) {
        draft.delete_row(SCHEDULES, id.as_bytes());
    }

    /// A schedule beside a record.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub async fn scheduled(&self, place: Place, id: RecordId) -> Result<Option<Schedule>, RecordError> {
        self.records.row(place, SCHEDULES, id.as_bytes()).await
    }
}

/// The longest pause until a slot: for tests and for displays.
impl Cadence {
    /// No two slots are farther apart.
    #[must_use]
    pub fn longest(self) -> Duration {
        Duration::from_secs(self.period().unwrap_or(31 * DAY).unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use common::partition::Shard;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slots_are_after_the_moment_follow_from_the_id_and_lie_a_period_apart(
            hash in any::<[u8; 32]>(),
            seconds in 0..4_000_000_000_i64,
        ) {
            let id = RecordId::new(Shard(1), &hash);
            let now = Timestamp(seconds * NANOS);
            for cadence in [Cadence::Minutes(10), Cadence::Daily, Cadence::Weekly, Cadence::Monthly] {
                let first = cadence.next(id, now);
                let second = cadence.next(id, first);
                prop_assert!(first > now && first.since(now) <= cadence.longest());
                let apart = second.since(first);
                prop_assert!(apart <= cadence.longest() && apart * 10 >= cadence.longest() * 9, "{apart:?}");
                prop_assert_eq!(cadence.next(id, Timestamp(first.0 - 1)), first, "a slot is where it is");
            }
        }
    }

    #[test]
    fn slots_of_many_ids_spread_over_the_day() {
        let midnight = Timestamp(20_000 * DAY * NANOS);
        let hours: std::collections::BTreeSet<_> = (0..200_u8)
            .map(|number| Cadence::Daily.next(RecordId::new(Shard(0), &[number; 32]), midnight))
            .map(|slot| slot.since(midnight).as_secs() / 3_600)
            .collect();
        assert!(hours.len() >= 20, "{hours:?}");
    }
}

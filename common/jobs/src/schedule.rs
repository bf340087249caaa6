//! Schedules: when a job is queued again and again.

use common::digest::digest;
use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use common::words;
use records::{Draft, Home, RecordError};
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

/// Part of the day (UTC) in which the slots of a daily, weekly or monthly schedule lie. It may go past midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Minute of the day at which it begins, below 1,440.
    pub start: u16,
    /// Its length in minutes, 1 to 1,440.
    pub minutes: u16,
}

/// Times of a schedule: its period, and the part of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The period.
    pub cadence: Cadence,
    /// Part of the day; all of it without. Without effect on a period of minutes.
    pub window: Option<Window>,
}

/// A schedule as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Its id; a record has one schedule at most for each id.
    pub id: RecordId,
    /// The period.
    pub cadence: Cadence,
    /// Part of the day. Absent in rows of versions without it.
    #[serde(default)]
    pub window: Option<Window>,
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
    /// Slots in a row without a job.
    pub skipped: u32,
    /// The last slot without a job. Absent in rows of versions without it.
    #[serde(default)]
    pub last_skip: Option<SkippedSlot>,
}

/// A slot without a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedSlot {
    /// When a worker reached the slot: its due time, or later after downtime.
    pub at: Timestamp,
    /// The reason.
    pub reason: SkipReason,
}

words!(
    /// Reason why a slot has no job.
    SkipReason {
        /// The job of the last slot, or another one with the claim, is unfinished.
        Unfinished = "unfinished",
        /// The organization has as many unfinished jobs of the kind as it may have.
        Full = "full",
        /// The schedule does not fit this version: its kind is unknown, or its payload too large. The cause is logged.
        Refused = "refused",
    }
);

impl Schedule {
    /// Its times.
    #[must_use]
    pub fn timing(&self) -> Timing {
        Timing { cadence: self.cadence, window: self.window }
    }
}

impl From<Cadence> for Timing {
    fn from(cadence: Cadence) -> Self {
        Self { cadence, window: None }
    }
}

impl Window {
    /// All of the day.
    const DAY: Self = Self { start: 0, minutes: 1_440 };

    /// Second of the day at which it begins, and its length in seconds; values out of their bounds are brought into them.
    fn seconds(self) -> (i64, u64) {
        let minutes = self.minutes.clamp(1, Self::DAY.minutes);
        (i64::from(self.start % Self::DAY.minutes) * 60, u64::from(minutes) * 60)
    }
}

impl Timing {
    /// The first slot after a moment.
    #[must_use]
    pub fn next(self, id: RecordId, after: Timestamp) -> Timestamp {
        let hash = digest(&[b"schedule", id.as_bytes()]);
        let jitter = hash.first_chunk::<8>().map_or(0, |head| u64::from_be_bytes(*head));
        let after = after.0.div_euclid(NANOS);
        let seconds = match self.cadence {
            Cadence::Minutes(minutes) => {
                let period = i64::from(minutes.max(1)) * 60;
                let offset = i64::try_from(jitter % period.unsigned_abs()).unwrap_or(0);
                next_of_period(period, offset, after)
            }
            Cadence::Daily => next_of_period(DAY, self.offset(jitter, 1), after),
            Cadence::Weekly => next_of_period(7 * DAY, self.offset(jitter, 7), after),
            Cadence::Monthly => next_of_month(self.offset(jitter, MONTH_DAYS), after),
        };
        Timestamp(seconds.saturating_mul(NANOS))
    }

    /// Seconds from the beginning of a period of some days to its slot.
    fn offset(self, jitter: u64, days: u64) -> i64 {
        let (start, length) = self.window.unwrap_or(Window::DAY).seconds();
        let day = i64::try_from(jitter % days).unwrap_or(0);
        day * DAY + start + i64::try_from(jitter / days % length).unwrap_or(0)
    }
}

fn next_of_period(period: i64, offset: i64, after: i64) -> i64 {
    ((after - offset).div_euclid(period) + 1) * period + offset
}

fn next_of_month(offset: i64, after: i64) -> i64 {
    let today =
        jiff::Timestamp::from_second(after).unwrap_or_default().to_zoned(jiff::tz::TimeZone::UTC).date();
    let slot = |first: jiff::civil::Date| {
        let midnight = first.to_datetime(jiff::civil::Time::midnight()).to_zoned(jiff::tz::TimeZone::UTC);
        midnight.map_or(i64::MAX, |midnight| midnight.timestamp().as_second() + offset)
    };
    let this = today.first_of_month();
    // A window past midnight may carry the slot of a short month into the next one.
    let last = this.yesterday().map_or(this, jiff::civil::Date::first_of_month);
    let next = this.last_of_month().tomorrow().unwrap_or(this);
    [last, this].into_iter().map(slot).find(|slot| *slot > after).unwrap_or_else(|| slot(next))
}

impl Jobs {
    /// Adds a schedule to a draft, in the ledger of its record. One of the same id keeps its last job, and with the
    /// same timing its next due time.
    ///
    /// # Errors
    /// As [`Jobs::enqueue`] for a kind that is not known and a payload that is too large, and when the ledger cannot be read.
    pub async fn schedule(
        &self,
        draft: &mut Draft,
        id: RecordId,
        timing: impl Into<Timing> + Send,
        new: NewJob,
    ) -> Result<Schedule, EnqueueError> {
        let timing = timing.into();
        self.check(&new)?;
        if new.resource.shard() != draft.place().1 {
            return Err(RecordError::WrongLedger.into());
        }
        let before: Option<Schedule> = self.records.row_after(draft, SCHEDULES, id.as_bytes()).await?;
        let next_due =
            before.as_ref().filter(|before| before.timing() == timing).map(|before| before.next_due);
        let schedule = Schedule {
            id,
            cadence: timing.cadence,
            window: timing.window,
            kind: new.kind,
            organization: new.organization,
            resource: new.resource,
            payload: new.payload,
            priority: new.priority,
            exclusive: new.exclusive,
            next_due: next_due.unwrap_or_else(|| timing.next(id, self.clock.now())),
            job: before.as_ref().and_then(|before| before.job),
            last_run_at: before.as_ref().and_then(|before| before.last_run_at),
            skipped: before.as_ref().map_or(0, |before| before.skipped),
            last_skip: before.and_then(|before| before.last_skip),
        };
        draft.put_row(SCHEDULES, id.as_bytes(), &schedule)?;
        Ok(schedule)
    }

    /// Removes a schedule in a draft; a job of it goes on.
    pub fn unschedule(&self, draft: &mut Draft, id: RecordId) {
        draft.delete_row(SCHEDULES, id.as_bytes());
    }

    /// Writes the schedule of jobs that cover the whole deployment, unless it exists with this cadence: all its other fields
    /// follow from the kind.
    ///
    /// # Errors
    /// Those of [`Jobs::schedule`].
    pub async fn schedule_housekeeping(&self, kind: &str, cadence: Cadence) -> Result<(), EnqueueError> {
        let shard = self.records.shard(OrganizationId::NONE, kind.as_bytes());
        let id = RecordId::new(shard, &digest(&[kind.as_bytes()]));
        let existing = self.scheduled((Home::Records, shard), id).await?;
        if existing.is_some_and(|schedule| schedule.cadence == cadence) {
            return Ok(());
        }
        let mut attempts = self.records.attempts(Home::Records, shard);
        while let Some(mut draft) = attempts.next().await? {
            self.schedule(&mut draft, id, cadence, NewJob::new(kind, OrganizationId::NONE, id)).await?;
            if attempts.commit(draft).await? {
                return Ok(());
            }
        }
        Err(RecordError::Conflict.into())
    }

    /// A schedule beside a record.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub async fn scheduled(&self, place: Place, id: RecordId) -> Result<Option<Schedule>, RecordError> {
        self.records.row(place, SCHEDULES, id.as_bytes()).await
    }
}

#[cfg(test)]
mod tests;

//! Schedules in memory, and what happens when one is due.

use std::collections::{BTreeSet, HashMap};

use common::ids::RecordId;
use common::timestamp::Timestamp;
use records::RecordError;

use crate::enqueue::{EnqueueError, NewJob};
use crate::kind::Jobs;
use crate::owner::Owned;
use crate::schedule::{Schedule, SkipReason, SkippedSlot};
use crate::tables::{Place, SCHEDULES};
use crate::transitions::read;

/// The schedules of a process.
#[derive(Debug, Default)]
pub(crate) struct Calendar {
    entries: HashMap<RecordId, (Place, Timestamp)>,
    by_due: BTreeSet<(Timestamp, RecordId)>,
}

impl Calendar {
    pub(crate) fn put(&mut self, place: Place, schedule: &Schedule) {
        self.remove(schedule.id);
        self.entries.insert(schedule.id, (place, schedule.next_due));
        self.by_due.insert((schedule.next_due, schedule.id));
    }

    pub(crate) fn remove(&mut self, id: RecordId) {
        if let Some((_, due)) = self.entries.remove(&id) {
            self.by_due.remove(&(due, id));
        }
    }

    pub(crate) fn remove_place(&mut self, place: Place) {
        self.entries.retain(|_, (own, _)| *own != place);
        self.by_due.retain(|(_, id)| self.entries.contains_key(id));
    }

    /// Takes out the next one that is due; what becomes of it comes back by the change feed.
    pub(crate) fn pop(&mut self, now: Timestamp) -> Option<(Place, RecordId)> {
        let (_, id) = self.by_due.first().copied().filter(|(due, _)| *due <= now)?;
        let place = self.entries.get(&id)?.0;
        self.remove(id);
        Some((place, id))
    }
}

/// Queues the job of a schedule that is due, unless the last one is unfinished; the next slot is after now, however many were
/// missed. `false` when somebody has taken over.
pub(crate) async fn run(
    jobs: &Jobs,
    owned: &Owned,
    id: RecordId,
    now: Timestamp,
) -> Result<bool, RecordError> {
    let mut attempts = jobs.records.attempts(owned.place.0, owned.place.1);
    while let Some(mut draft) = attempts.next().await? {
        if !owned.is_valid(&jobs.records).await? {
            return Ok(false);
        }
        let schedule: Option<Schedule> = jobs.records.row(owned.place, SCHEDULES, id.as_bytes()).await?;
        let Some(mut schedule) = schedule.filter(|schedule| schedule.next_due <= now) else {
            return Ok(true);
        };
        let is_unfinished = match schedule.job {
            Some(job) => read(&jobs.records, owned.place, job).await?.is_some(),
            None => false,
        };
        let queued = match is_unfinished {
            true => Err(SkipReason::Unfinished),
            false => queue(jobs, &mut draft, &schedule).await?,
        };
        match queued {
            Ok(job) => {
                (schedule.job, schedule.last_run_at, schedule.skipped) = (Some(job), Some(now), 0);
            }
            Err(reason) => {
                schedule.skipped = schedule.skipped.saturating_add(1);
                schedule.last_skip = Some(SkippedSlot { at: now, reason });
            }
        }
        schedule.next_due = schedule.timing().next(id, now);
        draft.put_row(SCHEDULES, id.as_bytes(), &schedule)?;
        if attempts.commit(draft).await? {
            return Ok(true);
        }
    }
    Err(RecordError::Conflict)
}

async fn queue(
    jobs: &Jobs,
    draft: &mut records::Draft,
    schedule: &Schedule,
) -> Result<Result<RecordId, SkipReason>, RecordError> {
    let Schedule { kind, organization, resource, payload, priority, exclusive, .. } = schedule.clone();
    let new = NewJob { kind, organization, resource, payload, priority, exclusive, due: None };
    match jobs.enqueue(draft, new).await {
        Ok(job) => Ok(Ok(job)),
        Err(EnqueueError::Record(error)) => Err(error),
        Err(error) => {
            tracing::warn!(schedule = %schedule.id, kind = schedule.kind, %error, "a slot of a schedule is skipped");
            Ok(Err(match error {
                EnqueueError::Busy { .. } => SkipReason::Unfinished,
                EnqueueError::Full { .. } => SkipReason::Full,
                _ => SkipReason::Refused,
            }))
        }
    }
}

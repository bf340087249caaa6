//! The changes of a job's state, as rows of a draft. Each is decided from a row that was read in the same attempt.

use std::time::Duration;

use common::ids::RecordId;
use common::timestamp::Timestamp;
use records::{Draft, RecordError, Records};

use crate::job::{Ending, FinishedJob, Job, JobState, Outcome, Scope};
use crate::kind::{JobKind, Restart};
use crate::tables::{CHECKPOINTS, CLAIMS, COUNTS, FINISHED, JOBS, Place, finished_key, of_organization};

/// Attempts of the handler.
const MOST_FAILURES: u32 = 3;
/// Attempts of the failure handler beyond those: so many that only a handler that always fails is given up, and not a job whose
/// workers died again and again.
const MOST_ENDINGS: u32 = 20;
/// Pauses after the first failure, and after each further one.
const PAUSES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(120)];

pub(crate) async fn read(records: &Records, place: Place, id: RecordId) -> Result<Option<Job>, RecordError> {
    records.row(place, JOBS, id.as_bytes()).await
}

pub(crate) fn put(draft: &mut Draft, job: &Job) -> Result<(), RecordError> {
    draft.put_row(JOBS, job.id.as_bytes(), job)
}

/// Takes a job for its next attempt.
pub(crate) fn take(draft: &mut Draft, mut job: Job) -> Result<Job, RecordError> {
    job.state = JobState::Running;
    job.attempt = job.attempt.saturating_add(1);
    put(draft, &job)?;
    Ok(job)
}

/// Gives a job back until a moment, without a failure.
pub(crate) fn defer(draft: &mut Draft, mut job: Job, until: Timestamp) -> Result<(), RecordError> {
    job.state = JobState::Queued;
    job.due = until;
    put(draft, &job)
}

/// Counts a failure, and queues the next attempt or the failure handler. `true` when neither is left: the job has ended.
pub(crate) async fn interrupt(
    records: &Records,
    draft: &mut Draft,
    mut job: Job,
    kind: Option<&JobKind>,
    cause: &str,
    now: Timestamp,
) -> Result<bool, RecordError> {
    job.failures = job.failures.saturating_add(1);
    job.state = JobState::Queued;
    let [first, further] = PAUSES;
    job.due = now.plus(if job.failures == 1 { first } else { further });
    if job.ending.is_none() && job.failures >= MOST_FAILURES {
        (job.ending, job.due) = (Some(Ending::failed(cause)), now);
    } else if let Some(ending) = job.ending.clone()
        && job.failures >= MOST_FAILURES + MOST_ENDINGS
    {
        tracing::error!(job = %job.id, kind = job.kind, cause, "the failure handler of a job failed: the job is abandoned");
        finish(records, draft, job, Outcome::Abandoned(ending), now).await?;
        return Ok(true);
    }
    if kind.is_some_and(|kind| kind.restart == Restart::Snapshot) {
        draft.delete_row(CHECKPOINTS, job.id.as_bytes());
    }
    put(draft, &job)?;
    Ok(false)
}

/// Ends a job: its rows go, and what became of it is kept for a while.
pub(crate) async fn finish(
    records: &Records,
    draft: &mut Draft,
    job: Job,
    outcome: Outcome,
    now: Timestamp,
) -> Result<(), RecordError> {
    draft.delete_row(JOBS, job.id.as_bytes());
    draft.delete_row(CHECKPOINTS, job.id.as_bytes());
    count(records, draft, &job, -1).await?;
    if let Some(claim) = job.exclusive.as_ref().filter(|claim| claim.scope == Scope::Unfinished) {
        draft.delete_row(CLAIMS, &of_organization(job.organization, &claim.key));
    }
    let key = finished_key(now, job.id);
    draft.put_row(FINISHED, &key, &FinishedJob { job, outcome, finished_at: now })
}

/// Changes the number of unfinished jobs of an organization and kind in a ledger.
pub(crate) async fn count(
    records: &Records,
    draft: &mut Draft,
    job: &Job,
    change: i64,
) -> Result<(), RecordError> {
    let key = of_organization(job.organization, &job.kind);
    let count: i64 = records.row_after(draft, COUNTS, &key).await?.unwrap_or(0);
    match count + change {
        0 => draft.delete_row(COUNTS, &key),
        count => draft.put_row(COUNTS, &key, &count)?,
    }
    Ok(())
}

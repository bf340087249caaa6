//! One attempt from the moment it was taken to its last commit.

use std::sync::Arc;
use std::time::Duration;

use crate::claims;
use crate::job::{Ending, Job, Outcome};
use crate::kind::{JobKind, Jobs, Stop};
use crate::run::Run;
use crate::tables::Place;

/// Time that a job waits for the claim that a job in another process has.
pub(crate) const CLAIM_PAUSE: Duration = Duration::from_secs(2);

/// Outcome of an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    /// By a commit of its own.
    Committed(&'static str),
    /// It did not begin: another job has the claim, and this one waits until it asks again.
    Refused,
    /// The handler has returned and left the end to the worker, which commits many together.
    Returned,
    /// Its last commit failed: the job is still running as far as its row says.
    Unknown,
}

/// Runs an attempt. Never fails: what cannot be committed is found by the owner of the shard.
pub(crate) async fn attempt(jobs: Arc<Jobs>, place: Place, job: Job) -> Ended {
    let id = job.id;
    let mut run = Run::new(Arc::clone(&jobs), place, job.clone());
    let worked = work(&jobs, place, &job, &mut run).await;
    let is_refused = matches!(worked, Ok(Worked::Refused));
    let worked = worked.map(drop);
    let has_returned = worked.is_ok() && run.over().is_none() && job.ending.is_none();
    let ended = if has_returned { Ok(()) } else { conclude(&jobs, &mut run, worked).await };
    if let Err(error) = claims::release(&jobs.records, place, &job).await {
        tracing::debug!(job = %id, %error, "a claim is left to the next job that wants it");
    }
    match ended {
        Ok(()) if is_refused => Ended::Refused,
        Ok(()) => run.over().map_or(Ended::Returned, Ended::Committed),
        Err(Stop::Replaced) => Ended::Committed(run.over().unwrap_or("replaced")),
        Err(error) => {
            tracing::warn!(job = %id, %error, "the end of an attempt could not be committed");
            Ended::Unknown
        }
    }
}

enum Worked {
    /// The handler has returned, or is not to run.
    Done,
    /// Another job has the claim.
    Refused,
}

async fn work(jobs: &Jobs, place: Place, job: &Job, run: &mut Run) -> Result<Worked, Stop> {
    // A job of an unknown kind is never taken.
    let Some(kind) = jobs.kinds.get(job.kind.as_str()) else { return Err(Stop::Replaced) };
    if job.ending.is_some() {
        return Ok(Worked::Done);
    }
    if !claims::acquire(&jobs.records, place, job).await? {
        run.defer(jobs.clock.now().plus(CLAIM_PAUSE)).await?;
        return Ok(Worked::Refused);
    }
    let ran = tokio::time::timeout(kind.deadline, kind.handler.run(run)).await;
    ran.unwrap_or(Err(Stop::DeadlineExceeded)).map(|()| Worked::Done)
}

/// Makes the last commit of an attempt that has no result, unless the handler has made one.
async fn conclude(jobs: &Jobs, run: &mut Run, worked: Result<(), Stop>) -> Result<(), Stop> {
    if run.over().is_some() {
        return Ok(());
    }
    let ending = match (run.job().ending.clone(), worked) {
        (Some(ending), _) => ending,
        (None, Ok(())) => return Ok(()),
        (None, Err(Stop::Replaced)) => return Err(Stop::Replaced),
        (None, Err(Stop::Retry(cause))) => return interrupt(run, None, &cause).await,
        (None, Err(Stop::Cancelled)) => Ending::Cancelled,
        (None, Err(Stop::DeadlineExceeded)) => Ending::DeadlineExceeded,
        (None, Err(Stop::Fatal(cause))) => Ending::failed(&cause),
    };
    match end_in_time(jobs, run, &ending).await {
        Err(Stop::Retry(cause)) => interrupt(run, Some(&ending), &cause).await,
        ended => ended,
    }
}

/// As [`end`], within the time of an attempt.
async fn end_in_time(jobs: &Jobs, run: &mut Run, ending: &Ending) -> Result<(), Stop> {
    // A job of an unknown kind is never taken.
    let Some(kind) = jobs.kinds.get(run.job().kind.as_str()) else { return Err(Stop::Replaced) };
    let is_late = |_| Err(Stop::Retry("the failure handler exceeded the deadline".to_owned()));
    tokio::time::timeout(kind.deadline, end(kind, jobs, run, ending)).await.unwrap_or_else(is_late)
}

/// Ends the job with what its failure handler adds.
async fn end(kind: &JobKind, jobs: &Jobs, run: &mut Run, ending: &Ending) -> Result<(), Stop> {
    let job = run.job().clone();
    let mut steps = run.last_steps();
    loop {
        let mut draft = steps.next().await?;
        kind.handler.fail(&jobs.records, &job, ending, &mut draft).await?;
        if steps.commit_ending(draft, Outcome::Ended(ending.clone())).await? {
            return Ok(());
        }
    }
}

async fn interrupt(run: &mut Run, ending: Option<&Ending>, cause: &str) -> Result<(), Stop> {
    let mut steps = run.last_steps();
    loop {
        let draft = steps.next().await?;
        if steps.interrupt(draft, ending, cause).await? {
            return Ok(());
        }
    }
}

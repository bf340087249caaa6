//! One attempt of a job, as its handler sees it.

use std::sync::Arc;

use common::clock::SharedClock;
use common::timestamp::Timestamp;
use records::{Attempts, Draft, Records};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::job::{Ending, Job, JobState, MAX_CHECKPOINT_BYTES, Outcome};
use crate::kind::{Jobs, Stop};
use crate::tables::{CHECKPOINTS, Place};
use crate::transitions::{defer, finish, interrupt, read};

/// An attempt.
#[derive(Debug)]
pub struct Run {
    jobs: Arc<Jobs>,
    place: Place,
    job: Job,
    ends_at: Timestamp,
    /// Its outcome, once it has ended.
    over: Option<&'static str>,
}

/// Effect of an attempt's commit on the job.
#[derive(Clone, Debug)]
pub enum Step {
    /// Nothing: the attempt goes on.
    Continue,
    /// The attempt goes on; one after a failure begins with this, see [`Run::checkpoint`].
    Checkpoint(Value),
    /// The job has ended with a result.
    Finish,
    /// The job waits until then.
    Defer(Timestamp),
}

/// The commits of an attempt, see [`Run::steps`].
pub struct Steps<'r> {
    jobs: &'r Jobs,
    place: Place,
    job: &'r Job,
    ends_at: Option<Timestamp>,
    over: &'r mut Option<&'static str>,
    attempts: Attempts<'r>,
    current: Option<Job>,
}

impl Run {
    pub(crate) fn new(jobs: Arc<Jobs>, place: Place, job: Job) -> Self {
        let deadline = jobs.kinds.get(job.kind.as_str()).map(|kind| kind.deadline).unwrap_or_default();
        let ends_at = jobs.clock.now().plus(deadline);
        Self { jobs, place, job, ends_at, over: None }
    }

    /// The job as it was taken.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Jobs of all kinds, for a handler that changes schedules.
    #[must_use]
    pub fn jobs(&self) -> &Arc<Jobs> {
        &self.jobs
    }

    /// The records.
    #[must_use]
    pub fn records(&self) -> &Arc<Records> {
        &self.jobs.records
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &SharedClock {
        &self.jobs.clock
    }

    /// The last checkpoint, or `None`.
    ///
    /// # Errors
    /// [`Stop::Retry`] when it cannot be read.
    pub async fn checkpoint<T: DeserializeOwned>(&self) -> Result<Option<T>, Stop> {
        Ok(self.jobs.records.row(self.place, CHECKPOINTS, self.job.id.as_bytes()).await?)
    }

    /// Says whether the attempt may go on: to be asked between commits that are far apart.
    ///
    /// # Errors
    /// [`Stop`].
    pub async fn check(&mut self) -> Result<(), Stop> {
        self.steps().next().await.map(drop)
    }

    /// Begins a commit of the attempt, in the ledger of the job's record:
    ///
    /// ```
    /// # use jobs::{Run, Step, Stop};
    /// # async fn work(run: &mut Run) -> Result<(), Stop> {
    /// let mut steps = run.steps();
    /// loop {
    ///     let draft = steps.next().await?;
    ///     // Here the record is read, and its change added to the draft.
    ///     if steps.commit(draft, Step::Finish).await? {
    ///         return Ok(());
    ///     }
    /// }
    /// # }
    /// ```
    pub fn steps(&mut self) -> Steps<'_> {
        let ends_at = Some(self.ends_at);
        self.begin(ends_at)
    }

    /// Defers the job without any other change, see [`Step::Defer`].
    ///
    /// # Errors
    /// [`Stop`].
    pub async fn defer(&mut self, until: Timestamp) -> Result<(), Stop> {
        self.step(Step::Defer(until)).await
    }

    /// Writes a checkpoint without any other change.
    ///
    /// # Errors
    /// [`Stop`].
    pub async fn save<T: Serialize + Sync>(&mut self, checkpoint: &T) -> Result<(), Stop> {
        let value = serde_json::to_value(checkpoint).map_err(|error| Stop::Fatal(error.to_string()))?;
        self.step(Step::Checkpoint(value)).await
    }

    pub(crate) async fn step(&mut self, step: Step) -> Result<(), Stop> {
        let mut steps = self.steps();
        loop {
            let draft = steps.next().await?;
            if steps.commit(draft, step.clone()).await? {
                return Ok(());
            }
        }
    }

    /// The same as [`Run::steps`] for the end of the attempt, which neither the flag nor the deadline prevents.
    pub(crate) fn last_steps(&mut self) -> Steps<'_> {
        self.begin(None)
    }

    pub(crate) fn over(&self) -> Option<&'static str> {
        self.over
    }

    fn begin(&mut self, ends_at: Option<Timestamp>) -> Steps<'_> {
        let Self { jobs, place, job, over, .. } = self;
        let attempts = jobs.records.attempts(place.0, place.1);
        Steps { jobs, place: *place, job, ends_at, over, attempts, current: None }
    }
}

impl Steps<'_> {
    /// Begins the next attempt at the commit, decided from what is read after this.
    ///
    /// # Errors
    /// [`Stop::Replaced`], [`Stop::Cancelled`], [`Stop::DeadlineExceeded`], and [`Stop::Retry`] when the ledger does not do
    /// its part.
    pub async fn next(&mut self) -> Result<Draft, Stop> {
        let busy = || Stop::Retry("other commits came first in every attempt".to_owned());
        let draft = self.attempts.next().await?.ok_or_else(busy)?;
        let current = read(&self.jobs.records, self.place, self.job.id).await?;
        let is_ours = |job: &Job| job.attempt == self.job.attempt && job.state == JobState::Running;
        let current = current.filter(is_ours).filter(|_| self.over.is_none()).ok_or(Stop::Replaced)?;
        if let Some(ends_at) = self.ends_at {
            if current.cancelled {
                return Err(Stop::Cancelled);
            }
            if self.jobs.clock.now() >= ends_at {
                return Err(Stop::DeadlineExceeded);
            }
        }
        self.current = Some(current);
        Ok(draft)
    }

    /// Commits a draft together with a step of the job. `false` when another commit came first.
    ///
    /// # Errors
    /// [`Stop::Fatal`] for a checkpoint of more than [`MAX_CHECKPOINT_BYTES`], else [`Stop::Retry`].
    pub async fn commit(&mut self, mut draft: Draft, step: Step) -> Result<bool, Stop> {
        let current = self.current.take().ok_or(Stop::Replaced)?;
        let is_deferred = matches!(step, Step::Defer(_));
        match step {
            Step::Continue => {}
            Step::Checkpoint(value) => {
                let found = value.to_string().len();
                if found > MAX_CHECKPOINT_BYTES {
                    let cause =
                        format!("a checkpoint has {found} bytes, expected at most {MAX_CHECKPOINT_BYTES}");
                    return Err(Stop::Fatal(cause));
                }
                draft.put_row(CHECKPOINTS, self.job.id.as_bytes(), &value)?;
            }
            Step::Finish => return self.end(draft, current, Outcome::Succeeded).await,
            Step::Defer(until) => defer(&mut draft, current, until)?,
        }
        let done = self.attempts.commit(draft).await?;
        if done && is_deferred {
            *self.over = Some("deferred");
        }
        Ok(done)
    }

    /// Ends the job with what the failure handler has added.
    pub(crate) async fn commit_ending(&mut self, draft: Draft, outcome: Outcome) -> Result<bool, Stop> {
        let current = self.current.take().ok_or(Stop::Replaced)?;
        self.end(draft, current, outcome).await
    }

    async fn end(&mut self, mut draft: Draft, current: Job, outcome: Outcome) -> Result<bool, Stop> {
        let word = outcome.word();
        finish(&self.jobs.records, &mut draft, current, outcome, self.jobs.clock.now()).await?;
        let done = self.attempts.commit(draft).await?;
        if done {
            *self.over = Some(word);
        }
        Ok(done)
    }

    /// Counts a failure of the attempt; `ending` where the failure handler is to run next.
    pub(crate) async fn interrupt(
        &mut self,
        mut draft: Draft,
        ending: Option<&Ending>,
        cause: &str,
    ) -> Result<bool, Stop> {
        let mut current = self.current.take().ok_or(Stop::Replaced)?;
        current.ending = current.ending.or_else(|| ending.cloned());
        let kind = self.jobs.kinds.get(current.kind.as_str());
        let now = self.jobs.clock.now();
        let is_abandoned = interrupt(&self.jobs.records, &mut draft, current, kind, cause, now).await?;
        let done = self.attempts.commit(draft).await?;
        if done {
            *self.over = Some(if is_abandoned { "abandoned" } else { "retried" });
        }
        Ok(done)
    }
}

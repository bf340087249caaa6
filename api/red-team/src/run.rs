//! The job of a slot of a schedule.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::ids::{ApplicationId, OrganizationId, RecordId};
use common::row::BodyError;
use common::timestamp::Timestamp;
use common::words;
use directory::{Directory, DirectoryError};
use jobs::{Class, Ending, EnqueueError, Handler, Job, JobKind, Jobs, NewJob, Run, SkippedSlot, Step, Stop};
use records::{Draft, RecordError, Records, Table};
use serde::{Deserialize, Serialize};

use crate::schedules::{settle, settle_in, timing};
use crate::target::Target;

/// Stored in the schedules and the jobs.
const KIND: &str = "scheduled-run";
/// A slot takes two commits.
const DEADLINE: Duration = Duration::from_secs(60);
/// Outcomes of the slots of each schedule, by the id of the schedule.
pub(crate) const RUNS: Table = Table::new("scheduled-run");

words!(
    /// Reason why a slot had no run.
    SkipReason {
        /// This version cannot make reports; an application was discovered.
        ReportsUnavailable = "reports_unavailable",
        /// The last run was active.
        StillRunning = "still_running",
        /// The organization has as many unfinished runs as it may have.
        TooMany = "too_many",
        /// The job of the slot failed; the cause is logged.
        InternalError = "internal_error",
    }
);

/// Outcomes of the slots of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Runs {
    /// When the last run was started.
    pub(crate) last_run: Option<Timestamp>,
    /// The last slot without a run.
    pub(crate) last_skip: Option<Skip>,
}

/// A slot without a run, or without a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Skip {
    pub(crate) reason: SkipReason,
    /// When the service reached the slot.
    pub(crate) at: Timestamp,
}

impl From<SkippedSlot> for Skip {
    fn from(slot: SkippedSlot) -> Self {
        let reason = match slot.reason {
            jobs::SkipReason::Unfinished => SkipReason::StillRunning,
            jobs::SkipReason::Full => SkipReason::TooMany,
            jobs::SkipReason::Refused => SkipReason::InternalError,
        };
        Self { reason, at: slot.at }
    }
}

/// Starts the discovery of an application, in the commit of the slot.
#[async_trait]
pub trait StartDiscovery: Send + Sync {
    /// Adds a run and its job to a draft in the shard of the schedule; whether it did, since one may be active.
    ///
    /// # Errors
    /// [`EnqueueError`]; the draft is then as it was.
    async fn start(
        &self,
        jobs: &Jobs,
        draft: &mut Draft,
        target: (OrganizationId, ApplicationId),
        at: (&str, Timestamp),
    ) -> Result<bool, EnqueueError>;
}

struct ScheduledRun {
    directory: Arc<Directory>,
    discovery: Arc<dyn StartDiscovery>,
}

/// Most queued runs of an organization: all its targets, 1,000 applications and as many agents, may be due at once after downtime.
const QUEUED: usize = 2_000;

/// The kind of job.
pub(crate) fn kind(directory: Arc<Directory>, discovery: Arc<dyn StartDiscovery>) -> JobKind {
    let kind = JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(ScheduledRun { directory, discovery }));
    JobKind { queued: QUEUED, ..kind }
}

/// Effect of a slot on the discovery of its target.
enum Discovery {
    Started,
    Skipped(SkipReason),
}

impl ScheduledRun {
    /// Starts discovery for the slot of an application; agents have none. `None` for an application that was deleted.
    async fn discover(
        &self,
        jobs: &Jobs,
        draft: &mut Draft,
        (organization, target): (OrganizationId, Target),
        now: Timestamp,
    ) -> Result<Option<Discovery>, Stop> {
        let Target::Application(id) = target else {
            return Ok(Some(Discovery::Skipped(SkipReason::ReportsUnavailable)));
        };
        let application = self.directory.applications().get(organization, id).await;
        let Some(application) = application.map_err(|error| Stop::Retry(error.to_string()))? else {
            return Ok(None);
        };
        let started = self.discovery.start(jobs, draft, (organization, id), (&application.url, now)).await;
        Ok(Some(match started {
            Ok(true) => Discovery::Started,
            Ok(false) | Err(EnqueueError::Busy { .. }) => Discovery::Skipped(SkipReason::StillRunning),
            Err(EnqueueError::Full { .. }) => Discovery::Skipped(SkipReason::TooMany),
            Err(EnqueueError::Record(error)) => return Err(error.into()),
            Err(error) => {
                tracing::error!(%organization, application = %id, %error, "a slot starts no discovery");
                Discovery::Skipped(SkipReason::InternalError)
            }
        }))
    }
}

/// The job of a target's slots.
pub(crate) fn new_job(
    organization: OrganizationId,
    schedule: RecordId,
    target: Target,
) -> Result<NewJob, RecordError> {
    let payload = serde_json::to_value(target).map_err(BodyError::from)?;
    Ok(NewJob { payload, ..NewJob::new(KIND, organization, schedule) })
}

#[async_trait]
impl Handler for ScheduledRun {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let (jobs, job, clock) = (Arc::clone(run.jobs()), run.job().clone(), Arc::clone(run.clock()));
        let target: Target =
            serde_json::from_value(job.payload.clone()).map_err(|error| Stop::Fatal(error.to_string()))?;
        let retry = |error: &dyn std::fmt::Display| Stop::Retry(error.to_string());
        let of_target = (job.organization, target);
        let mut steps = run.steps();
        let is_changed = loop {
            let mut draft = steps.next().await?;
            let settings = target.settings(&self.directory, job.organization).await;
            let settings = settings.map_err(|error| retry(&error))?;
            let is_changed = settle_in(&jobs, &mut draft, of_target, settings.as_ref())
                .await
                .map_err(|error| retry(&error))?;
            // A target that was deleted, or whose schedule was switched off, in between has no slot.
            if settings.as_ref().and_then(timing).is_some() {
                let now = clock.now();
                // A report of the target is to be started here.
                let (started, reason) = match self.discover(&jobs, &mut draft, of_target, now).await? {
                    Some(Discovery::Started) => (Some(now), Some(SkipReason::ReportsUnavailable)),
                    Some(Discovery::Skipped(reason)) => (None, Some(reason)),
                    None => (None, None),
                };
                let skip = reason.map(|reason| Skip { reason, at: job.queued_at });
                record(jobs.records(), &mut draft, &job, (started, skip)).await?;
            }
            if steps.commit(draft, Step::Finish).await? {
                break is_changed;
            }
        };
        if is_changed {
            // The row may have changed between its reading and the commit. The job has ended: an error is left to the
            // housekeeping job.
            let settled = settle(&self.directory, &jobs, job.organization, target).await;
            let _ = settled.inspect_err(|error| tracing::warn!(schedule = %job.resource, %error, "a schedule may differ from its row"));
        }
        Ok(())
    }

    async fn fail(
        &self,
        records: &Records,
        job: &Job,
        ending: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError> {
        tracing::error!(schedule = %job.resource, organization = %job.organization, ?ending, "a scheduled run failed");
        let Ok(target) = serde_json::from_value::<Target>(job.payload.clone()) else { return Ok(()) };
        let settings = target.settings(&self.directory, job.organization).await.map_err(unread)?;
        if settings.is_none() {
            // The rows of a deleted target were removed, and nothing would remove another one.
            return Ok(());
        }
        let skip = Skip { reason: SkipReason::InternalError, at: job.queued_at };
        record(records, draft, job, (None, Some(skip))).await
    }
}

/// The reason why a row of a target was not read, as an error of records.
fn unread(error: DirectoryError) -> RecordError {
    match error {
        DirectoryError::Unavailable(error) => error.into(),
        DirectoryError::Corrupt(error) => error.into(),
        // Reading has no other errors.
        _ => RecordError::Conflict,
    }
}

/// Records the outcome of a slot: when a run was started, if one was, and the part that was skipped.
async fn record(
    records: &Records,
    draft: &mut Draft,
    job: &Job,
    (started, skip): (Option<Timestamp>, Option<Skip>),
) -> Result<(), RecordError> {
    let key = job.resource.as_bytes();
    let before: Runs = records.row(draft.place(), RUNS, key).await?.unwrap_or_default();
    let runs = Runs { last_run: started.or(before.last_run), last_skip: skip.or(before.last_skip) };
    draft.put_row(RUNS, key, &runs)
}

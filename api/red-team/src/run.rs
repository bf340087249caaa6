//! The job of a slot of a schedule.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::ids::{OrganizationId, RecordId};
use common::row::BodyError;
use common::timestamp::Timestamp;
use common::words;
use directory::Directory;
use jobs::{Class, Ending, Handler, Job, JobKind, NewJob, Run, Step, Stop};
use records::{Draft, RecordError, Records, Table};
use serde::{Deserialize, Serialize};

use crate::schedules::{settle_in, timing};
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
        /// This version cannot make reports.
        ReportsUnavailable = "reports_unavailable",
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

/// A slot without a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Skip {
    pub(crate) reason: SkipReason,
    pub(crate) at: Timestamp,
}

struct ScheduledRun {
    directory: Arc<Directory>,
}

/// Most queued runs of an organization: all its targets, 1,000 applications and as many agents, may be due at once after downtime.
const QUEUED: usize = 2_000;

/// The kind of job.
pub(crate) fn kind(directory: Arc<Directory>) -> JobKind {
    let kind = JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(ScheduledRun { directory }));
    JobKind { queued: QUEUED, ..kind }
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
        let mut steps = run.steps();
        loop {
            let mut draft = steps.next().await?;
            let settings = target.settings(&self.directory, job.organization).await;
            let settings = settings.map_err(|error| retry(&error))?;
            let of_target = (job.organization, target);
            settle_in(&jobs, &mut draft, of_target, settings.as_ref())
                .await
                .map_err(|error| retry(&error))?;
            // A target that was deleted, or whose schedule was switched off, in between has no slot.
            if settings.as_ref().and_then(timing).is_some() {
                // Discovery of an application, and then a report of the target, are to be started here.
                skip(jobs.records(), &mut draft, &job, SkipReason::ReportsUnavailable, clock.now()).await?;
            }
            if steps.commit(draft, Step::Finish).await? {
                return Ok(());
            }
        }
    }

    async fn fail(
        &self,
        records: &Records,
        job: &Job,
        ending: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError> {
        tracing::error!(schedule = %job.resource, organization = %job.organization, ?ending, "a scheduled run failed");
        skip(records, draft, job, SkipReason::InternalError, job.due).await
    }
}

async fn skip(
    records: &Records,
    draft: &mut Draft,
    job: &Job,
    reason: SkipReason,
    at: Timestamp,
) -> Result<(), RecordError> {
    let key = job.resource.as_bytes();
    let runs: Option<Runs> = records.row(draft.place(), RUNS, key).await?;
    let runs = Runs { last_skip: Some(Skip { reason, at }), ..runs.unwrap_or_default() };
    draft.put_row(RUNS, key, &runs)
}

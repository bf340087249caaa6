//! The housekeeping job that adds schedules that are missing, or differ from the row of their target: after a crash between the
//! commit of the row and that of the schedule. Schedules that are left over are removed by their own job.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::ids::OrganizationId;
use directory::Directory;
use jobs::{Cadence, Class, Ending, Handler, Job, JobKind, Jobs, Run, Stop};
use records::{Draft, Home, RecordError, Records};

use crate::schedules::{ScheduleError, settle, timing};
use crate::target::scheduled_targets;

/// Stored in the schedule and the jobs.
pub(crate) const KIND: &str = "repair-run-schedules";
/// Shorter than the time within which users expect a change of a schedule to be visible.
pub(crate) const CADENCE: Cadence = Cadence::Minutes(10);
/// Each of 10,000 organizations takes two scans, and a read for each scheduled target.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

struct RepairSchedules {
    directory: Arc<Directory>,
}

/// The kind of job.
pub(crate) fn kind(directory: Arc<Directory>) -> JobKind {
    JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(RepairSchedules { directory }))
}

impl RepairSchedules {
    /// Number of schedules that did not agree.
    async fn of_organization(
        &self,
        jobs: &Jobs,
        organization: OrganizationId,
    ) -> Result<usize, ScheduleError> {
        let mut repaired = 0;
        for (target, settings) in scheduled_targets(&self.directory, organization).await? {
            let id = target.schedule_id(jobs.records(), organization);
            let schedule = jobs.scheduled((Home::Records, id.shard()), id).await?;
            if schedule.map(|schedule| schedule.timing()) != timing(&settings) {
                settle(&self.directory, jobs, organization, target).await?;
                repaired += 1;
            }
        }
        Ok(repaired)
    }
}

#[async_trait]
impl Handler for RepairSchedules {
    /// Repairing is idempotent, so that an attempt after a failure begins at the first organization.
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let organizations = self.directory.list_organizations().await;
        let jobs = Arc::clone(run.jobs());
        let mut outcome = Ok(());
        for directory::Organization { id, .. } in
            organizations.map_err(|error| Stop::Retry(error.to_string()))?
        {
            run.check().await?;
            match self.of_organization(&jobs, id).await {
                Ok(0) => {}
                Ok(repaired) => {
                    tracing::info!(organization = %id, repaired, "schedules of runs were repaired")
                }
                // A failing ledger of one organization does not delay the others.
                Err(error) => outcome = Err(Stop::Retry(format!("organization {id}: {error}"))),
            }
        }
        outcome
    }

    async fn fail(&self, _: &Records, _: &Job, _: &Ending, _: &mut Draft) -> Result<(), RecordError> {
        Ok(())
    }
}

//! The housekeeping job that adds schedules that are missing, or differ from the row of their target: after a crash between the
//! commit of the row and that of the schedule. Schedules that are left over are removed by their own job.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::ids::OrganizationId;
use directory::Directory;
use jobs::{Cadence, Class, Ending, Handler, Job, JobKind, Jobs, Run, Stop};
use records::{Draft, Home, RecordError, Records};
use serde::{Deserialize, Serialize};

use crate::schedules::{ScheduleError, settle, timing};
use crate::target::scheduled_targets;

/// Stored in the schedule and the jobs.
pub(crate) const KIND: &str = "repair-run-schedules";
/// Shorter than the time within which users expect a change of a schedule to be visible.
pub(crate) const CADENCE: Cadence = Cadence::Minutes(10);
/// Time limit of an attempt, as a safeguard.
const DEADLINE: Duration = Duration::from_secs(10 * 60);
/// Time after which an attempt gives its slot back and another one goes on. Each of 10,000 organizations takes two scans, and a
/// read for each scheduled target.
const TIME: Duration = Duration::from_secs(8 * 60);
/// Organizations between two checkpoints: so many are repeated after a crash.
const CHECKPOINT_EVERY: usize = 100;

struct RepairSchedules {
    directory: Arc<Directory>,
    /// Time of an attempt.
    time: Duration,
}

/// Progress of a job through the organizations, which are listed in the order of their ids.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// The last organization that was examined.
    after: OrganizationId,
}

/// The kind of job.
pub(crate) fn kind(directory: Arc<Directory>) -> JobKind {
    kind_with(directory, TIME)
}

/// The same with another time of an attempt.
pub(crate) fn kind_with(directory: Arc<Directory>, time: Duration) -> JobKind {
    JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(RepairSchedules { directory, time }))
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
    /// Goes on behind the last checkpoint. A failing ledger of one organization does not delay the others: its schedules are
    /// examined again by the next job.
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let (jobs, began) = (Arc::clone(run.jobs()), run.clock().now());
        let after = run.checkpoint::<Checkpoint>().await?.map(|checkpoint| checkpoint.after);
        let listed = self.directory.list_organizations().await;
        let listed = listed.map_err(|error| Stop::Retry(error.to_string()))?;
        let left = listed.into_iter().map(|organization| organization.id);
        for (place, id) in left.filter(|id| after.is_none_or(|after| *id > after)).enumerate() {
            run.check().await?;
            match self.of_organization(&jobs, id).await {
                Ok(0) => {}
                Ok(repaired) => {
                    tracing::info!(organization = %id, repaired, "schedules of runs were repaired")
                }
                Err(error) => {
                    tracing::warn!(organization = %id, %error, "schedules of runs cannot be examined");
                }
            }
            let is_over = run.clock().now().since(began) >= self.time;
            if is_over || (place + 1).is_multiple_of(CHECKPOINT_EVERY) {
                run.save(&Checkpoint { after: id }).await?;
            }
            if is_over {
                let now = run.clock().now();
                return run.defer(now).await;
            }
        }
        Ok(())
    }

    async fn fail(&self, _: &Records, _: &Job, _: &Ending, _: &mut Draft) -> Result<(), RecordError> {
        Ok(())
    }
}

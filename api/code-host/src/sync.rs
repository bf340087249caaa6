//! The job that makes the rows of an installation equal to the host, and requests of it.
//!
//! One job of an installation is queued or running at a time. A request that comes while it runs may be about something that the
//! run has read already: it is noted in a row, and the run is then followed by another one.

mod all;
mod deliveries;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use code_host::{HostError, InstallationId, SyncError, sync};
use common::clock::SharedClock;
use common::digest::digest;
use common::ids::{OrganizationId, RecordId};
use directory::Directory;
use jobs::{
    Cadence, Class, Ending, EnqueueError, Exclusive, Handler, Job, JobKind, Jobs, NewJob, Run, Scope, Step,
    Stop,
};
use records::{Draft, Home, RecordError, Records, Table};
use serde_json::json;

use crate::Host;
pub(crate) use deliveries::Delivery;

/// Name of the kind of job; stored.
const KIND: &str = "code_host.sync";
/// 100 pages of repositories at a second each, 10,000 rows, and two waits of ten minutes for a rate limit.
const DEADLINE: Duration = Duration::from_secs(30 * 60);
/// Between a run and the one that was asked for meanwhile: several events at a time are one run.
const PAUSE: Duration = Duration::from_secs(5);

/// Installations whose run is to be followed by another one.
const AGAIN: Table = Table::new("code-host-sync-again");

/// Reads everything anew every six hours: events may be lost.
const CADENCE: Cadence = Cadence::Minutes(6 * 60);

struct Sync {
    directory: Arc<Directory>,
    clock: SharedClock,
    host: Option<Host>,
}

/// The kinds of jobs. Without a host for a process that lists and queues jobs and runs none, and for a deployment that has none.
#[must_use]
pub fn kinds(directory: &Arc<Directory>, clock: &SharedClock, host: Option<Host>) -> Vec<JobKind> {
    let handler = Sync { directory: Arc::clone(directory), clock: Arc::clone(clock), host };
    vec![JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(handler)), all::kind(Arc::clone(directory))]
}

/// Writes the schedule of the job that reads everything anew.
///
/// # Errors
/// Those of [`Jobs::schedule_housekeeping`].
pub async fn schedule_housekeeping(jobs: &Jobs) -> Result<(), EnqueueError> {
    jobs.schedule_housekeeping(all::KIND, CADENCE).await
}

/// Queues a job for an installation, unless one is queued: every request is followed by the beginning of a run.
///
/// # Errors
/// Those of [`Jobs::enqueue`], but not `Busy`.
pub async fn request_sync(
    jobs: &Jobs,
    organization: OrganizationId,
    installation: InstallationId,
) -> Result<(), EnqueueError> {
    request(jobs, (organization, installation), None).await
}

/// The same for an event of the host; one that was delivered before changes nothing.
pub(crate) async fn request(
    jobs: &Jobs,
    (organization, installation): (OrganizationId, InstallationId),
    delivery: Option<&Delivery>,
) -> Result<(), EnqueueError> {
    let (records, id) = (jobs.records(), resource(jobs.records(), organization, installation));
    let mut attempts = records.attempts(Home::Records, id.shard());
    while let Some(mut draft) = attempts.next().await? {
        if let Some(delivery) = delivery {
            if delivery.is_repeated(records, draft.place()).await? {
                return Ok(());
            }
            delivery.remember(records, &mut draft).await?;
        }
        let key = format!("code-host/{installation}");
        let new = NewJob {
            payload: json!({"installation": installation}),
            exclusive: Some(Exclusive { key, scope: Scope::Unfinished }),
            ..NewJob::new(KIND, organization, id)
        };
        match jobs.enqueue(&mut draft, new).await {
            Ok(_) => {}
            Err(EnqueueError::Busy { .. }) => draft.put_row(AGAIN, id.as_bytes(), &true)?,
            Err(error) => return Err(error),
        }
        if attempts.commit(draft).await? {
            return Ok(());
        }
    }
    Err(RecordError::Conflict.into())
}

/// The id that stands for an installation in the ledger of its jobs.
fn resource(records: &Records, organization: OrganizationId, installation: InstallationId) -> RecordId {
    let anchor = [b"code-host-installation/".as_slice(), installation.as_ref()].concat();
    RecordId::new(
        records.shard(organization, &anchor),
        &digest(&[organization.as_bytes().as_slice(), &anchor]),
    )
}

fn installation_of(job: &Job) -> Result<InstallationId, Stop> {
    let named = job.payload.get("installation").cloned().unwrap_or_default();
    serde_json::from_value(named).map_err(|error| Stop::Fatal(format!("installation: {error}")))
}

#[async_trait]
impl Handler for Sync {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let installation = installation_of(run.job())?;
        // A deployment that was connected once, and is not any more.
        let Some(host) = &self.host else {
            return Err(Stop::Retry("this process is not connected to a code host".to_owned()));
        };
        settle(run, |_| Step::Continue).await?;
        let organization = run.job().organization;
        let client = host.client.as_ref();
        match sync(&self.directory, self.clock.as_ref(), client, organization, installation).await {
            Ok(synced) => tracing::debug!(%installation, ?synced, "an installation was read"),
            Err(SyncError::Host(HostError::RateLimited { until })) => return run.defer(until).await,
            Err(error) => return Err(Stop::Retry(error.to_string())),
        }
        let again = self.clock.now().plus(PAUSE);
        settle(run, |asked| if asked { Step::Defer(again) } else { Step::Finish }).await
    }

    async fn fail(
        &self,
        _: &Records,
        job: &Job,
        ending: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError> {
        tracing::warn!(job = %job.id, organization = %job.organization, ?ending, "an installation was not read");
        draft.delete_row(AGAIN, job.resource.as_bytes());
        Ok(())
    }
}

/// A step of the job that removes the note of a request, decided by whether there is one.
async fn settle(run: &mut Run, step: impl Fn(bool) -> Step) -> Result<(), Stop> {
    let (records, resource) = (Arc::clone(run.records()), run.job().resource);
    let mut steps = run.steps();
    loop {
        let mut draft = steps.next().await?;
        let asked = records.row_after::<bool>(&draft, AGAIN, resource.as_bytes()).await?.is_some();
        if asked {
            draft.delete_row(AGAIN, resource.as_bytes());
        }
        if steps.commit(draft, step(asked)).await? {
            return Ok(());
        }
    }
}

//! Start and end of discovery runs. The run and its job are one commit; the run has the id of the job.

use std::collections::BTreeMap;

use async_trait::async_trait;
use common::ids::{ApplicationId, OrganizationId};
use common::row::BodyError;
use common::timestamp::Timestamp;
use jobs::{Ending, EnqueueError, Exclusive, Jobs, NewJob, Scope, Step, Stop};
use records::{Change, Draft, Home, RecordError, Records};
use url::Url;

use super::asset::Ids;
use super::coverage::Coverage;
use super::run::{Chosen, Inventory, InventoryRun, RunError, RunErrorCode, RunStatus};

/// Name of the kind of job; stored.
pub(crate) const KIND: &str = "inventory.discover";

/// Starts discovery in the slots of schedules.
pub struct ScheduledDiscovery;

#[async_trait]
impl red_team::StartDiscovery for ScheduledDiscovery {
    async fn start(
        &self,
        jobs: &Jobs,
        draft: &mut Draft,
        (organization, application): (OrganizationId, ApplicationId),
        (url, now): (&str, Timestamp),
    ) -> Result<bool, EnqueueError> {
        let ids = Ids::new(jobs.records(), organization, application);
        let before = jobs.records().get::<Inventory>(organization, ids.inventory()).await?;
        if active(jobs, &ids, before.as_ref()).await?.is_some() {
            return Ok(false);
        }
        queue(jobs, draft, (&ids, before), (url, now)).await?;
        Ok(true)
    }
}

/// Requests a run; the active one where there is one.
pub(crate) async fn request(
    jobs: &Jobs,
    ids: &Ids,
    (url, now): (&str, Timestamp),
) -> Result<InventoryRun, EnqueueError> {
    let records = jobs.records();
    let mut attempts = records.attempts(Home::Records, ids.shard());
    while let Some(mut draft) = attempts.next().await? {
        let before = records.get::<Inventory>(ids.organization, ids.inventory()).await?;
        if let Some(run) = active(jobs, ids, before.as_ref()).await? {
            return Ok(run.clone());
        }
        let run = queue(jobs, &mut draft, (ids, before), (url, now)).await?;
        if attempts.commit(draft).await? {
            return Ok(run);
        }
    }
    Err(RecordError::Conflict.into())
}

/// The latest run, if it has not ended. One whose job was abandoned will never end, and is not active.
async fn active<'i>(
    jobs: &Jobs,
    ids: &Ids,
    inventory: Option<&'i Inventory>,
) -> Result<Option<&'i InventoryRun>, RecordError> {
    let Some(run) = inventory.map(|inventory| &inventory.run).filter(|run| run.is_open()) else {
        return Ok(None);
    };
    Ok(jobs.is_unfinished((Home::Records, ids.shard()), run.id).await?.then_some(run))
}

async fn queue(
    jobs: &Jobs,
    draft: &mut Draft,
    (ids, before): (&Ids, Option<Inventory>),
    (url, now): (&str, Timestamp),
) -> Result<InventoryRun, EnqueueError> {
    let id = ids.inventory();
    let payload =
        serde_json::to_value(ids.application).map_err(|error| RecordError::from(BodyError::from(error)))?;
    // Two applications on one host do not add their request rates up.
    let exclusive = Exclusive { key: host_key(url), scope: Scope::Running };
    let new = NewJob { payload, exclusive: Some(exclusive), ..NewJob::new(KIND, ids.organization, id) };
    let run = InventoryRun::queued(jobs.enqueue(draft, new).await?, now);
    let assets = before.map_or_else(BTreeMap::new, |before| before.assets);
    let (organization, application) = (ids.organization, ids.application);
    let inventory = Inventory { id, organization, application, assets, run: run.clone() };
    draft.add(Change::put(inventory))?;
    Ok(run)
}

/// At most 256 bytes, as claims are; a name of DNS has 253.
fn host_key(url: &str) -> String {
    let host = Url::parse(url).ok().and_then(|url| web::scope::host_name(&url)).unwrap_or_default();
    format!("h/{host}")
}

/// The inventory, if its latest run is this one. After a deletion, and after another run has begun, a job has nothing to do.
pub(crate) async fn of_run(
    records: &Records,
    ids: &Ids,
    run: common::ids::RecordId,
) -> Result<Option<Inventory>, RecordError> {
    let inventory = records.get::<Inventory>(ids.organization, ids.inventory()).await?;
    Ok(inventory.filter(|inventory| inventory.run.id == run))
}

/// Marks a run as begun. `false` where its job has nothing to do.
pub(crate) async fn begin(job: &mut jobs::Run, ids: &Ids) -> Result<bool, Stop> {
    let (records, id, now) = (job.records().clone(), job.job().id, job.clock().now());
    let mut steps = job.steps();
    loop {
        let mut draft = steps.next().await?;
        let Some(mut inventory) = of_run(&records, ids, id).await? else { return Ok(false) };
        if inventory.run.status == RunStatus::InProgress {
            return Ok(true);
        }
        (inventory.run.status, inventory.run.started_at) = (RunStatus::InProgress, Some(now));
        draft.add(Change::put(inventory))?;
        if steps.commit(draft, Step::Continue).await? {
            return Ok(true);
        }
    }
}

/// Hosts and endpoints whose scope a user set, as they are now.
pub(crate) async fn chosen(records: &Records, ids: &Ids) -> Result<Chosen, RecordError> {
    Ok(records.detail::<Inventory>(ids.organization, ids.inventory()).await?.unwrap_or_default())
}

/// Ends a run and its job, with its coverage or with the reason why it has no result.
pub(crate) async fn end(
    job: &mut jobs::Run,
    ids: &Ids,
    outcome: Result<Coverage, RunError>,
) -> Result<(), Stop> {
    let (records, id, now) = (job.records().clone(), job.job().id, job.clock().now());
    let mut steps = job.steps();
    loop {
        let mut draft = steps.next().await?;
        if let Some(mut inventory) = of_run(&records, ids, id).await? {
            match &outcome {
                Ok(coverage) => {
                    let run = &mut inventory.run;
                    (run.status, run.completed_at) = (RunStatus::Completed, Some(now));
                    run.coverage = Some(coverage.clone());
                }
                Err(error) => inventory.run.fail(error.clone(), now),
            }
            draft.add(Change::put(inventory))?;
        }
        if steps.commit(draft, Step::Finish).await? {
            return Ok(());
        }
    }
}

/// Adds to a draft that a job has ended without a result.
pub(crate) async fn fail(
    records: &Records,
    ids: &Ids,
    (job, at): (&jobs::Job, Timestamp),
    ending: &Ending,
    draft: &mut Draft,
) -> Result<(), RecordError> {
    let Some(mut inventory) = of_run(records, ids, job.id).await? else { return Ok(()) };
    let error = |code, message: &str| RunError { code, message: message.to_owned() };
    match ending {
        Ending::Cancelled => {
            (inventory.run.status, inventory.run.completed_at) = (RunStatus::Cancelled, Some(at));
        }
        Ending::DeadlineExceeded => {
            inventory.run.fail(error(RunErrorCode::TimedOut, "the run took too long"), at);
        }
        Ending::Failed { cause } => {
            tracing::error!(application = %ids.application, cause, "a discovery run failed");
            inventory.run.fail(error(RunErrorCode::InternalError, "the service failed"), at);
        }
    }
    draft.add(Change::put(inventory))
}

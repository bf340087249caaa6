//! The job that returns reservations of credits after requests that failed before they stored their record. One schedule of
//! the deployment: a job covers all organizations.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::SharedClock;
use common::ids::{OrganizationId, RecordId};
use credits::{Credits, CreditsError};
use directory::Directory;
use jobs::{Cadence, Class, Ending, EnqueueError, Handler, Job, JobKind, Jobs, Run, Stop};
use records::{Draft, RecordError, Records};
use thiserror::Error;

use crate::storage::Ledgers;

/// Stored in the schedule and the jobs.
const KIND: &str = "return-abandoned-credits";
/// A reservation is returned 10 to 20 minutes after its request.
const CADENCE: Cadence = Cadence::Minutes(10);
/// Each of 10,000 organizations takes a scan.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

/// Returns the abandoned reservations of all organizations.
struct ReturnAbandoned {
    credits: Credits,
    directory: Arc<Directory>,
}

/// Reason why the reservations of an organization were not returned.
#[derive(Debug, Error)]
enum ReturnError {
    #[error(transparent)]
    Credits(#[from] CreditsError),
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// The kind of job.
pub(super) fn kind(ledgers: &Ledgers, clock: &SharedClock) -> JobKind {
    let credits = Credits::new(Arc::clone(&ledgers.ledger), Arc::clone(clock));
    let handler = ReturnAbandoned { credits, directory: Arc::clone(&ledgers.directory) };
    JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(handler))
}

/// Writes the schedule.
pub(super) async fn schedule(jobs: &Jobs) -> Result<(), EnqueueError> {
    jobs.schedule_housekeeping(KIND, CADENCE).await
}

impl ReturnAbandoned {
    async fn of_organization(
        &self,
        records: &Arc<Records>,
        organization: OrganizationId,
    ) -> Result<usize, ReturnError> {
        let exists = |key| {
            let records = Arc::clone(records);
            async move { Ok::<_, ReturnError>(records.exists(organization, RecordId(key)).await?) }
        };
        self.credits.return_abandoned(organization, exists).await
    }
}

#[async_trait]
impl Handler for ReturnAbandoned {
    /// Returning is idempotent, so that an attempt after a failure begins at the first organization.
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let organizations = self.directory.list_organizations().await;
        let records = Arc::clone(run.records());
        let mut outcome = Ok(());
        for directory::Organization { id, .. } in
            organizations.map_err(|error| Stop::Retry(error.to_string()))?
        {
            run.check().await?;
            match self.of_organization(&records, id).await {
                Ok(0) => {}
                Ok(returned) => {
                    tracing::info!(organization = %id, returned, "abandoned reservations of credits were returned")
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

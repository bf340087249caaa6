//! The housekeeping job that queues a run for every installation, and for repositories that a disconnected one left behind, and removes
//! expired links.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use code_host::{InstallationId, installations, repositories};
use common::ids::OrganizationId;
use directory::{Directory, DirectoryError};
use jobs::{Class, Ending, EnqueueError, Handler, Job, JobKind, Jobs, Run, Stop};
use records::{Draft, RecordError, Records};

use super::request_sync;
use crate::link::LINKS;

/// Name of the kind of job; stored.
pub(super) const KIND: &str = "code_host.sync_all";
/// Each of 10,000 organizations takes three scans, and a commit for each installation.
const DEADLINE: Duration = Duration::from_secs(15 * 60);

struct SyncAll {
    directory: Arc<Directory>,
}

pub(super) fn kind(directory: Arc<Directory>) -> JobKind {
    JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(SyncAll { directory }))
}

impl SyncAll {
    async fn installations(
        &self,
        organization: OrganizationId,
    ) -> Result<BTreeSet<InstallationId>, DirectoryError> {
        let mut ids = BTreeSet::new();
        let connected = installations(&self.directory).list(organization).await?;
        ids.extend(connected.into_iter().map(|row| row.id));
        let stored = repositories(&self.directory).list(organization).await?;
        ids.extend(stored.into_iter().map(|row| row.installation));
        Ok(ids)
    }

    async fn request(&self, jobs: &Jobs, organization: OrganizationId) -> Result<(), String> {
        let ids = self.installations(organization).await.map_err(|error| error.to_string())?;
        for id in ids {
            match request_sync(jobs, organization, id).await {
                // Those that are queued already are enough for this round.
                Ok(()) | Err(EnqueueError::Full { .. }) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Handler for SyncAll {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let organizations = self.directory.list_organizations().await;
        let jobs = Arc::clone(run.jobs());
        let mut outcome = Ok(());
        for organization in organizations.map_err(|error| Stop::Retry(error.to_string()))? {
            run.check().await?;
            if let Err(error) = LINKS.prune(&self.directory, organization.id).await {
                outcome = Err(Stop::Retry(format!("organization {}: {error}", organization.id)));
            }
            // A failing ledger of one organization does not delay the others.
            if let Err(error) = self.request(&jobs, organization.id).await {
                outcome = Err(Stop::Retry(format!("organization {}: {error}", organization.id)));
            }
        }
        outcome
    }

    async fn fail(&self, _: &Records, _: &Job, _: &Ending, _: &mut Draft) -> Result<(), RecordError> {
        Ok(())
    }
}

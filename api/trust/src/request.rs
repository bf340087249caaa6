//! Start of a scan: its prerequisites in the order of the specification, then scan, job and the claim of the login in one commit.

use code_host::active_installation;
use common::event::EventKind;
use common::ids::OrganizationId;
use directory::{Directory, ReceiverKind};
use jobs::{EnqueueError, Exclusive, Jobs, NewJob, Scope};
use records::{Change, Home, RecordError};
use rest::error::ApiError;
use uuid::Uuid;

use crate::App;
use crate::job::KIND;
use crate::login::ContributorLogin;
use crate::scan::Scan;

const NO_INSTALLATION: &str =
    "the organization has no active code host installation: connect one with POST /code-host/installations";
const NO_WEBHOOK: &str = "the organization has no enabled webhook subscribed to contributor_trust.finished: create or enable one below /webhooks";
const ACTIVE: &str = "a scan of this login by the organization is queued or in progress";

/// Queues a scan, or finds the one that an earlier attempt of the same request queued.
pub(crate) async fn request(
    app: &App,
    organization: OrganizationId,
    login: &ContributorLogin,
    seed: Uuid,
) -> Result<Scan, ApiError> {
    let records = app.jobs.records();
    let shard = Scan::shard(records, organization, login);
    let mut attempts = records.attempts(Home::Records, shard);
    while let Some(mut draft) = attempts.next().await? {
        if let Some(scan) = records.get::<Scan>(organization, Scan::id_of(shard, seed)).await? {
            return Ok(scan);
        }
        check(&app.kit.directory, organization).await?;
        let scan = Scan::queued((organization, shard), login, (seed, app.kit.clock.now()));
        enqueue(&app.jobs, &mut draft, &scan, login).await?;
        draft.add(Change::put(scan.clone()))?;
        if attempts.commit(draft).await? {
            return Ok(scan);
        }
    }
    Err(RecordError::Conflict.into())
}

/// Refuses a scan without a connection to read data by, or without a webhook to deliver its result to.
async fn check(directory: &Directory, organization: OrganizationId) -> Result<(), ApiError> {
    if active_installation(directory, organization).await?.is_none() {
        return Err(ApiError::Conflict(NO_INSTALLATION.into()));
    }
    let webhooks = directory.receivers(ReceiverKind::Webhook).list(organization).await?;
    if !webhooks.iter().any(|webhook| webhook.wants(EventKind::ContributorTrustFinished, None)) {
        return Err(ApiError::Conflict(NO_WEBHOOK.into()));
    }
    Ok(())
}

async fn enqueue(
    jobs: &Jobs,
    draft: &mut records::Draft,
    scan: &Scan,
    login: &ContributorLogin,
) -> Result<(), ApiError> {
    let exclusive = Exclusive { key: format!("contributor/{}", login.key()), scope: Scope::Unfinished };
    let new = NewJob { exclusive: Some(exclusive), ..NewJob::new(KIND, scan.organization, scan.id) };
    match jobs.enqueue(draft, new).await {
        Ok(_) => Ok(()),
        Err(EnqueueError::Busy { .. }) => Err(ApiError::Conflict(ACTIVE.into())),
        Err(error) => Err(error.into()),
    }
}

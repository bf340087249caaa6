//! The job that scans a page after the reply. Its result is a row that depends on no other, so that an attempt which was replaced does no
//! harm.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::SharedClock;
use common::digest::digest;
use common::hexadecimal;
use common::ids::{OrganizationId, RecordId};
use jobs::{Class, Ending, EnqueueError, Exclusive, Handler, Job, JobKind, Jobs, NewJob, Run, Scope, Stop};
use ledger::Ledger;
use records::{Draft, Home, RecordError, Records, shard_of_identifier};
use rest::error::ApiError;
use serde::{Deserialize, Serialize};

use super::{Network, Scan, Target, requester};
use crate::engine::Engine;
use crate::record::Artifact;
use crate::store;

/// Name of the kind.
pub(crate) const KIND: &str = "context.scan";
/// Time limit of an attempt: the deep tier has 30 s.
const DEADLINE: Duration = Duration::from_secs(60);
/// Scans of one organization that run at once, and that are queued beside those.
const RUNNING: usize = 32;
const QUEUED: usize = 600;
/// Seconds after which a client whose organization has too many scans should try again.
const RETRY_SECONDS: u64 = 30;

/// Dependencies of a process that runs scans.
#[derive(Clone)]
pub struct Scanner {
    /// The checks.
    pub engine: Arc<Engine>,
    /// Look-ups and downloads.
    pub network: Network,
}

/// Payload of a job.
#[derive(Serialize, Deserialize)]
struct Payload {
    identifier: String,
}

struct ScanHandler {
    scanner: Option<Scanner>,
    ledger: Arc<dyn Ledger>,
    clock: SharedClock,
    shards: u16,
}

/// The kind of job. Without a scanner for a process that lists and queues jobs and runs none.
#[must_use]
pub fn scan_kind(
    scanner: Option<Scanner>,
    ledger: Arc<dyn Ledger>,
    clock: SharedClock,
    shards: u16,
) -> JobKind {
    let handler = Arc::new(ScanHandler { scanner, ledger, clock, shards });
    JobKind { running: RUNNING, queued: QUEUED, ..JobKind::new(KIND, Class::Light, DEADLINE, handler) }
}

#[async_trait]
impl Handler for ScanHandler {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let Some(Scanner { engine, network }) = &self.scanner else {
            return Err(Stop::Retry("this process runs no scans".to_owned()));
        };
        let payload: Payload = serde_json::from_value(run.job().payload.clone())
            .map_err(|error| Stop::Fatal(error.to_string()))?;
        let target = Target::parse(&payload.identifier).map_err(|error| Stop::Fatal(error.to_owned()))?;
        let (organization, now) = (run.job().organization, self.clock.now());
        let scan = Scan { engine, network, requester: requester(organization), target: &target, now };
        let artifact = Artifact::new(target.subject(), organization, now, &scan.whole().await);
        store::write_now(self.ledger.as_ref(), self.shards, &artifact)
            .await
            .map_err(|error| Stop::Retry(error.to_string()))
    }

    async fn fail(
        &self,
        _records: &Records,
        _job: &Job,
        _ending: &Ending,
        _draft: &mut Draft,
    ) -> Result<(), RecordError> {
        // The preliminary result stays, which is pending and never better than caution; a refresh queues another scan.
        Ok(())
    }
}

/// Queues a scan, unless one of the same page is unfinished for the organization.
pub(crate) async fn enqueue(
    jobs: &Jobs,
    organization: OrganizationId,
    target: &Target,
    shards: u16,
) -> Result<(), ApiError> {
    let identifier = target.identifier();
    let shard = shard_of_identifier(identifier.as_bytes(), shards);
    let name = digest(&[identifier.as_bytes()]);
    let payload = Payload { identifier: identifier.to_owned() };
    let new = NewJob {
        payload: serde_json::to_value(&payload).map_err(ApiError::internal)?,
        exclusive: Some(Exclusive { key: hexadecimal::print(&name), scope: Scope::Unfinished }),
        ..NewJob::new(KIND, organization, RecordId::new(shard, &name))
    };
    let mut attempts = jobs.records().attempts(Home::Shared, shard);
    while let Some(mut draft) = attempts.next().await? {
        match jobs.enqueue(&mut draft, new.clone()).await {
            Ok(_) => {}
            Err(EnqueueError::Busy { .. }) => return Ok(()),
            Err(EnqueueError::Full { .. }) => {
                let message = "the organization has too many unfinished scans";
                return Err(ApiError::RateLimited { message, retry_seconds: RETRY_SECONDS });
            }
            Err(error) => return Err(ApiError::internal(error)),
        }
        if attempts.commit(draft).await? {
            return Ok(());
        }
    }
    Err(ApiError::unavailable(RecordError::Conflict))
}

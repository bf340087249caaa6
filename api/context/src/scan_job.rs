//! The job `context.scan`, which scans public content after the reply. Its payload names the origin and the target, and its handler
//! scans by the origin. The result is a row that depends on no other, so that an attempt which was replaced does no harm.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::SharedClock;
use common::digest::digest;
use common::hexadecimal;
use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use jobs::{Class, Ending, EnqueueError, Exclusive, Handler, Job, JobKind, Jobs, NewJob, Run, Scope, Stop};
use ledger::Ledger;
use outbound::Requester;
use records::{Draft, Home, RecordError, Records, shard_of_identifier};
use rest::error::ApiError;
use serde::{Deserialize, Serialize};

use crate::artifact::Origin;
use crate::public_content::PublicContent;
use crate::record::Artifact;
use crate::repository::HostFailure;
use crate::scanner::Scanner;
use crate::score::{Assessment, Skipped};
use crate::store::{self, StoreError};
use crate::weights;

/// Name of the kind.
pub(crate) const KIND: &str = "context.scan";
/// Time limit of a scan, after which its result is that nothing was readable: the deep tier has 30 s, and an archive is downloaded within
/// 60 s.
const PATIENCE: Duration = Duration::from_secs(100);
/// Time limit of an attempt: a scan, and writing its result.
const DEADLINE: Duration = Duration::from_secs(120);
/// Scans of one organization that run at once, and that are queued beside those.
const RUNNING: usize = 32;
const QUEUED: usize = 600;
/// Seconds after which a client whose organization has too many scans should try again.
const RETRY_SECONDS: u64 = 30;

/// Payload of a job.
#[derive(Serialize, Deserialize)]
struct Payload {
    origin: Origin,
    /// Text of the target, as [`PublicContent::parse`] reads it.
    target: String,
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

/// The content that a job scans.
fn content(job: &Job) -> Result<PublicContent, String> {
    let payload: Payload = serde_json::from_value(job.payload.clone()).map_err(|error| error.to_string())?;
    PublicContent::parse(payload.origin, &payload.target)
}

/// The result of a scan that ended without one: nothing was readable, so that no result stays pending.
fn failed(content: &PublicContent, reason: &str) -> Assessment {
    let checks =
        weights::checks(content.origin()).into_iter().map(|spec| spec.not_possible(reason)).collect();
    let skipped = vec![Skipped { what: "the content".to_owned(), reason: reason.to_owned() }];
    Assessment { checks, skipped, is_unreadable: true, ..Assessment::default() }
}

impl ScanHandler {
    async fn write(
        &self,
        content: &PublicContent,
        (organization, now): (OrganizationId, Timestamp),
        assessment: &Assessment,
    ) -> Result<(), Stop> {
        let ledger = self.ledger.as_ref();
        let artifact = Artifact::new(content.subject(), organization, now, assessment);
        let written = async {
            let artifact = store::owned((ledger, self.shards), artifact, organization).await?;
            store::write_now(ledger, self.shards, &artifact).await
        };
        written.await.map_err(|error: StoreError| Stop::Retry(error.to_string()))
    }
}

#[async_trait]
impl Handler for ScanHandler {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let Some(scanner) = &self.scanner else {
            return Err(Stop::Retry("this process runs no scans".to_owned()));
        };
        let content = content(run.job()).map_err(Stop::Fatal)?;
        let (organization, now) = (run.job().organization, self.clock.now());
        let requester = Requester::background(organization);
        let whole = async {
            let begun = content.begin(scanner, requester, now).await;
            // The result of the first tiers at once, where there is no earlier one: the deep tier takes up to half a minute more.
            if let Some(early) = begun.assessment() {
                self.write(&content, (organization, now), &early).await?;
            }
            Ok::<_, Stop>(content.finish(scanner, requester, now, begun).await)
        };
        let assessment = match tokio::time::timeout(PATIENCE, whole).await {
            Ok(assessment) => assessment?,
            Err(_) => {
                let reason = format!("the scan took longer than {} s", PATIENCE.as_secs());
                let failed = content.failed(scanner, &HostFailure::of_content(reason.as_str()));
                failed.ok_or(Stop::Retry(reason))?
            }
        };
        self.write(&content, (organization, now), &assessment).await
    }

    async fn fail(
        &self,
        _records: &Records,
        job: &Job,
        ending: &Ending,
        _draft: &mut Draft,
    ) -> Result<(), RecordError> {
        // A target that cannot be read has no result that could be pending.
        let Ok(content) = content(job) else { return Ok(()) };
        let reason = match ending {
            Ending::Cancelled => "the scan was cancelled",
            Ending::DeadlineExceeded => "the scan took longer than its time limit",
            Ending::Failed { cause } => {
                tracing::warn!(job = %job.id, organization = %job.organization, cause, "a context scan failed");
                "the scan failed in every attempt"
            }
        };
        // The job is one of this organization; pages are read without a connection, and their pending results are shared.
        let is_of_connection = content.origin() != Origin::WebPage;
        let assessment = Assessment { is_of_connection, ..failed(&content, reason) };
        let artifact = Artifact::new(content.subject(), job.organization, self.clock.now(), &assessment);
        match store::write_failure(self.ledger.as_ref(), self.shards, &artifact).await {
            Err(StoreError::Ledger(error)) => Err(error.into()),
            Err(StoreError::Body(error)) => Err(error.into()),
            // The row of a failed scan has one entry for each check, with a short reason, and is always stored.
            Err(StoreError::TooLarge { .. } | StoreError::Busy) | Ok(()) => Ok(()),
        }
    }
}

/// Queues a scan, unless one of the same content is unfinished for the organization.
pub(crate) async fn enqueue(
    jobs: &Jobs,
    organization: OrganizationId,
    content: &PublicContent,
    shards: u16,
) -> Result<(), ApiError> {
    let (origin, identifier) = (content.origin(), content.identifier());
    let shard = shard_of_identifier(identifier.as_bytes(), shards);
    let name = digest(&[origin.as_str().as_bytes(), identifier.as_bytes()]);
    let payload = Payload { origin, target: content.target() };
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

#[cfg(test)]
mod tests;

//! The job of a scan: the aggregate if it is recent, else data from the code host, score, aggregate; then the end of the scan and its
//! event in one commit. An attempt that was interrupted begins again, and reuses the aggregate that it had written.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use code_host::{Access, CodeHost, HostError, active_installation};
use common::clock::SharedClock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use directory::Directory;
use jobs::{Class, Ending, Handler, Job, JobKind, Run, Step, Stop};
use records::{Change, Draft, Home, RecordError, Records};
use threads::{Limits, Threads};

use crate::artifact::Evidence;
use crate::confirm::Confirmer;
use crate::event::event;
use crate::gather::{Analyzer, GatherError, gather};
use crate::login::ContributorLogin;
use crate::scan::{Aggregate, Scan};
use crate::score::score;

/// Name of the kind of job; stored.
pub(crate) const KIND: &str = "contributors.scan";
/// Time limit of an attempt (design: contributor trust).
const DEADLINE: Duration = Duration::from_secs(120);
/// Age below which an aggregate is reused.
const REUSED: Duration = Duration::from_secs(600);
/// Diffs that wait for the thread that analyzes them: one of each running scan, of which the slots of light jobs allow 64.
const WAITING: usize = 64;
/// Their patience: the analysis of a diff takes seconds at most.
const PATIENCE: Duration = Duration::from_secs(60);

const NO_LONGER_CONNECTED: &str = "the organization has no active code host installation";
const UNKNOWN_LOGIN: &str = "the code host has no such login, or does not show it";
const UNREADABLE: &str = "the public data of the login could not be read from the code host";
const TIMED_OUT: &str = "the scan took longer than 120 seconds";
const CANCELLED: &str = "the scan was cancelled";
const BROKEN: &str =
    "the scan could not be completed: the code host was not available, or the service failed";

/// Dependencies of a process that runs scans. Clones share the thread that analyzes diffs.
#[derive(Clone)]
pub struct Scanner {
    host: Arc<dyn CodeHost>,
    analyzer: Arc<Analyzer>,
}

impl Scanner {
    /// Starts the thread. The client of the host should not wait for a rate limit: a scan fails there.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start(host: Arc<dyn CodeHost>) -> std::io::Result<Self> {
        let limits = Limits { waiting: WAITING, patience: PATIENCE };
        let analyzer = Threads::start("contributor diffs", vec![()], limits)?;
        Ok(Self { host, analyzer: Arc::new(analyzer) })
    }
}

struct ScanHandler {
    directory: Arc<Directory>,
    clock: SharedClock,
    scanner: Option<Scanner>,
    confirmer: Confirmer,
    shards: u16,
}

/// The kind of job. Without a scanner for a process that lists and queues jobs and runs none, and for a deployment without a code
/// host.
#[must_use]
pub fn scan_kind(
    directory: &Arc<Directory>,
    clock: &SharedClock,
    scanner: Option<Scanner>,
    shards: u16,
) -> JobKind {
    let (directory, clock) = (Arc::clone(directory), Arc::clone(clock));
    let host = scanner.as_ref().map(|scanner| Arc::clone(&scanner.host));
    let confirmer = Confirmer::new(host, Arc::clone(&clock));
    let handler = ScanHandler { directory, clock, scanner, confirmer, shards };
    JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(handler))
}

/// A result, or the message of a scan that failed.
type Outcome = Result<(Aggregate, Vec<Evidence>), String>;

#[async_trait]
impl Handler for ScanHandler {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let Some(scanner) = &self.scanner else {
            return Err(Stop::Retry("this process is not connected to a code host".to_owned()));
        };
        let Some(scan) = begin(run).await? else { return Ok(()) };
        let login: ContributorLogin = scan.login.parse().map_err(|_| Stop::Fatal("login".to_owned()))?;
        let outcome = match self.recent(run, &login).await? {
            Some(recent) => Ok(recent),
            None => self.scan(run, scanner, &login).await?,
        };
        end(run, &outcome).await
    }

    async fn fail(
        &self,
        records: &Records,
        job: &Job,
        ending: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError> {
        let message = match ending {
            Ending::Cancelled => CANCELLED,
            Ending::DeadlineExceeded => TIMED_OUT,
            Ending::Failed { cause } => {
                tracing::warn!(job = %job.id, organization = %job.organization, cause, "a contributor scan failed");
                BROKEN
            }
        };
        let outcome = Err(message.to_owned());
        add_end(records, job, (&outcome, self.clock.now()), draft).await
    }
}

impl ScanHandler {
    /// The aggregate of a login, if it is recent enough to be reused, and the repositories of its evidence are still public.
    async fn recent(
        &self,
        run: &Run,
        login: &ContributorLogin,
    ) -> Result<Option<(Aggregate, Vec<Evidence>)>, Stop> {
        let (records, organization) = (run.records(), run.job().organization);
        let id = Aggregate::id_of(login, self.shards);
        let found = records.get::<Aggregate>(OrganizationId::NONE, id).await?;
        let is_recent = |found: &Aggregate| self.clock.now().since(found.scanned_at) < REUSED;
        let Some(found) = found.filter(is_recent) else { return Ok(None) };
        let evidence = records.detail::<Aggregate>(OrganizationId::NONE, id).await?.unwrap_or_default();
        let confirmed = self.confirmer.confirm(&self.directory, organization, evidence).await;
        let confirmed = confirmed.map_err(|error| Stop::Retry(error.to_string()))?;
        let is_public = confirmed.gone.is_empty() && !confirmed.is_incomplete;
        Ok(is_public.then_some((found, confirmed.evidence)))
    }

    async fn scan(
        &self,
        run: &mut Run,
        scanner: &Scanner,
        login: &ContributorLogin,
    ) -> Result<Outcome, Stop> {
        let Some(access) = self.access(run.job().organization).await? else {
            return Ok(Err(NO_LONGER_CONNECTED.to_owned()));
        };
        let now = self.clock.now();
        let gathered = match gather(scanner.host.as_ref(), &scanner.analyzer, access, (login, now)).await {
            Ok(gathered) => gathered,
            Err(error) => return failed(error).map(Err),
        };
        run.check().await?;
        let aggregate = Aggregate {
            id: Aggregate::id_of(login, self.shards),
            login: gathered.login,
            assessment: score(&gathered.facts).assessment,
            scanned_at: now,
            updated_at: self.clock.now(),
        };
        store(run.records(), &aggregate, &gathered.evidence).await?;
        Ok(Ok((aggregate, gathered.evidence)))
    }

    /// The rights of an active installation of the organization.
    async fn access(&self, organization: OrganizationId) -> Result<Option<Access>, Stop> {
        let active = active_installation(&self.directory, organization).await;
        Ok(active.map_err(|error| Stop::Retry(error.to_string()))?.map(Access::public))
    }
}

/// The message of a scan that failed; a host that is not available is asked again in the next attempt.
fn failed(error: GatherError) -> Result<String, Stop> {
    let error = match error {
        GatherError::NotAContributor => return Ok(error.to_string()),
        GatherError::Analysis(error) => return Err(Stop::Retry(error.to_string())),
        GatherError::Host(error) => error,
    };
    match error {
        HostError::Unavailable(_) => Err(Stop::Retry(error.to_string())),
        HostError::NotFound(_) => Ok(UNKNOWN_LOGIN.to_owned()),
        HostError::RateLimited { .. } => Ok(error.to_string()),
        HostError::NotInstalled => Ok(NO_LONGER_CONNECTED.to_owned()),
        // Their texts may name the path of a request.
        HostError::Denied(_)
        | HostError::InvalidCode
        | HostError::TooLarge { .. }
        | HostError::Unexpected { .. } => {
            tracing::warn!(%error, "public data of a contributor could not be read");
            Ok(UNREADABLE.to_owned())
        }
    }
}

/// Stores an aggregate, unless there is a later one.
async fn store(records: &Records, aggregate: &Aggregate, evidence: &[Evidence]) -> Result<(), RecordError> {
    let mut attempts = records.attempts(Home::Shared, aggregate.id.shard());
    while let Some(mut draft) = attempts.next().await? {
        let present = records.get::<Aggregate>(OrganizationId::NONE, aggregate.id).await?;
        if present.is_some_and(|present| present.scanned_at > aggregate.scanned_at) {
            return Ok(());
        }
        draft.add(Change::put(aggregate.clone()).detail(evidence.to_vec()))?;
        if attempts.commit(draft).await? {
            return Ok(());
        }
    }
    Err(RecordError::Conflict)
}

/// Marks the scan as begun; `None` where there is nothing to do.
async fn begin(run: &mut Run) -> Result<Option<Scan>, Stop> {
    let (records, now) = (Arc::clone(run.records()), run.clock().now());
    let (organization, id) = (run.job().organization, run.job().resource);
    let mut steps = run.steps();
    loop {
        let mut draft = steps.next().await?;
        let scan = records.get::<Scan>(organization, id).await?.filter(Scan::is_open);
        let Some(mut scan) = scan else { return Ok(None) };
        if scan.started_at.is_some() {
            return Ok(Some(scan));
        }
        scan.begin(now);
        draft.add(Change::put(scan.clone()))?;
        if steps.commit(draft, Step::Continue).await? {
            return Ok(Some(scan));
        }
    }
}

async fn end(run: &mut Run, outcome: &Outcome) -> Result<(), Stop> {
    let (records, now, job) = (Arc::clone(run.records()), run.clock().now(), run.job().clone());
    let mut steps = run.steps();
    loop {
        let mut draft = steps.next().await?;
        add_end(&records, &job, (outcome, now), &mut draft).await?;
        if steps.commit(draft, Step::Finish).await? {
            return Ok(());
        }
    }
}

/// Adds the end of a scan and its event to a draft.
async fn add_end(
    records: &Records,
    job: &Job,
    (outcome, now): (&Outcome, Timestamp),
    draft: &mut Draft,
) -> Result<(), RecordError> {
    let scan = records.get::<Scan>(job.organization, job.resource).await?.filter(Scan::is_open);
    let Some(mut scan) = scan else { return Ok(()) };
    let evidence = match outcome {
        Ok((aggregate, evidence)) => {
            scan.complete(aggregate, now);
            evidence.clone()
        }
        Err(message) => {
            scan.fail(message.clone(), now);
            Vec::new()
        }
    };
    let event = event(&scan, evidence.clone(), now)?;
    draft.add(Change::put(scan).detail(evidence).event(event))
}

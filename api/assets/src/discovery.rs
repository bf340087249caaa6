//! The job that discovers the inventory of an application. This process sends the requests (`broker.rs`) and parses nothing: the
//! sandbox reads the replies, and the crate `web` decides from the readings which requests follow. Afterwards `names.rs` asks name
//! servers and shakes hands, and the assets are committed. A checkpoint after each batch lets the next attempt go on there.

pub(crate) mod broker;
mod credentials;
pub(crate) mod names;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use common::clock::SharedClock;
use common::ids::ApplicationId;
use directory::{Application, Directory};
use jobs::{Class, Ending, Handler, Job, JobKind, Run, Stop};
use outbound::Outbound;
use records::{Draft, RecordError, Records};
use sandbox::{Sandbox, SandboxError};
use secrets::Vault;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use web::crawl::{Config as CrawlConfig, Crawl};

use crate::config::Config;
use crate::inventory::apply::apply;
use crate::inventory::asset::Ids;
use crate::inventory::coverage::Coverage;
use crate::inventory::run::{Chosen, RunError, RunErrorCode};
use crate::inventory::scope::{Rules, RulesError};
use crate::inventory::{found, remove, runs};
use broker::{Broker, Permission};

/// Time limit of an attempt, as a safeguard.
const DEADLINE: Duration = Duration::from_secs(15 * 60);
/// Time for the crawl, so that an attempt has two minutes for names and commits. 550 requests at the default rate take nine.
const CRAWL_TIME: Duration = Duration::from_secs(13 * 60);

/// Most queued runs of an organization: each of its applications, at most 1,000, has one, and all may be due after downtime.
const QUEUED: usize = 1_000;

/// Parses batches of replies: the sandbox, and something else in tests only.
#[async_trait]
pub trait ReplyReader: Send + Sync {
    /// The readings of a batch, as [`web::parse::decode_readings`] reads them.
    ///
    /// # Errors
    /// [`SandboxError`].
    async fn read(&self, batch: &[u8]) -> Result<Vec<u8>, SandboxError>;
}

#[async_trait]
impl ReplyReader for Sandbox {
    async fn read(&self, batch: &[u8]) -> Result<Vec<u8>, SandboxError> {
        self.run(&web::READ_REPLIES, batch).await
    }
}

/// Dependencies of a process that runs discoveries.
#[derive(Clone)]
pub struct Network {
    /// Sends requests.
    pub outbound: Arc<Outbound>,
    /// Opens the headers of applications.
    pub vault: Arc<Vault>,
    /// Parses replies.
    pub reader: Arc<dyn ReplyReader>,
}

/// Runs discoveries.
struct Discoverer {
    directory: Arc<Directory>,
    clock: SharedClock,
    network: Option<Network>,
    config: Config,
}

/// The kind of job. Without a network for a process that lists and queues jobs and runs none.
#[must_use]
pub fn kind(
    directory: Arc<Directory>,
    clock: SharedClock,
    network: Option<Network>,
    config: Config,
) -> JobKind {
    let handler = Discoverer { directory, clock, network, config };
    let kind = JobKind::new(runs::KIND, Class::Light, DEADLINE, Arc::new(handler));
    JobKind { queued: QUEUED, ..kind }
}

/// State of a crawl, as it is stored.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// Base64: rows are JSON.
    crawl: String,
}

fn ids_of(records: &Records, job: &Job) -> Result<Ids, serde_json::Error> {
    let application: ApplicationId = serde_json::from_value(job.payload.clone())?;
    Ok(Ids::new(records, job.organization, application))
}

#[async_trait]
impl Handler for Discoverer {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let Some(network) = &self.network else {
            return Err(Stop::Retry("this process runs no discoveries".to_owned()));
        };
        let ids = ids_of(run.records(), run.job()).map_err(|error| Stop::Fatal(error.to_string()))?;
        let application = self.directory.applications().get(ids.organization, ids.application).await;
        let Some(application) = application.map_err(|error| Stop::Retry(error.to_string()))? else {
            // Deleted after the run was requested.
            remove::remove_within_run(run.records(), &ids).await?;
            return Ok(());
        };
        if !runs::begin(run, &ids).await? {
            return Ok(());
        }
        let outcome = self.discover(run, network, (&ids, &application)).await;
        match outcome {
            Ok(coverage) => runs::end(run, &ids, Ok(coverage)).await,
            Err(Failure::Run(error)) => runs::end(run, &ids, Err(error)).await,
            // The next attempt goes on with the application as it is then, from the checkpoint if the URL is the same.
            Err(Failure::Changed) => {
                let now = run.clock().now();
                run.defer(now).await
            }
            Err(Failure::Stop(stop)) => Err(stop),
        }
    }

    async fn fail(
        &self,
        records: &Records,
        job: &Job,
        ending: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError> {
        let Ok(ids) = ids_of(records, job) else { return Ok(()) };
        runs::fail(records, &ids, (job, self.clock.now()), ending, draft).await
    }
}

/// Reason why there is no result.
pub(crate) enum Failure {
    /// The run has ended.
    Run(RunError),
    /// The attempt has.
    Stop(Stop),
    /// A user has changed or deleted the application: requests as before are not permitted any more.
    Changed,
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::Stop(error.into())
    }
}

impl From<SandboxError> for Failure {
    /// Only of errors in which the replies have no part.
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Start(_) | SandboxError::Missing(_) => {
                Self::Run(RunError { code: RunErrorCode::SandboxUnavailable, message: error.to_string() })
            }
            // Busy, or killed from outside: another attempt may succeed.
            _ => Self::Stop(Stop::Retry(error.to_string())),
        }
    }
}

impl Discoverer {
    async fn discover(
        &self,
        run: &mut Run,
        network: &Network,
        (ids, application): (&Ids, &Application),
    ) -> Result<Coverage, Failure> {
        let ends_at = Instant::now() + CRAWL_TIME;
        let chosen = runs::chosen(run.records(), ids).await?;
        let mut crawl = resume(run, crawl_config(application, &chosen)).await?;
        let broker = Broker::open(network, &self.config, (application, crawl.scope()), ends_at).await?;
        while Instant::now() < ends_at {
            let requests = crawl.next_batch();
            if requests.is_empty() {
                break;
            }
            let permission = self.permission(run.records(), (ids, application)).await?;
            crawl.absorb(broker.answer(&permission, &requests).await?);
            run.save(&Checkpoint { crawl: STANDARD_NO_PAD.encode(crawl.checkpoint()) }).await?;
        }
        let mut inventory = crawl.finish();
        let permission = self.permission(run.records(), (ids, application)).await?;
        let scope = permission.rules.scope();
        let (facts, counts) = names::examine(&broker, scope, &mut inventory, run.job().id).await?;
        let coverage = Coverage::of(&inventory.coverage, &counts);
        let found = found::assets(&inventory, &facts, (scope, ids));
        apply(run, (ids, &application.url), &found, coverage.complete).await?;
        Ok(coverage)
    }

    /// The requests that are permitted now: since the run began, a user may have changed the application, or excluded a host.
    async fn permission(
        &self,
        records: &Records,
        (ids, application): (&Ids, &Application),
    ) -> Result<Permission, Failure> {
        let now = self.directory.applications().get(ids.organization, ids.application).await;
        let now = now.map_err(|error| Stop::Retry(error.to_string()))?;
        if now.is_none_or(|now| !sends_the_same(&now, application)) {
            return Err(Failure::Changed);
        }
        let rules = Rules::read(records, ids, &application.url).await?;
        Ok(Permission { rules, ids: *ids })
    }
}

/// Whether the requests of two states of an application go to the same places, with the same headers and at the same rate.
fn sends_the_same(one: &Application, other: &Application) -> bool {
    let (red_team, others) = (&one.red_team, &other.red_team);
    one.url == other.url
        && red_team.headers == others.headers
        && red_team.request_throttle_rpm == others.request_throttle_rpm
}

fn crawl_config(application: &Application, chosen: &Chosen) -> CrawlConfig {
    CrawlConfig {
        url: application.url.clone(),
        included: chosen.included.iter().cloned().collect(),
        excluded: chosen.excluded.iter().cloned().collect(),
    }
}

fn invalid_url(error: &web::scope::ScopeError) -> Failure {
    Failure::Run(RunError { code: RunErrorCode::InvalidUrl, message: error.to_string() })
}

impl From<RulesError> for Failure {
    fn from(error: RulesError) -> Self {
        match error {
            RulesError::Scope(error) => invalid_url(&error),
            RulesError::Record(error) => error.into(),
        }
    }
}

/// The crawl of an earlier attempt, unless there is none or the scope has changed since.
async fn resume(run: &Run, config: CrawlConfig) -> Result<Crawl, Failure> {
    let stored = run.checkpoint::<Checkpoint>().await?;
    let state = stored.and_then(|stored| STANDARD_NO_PAD.decode(stored.crawl).ok());
    if let Some(crawl) = state.and_then(|state| Crawl::restore(config.clone(), &state).ok()) {
        return Ok(crawl);
    }
    Crawl::new(config).map_err(|error| invalid_url(&error))
}

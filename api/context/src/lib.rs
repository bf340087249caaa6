//! Context guardrails: content is scored before an agent reads it, as routes below `{base_url}`.
//!
//! The path of a scan: `routes` (body to content, within the memory of a turn) → [`Engine`] (content to outcomes of checks) → `score`
//! (outcomes to score, floor, confidence) → `record` (the result as it is stored) → `store` (rows in `LedgerId::Shared`) → `view` (the
//! verdict at the caller's tolerance).
//!
//! * **Explained.** Every check of an origin is reported once, with its outcome and reason; `weights.rs` is the one place with their
//!   weights. Equal content gives equal results.
//! * **Private.** Mails, messages and files are read in the process that received them: their bytes go into no row, job, log or
//!   temporary file. Stored threats have rule and location; only the reply to the POST has excerpts.
//! * **Fail closed.** A required check that was not possible, an unread part and a pending scan are never better than `caution`.

mod artifact;
mod background;
mod check;
mod config;
mod email;
mod engine;
mod file;
mod links;
mod message;
mod offline;
mod outbound_names;
mod pdf;
mod query;
mod record;
mod routes;
mod score;
mod store;
mod text;
mod view;
mod web_page;
pub mod weights;

use std::sync::Arc;
use std::time::Duration;

use ::redact::Redactor;
use ::threads::{Limits, Threads, ThreadsError};
use axum::Router;
use axum::routing::MethodRouter;
use futures_util::future::BoxFuture;
use jobs::Jobs;
use outbound::Outbound;
use rest::error::ApiError;
use rest::family::Family;
use rest::kit::Kit;
use rest::openapi::mounted;
use rest::turns::{self, Turns};
use sandbox::{Bounds, Sandbox};
use thiserror::Error;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

pub use artifact::{Confidence, Dimension, Floor, Origin, Severity, ThreatType, Tolerance, Verdict};
pub use check::{Check, CheckRecord, Outcome, OutcomeWord, Spec, Threat};
pub use config::Config;
pub use email::{Attachment, Authentication, MOST_MAIL_BYTES, Mail, Names, NoNames, authenticate};
pub use engine::{Engine, EngineError};
pub use links::{Brands, BuiltIn, Lookalike};
pub use message::Message;
pub use offline::{MAX_OFFLINE_BYTES, OfflineError, OfflineOrigin, Reading, scan_offline};
pub use outbound_names::OutboundNames;
pub use pdf::DocumentText;
pub use record::{Artifact, Subject};
pub use score::{Assessment, Coverage, Scored, Skipped, SubScores, score, verdict};
pub use web_page::{Network, Scanner, scan_kind};

use background::{Background, Runner};
use store::{Store, Writer};

/// Memory of all scans in KiB, half of it for one scan at most, and scans of one organization at a time.
const TURNS: turns::Limits =
    turns::Limits { units: 512 * 1024, of_organization: 8, patience: Duration::from_secs(5) };
/// Scans that wait for a thread, for each thread; at 2 ms a message the last one waits 0.1 s.
const WAITING_PER_THREAD: usize = 64;
/// PDFs that are read at once, each in 512 MiB at most, and scans that wait for one.
const SANDBOX: Bounds = Bounds { running: 2, waiting: 32 };
/// Time limit of the wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// Dependencies of the routes.
pub struct Dependencies {
    /// Stores, clock and limits.
    pub kit: Arc<Kit>,
    /// The model of guard.
    pub model: &'static [u8],
    /// Masks secrets in excerpts.
    pub redactor: Arc<Redactor>,
    /// Look-ups and downloads.
    pub outbound: Arc<Outbound>,
    /// Jobs, with the kind of [`scan_kind`] among them.
    pub jobs: Arc<Jobs>,
    /// Threads for the analysis, at least one.
    pub threads: usize,
}

/// The routes, ready to be served.
pub struct Routes {
    /// The routes, without a fallback: they stand beside the others of the family.
    pub router: Router,
    /// Writes results and deletes expired ones; runs while the routes are served.
    pub follow: BoxFuture<'static, ()>,
}

/// Reason why the routes cannot be served.
#[derive(Debug, Error)]
pub enum StartError {
    /// The engine cannot start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system has no thread left.
    #[error("no thread for context scans could be started")]
    Threads(#[from] std::io::Error),
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    engine: Arc<Engine>,
    store: Arc<Store>,
    threads: Threads<()>,
    turns: Turns,
    sandbox: Sandbox,
    outbound: Arc<Outbound>,
    network: Network,
    jobs: Arc<Jobs>,
    config: Config,
    background: Arc<Background>,
}

pub(crate) type Shared = Arc<App>;

impl App {
    /// Runs an analysis on a thread.
    async fn scan<T: Send + 'static>(
        &self,
        analysis: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let engine = Arc::clone(&self.engine);
        self.threads.run(move |()| analysis(&engine)).await.map_err(|error| match error {
            ThreadsError::Full { .. } | ThreadsError::Busy { .. } => ApiError::unavailable(error),
            ThreadsError::Broken => ApiError::internal(error),
        })
    }
}

/// Builds the routes.
///
/// # Errors
/// [`StartError`].
pub fn build(config: Config, family: &Arc<Family>, dependencies: Dependencies) -> Result<Routes, StartError> {
    let Dependencies { kit, model, redactor, outbound, jobs, threads } = dependencies;
    let network = Network::new(Arc::clone(&outbound), config.rdap_bootstrap_url.clone());
    let (store, writer) = Store::new(Arc::clone(&kit.ledger), Arc::clone(&kit.clock), kit.partitions);
    let engine = Arc::new(Engine::load(model, redactor, Arc::new(BuiltIn))?);
    let threads = threads.max(1);
    let limits = Limits { waiting: threads * WAITING_PER_THREAD, patience: PATIENCE };
    let threads = Threads::start("context scan", vec![(); threads], limits)?;
    let (background, runner) = Background::new();
    let app = App {
        kit,
        engine,
        store,
        threads,
        turns: Turns::new(TURNS),
        sandbox: Sandbox::new(SANDBOX),
        outbound,
        network,
        jobs,
        config,
        background: Arc::new(background),
    };
    let (router, _) = mounted(all_routes(|route| family.guard(route))).split_for_parts();
    Ok(Routes {
        router: family.serve(router).with_state(Arc::new(app)),
        follow: Box::pin(follow(writer, runner)),
    })
}

async fn follow(writer: Writer, runner: Runner) {
    futures_util::future::join(writer.run(), runner.run()).await;
}

/// The part of the interface description.
#[must_use]
pub fn openapi() -> OpenApi {
    mounted(all_routes(|route| route)).into_openapi()
}

fn all_routes(guard: impl Fn(MethodRouter<Shared>) -> MethodRouter<Shared>) -> OpenApiRouter<Shared> {
    OpenApiRouter::default()
        .routes(routes!(routes::scan_email).map(&guard))
        .routes(routes!(routes::scan_file).map(&guard))
        .routes(routes!(routes::scan_message).map(&guard))
        .routes(routes!(routes::show).map(&guard))
        .route("/context/{origin}/{identifier}/{*path}", guard(axum::routing::get(routes::show_below)))
}

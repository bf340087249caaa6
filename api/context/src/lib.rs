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
mod asking;
mod background;
mod check;
mod config;
mod content;
mod email;
mod engine;
mod file;
mod links;
mod lists;
mod message;
mod offline;
mod outbound_names;
mod package;
mod public_content;
mod query;
mod record;
mod repository;
mod routes;
mod scan_job;
mod scanner;
mod score;
mod store;
mod text;
mod view;
mod web_page;
pub mod weights;

use std::sync::Arc;
use std::time::Duration;

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
pub use content::Opened;
pub use documents::Mail;
pub use email::{Authentication, Names, NoNames, attached, authenticate};
pub use engine::{Engine, EngineError};
pub use lists::{Entry, Listing, Lists, ListsError, Named};
pub use lookalikes::Brands;
pub use message::Message;
pub use offline::{
    MAX_OFFLINE_BYTES, OfflineError, OfflineOrigin, Reading, scan_offline, scan_package_folder,
};
pub use outbound_names::OutboundNames;
pub use package::{read_package, sandbox_tasks};
pub use record::{Artifact, Subject};
pub use repository::{Repositories, read_repository, scan_repository_folder};
pub use scan_job::scan_kind;
pub use scanner::{PackageReader, Scanner, ScannerSettings};
pub use score::{Assessment, Coverage, Scored, Skipped, SubScores, score, verdict};
pub use web_page::Network;

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
    /// Checks, look-ups and readers.
    pub scanner: Scanner,
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
    /// The system has no thread left.
    #[error("no thread for context scans could be started")]
    Threads(#[from] std::io::Error),
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    scanner: Scanner,
    store: Arc<Store>,
    threads: Threads<()>,
    turns: Turns,
    sandbox: Sandbox,
    outbound: Arc<Outbound>,
    jobs: Arc<Jobs>,
    config: Config,
    background: Background,
}

pub(crate) type Shared = Arc<App>;

impl App {
    /// Runs an analysis on a thread.
    async fn scan<T: Send + 'static>(
        &self,
        analysis: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let engine = Arc::clone(&self.scanner.engine);
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
    let Dependencies { kit, scanner, outbound, jobs, threads } = dependencies;
    let (store, writer) = Store::new(Arc::clone(&kit.ledger), Arc::clone(&kit.clock), kit.partitions);
    let threads = threads.max(1);
    let limits = Limits { waiting: threads * WAITING_PER_THREAD, patience: PATIENCE };
    let threads = Threads::start("context scan", vec![(); threads], limits)?;
    let (background, runner) = Background::new();
    let app = App {
        kit,
        scanner,
        store,
        threads,
        turns: Turns::new(TURNS),
        sandbox: Sandbox::new(SANDBOX),
        outbound,
        jobs,
        config,
        background,
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
        .routes(routes!(routes::scan_mcp).map(&guard))
        .routes(routes!(routes::scan_message).map(&guard))
        .routes(routes!(routes::scan_package).map(&guard))
        .routes(routes!(routes::scan_skill).map(&guard))
        .routes(routes!(routes::show).map(&guard))
        .route("/context/{origin}/{identifier}/{*path}", guard(axum::routing::get(routes::show_below)))
}

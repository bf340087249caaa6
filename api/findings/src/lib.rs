//! Findings of an organization: weaknesses that reports, agent monitoring, advisories and other tools observed, with their
//! review.
//!
//! In the order of a finding's life: [`Findings::record`] merges observations by `identity` ([`merge`](Outcome): created, seen again,
//! recurred) and commits them with history and events, and `contribution` does so within a commit of another crate; `listed`, `filter` and `counts` answer lists from the index; `review`,
//! `triage` and `delete` change one finding; `import` takes the results of other tools. Handlers are in `routes`, replies in
//! `views`.
//!
//! * **Identity.** No two open findings have the same identity. A finding that was fixed, or deleted, and is observed again
//!   begins a new episode with a new id.
//! * **Triage belongs to users.** An observation renews location, evidence and risk, and never changes status, resolution,
//!   assignee or order.
//! * **Events** are written by the commit that makes their change, under an id that follows from finding, kind and version.

mod config;
mod contribution;
mod counts;
mod delete;
mod detail;
mod distinct;
mod error;
mod events;
mod filter;
mod finding;
mod history;
mod identity;
mod import;
mod listed;
mod measure;
mod merge;
mod numbers;
mod openapi;
mod recorder;
mod review;
mod routes;
mod schema;
mod target;
mod triage;
mod views;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use futures_util::future::BoxFuture;
use index::Index;
use jobs::Jobs;
use records::Records;
use redact::Redactor;
use rest::family::Family;
use rest::kit::Kit;
use utoipa::openapi::OpenApi;

use import::Importer;

pub use config::Config;
pub use contribution::{Contribution, MAX_EVIDENCE, Merging, Prior};
pub use detail::{FindingDetail, Patch, TriageResult, Verification};
pub use error::FindingError;
pub use finding::{Finding, FindingKind, FindingSource};
pub use history::{ChangeKind, HistoryEntry};
pub use identity::Identity;
pub use merge::{Outcome, Run};
pub use recorder::{Findings, Recorded};
pub use target::Target;
pub use triage::{Billing, kind as triage_kind};

/// Dependencies of the routes.
pub struct Dependencies {
    /// Stores, clock and limits.
    pub kit: Arc<Kit>,
    /// Conventions of the organization API.
    pub family: Arc<Family>,
    /// Jobs, with the kind of [`triage_kind`] among them.
    pub jobs: Arc<Jobs>,
    /// Masks secrets in imported results.
    pub redactor: Arc<Redactor>,
}

/// The routes, ready to be served.
pub struct Routes {
    /// Answers below `/api/v1/findings`, and the unversioned path of one finding. Without a fallback.
    pub router: Router,
    /// The findings, whose changes the lists of this process show at once.
    pub findings: Arc<Findings>,
    /// Keeps lists fresh; runs while the routes are served.
    pub follow: BoxFuture<'static, ()>,
}

/// State of the handlers.
pub(crate) struct App {
    pub(crate) kit: Arc<Kit>,
    pub(crate) findings: Arc<Findings>,
    pub(crate) index: Arc<Index<Finding>>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) billing: Billing,
    pub(crate) importer: Importer,
}

pub(crate) type Shared = Arc<App>;

/// Builds the routes.
///
/// # Errors
/// When the system has no thread left for imports.
pub fn build(config: &Config, dependencies: Dependencies) -> std::io::Result<Routes> {
    let Dependencies { kit, family, jobs, redactor } = dependencies;
    measure::describe();
    let limits = config.index.limits();
    let index = Arc::new(Index::new(Arc::clone(&kit.ledger), Arc::clone(&kit.clock), kit.partitions, limits));
    let records: Arc<Records> = Arc::clone(jobs.records());
    let mut findings = Findings::new(Arc::clone(&kit.ledger), records, kit.base_url.clone());
    findings.index = Some(Arc::clone(&index));
    let findings = Arc::new(findings);
    let billing = Billing { credits: kit.credits.clone(), price: config.triage_price };
    // The unversioned path takes the key in this header as well (specification, Authentication).
    let legacy = family.with_key_headers(&["x-api-key"]);
    let importer = Importer::start(redactor)?;
    let app = Arc::new(App {
        kit,
        findings: Arc::clone(&findings),
        index: Arc::clone(&index),
        jobs,
        billing,
        importer,
    });
    let (routes, _) = openapi::mount(|route| family.guard(route)).split_for_parts();
    let unversioned = Router::new().route(routes::LEGACY_PATH, legacy.guard(routes::legacy()));
    let router = family.serve(routes).merge(legacy.serve(unversioned)).with_state(app);
    Ok(Routes { router, findings, follow: Box::pin(index.follow()) })
}

/// The part of the interface description.
#[must_use]
pub fn openapi() -> OpenApi {
    openapi::mount(|route| route).into_openapi()
}

//! Guard, redact and verify as routes below `{app_url}`.
//!
//! The way of a request: the crate `rest` (key, scope, organization, balance, request rate) → `intake` (body to properties, within
//! the memory of `room`) → `inputs` (of guard and redact: a PDF is read, a URL fetched) → `work` (the analysis, on threads of its own) → `envelope`.
//!
//! * **Nothing is kept.** Inputs are neither stored nor logged; of a request only counts remain.
//! * **Bounds.** Sizes in `intake`, memory over all requests in `room`, threads and queue in `work`.
//! * **Errors.** `{"error": "message"}`; all messages of the family stand in `errors`.

mod charge;
mod config;
mod engines;
mod envelope;
mod errors;
mod fetch;
mod guard;
mod inputs;
mod intake;
mod measure;
mod offline;
mod openapi;
mod redact;
mod room;
mod verify;
mod work;

use std::sync::Arc;

use ::conceal::LoadError;
use ::guard::GuardError;
use ::redact::Redactor;
use ::verify::VerifyError;
use axum::Router;
use axum::routing::MethodRouter;
use documents::WriteError;
use outbound::Outbound;
use rest::admission::Admission;
use rest::error::Shape;
use rest::family::{Conventions, Family};
use rest::kit::Kit;
use rest::scope::{GuardUse, Scope};
use sandbox::{Bounds, Sandbox};
use thiserror::Error;
use tokens::VocabularyError;
use utoipa::openapi::OpenApi;

pub use config::Config;
pub use offline::{MAX_OFFLINE_BYTES, Offline, OfflineError, Redact, Redacted};

use engines::Engines;
use room::Room;
use work::Work;

/// Headers that carry an API key beside `Authorization` (contracts: second auth header).
const KEY_HEADERS: [&str; 3] = ["x-superagent-api-key", "x-service-api-key", "x-api-key"];

/// The built-in model of guard, for other users of the crate `guard`.
pub const GUARD_MODEL: &[u8] = engines::models::GUARD;

/// Documents that are read at once, each in 512 MiB at most, and requests that wait for one: at 50 ms a document the last one
/// waits 0.4 s.
const SANDBOX: Bounds = Bounds { running: 2, waiting: 16 };

/// Dependencies of the routes.
pub struct Dependencies {
    /// Stores, clock and limits.
    pub kit: Arc<Kit>,
    /// Fetches PDFs by URL.
    pub outbound: Arc<Outbound>,
    /// Masks secrets in the excerpts of reasons.
    pub redactor: Arc<Redactor>,
    /// Threads for the analysis, at least one.
    pub threads: usize,
}

/// Reason why the routes cannot be served.
#[derive(Debug, Error)]
pub enum StartError {
    /// The built-in model of guard is damaged.
    #[error("the model of guard cannot be used")]
    Guard(#[from] GuardError),
    /// The built-in model of names is damaged.
    #[error("the model of redact cannot be used")]
    Redact(#[from] LoadError),
    /// The built-in model of verify is damaged.
    #[error("the model of verify cannot be used")]
    Verify(#[from] VerifyError),
    /// The built-in vocabulary is damaged.
    #[error("the vocabulary of token counts cannot be used")]
    Vocabulary(#[from] VocabularyError),
    /// The built-in font of PDFs is damaged.
    #[error("the font of PDFs cannot be used")]
    Font(#[from] WriteError),
    /// The system has no thread left.
    #[error("no thread for the analysis of texts could be started")]
    Threads(#[from] std::io::Error),
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    outbound: Arc<Outbound>,
    engines: Engines,
    sandbox: Sandbox,
    price: u64,
    room: Room,
    work: Work,
}

pub(crate) type Shared = Arc<App>;

/// The state of the handlers, and the conventions around them.
struct Service {
    app: Shared,
    family: Arc<Family>,
    admission: Admission,
}

impl Service {
    fn start(config: &Config, dependencies: Dependencies) -> Result<Self, StartError> {
        let Dependencies { kit, outbound, redactor, threads } = dependencies;
        measure::describe();
        let conventions = Conventions {
            shape: Shape::Message(errors::FAILURES),
            key_headers: &KEY_HEADERS,
            rate: config.rate(),
        };
        let family = Family::new(Arc::clone(&kit), conventions);
        let admission = Admission { scope: GuardUse::NAME, price: config.price };
        let app = App {
            kit,
            outbound,
            engines: Engines::load(redactor)?,
            sandbox: Sandbox::new(SANDBOX),
            price: config.price,
            room: Room::new(),
            work: Work::start(threads)?,
        };
        Ok(Self { app: Arc::new(app), family, admission })
    }

    fn admit(&self, route: MethodRouter<Shared>) -> MethodRouter<Shared> {
        self.family.admit(route, self.admission)
    }

    /// All routes of the family.
    fn routes(&self) -> Router {
        let (routes, _) = openapi::routes(|route| self.admit(route)).split_for_parts();
        self.serve(routes)
    }

    fn serve(&self, routes: Router<Shared>) -> Router {
        self.family.serve(routes).with_state(Shared::clone(&self.app))
    }
}

/// The routes, without a fallback: they stand beside those of the organization API.
///
/// # Errors
/// [`StartError`].
pub fn build(config: &Config, dependencies: Dependencies) -> Result<Router, StartError> {
    Service::start(config, dependencies).map(|service| service.routes())
}

/// Parts of a form, for fuzzing.
#[cfg(feature = "unserved")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormParts {
    /// The text.
    pub text: Option<String>,
    /// Bytes of a PDF.
    pub file: Option<Vec<u8>>,
    /// URL of a PDF.
    pub url: Option<String>,
    /// Types to remove.
    pub entities: Option<Vec<String>>,
}

/// Reads a form of redact with the checks of the endpoint, for fuzzing.
///
/// # Errors
/// The message of the refusal.
#[cfg(feature = "unserved")]
pub fn read_form(body: bytes::Bytes, boundary: &str) -> Result<FormParts, String> {
    intake::read_whole(body, boundary)
}

/// The part of the interface description.
#[must_use]
pub fn openapi() -> OpenApi {
    openapi::routes(|route| route).into_openapi()
}

#[cfg(test)]
mod tests;

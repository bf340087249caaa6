//! Guard, redact and verify as routes below `{app_url}`.
//!
//! The way of a request: the crate `rest` (key, scope, organization, balance, request rate) → `intake` (body to properties, within
//! the memory of `room`) → `inputs` (a PDF is read, a URL fetched) → `work` (the analysis, on threads of its own) → `envelope`.
//!
//! * **Nothing is kept.** Inputs are neither stored nor logged; of a request only counts remain.
//! * **Bounds.** Sizes in `intake`, memory over all requests in `room`, threads and queue in `work`.
//! * **Errors.** `{"error": "message"}`; all messages of the family stand in `errors`.

mod config;
mod envelope;
mod errors;
mod fetch;
mod guard;
mod inputs;
mod intake;
mod measure;
mod openapi;
mod room;
mod work;

use std::sync::Arc;

use ::guard::{Guard, GuardError};
use axum::Router;
use common::ids::OrganizationId;
use outbound::Outbound;
use redact::Redactor;
use sandbox::{Bounds, Sandbox};
use rest::admission::Admission;
use rest::error::{ApiError, Shape};
use rest::family::{Conventions, Family};
use rest::kit::Kit;
use rest::scope::{GuardUse, Scope};
use thiserror::Error;
use tokens::{Tokenizer, VocabularyError};
use utoipa::openapi::OpenApi;
use uuid::Uuid;

pub use config::Config;

use room::Room;
use work::Work;

/// Headers that carry an API key beside `Authorization` (contracts: second auth header).
const KEY_HEADERS: [&str; 3] = ["x-superagent-api-key", "x-service-api-key", "x-api-key"];

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
    /// The built-in vocabulary is damaged.
    #[error("the vocabulary of token counts cannot be used")]
    Vocabulary(#[from] VocabularyError),
    /// The system has no thread left.
    #[error("no thread for the analysis of texts could be started")]
    Threads(#[from] std::io::Error),
}

/// State of the handlers.
pub(crate) struct App {
    kit: Arc<Kit>,
    outbound: Arc<Outbound>,
    redactor: Arc<Redactor>,
    guard: Guard<'static>,
    tokenizer: Tokenizer,
    sandbox: Sandbox,
    price: u64,
    room: Room,
    work: Work,
}

pub(crate) type Shared = Arc<App>;

impl App {
    /// Charges a request once, or returns its reservation.
    async fn settle(&self, organization: OrganizationId, id: Uuid, price: u64) -> Result<(), ApiError> {
        if self.price == 0 {
            return Ok(());
        }
        Ok(self.kit.credits.settle(organization, id, price).await?)
    }
}

/// The routes, without a fallback: they stand beside those of the organization API.
///
/// # Errors
/// [`StartError`].
pub fn build(config: &Config, dependencies: Dependencies) -> Result<Router, StartError> {
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
        redactor,
        guard: Guard::load(models::GUARD)?,
        tokenizer: Tokenizer::load()?,
        sandbox: Sandbox::new(SANDBOX),
        price: config.price,
        room: Room::new(),
        work: Work::start(threads)?,
    };
    let (routes, _) = openapi::routes(|route| family.admit(route, admission)).split_for_parts();
    Ok(family.serve(routes).with_state(Arc::new(app)))
}

/// The part of the interface description.
#[must_use]
pub fn openapi() -> OpenApi {
    openapi::routes(|route| route).into_openapi()
}

/// Names and versions of the built-in models.
///
/// # Errors
/// [`StartError::Guard`].
pub fn models() -> Result<Vec<String>, StartError> {
    Ok(vec![Guard::load(models::GUARD)?.name().to_owned()])
}

/// Model files that are embedded.
mod models {
    /// Weights of guard.
    pub(crate) const GUARD: &[u8] = include_bytes!("../../../models/guard.plm");
}

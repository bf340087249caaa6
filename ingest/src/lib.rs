//! HTTP in, durable log out: the path of a batch from the socket to its acknowledgement.
//!
//! The modules are in the order of a request's path. [`handle`](Ingest::handle) passes it through all of them: the *request*'s
//! head is read, its key and source are *authorized*, its bytes are *admitted*, *received*, and *prepared*: inflated, its
//! *digest* taken, *validated* into one OTLP batch and *sanitized* in place; then *appended* to the durable log, and the
//! outcome is *responded*. Each stage returns an error of its own; only `respond` maps it to a status. Listening and TLS are
//! `process::listen`'s, processing after the log is the analyzer's.

mod config;
mod handle;

mod request;

mod authorize;

mod admit;

mod receive;

mod prepare;

mod digest;

pub mod limits;
pub mod validate;

pub mod sanitize;

mod events;

mod append;

mod refusal;
mod respond;

mod measure;

mod count;

pub use admit::AdmissionConfig;
pub use config::IngestConfig;
pub use digest::{DIGEST_PURPOSE, IDEMPOTENCY_PURPOSE};
pub use events::Events;
pub use handle::{Dependencies, Ingest, Random};
pub use measure::describe as describe_metrics;
pub use prepare::BuildError;
pub use receive::{InflateError, PaceConfig, inflate};

//! Trains the models of the product. The same data and the same seed give the same bytes: one thread for each model, no
//! clock, no hash maps whose order shows, and a generator of our own (`seeded.rs`).
//!
//! - `trainer.rs`: the models that can be trained; a new one is a row there and a subcommand in `main.rs`.
//! - `data.rs`: files of training data, with their digests.
//! - `seeded.rs`: reproducible randomness.
//! - `corpus.rs`: texts as hashed features.
//! - `logistic.rs`: corpus to weights.
//! - `guard.rs`: the model of the guard.
//! - `payload.rs`: the model of payloads.
//! - `pretext.rs`: the model of pretexts.
//! - `names.rs`: the model of names.
//! - `redact.rs`: the report on redaction as a whole.
//! - `verify.rs`: the model of claims and their evidence.

pub mod corpus;
pub mod data;
pub mod guard;
pub mod logistic;
pub mod names;
pub mod payload;
pub mod pretext;
pub mod redact;
pub mod seeded;
pub mod trainer;
pub mod verify;

use std::io;
use std::path::PathBuf;

/// Reasons for which a model is not trained.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Reason of the system.
        source: io::Error,
    },
    /// A line of a data file has another form than the trainer reads.
    #[error("{path}, line {line}: {source}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Reason of the JSON reader.
        source: serde_json::Error,
    },
    /// A line of the texts that the trainer contains has another form.
    #[error("a written text cannot be read: {0}")]
    Written(#[source] serde_json::Error),
    /// The report cannot be printed.
    #[error("the report cannot be printed: {0}")]
    Print(#[from] io::Error),
    /// The weights cannot be written as a model.
    #[error(transparent)]
    Write(#[from] linear_model::WriteError),
    /// The model that was written is refused by its reader.
    #[error(transparent)]
    Model(#[from] linear_model::ModelError),
    /// The reader of the guard cannot be built.
    #[error(transparent)]
    Guard(#[from] ::guard::GuardError),
    /// The model of payloads that was written is refused by its reader.
    #[error(transparent)]
    Payload(#[from] ::payload::PayloadError),
    /// The reader of pretexts cannot be built.
    #[error(transparent)]
    Pretext(#[from] ::pretext::PretextError),
    /// The model of names that was written is refused by its reader.
    #[error(transparent)]
    Names(#[from] redact_names::NameError),
    /// The search for personal data cannot be prepared.
    #[error(transparent)]
    Redact(#[from] conceal::LoadError),
    /// A text of the report is too large to be redacted.
    #[error(transparent)]
    Text(#[from] conceal::ConcealError),
    /// A thread that trained without one project ended early.
    #[error("the model without one of the projects was not trained: its thread ended early")]
    Fold,
    /// There is no model of a name.
    #[error("there is no model {found}, expected one of {expected}")]
    Unknown {
        /// The name.
        found: String,
        /// Names of all models.
        expected: String,
    },
    /// A model of the product differs from what its data gives.
    #[error("{0} differs from the model that its data and seed give")]
    Differs(PathBuf),
}

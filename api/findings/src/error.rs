//! Failures of findings.

use common::ids::RecordId;
use common::row::BodyError;
use credits::CreditsError;
use directory::DirectoryError;
use jobs::EnqueueError;
use ledger::LedgerError;
use records::RecordError;
use rest::error::ApiError;
use thiserror::Error;

/// Reason why a change of findings failed.
#[derive(Debug, Error)]
pub enum FindingError {
    /// A record cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The organization's ledger cannot be read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A row cannot be written as JSON.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// An event cannot be written as JSON.
    #[error("the event of a finding cannot be encoded")]
    Event(#[from] serde_json::Error),
    /// A setting cannot be read.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// Credits cannot be reserved or settled.
    #[error(transparent)]
    Credits(#[from] CreditsError),
    /// The job of a triage cannot be queued.
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
    /// There is no such finding in the organization.
    #[error("finding not found")]
    NotFound,
    /// The change is not valid.
    #[error("{0}")]
    Invalid(&'static str),
    /// The state of the finding does not allow the change.
    #[error("{0}")]
    State(&'static str),
    /// Its weakness has a later finding.
    #[error("expected the latest finding of its weakness, found an earlier one; the latest is {}", shown(.by.as_ref()))]
    Superseded {
        /// The later finding; `None` after its deletion.
        by: Option<RecordId>,
    },
    /// The finding was changed since the caller read it.
    #[error("expected the entity tag in If-Match to be \"{found}\", the current version of the finding")]
    Stale {
        /// Current version.
        found: u64,
    },
}

fn shown(finding: Option<&RecordId>) -> String {
    finding.map_or_else(|| "deleted".to_owned(), RecordId::to_string)
}

impl From<FindingError> for ApiError {
    fn from(error: FindingError) -> Self {
        match error {
            FindingError::Record(error) => error.into(),
            FindingError::Ledger(error) => error.into(),
            FindingError::Body(error) => error.into(),
            FindingError::Directory(error) => error.into(),
            FindingError::Credits(error) => error.into(),
            FindingError::Enqueue(error) => error.into(),
            FindingError::Event(_) => Self::internal(error),
            FindingError::NotFound => Self::NotFound("finding"),
            FindingError::Invalid(message) => Self::Invalid(message.into()),
            FindingError::State(message) => Self::Conflict(message.into()),
            FindingError::Superseded { .. } => Self::Conflict(error.to_string().into()),
            FindingError::Stale { .. } => Self::PreconditionFailed(error.to_string().into()),
        }
    }
}

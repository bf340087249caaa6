//! Errors of the crates that know no HTTP, as errors of the API.

use common::row::BodyError;
use credits::CreditsError;
use directory::{AuthenticateError, DirectoryError, SealError};
use jobs::EnqueueError;
use ledger::LedgerError;
use records::RecordError;
use secrets::SecretsError;

use super::ApiError;

/// Seconds after which a client should try again when its organization has too many unfinished jobs: jobs take minutes.
const JOB_RETRY_SECONDS: u64 = 60;

impl From<LedgerError> for ApiError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Unavailable { .. } => Self::unavailable(error),
            LedgerError::TooLarge { .. } | LedgerError::NotAllowed { .. } | LedgerError::Damaged { .. } => {
                Self::internal(error)
            }
        }
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        Self::internal(error)
    }
}

impl From<AuthenticateError> for ApiError {
    fn from(error: AuthenticateError) -> Self {
        match error {
            AuthenticateError::Unknown => Self::Unauthorized { presented: true },
            other => Self::unavailable(other),
        }
    }
}

impl From<CreditsError> for ApiError {
    fn from(error: CreditsError) -> Self {
        match error {
            CreditsError::Exhausted { .. } => Self::PaymentRequired(error.to_string().into()),
            CreditsError::Conflict => Self::unavailable(error),
            CreditsError::Ledger(error) => error.into(),
            CreditsError::Body(error) => error.into(),
        }
    }
}

impl From<DirectoryError> for ApiError {
    fn from(error: DirectoryError) -> Self {
        match error {
            DirectoryError::Invalid { .. } => Self::Invalid(error.to_string().into()),
            DirectoryError::NotFound => Self::NotFound("resource"),
            DirectoryError::Forbidden { reason } => Self::Forbidden(reason.into()),
            DirectoryError::KeyNotLive => Self::Unauthorized { presented: true },
            DirectoryError::Full { .. }
            | DirectoryError::Taken { .. }
            | DirectoryError::TooMuchYaml { .. }
            | DirectoryError::Rotated => Self::Conflict(error.to_string().into()),
            DirectoryError::Conflict | DirectoryError::Changed => Self::unavailable(error),
            DirectoryError::Unavailable(error) => error.into(),
            DirectoryError::Corrupt(error) => error.into(),
        }
    }
}

impl From<SealError> for ApiError {
    fn from(error: SealError) -> Self {
        match error {
            SealError::Invalid { .. } => Self::Invalid(error.to_string().into()),
            SealError::Secrets(error) => error.into(),
        }
    }
}

impl From<SecretsError> for ApiError {
    fn from(error: SecretsError) -> Self {
        match error {
            SecretsError::Ledger(error) => error.into(),
            SecretsError::Contended => Self::unavailable(error),
            other => Self::internal(other),
        }
    }
}

impl From<RecordError> for ApiError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Ledger(error) => error.into(),
            RecordError::Body(error) => error.into(),
            RecordError::Conflict | RecordError::OutcomeUnknown => Self::unavailable(error),
            RecordError::TooLarge { .. }
            | RecordError::NoShard { .. }
            | RecordError::WrongLedger
            | RecordError::WrongOrganization
            | RecordError::NoOutbox => Self::internal(error),
        }
    }
}

impl From<EnqueueError> for ApiError {
    fn from(error: EnqueueError) -> Self {
        match error {
            EnqueueError::Busy { .. } => Self::Conflict(error.to_string().into()),
            EnqueueError::Full { .. } => Self::RateLimited {
                message: "the organization has too many unfinished jobs of this kind",
                retry_seconds: JOB_RETRY_SECONDS,
            },
            EnqueueError::TooLarge { .. } | EnqueueError::UnknownKind(_) => Self::internal(error),
            EnqueueError::Record(error) => error.into(),
        }
    }
}

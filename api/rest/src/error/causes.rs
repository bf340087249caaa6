//! Errors of the crates that know no HTTP, as errors of the API.

use common::row::BodyError;
use credits::CreditsError;
use directory::{AuthenticateError, DirectoryError};
use ledger::LedgerError;

use super::ApiError;

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
            DirectoryError::Full { .. } | DirectoryError::TooMuchYaml { .. } | DirectoryError::Rotated => {
                Self::Conflict(error.to_string().into())
            }
            DirectoryError::Conflict | DirectoryError::Changed => Self::unavailable(error),
            DirectoryError::Unavailable(error) => error.into(),
            DirectoryError::Corrupt(error) => error.into(),
        }
    }
}

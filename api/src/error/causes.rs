//! Which errors of other modules and crates become which errors of the API.

use common::row::BodyError;
use credits::CreditsError;
use deliver::{DeliveryLogError, LookupRefusal, TargetError};
use directory::{AuthenticateError, DirectoryError};
use ledger::LedgerError;
use secrets::SecretsError;

use super::{ApiError, RETRY_SECONDS};
use crate::idempotency::IdempotencyError;
use crate::incidents::{ReadError, ReviewError};
use crate::index::IndexError;
use crate::query::QueryError;

/// Seconds after which a client should try again what would have looked up one host name too many: most look-ups take
/// far less, none takes longer than `outbound.resolve_timeout_ms`.
const LOOKUP_RETRY_SECONDS: u64 = 1;

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        Self::Invalid(error.to_string().into())
    }
}

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

impl From<statistics::ReadError> for ApiError {
    fn from(error: statistics::ReadError) -> Self {
        match error {
            statistics::ReadError::Ledger(error) => error.into(),
            statistics::ReadError::Body(error) => error.into(),
            statistics::ReadError::Contended => Self::unavailable(error),
        }
    }
}

impl From<AuthenticateError> for ApiError {
    fn from(error: AuthenticateError) -> Self {
        match error {
            AuthenticateError::Unknown => Self::Unauthorized,
            other => Self::unavailable(other),
        }
    }
}

impl From<IndexError> for ApiError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Ledger(error) => error.into(),
            IndexError::Directory(error) => error.into(),
            IndexError::StillLoading => Self::unavailable(error),
        }
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotFound => Self::NotFound("incident"),
            ReadError::Ledger(error) => error.into(),
            ReadError::Directory(error) => error.into(),
            ReadError::Body { .. } | ReadError::NoDetail { .. } | ReadError::Misplaced { .. } => {
                Self::internal(error)
            }
        }
    }
}

impl From<ReviewError> for ApiError {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Read(error) => error.into(),
            ReviewError::Ledger(error) => error.into(),
            ReviewError::Directory(error) => error.into(),
            ReviewError::Body(error) => error.into(),
            ReviewError::Event(_) => Self::internal(error),
            ReviewError::Stale { .. } => Self::Conflict(error.to_string().into()),
            ReviewError::Busy | ReviewError::OutcomeUnknown => Self::unavailable(error),
        }
    }
}

impl From<IdempotencyError> for ApiError {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::Malformed | IdempotencyError::OtherRequest => {
                Self::Invalid(error.to_string().into())
            }
            IdempotencyError::StillRunning => Self::Conflict(error.to_string().into()),
            IdempotencyError::TooManyRunning => Self::RateLimited {
                message: "too many requests with an Idempotency-Key are running",
                retry_seconds: RETRY_SECONDS,
            },
            IdempotencyError::Ledger(error) => error.into(),
            IdempotencyError::Body(error) => error.into(),
            IdempotencyError::Busy => Self::unavailable(error),
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
            DirectoryError::KeyNotLive => Self::Unauthorized,
            DirectoryError::Full { .. } | DirectoryError::TooMuchYaml { .. } | DirectoryError::Rotated => {
                Self::Conflict(error.to_string().into())
            }
            DirectoryError::Conflict | DirectoryError::Changed => Self::unavailable(error),
            DirectoryError::Unavailable(error) => error.into(),
            DirectoryError::Corrupt(error) => error.into(),
        }
    }
}

impl From<TargetError> for ApiError {
    fn from(error: TargetError) -> Self {
        match error {
            TargetError::Invalid { .. } => Self::Invalid(error.to_string().into()),
            TargetError::NotFound(what) => Self::NotFound(what),
            TargetError::Directory(error) => error.into(),
            TargetError::Lookups(LookupRefusal::Organization) => Self::RateLimited {
                message: "too many host names of this organization are being resolved",
                retry_seconds: LOOKUP_RETRY_SECONDS,
            },
            TargetError::Lookups(refusal @ LookupRefusal::Process) => Self::unavailable(refusal),
            TargetError::Secrets(SecretsError::Ledger(error)) => error.into(),
            TargetError::Secrets(_) | TargetError::Envelope(_) => Self::internal(error),
        }
    }
}

impl From<DeliveryLogError> for ApiError {
    fn from(error: DeliveryLogError) -> Self {
        match error {
            DeliveryLogError::NotFound => Self::NotFound("webhook delivery"),
            DeliveryLogError::Conflict => Self::unavailable(error),
            DeliveryLogError::Unavailable(error) => error.into(),
            DeliveryLogError::Corrupt(error) => error.into(),
        }
    }
}

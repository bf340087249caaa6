//! Errors of receivers, deliveries and statistics, whose crates know no HTTP, as errors of the API.

use deliver::{DeliveryLogError, LookupRefusal, TargetError};
use rest::error::ApiError;

/// Seconds after which a client should try again when too many host names are being resolved: most look-ups take far less,
/// none takes longer than `outbound.resolve_timeout_ms`.
const LOOKUP_RETRY_SECONDS: u64 = 1;

/// A change or test of a receiver that failed.
pub(crate) fn receiver(error: TargetError) -> ApiError {
    match error {
        TargetError::Invalid { .. } => ApiError::Invalid(error.to_string().into()),
        TargetError::NotFound(what) => ApiError::NotFound(what),
        TargetError::Directory(error) => error.into(),
        TargetError::Lookups(LookupRefusal::Organization) => ApiError::RateLimited {
            message: "too many host names of this organization are being resolved",
            retry_seconds: LOOKUP_RETRY_SECONDS,
        },
        TargetError::Lookups(refusal @ LookupRefusal::Process) => ApiError::unavailable(refusal),
        TargetError::Secrets(error) => error.into(),
        TargetError::Envelope(_) => ApiError::internal(error),
    }
}

/// A reading or repetition of deliveries that failed.
pub(crate) fn delivery(error: DeliveryLogError) -> ApiError {
    match error {
        DeliveryLogError::NotFound => ApiError::NotFound("webhook delivery"),
        DeliveryLogError::Conflict => ApiError::unavailable(error),
        DeliveryLogError::Unavailable(error) => error.into(),
        DeliveryLogError::Corrupt(error) => error.into(),
    }
}

/// Statistics that cannot be read.
pub(crate) fn statistic(error: statistics::ReadError) -> ApiError {
    match error {
        statistics::ReadError::Ledger(error) => error.into(),
        statistics::ReadError::Body(error) => error.into(),
        statistics::ReadError::Contended => ApiError::unavailable(error),
    }
}

//! Reason why the directory refused or failed.

use common::row::BodyError;
use ledger::LedgerError;
use thiserror::Error;

/// Reason why the directory refused or failed.
#[derive(Debug, Error)]
pub enum DirectoryError {
    /// A value that was passed in is not allowed.
    #[error("{field}: {reason}")]
    Invalid {
        /// Name of the field, as in the API.
        field: &'static str,
        /// The requirement it violates.
        reason: String,
    },
    /// There is no such thing in this organization.
    #[error("not found")]
    NotFound,
    /// The API key on whose behalf it is done may not do it.
    #[error("{reason}")]
    Forbidden {
        /// Which limit of the API key it exceeds.
        reason: String,
    },
    /// The API key on whose behalf it is done is revoked or expired.
    #[error("the API key of the request is revoked or expired")]
    KeyNotLive,
    /// The API key was rotated before.
    #[error("the key was rotated before, rotate its successor")]
    Rotated,
    /// No more of these can be created.
    #[error("there are {limit} {things} already, which is the limit")]
    Full {
        /// Kind of the objects, in plural.
        things: &'static str,
        /// Most objects allowed.
        limit: usize,
    },
    /// Another resource of the organization has the value.
    #[error("{field}: another {resource} has it already")]
    Taken {
        /// Name of the field, as in the API.
        field: &'static str,
        /// Name of the resource.
        resource: &'static str,
    },
    /// No more YAML can be kept.
    #[error("the rules and suppressions would have {needed} bytes of YAML together, the limit is {limit}")]
    TooMuchYaml {
        /// Resulting amount.
        needed: usize,
        /// Largest amount allowed.
        limit: usize,
    },
    /// The rules or suppressions are not those that the change was decided on. Reading them again and
    /// deciding anew is safe.
    #[error("the rules or suppressions changed concurrently")]
    Changed,
    /// Others changed the same ledger again and again; nothing was decided. Trying again is safe.
    #[error("every attempt conflicted with another commit")]
    Conflict,
    /// The ledger did not do its part. A change may have taken effect.
    #[error(transparent)]
    Unavailable(#[from] LedgerError),
    /// A row that was read is not what it should be.
    #[error("a row of the directory cannot be read")]
    Corrupt(#[from] BodyError),
}

impl DirectoryError {
    /// Whether a row is damaged, so that reading it again does not help.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Unavailable(error) => error.is_damage(),
            Self::Corrupt(_) => true,
            _ => false,
        }
    }

    /// A value that is not allowed.
    pub(crate) fn invalid(field: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { field, reason: reason.into() }
    }
}

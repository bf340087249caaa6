//! Violations under chaos, each kind with its name.

use thiserror::Error;

use crate::chaos::input::SourceRef;
use crate::violations::Violates;

/// A violation.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum Violation {
    #[error("{what} was answered {status}, expected {expected} or 503 with Retry-After: {body}")]
    Answer { what: String, status: u16, expected: u16, body: String },
    #[error("{what} was refused with 503, without Retry-After")]
    Impolite { what: String },
    #[error(
        "{place}: {kind} {entity} should have one incident of family {family} with {expected} records, found {found:?}"
    )]
    Count {
        place: SourceRef,
        family: &'static str,
        kind: &'static str,
        entity: String,
        expected: u64,
        found: Vec<u64>,
    },
    #[error("{place}: what was sent last was not analysed within {seconds} s")]
    Stuck { place: SourceRef, seconds: u64 },
    #[error("{incident}: {field} is {found} under faults and {expected} without")]
    Different { incident: String, field: String, found: String, expected: String },
    #[error("{incident} is there under faults only")]
    Extra { incident: String },
    #[error("{incident} is there without faults only")]
    Missing { incident: String },
    #[error("{incident} is there more than once")]
    Doubled { incident: String },
    #[error("organization {organization}: {what}")]
    Tenant { organization: usize, what: String },
    #[error("{incident}: {what}")]
    Review { incident: String, what: String },
    #[error("{what}")]
    Contradiction { what: String },
    #[error("{what}")]
    Process { what: String },
    #[error("{what}")]
    Run { what: String },
}

impl Violates for Violation {
    fn kind(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "ANSWER",
            Self::Impolite { .. } => "IMPOLITE",
            Self::Count { .. } => "COUNT",
            Self::Stuck { .. } => "STUCK",
            Self::Different { .. } => "DIFFERENT",
            Self::Extra { .. } => "EXTRA",
            Self::Missing { .. } => "MISSING",
            Self::Doubled { .. } => "DOUBLED",
            Self::Tenant { .. } => "TENANT",
            Self::Review { .. } => "REVIEW",
            Self::Contradiction { .. } => "CONTRADICTION",
            Self::Process { .. } => "PROCESS",
            Self::Run { .. } => "RUN",
        }
    }
}

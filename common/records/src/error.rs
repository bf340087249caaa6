//! Reasons why a record was not read or changed.

use common::row::BodyError;
use ledger::LedgerError;
use thiserror::Error;

/// Reason why a record was not read or changed.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The ledger did not do its part.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A body cannot be read or written.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A body is larger than rows of its kind may be.
    #[error("the {row} has {found} bytes, expected at most {limit}")]
    TooLarge {
        /// Which part of the record.
        row: &'static str,
        /// Bytes of the body.
        found: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// A shard does not exist.
    #[error("expected a shard below {count}, found {found}")]
    NoShard {
        /// The shard.
        found: u16,
        /// Number of shards.
        count: u16,
    },
    /// The record does not belong to the ledger that the draft is for.
    #[error("the record belongs to another ledger")]
    WrongLedger,
    /// The event belongs to another organization than the record.
    #[error("the event belongs to another organization than the record")]
    WrongOrganization,
    /// Events are delivered from [`Home::Records`](crate::Home::Records) only.
    #[error("shared results have no events")]
    NoOutbox,
    /// Other commits came first in every attempt. Nothing was changed.
    #[error("every attempt conflicted with another commit")]
    Conflict,
    /// The ledger did not say, and could not be asked in time, whether the last commit took effect.
    #[error("it is unknown whether the change took effect")]
    OutcomeUnknown,
}

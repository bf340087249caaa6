//! Check that a log is the one that a partition's recorded progress is about. One that was made anew under the same name, or
//! that lost its end, looks intact and is not: batches accepted into it would never be analysed.

use std::time::Duration;

use common::partition::Partition;
use common::row::{FoldedBatch, Progress};
use durable_log::{DurableLog, FetchError};
use thiserror::Error;

/// The log is not the one that the ledger is about.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AnotherLog {
    /// The ledger has seen more than the log ever held.
    #[error("partition {partition}: the ledger is at offset {ledger}, the log ends at {log}")]
    Shorter {
        /// The partition.
        partition: u16,
        /// The offset the ledger names.
        ledger: u64,
        /// The last offset of the log.
        log: u64,
    },
    /// The log has another batch at the offset of the last folded one.
    #[error("partition {partition}: the log was replaced, offset {offset} holds another batch")]
    Replaced {
        /// The partition.
        partition: u16,
        /// Offset of the different batches.
        offset: u64,
    },
}

/// Reason why a log was not recognised.
#[derive(Debug, Error)]
pub enum RecogniseError {
    /// It is another one.
    #[error(transparent)]
    Another(#[from] AnotherLog),
    /// It could not be read.
    #[error(transparent)]
    Fetch(#[from] FetchError),
}

/// Compares the log with its record: not shorter, and with the same batch where the last one was folded, if it still has it.
///
/// # Errors
/// [`RecogniseError`].
pub async fn recognise(
    log: &dyn DurableLog,
    partition: Partition,
    progress: &Progress,
) -> Result<(), RecogniseError> {
    let (from, end) = (progress.position.offset, log.last_assigned(partition).await?);
    if from > end.next() {
        return Err(AnotherLog::Shorter { partition: partition.0, ledger: from.0, log: end.0 }.into());
    }
    let Some(last) = progress.last_batch else { return Ok(()) };
    let entries = match log.fetch(partition, last.offset, 1, Duration::ZERO).await {
        Ok(entries) => entries,
        // Forgotten since it was folded, as it should be sometime.
        Err(FetchError::Trimmed { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let found = entries.first().filter(|entry| entry.offset == last.offset);
    if found.is_some_and(|entry| FoldedBatch::new(entry.offset, &entry.batch.headers) != last) {
        return Err(AnotherLog::Replaced { partition: partition.0, offset: last.offset.0 }.into());
    }
    Ok(())
}

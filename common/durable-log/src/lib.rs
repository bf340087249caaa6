//! The durable log: accepted batches, in order, until they are analysed. The contract is defined
//! here; each implementation is a module, and all of them pass the one conformance suite.

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod disk;
pub mod embedded;
pub mod headers;
#[cfg(feature = "kafka")]
pub mod kafka;
pub mod kafka_config;
pub mod memory;
mod room;

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use common::batch::Batch;
use common::format::Formats;
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use thiserror::Error;

pub use self::room::{payload_buffer, payload_room};

/// Format versions of logs: manifest, segments and frames of the embedded log, headers of batches in both. The manifest
/// records the version, or the deployment where the log is in Kafka, and every batch carries it.
pub const FORMATS: Formats = Formats { oldest: 3, newest: 3 };

/// An ordered, durable, partitioned sequence of batches.
///
/// * Within a partition, offsets increase strictly in the order of acknowledgement; gaps may occur
///   (an implementation may number all partitions together). Offsets start at 1.
/// * [`append`](DurableLog::append) returns only once the batch is durable: written and synced, or
///   acknowledged by all in-sync replicas. Nothing is readable before it is durable.
/// * An append whose future is dropped may or may not take effect.
/// * [`release`](DurableLog::release) states that everything up to an offset has been analysed and may be deleted.
///   Unreleased batches are never deleted, whatever the bounds: when they are reached, appends are refused
///   instead. Only where another system deletes batches by age, that cannot be guaranteed: there appends are
///   refused at half of it ([`AppendError::Behind`]).
#[async_trait]
pub trait DurableLog: Send + Sync {
    /// Number of partitions; fixed for the life of the log.
    fn partitions(&self) -> u16;

    /// Appends one batch and returns its offset once it is durable.
    ///
    /// # Errors
    /// [`AppendError`]; each of them means that the sender should try again later.
    async fn append(&self, partition: Partition, batch: Batch) -> Result<Offset, AppendError>;

    /// Whether this partition takes appends as far as is known without a batch: checked before one is read
    /// in vain. Cheap enough to call per request. [`append`](DurableLog::append) decides.
    ///
    /// # Errors
    /// [`AppendError::Behind`], where another system deletes batches by age; no other.
    fn takes(&self, _partition: Partition) -> Result<(), AppendError> {
        Ok(())
    }

    /// Reads batches of a partition in order, from the first one at or after `from`. Returns as soon
    /// as there is at least one, at most about `max_bytes` of payload (one batch is always returned
    /// whole); returns an empty list when none has become durable within `max_wait`. Cancel-safe.
    ///
    /// # Errors
    /// [`FetchError::Trimmed`] when batches at or after `from` have been forgotten, which is an
    /// operational alarm, never a reason to jump.
    async fn fetch(
        &self,
        partition: Partition,
        from: Offset,
        max_bytes: usize,
        max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError>;

    /// Offset of the last durable batch of a partition, 0 when there is none.
    ///
    /// # Errors
    /// [`FetchError`] when the log cannot be queried.
    async fn end(&self, partition: Partition) -> Result<Offset, FetchError>;

    /// The highest offset that a batch of a partition can ever have had: offsets beyond it were never in
    /// this log. [`DurableLog::end`], unless the log numbers all partitions together and may have lost the
    /// end of one of them.
    ///
    /// # Errors
    /// [`FetchError`] when the log cannot be queried.
    async fn last_assigned(&self, partition: Partition) -> Result<Offset, FetchError> {
        self.end(partition).await
    }

    /// Acceptance time of the first batch at or after an offset, for each of these partitions; a partition without such
    /// a batch is left out. Where batches at the offset were deleted, the oldest that is kept counts; a damaged batch is
    /// skipped, because its acceptance time cannot be read. Reads one batch of each partition that has one.
    ///
    /// # Errors
    /// [`FetchError::Unavailable`] when the log cannot be queried, [`FetchError::NoSuchPartition`].
    async fn accepted_at(
        &self,
        from: &BTreeMap<Partition, Offset>,
    ) -> Result<BTreeMap<Partition, Timestamp>, FetchError> {
        let mut accepted = BTreeMap::new();
        for (partition, offset) in from {
            let mut from = *offset;
            for _ in 0..MOST_PASSED_OVER {
                if self.end(*partition).await? < from.max(Offset(1)) {
                    break;
                }
                match self.fetch(*partition, from, 1, Duration::ZERO).await {
                    Ok(entries) => {
                        let first = entries.first();
                        accepted.extend(first.map(|entry| (*partition, entry.batch.headers.received_at)));
                        break;
                    }
                    Err(FetchError::Trimmed { oldest, .. }) => from = Offset(oldest),
                    Err(FetchError::Corrupt { offset, .. }) => from = Offset(offset).next(),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(accepted)
    }

    /// Declares everything of a partition up to and including `through` analysed. Idempotent; going
    /// back has no effect. Best effort: its loss in a crash only keeps batches longer.
    fn release(&self, partition: Partition, through: Offset);

    /// Fill level of the log: for admission, health and metrics. Cheap enough to call per request.
    fn usage(&self) -> Usage;

    /// Stops accepting, makes waiting batches durable and answers them, then returns.
    async fn close(&self);
}

/// Most reads of one partition by [`DurableLog::accepted_at`]: damage rarely hits more than one segment's
/// neighbouring batches, and each of these reads may go to the disk.
const MOST_PASSED_OVER: usize = 16;

/// A batch as read from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its partition and offset.
    pub offset: Offset,
    /// The appended batch.
    pub batch: Batch,
}

/// Fill level of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Bytes held for durable batches that have not been released, with the space that cannot be
    /// freed apart from them.
    pub unreleased_bytes: u64,
    /// The bound on them and on queued bytes; an append that would exceed it is refused.
    pub capacity_bytes: u64,
    /// Batches that have not been released.
    pub unreleased_batches: u64,
    /// The bound on them; at it, appends are refused.
    pub capacity_batches: u64,
    /// Bytes waiting to become durable.
    pub queued_bytes: u64,
    /// The bound on them; at it, appends are refused.
    pub queue_capacity_bytes: u64,
    /// Whether the log accepts appends: false once poisoned or closed.
    pub writable: bool,
    /// Partitions that take no appends for now because analysis is too far behind there
    /// ([`AppendError::Behind`]); 0 where nothing is deleted by age.
    pub partitions_behind: u16,
    /// Whether the free disk space is below the minimum: then no appends are taken
    /// ([`AppendError::DiskLow`]). False where the log is on no local disk.
    pub disk_low: bool,
}

impl Usage {
    /// Whether a batch of this size fits among the unreleased bytes: a prediction of the log's own decision.
    #[must_use]
    pub fn has_room(&self, bytes: u64) -> bool {
        let used = self.unreleased_bytes.saturating_add(self.queued_bytes).saturating_add(bytes);
        used <= self.capacity_bytes && self.unreleased_batches < self.capacity_batches
    }
}

/// Reason why a batch was not appended.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AppendError {
    /// Too much waits to become durable. Certainly not appended.
    #[error("{queued} bytes are waiting to become durable, the limit is {capacity}")]
    QueueFull {
        /// Bytes waiting.
        queued: u64,
        /// The bound.
        capacity: u64,
    },
    /// Too much waits to be analysed, or the disk is nearly full; then `used` may be below the
    /// bound. Certainly not appended.
    #[error("the log is full: {used} of at most {capacity} are not yet analysed, or the disk is full")]
    Full {
        /// Bytes held, or number of batches if that has reached its bound.
        used: u64,
        /// The bound.
        capacity: u64,
    },
    /// The disk has less than the minimum of free space, whatever the cause. Certainly not appended.
    #[error("{free} bytes are free on the disk of the log, {floor} must stay free")]
    DiskLow {
        /// Bytes free.
        free: u64,
        /// The bound.
        floor: u64,
    },
    /// Batches of this partition have waited for analysis for more than half of the time the log keeps
    /// them: taking more would risk losing accepted batches. Other partitions may take it. Certainly
    /// not appended.
    #[error(
        "partition {partition} has batches that wait to be analysed for more than half of the {} hours \
         the log keeps them",
        kept.as_secs() / 3600
    )]
    Behind {
        /// The partition.
        partition: u16,
        /// Time that the log keeps a batch, analysed or not.
        kept: Duration,
    },
    /// A write or sync failed before: nothing is acknowledged until the log is reopened. This batch
    /// is certainly not appended.
    #[error("the log is poisoned: {cause}")]
    Poisoned {
        /// Operation that failed.
        cause: String,
    },
    /// Whether the batch became durable is not known: the write that contained it failed.
    #[error("the outcome of the append is unknown: {cause}")]
    Unknown {
        /// Description of the failure.
        cause: String,
    },
    /// The log is closing or closed.
    #[error("the log is closed")]
    Closed,
    /// Larger than any message may be.
    #[error("the batch has {found} bytes, the log takes at most {limit}")]
    TooLarge {
        /// Bytes of the batch.
        found: u64,
        /// The bound.
        limit: u64,
    },
    /// No such partition.
    #[error("partition {partition} does not exist, the log has {partitions}")]
    NoSuchPartition {
        /// The requested one.
        partition: u16,
        /// Number of partitions.
        partitions: u16,
    },
}

/// Reason why batches could not be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FetchError {
    /// The requested batches are no longer there.
    #[error("partition {partition}: offset {from} was asked for, the oldest kept is {oldest}")]
    Trimmed {
        /// The partition.
        partition: u16,
        /// The requested offset.
        from: u64,
        /// The oldest offset still kept.
        oldest: u64,
    },
    /// The checksum of a batch does not match.
    #[error("segment {segment} is corrupt at offset {offset}: {cause}")]
    Corrupt {
        /// Name of the segment.
        segment: String,
        /// Offset of the batch.
        offset: u64,
        /// Description of the damage.
        cause: String,
    },
    /// Reading failed; it may succeed later.
    #[error("the log could not be read: {cause}")]
    Unavailable {
        /// Description of the failure.
        cause: String,
    },
    /// No such partition.
    #[error("partition {partition} does not exist, the log has {partitions}")]
    NoSuchPartition {
        /// The requested one.
        partition: u16,
        /// Number of partitions.
        partitions: u16,
    },
}

//! Partitions: the unit of order in the durable log and of atomicity in the ledger.

use serde::{Deserialize, Serialize};

use crate::ids::SourceId;

/// One partition of the durable log. A source lies in exactly one, so that every detection scope
/// does too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Partition(pub u16);

impl Partition {
    /// The partition of a source among `count` of them (at least one). Stable for the life of a
    /// deployment: the last eight bytes of the id, random in every UUID version we make.
    #[must_use]
    pub fn of_source(source: SourceId, count: u16) -> Self {
        let bytes = source.as_bytes();
        let tail = bytes.iter().skip(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        let index = tail % u64::from(count.max(1));
        Self(u16::try_from(index).unwrap_or(0))
    }
}

/// One of the ledgers that hold records, or one of those that hold shared results: there are as many of each as partitions
/// of the log, and the shard of a number is delivered by the owner of the partition of that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shard(pub u16);

/// A place in a partition's log: the offset of a batch. Offsets increase strictly; gaps may occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Offset(pub u64);

impl Offset {
    /// The offset after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Position at which an analyzer continues: the next batch, and the first record in it not yet folded, so that a
/// large batch may take several commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Offset of the batch to read next.
    pub offset: Offset,
    /// Index of the first record in that batch that is still to be folded.
    pub record: u32,
}

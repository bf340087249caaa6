//! The delivery ledger of a partition as its owner writes it: fencing of earlier owners, batches of rows, and rows that
//! other writers added in between. The meaning of the rows lies elsewhere.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use common::partition::Partition;
use common::row::{BodyError, decode};
use ledger::{
    Changes, Commit, Kind, Ledger, LedgerError, LedgerId, MAX_COMMIT_BYTES, MAX_COMMIT_ROWS, Op, Seq,
};
use thiserror::Error;

use crate::rows::{CURSOR, Cursor, EventNumber, REDELIVERY, delete, put};

/// Times a commit is tried against other writers, who are people: each may come once.
const MOST_CONFLICTS: u32 = 100;
/// Times a commit is tried while the ledger is away, and the pause between two.
const MOST_TRIES: u32 = 20;
/// See [`MOST_TRIES`]: five seconds together, within which attempts that are under way end and wait.
const PAUSE: Duration = Duration::from_millis(250);
/// Kept free in every batch for the cursor.
const RESERVED_BYTES: usize = 4 * 1_024;

/// Rows that are to be written together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    ops: Vec<Op>,
    bytes: usize,
}

impl Batch {
    /// Whether these operations fit in with the others.
    pub(crate) fn has_room(&self, rows: usize, bytes: usize) -> bool {
        self.ops.len() + rows < MAX_COMMIT_ROWS && self.bytes + bytes + RESERVED_BYTES <= MAX_COMMIT_BYTES
    }

    pub(crate) fn push(&mut self, op: Op) {
        let (Op::Put { key, .. } | Op::Delete { key, .. }) = &op;
        self.bytes += key.len();
        if let Op::Put { body, .. } = &op {
            self.bytes += body.len();
        }
        self.ops.push(op);
    }
}

/// Delivery ledger of one partition, written under the epoch of its owner.
pub(crate) struct DeliveryJournal {
    ledger: Arc<dyn Ledger>,
    id: LedgerId,
    seq: Seq,
    pub(crate) cursor: Cursor,
    /// Positions of the outboxes at the last commit.
    read_through: Vec<String>,
    /// Rows of waiting deliveries that others have written and that are not read yet.
    written_by_others: Vec<Bytes>,
}

/// Failure after which the journal must be opened again.
#[derive(Debug, Error)]
pub(crate) enum JournalError {
    /// Somebody else has raised the epoch.
    #[error("the partition was taken over")]
    TakenOver,
    /// State in memory can no longer be trusted.
    #[error("the deliveries must be read again: {0}")]
    Reload(&'static str),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a row of the deliveries cannot be read")]
    Body(#[from] BodyError),
}

impl DeliveryJournal {
    /// Raises the owner epoch, so that an earlier owner of the partition cannot commit.
    pub(crate) async fn take_over(
        ledger: Arc<dyn Ledger>,
        partition: Partition,
    ) -> Result<Self, JournalError> {
        let id = LedgerId::Deliveries(partition);
        for _ in 0..MOST_CONFLICTS {
            let seq = ledger.seq(id).await?;
            let cursor = ledger.get(id, Kind::State, CURSOR).await?;
            let mut cursor: Cursor = cursor.map(|body| decode(&body)).transpose()?.unwrap_or_default();
            cursor.owner_epoch += 1;
            if let Some(body) = ledger.get(id, Kind::State, REDELIVERY).await? {
                let oldest: EventNumber = decode(&body)?;
                cursor.oldest_waiting = cursor.oldest_waiting.min(oldest);
            }
            let ops = vec![put(Kind::State, CURSOR, &cursor)?, delete(Kind::State, REDELIVERY)];
            match ledger.commit(id, seq, ops).await? {
                Commit::Done(seq) => {
                    let read_through = cursor.read_through();
                    return Ok(Self { ledger, id, seq, cursor, read_through, written_by_others: Vec::new() });
                }
                Commit::Conflict(_) | Commit::Unknown => {}
            }
        }
        Err(JournalError::Reload("every attempt conflicted with another commit"))
    }

    /// Whether there is anything worth a commit.
    pub(crate) fn is_due(&self, batch: &Batch) -> bool {
        !batch.ops.is_empty() || self.cursor.read_through() != self.read_through
    }

    /// Writes a batch and the cursor, whole or not at all.
    pub(crate) async fn commit(&mut self, mut batch: Batch) -> Result<(), JournalError> {
        batch.push(put(Kind::State, CURSOR, &self.cursor)?);
        let (mut conflicts, mut tries) = (0, 0);
        while conflicts < MOST_CONFLICTS {
            match self.ledger.commit(self.id, self.seq, batch.ops.clone()).await {
                Ok(Commit::Done(seq)) => {
                    self.seq = seq;
                    self.read_through = self.cursor.read_through();
                    return Ok(());
                }
                Ok(Commit::Conflict(_)) => {
                    conflicts += 1;
                    self.follow().await?;
                }
                Ok(Commit::Unknown) => {
                    return Err(JournalError::Reload("the outcome of a commit is unknown"));
                }
                Err(LedgerError::Unavailable { .. }) if tries < MOST_TRIES => {
                    tries += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(JournalError::Reload("every attempt conflicted with another commit"))
    }

    /// Looks whether others have written, and returns the keys of waiting deliveries that they have.
    pub(crate) async fn written_by_others(&mut self) -> Result<Vec<Bytes>, JournalError> {
        if self.ledger.seq(self.id).await? != self.seq {
            self.follow().await?;
        }
        Ok(std::mem::take(&mut self.written_by_others))
    }

    async fn follow(&mut self) -> Result<(), JournalError> {
        loop {
            let (seq, rows) = match self.ledger.changes(self.id, self.seq).await? {
                Changes::Touched { seq, rows } => (seq, rows),
                Changes::Gap { .. } => return Err(JournalError::Reload("the change feed has a gap")),
            };
            if seq == self.seq {
                return Ok(());
            }
            if rows.iter().any(|(kind, key)| *kind == Kind::State && &key[..] == CURSOR) {
                return Err(JournalError::TakenOver);
            }
            let waiting = rows.into_iter().filter(|(kind, _)| *kind == Kind::Outbox).map(|(_, key)| key);
            self.written_by_others.extend(waiting);
            self.seq = seq;
        }
    }
}

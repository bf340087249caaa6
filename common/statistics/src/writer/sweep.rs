//! Removal of what has expired in the rows of silent sources.

use bytes::Bytes;
use common::partition::Partition;
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use ledger::{Kind, LedgerError, LedgerId, Op, Range, Row};

use super::{COMMIT_BYTES, Writer};
use crate::row::{ReadError, SourceRow};

/// Rows read at a time.
const PAGE: usize = 100;

impl Writer {
    /// Removes expired entries of every row, and rows that become empty. A row that another process writes meanwhile is left
    /// to that process, and a damaged one is skipped. A partition that cannot be swept does not keep the others from it.
    pub(super) async fn sweep(&self) -> Result<(), ReadError> {
        let now = self.clock.now();
        let mut swept = Ok(());
        for partition in (0..self.partitions).map(Partition) {
            swept = swept.and(self.sweep_partition(LedgerId::Statistics(partition), now).await);
        }
        swept
    }

    async fn sweep_partition(&self, ledger: LedgerId, now: Timestamp) -> Result<(), ReadError> {
        let (mut last, mut limit) = (None::<Bytes>, PAGE);
        loop {
            let at = self.ledger.seq(ledger).await?;
            let range = Range { prefix: &[], after: last.as_deref(), backwards: false };
            let rows = match self.ledger.scan(ledger, Kind::State, range, limit).await {
                Ok(rows) => rows,
                Err(error) => {
                    let Some(key) = damaged_row(&error) else { return Err(error.into()) };
                    // A page with a damaged row is not returned: those before it are read one by one.
                    if limit > 1 {
                        limit = 1;
                        continue;
                    }
                    self.flushes.lock().await.damaged.note(ledger, key.clone(), &error);
                    (last, limit) = (Some(key), PAGE);
                    continue;
                }
            };
            let ops = expired(&rows, now, &mut last)?;
            self.commit(ledger, at, ops).await?;
            if rows.last().is_none_or(|end| rows.len() < limit && Some(&end.key) == last.as_ref()) {
                return Ok(());
            }
        }
    }
}

/// The row that an error says is damaged.
fn damaged_row(error: &LedgerError) -> Option<Bytes> {
    match error {
        LedgerError::Damaged { row: Some((_, key)), .. } => Some(key.clone()),
        _ => None,
    }
}

/// The changes that remove what has expired in some rows, as many as fit a commit. `last` becomes the last row considered.
fn expired(rows: &[Row], now: Timestamp, last: &mut Option<Bytes>) -> Result<Vec<Op>, BodyError> {
    let (mut ops, mut bytes) = (Vec::new(), 0);
    for read in rows {
        *last = Some(read.key.clone());
        let Ok(mut row) = row::decode::<SourceRow>(&read.body) else { continue };
        let has_expired = row.totals.expire(now);
        if row.totals.is_empty() {
            ops.push(Op::Delete { kind: Kind::State, key: read.key.clone() });
        } else if has_expired {
            let body = row::encode(&row)?;
            bytes += body.len();
            ops.push(Op::Put { kind: Kind::State, key: read.key.clone(), body: body.into() });
        }
        if bytes > COMMIT_BYTES {
            break;
        }
    }
    Ok(ops)
}

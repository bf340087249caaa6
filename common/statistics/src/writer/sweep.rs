//! Removal of what has expired in the rows of silent sources.

use common::partition::Partition;
use common::row;
use common::timestamp::Timestamp;
use ledger::{Kind, LedgerId, Op, Range};

use super::{COMMIT_BYTES, Writer};
use crate::row::{ReadError, SourceRow};

/// Rows read at a time.
const PAGE: usize = 100;

impl Writer {
    /// Removes expired entries of every row, and rows that become empty. A row that another process writes meanwhile is left
    /// to that process.
    pub(super) async fn sweep(&self) -> Result<(), ReadError> {
        let now = self.clock.now();
        for partition in (0..self.partitions).map(Partition) {
            self.sweep_partition(LedgerId::Statistics(partition), now).await?;
        }
        Ok(())
    }

    async fn sweep_partition(&self, ledger: LedgerId, now: Timestamp) -> Result<(), ReadError> {
        let mut last: Option<bytes::Bytes> = None;
        loop {
            let at = self.ledger.seq(ledger).await?;
            let range = Range { prefix: &[], after: last.as_deref(), backwards: false };
            let rows = self.ledger.scan(ledger, Kind::State, range, PAGE).await?;
            let (mut ops, mut bytes) = (Vec::new(), 0);
            for read in &rows {
                last = Some(read.key.clone());
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
            self.commit(ledger, at, ops).await?;
            if rows.last().is_none_or(|end| rows.len() < PAGE && Some(&end.key) == last.as_ref()) {
                return Ok(());
            }
        }
    }
}

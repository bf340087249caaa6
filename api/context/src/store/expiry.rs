//! Deletion of expired results.

use bytes::Bytes;
use common::partition::Shard;
use common::row::decode;
use ledger::retry::Attempts;
use ledger::{Kind, LedgerError, LedgerId, Op, Range};

use super::{EXPIRY, Store, day};
use crate::record::Artifact;

/// Expired results that are deleted in one commit: two rows each.
const SWEEP_ROWS: usize = 200;

impl Store {
    /// Deletes expired results of all shards.
    pub(super) async fn sweep(&self) -> Result<(), LedgerError> {
        for shard in 0..self.shards {
            while self.sweep_shard(Shard(shard)).await? == SWEEP_ROWS {}
        }
        Ok(())
    }

    /// Deletes expired results of a shard; the number of rows looked at. Decided within the attempt, so that a result which is
    /// written meanwhile is kept.
    async fn sweep_shard(&self, shard: Shard) -> Result<usize, LedgerError> {
        let mut attempts = Attempts::of(self.ledger.as_ref(), LedgerId::Shared(shard));
        while attempts.next().await? {
            let (found, ops) = self.expired(shard).await?;
            if ops.is_empty() || attempts.commit(ops).await? {
                return Ok(found);
            }
        }
        Ok(0)
    }

    async fn expired(&self, shard: Shard) -> Result<(usize, Vec<Op>), LedgerError> {
        let (id, now) = (LedgerId::Shared(shard), self.clock.now());
        let range = Range { prefix: EXPIRY, ..Range::default() };
        let (mut found, mut ops) = (0, Vec::new());
        for row in self.ledger.scan(id, Kind::State, range, SWEEP_ROWS).await? {
            let rest = row.key.get(EXPIRY.len()..).unwrap_or_default();
            let Some((expired, key)) = rest.split_first_chunk::<4>() else { continue };
            if u32::from_be_bytes(*expired) >= day(now) {
                break;
            }
            // A result that was written again expires later, under another row.
            let body = self.ledger.get(id, Kind::Detail, key).await?;
            let kept = body.and_then(|body| decode::<Artifact>(&body).ok());
            if kept.is_none_or(|kept| kept.expires_at <= now) {
                ops.push(Op::Delete { kind: Kind::Detail, key: Bytes::copy_from_slice(key) });
            }
            ops.push(Op::Delete { kind: Kind::State, key: row.key });
            found += 1;
        }
        Ok((found, ops))
    }
}

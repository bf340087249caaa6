//! Following: commits of other processes become visible here within one poll. The one background task of the index.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use ledger::{Changes, Kind, Seq};
use tokio::time::MissedTickBehavior;

use crate::listed::Listed;
use crate::measure;
use crate::slots::{Index, IndexError, Slots};

/// Shards asked at a time.
const SHARDS_AT_ONCE: usize = 16;
/// Changed heads read at a time, within a shard.
const HEADS_AT_ONCE: usize = 16;

impl<L: Listed> Index<L> {
    /// Keeps loaded indexes fresh and memory within bounds, for as long as it is polled.
    pub async fn follow(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(self.config.poll);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut healthy = true;
        loop {
            ticks.tick().await;
            self.make_room();
            let outcome = self.refresh().await;
            // Said once per change of state: a ledger that is away for an hour is one line, not 18,000.
            match (&outcome, healthy) {
                (Err(error), true) => {
                    tracing::warn!(%error, "the indexes cannot be refreshed: lists are outdated")
                }
                (Ok(()), false) => tracing::info!("the indexes are refreshed again"),
                _ => {}
            }
            healthy = outcome.is_ok();
        }
    }

    /// Brings every loaded index up to what the ledgers are now.
    async fn refresh(&self) -> Result<(), IndexError> {
        let slots = &self.slots().clone();
        if slots.is_empty() {
            return Ok(());
        }
        let started = self.clock.monotonic();
        let shards = stream::iter(0..self.shards);
        let outcomes = shards.map(|shard| self.refresh_shard(shard, slots));
        // Every shard is tried even where one fails: an organization's lists are only as old as its own.
        let failed = outcomes.buffer_unordered(SHARDS_AT_ONCE).filter_map(async |outcome| outcome.err());
        let first = std::pin::pin!(failed).collect::<Vec<_>>().await.into_iter().next();
        measure::refresh_took(L::NAME, self.clock.monotonic().saturating_sub(started));
        first.map_or(Ok(()), Err)
    }

    async fn refresh_shard(&self, shard: u16, slots: &Slots<L>) -> Result<(), IndexError> {
        let ledger = L::ledger(shard);
        let current = self.ledger.seq(ledger).await?;
        // Ends: every turn moves the oldest cursor on, or fails.
        while let Some(oldest) = oldest_cursor(shard, slots).filter(|oldest| *oldest < current) {
            match self.ledger.changes(ledger, oldest).await? {
                Changes::Touched { seq, rows } if seq > oldest => {
                    self.reread(shard, slots, seq, &rows).await?;
                    advance(shard, slots, oldest, seq);
                }
                // Also where the feed tells of nothing although there is more: believing that would loop.
                Changes::Touched { .. } | Changes::Gap { .. } => {
                    measure::reloaded(L::NAME);
                    for slot in slots.values().filter(|slot| slot.read().cursor(shard) == Some(oldest)) {
                        self.load_shard(slot, shard).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the touched heads of loaded organizations again; each is at least as new as `seq`.
    async fn reread(
        &self,
        shard: u16,
        slots: &Slots<L>,
        seq: Seq,
        rows: &[(Kind, bytes::Bytes)],
    ) -> Result<(), IndexError> {
        let heads =
            rows.iter().filter(|(kind, _)| *kind == Kind::Head).filter_map(|(_, key)| L::parse_key(key));
        let wanted = heads.filter_map(|(organization, id)| Some((slots.get(&organization)?, id)));
        stream::iter(wanted.map(Ok::<_, IndexError>))
            .try_for_each_concurrent(HEADS_AT_ONCE, |(slot, id)| async move {
                let head = self.read_head(slot.organization, id, shard).await?;
                let mut index = slot.write();
                match head {
                    Some(head) => index.put(&head, seq),
                    None => index.remove(id, seq),
                }
                Ok(())
            })
            .await
    }
}

fn oldest_cursor<L: Listed>(shard: u16, slots: &Slots<L>) -> Option<Seq> {
    slots.values().filter_map(|slot| slot.read().cursor(shard)).min()
}

/// Moves the cursors that the changes after `oldest` reach without a gap. One that lies before it belongs to an index
/// whose load ended just now, having begun earlier: its turn is next.
fn advance<L: Listed>(shard: u16, slots: &Slots<L>, oldest: Seq, seq: Seq) {
    for slot in slots.values() {
        let mut index = slot.write();
        if index.cursor(shard).is_some_and(|cursor| cursor >= oldest) {
            index.advance(shard, seq);
        }
    }
}

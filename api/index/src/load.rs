//! Loading: an organization's heads of one shard, read as a range. Used for first loads and for reloads alike, and
//! safe to abandon at any point: what was read stays, and the shard counts as loaded only at the end.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use common::ids::OrganizationId;
use common::row;
use futures_util::{TryStreamExt, stream};
use ledger::{Kind, Range};

use crate::listed::Listed;
use crate::measure;
use crate::slots::{Index, IndexError, Slot};

/// Time that a list waits for its index. Rows loaded until then are kept, so that the next request goes on there.
const LOAD_PATIENCE: Duration = Duration::from_secs(20);
/// Rows read at a time: a few hundred KiB.
const PAGE: usize = 1000;
/// Shards read at a time by one load.
const SHARDS_AT_ONCE: usize = 4;

impl<L: Listed> Index<L> {
    /// Loads what is missing of an organization's index. Requests that come meanwhile wait for the same load.
    pub(crate) async fn ensure_loaded(&self, slot: &Slot<L>) -> Result<(), IndexError> {
        if slot.read().is_complete() {
            return Ok(());
        }
        match tokio::time::timeout(LOAD_PATIENCE, self.load(slot)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(IndexError::StillLoading),
        }
    }

    async fn load(&self, slot: &Slot<L>) -> Result<(), IndexError> {
        let _loading = slot.loading.lock().await;
        if slot.read().is_complete() {
            return Ok(());
        }
        let started = self.clock.monotonic();
        // Closed never, so the error cannot occur; were it so, loading without a permit is right.
        let _permit = self.loads.acquire().await.ok();
        let missing: Vec<u16> =
            (0..self.shards).filter(|shard| slot.read().cursor(*shard).is_none()).collect();
        stream::iter(missing.into_iter().map(Ok))
            .try_for_each_concurrent(SHARDS_AT_ONCE, |shard| self.load_shard(slot, shard))
            .await?;
        self.make_room();
        let took = self.clock.monotonic().saturating_sub(started);
        measure::load_took(L::NAME, took);
        Ok(())
    }

    /// Reads all heads of an organization in one shard.
    pub(crate) async fn load_shard(&self, slot: &Slot<L>, shard: u16) -> Result<(), IndexError> {
        let ledger = L::ledger(shard);
        let prefix = L::prefix(slot.organization);
        // Read first: every row of the scan is at least this new, and the follower goes on from here.
        let seq = self.ledger.seq(ledger).await?;
        let mut seen = HashSet::new();
        let mut after: Option<Bytes> = None;
        loop {
            let range = Range { prefix: &prefix, after: after.as_deref(), backwards: false };
            let page = self.ledger.scan(ledger, Kind::Head, range, PAGE).await?;
            let heads: Vec<L::Head> = page
                .iter()
                .filter_map(|row| decode_head::<L>(slot.organization, &row.key, &row.body))
                .collect();
            seen.extend(heads.iter().map(|head| L::identity(head).1));
            let mut index = slot.write();
            for head in &heads {
                index.put(head, seq);
            }
            drop(index);
            if page.len() < PAGE {
                break;
            }
            after = page.last().map(|row| row.key.clone());
        }
        let mut index = slot.write();
        index.retain_seen(shard, &seen, seq);
        index.advance(shard, seq);
        Ok(())
    }

    /// A head as it is now; `None` when it is gone or cannot be read.
    pub(crate) async fn read_head(
        &self,
        organization: OrganizationId,
        id: L::Id,
        shard: u16,
    ) -> Result<Option<L::Head>, IndexError> {
        let key = L::key(organization, id);
        let body = self.ledger.get(L::ledger(shard), Kind::Head, &key).await?;
        Ok(body.and_then(|body| decode_head::<L>(organization, &key, &body)))
    }
}

/// Reads a head and checks that it is the one that its key names. Another one is left out of lists and logged: it must neither
/// show in the wrong place nor make all lists fail. Heads of other resources are passed over.
fn decode_head<L: Listed>(organization: OrganizationId, key: &[u8], body: &[u8]) -> Option<L::Head> {
    let named = L::parse_key(key).filter(|(owner, _)| *owner == organization)?;
    let resource = L::NAME;
    match row::decode::<L::Head>(body) {
        Ok(head) if L::identity(&head) == named => Some(head),
        Ok(head) => {
            measure::unreadable(resource);
            tracing::error!(resource, id = ?named.1, found = ?L::identity(&head).1, "a head is stored under the key of another");
            None
        }
        Err(error) => {
            measure::unreadable(resource);
            tracing::error!(resource, id = ?named.1, %error, "a head cannot be read");
            None
        }
    }
}

//! Loading: an organization's heads of one partition, read as a range. Used for first loads and for reloads alike, and
//! safe to abandon at any point: what was read stays, and the partition counts as loaded only at the end.

use std::collections::HashSet;

use bytes::Bytes;
use common::ids::{IncidentId, OrganizationId};
use common::incident::IncidentHead;
use common::partition::Partition;
use common::row;
use futures_util::{TryStreamExt, stream};
use ledger::{Kind, LedgerId, Range};

use super::{Index, IndexError, LOAD_PATIENCE, Slot};

/// Rows read at a time: a few hundred KiB.
const PAGE: usize = 1000;
/// Partitions read at a time by one load.
const PARTITIONS_AT_ONCE: usize = 4;

impl Index {
    /// Loads what is missing of an organization's index. Requests that come meanwhile wait for the same load.
    pub(super) async fn ensure_loaded(&self, slot: &Slot) -> Result<(), IndexError> {
        if slot.read().is_complete() {
            return Ok(());
        }
        match tokio::time::timeout(LOAD_PATIENCE, self.load(slot)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(IndexError::StillLoading),
        }
    }

    async fn load(&self, slot: &Slot) -> Result<(), IndexError> {
        let _loading = slot.loading.lock().await;
        if slot.read().is_complete() {
            return Ok(());
        }
        let started = self.clock.monotonic();
        // Closed never, so the error cannot occur; were it so, loading without a permit is right.
        let _permit = self.loads.acquire().await.ok();
        let missing: Vec<Partition> =
            (0..self.partitions).map(Partition).filter(|at| slot.read().cursor(*at).is_none()).collect();
        stream::iter(missing.into_iter().map(Ok))
            .try_for_each_concurrent(PARTITIONS_AT_ONCE, |partition| self.load_partition(slot, partition))
            .await?;
        self.make_room();
        let took = self.clock.monotonic().saturating_sub(started);
        metrics::histogram!("palisade_api_index_load_seconds").record(took);
        Ok(())
    }

    /// Reads one partition's incidents of an organization, all of them.
    pub(super) async fn load_partition(&self, slot: &Slot, partition: Partition) -> Result<(), IndexError> {
        let ledger = LedgerId::Partition(partition);
        // Read first: every row of the scan is at least this new, and the follower goes on from here.
        let seq = self.ledger.seq(ledger).await?;
        let mut seen = HashSet::new();
        let mut after: Option<Bytes> = None;
        loop {
            let range =
                Range { prefix: slot.organization.as_bytes(), after: after.as_deref(), backwards: false };
            let page = self.ledger.scan(ledger, Kind::Head, range, PAGE).await?;
            let heads: Vec<IncidentHead> =
                page.iter().filter_map(|row| decode_head(slot.organization, &row.key, &row.body)).collect();
            seen.extend(heads.iter().map(|head| head.id));
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
        index.retain_seen(partition, &seen, seq);
        index.advance(partition, seq);
        Ok(())
    }

    /// An incident's head as it is now; `None` when it is gone or cannot be read.
    pub(super) async fn read_head(
        &self,
        organization: OrganizationId,
        id: IncidentId,
        partition: Partition,
    ) -> Result<Option<IncidentHead>, IndexError> {
        let key = row::incident_key(organization, id);
        let body = self.ledger.get(LedgerId::Partition(partition), Kind::Head, &key).await?;
        Ok(body.and_then(|body| decode_head(organization, &key, &body)))
    }
}

/// The organization and incident that a head's key names; `None` for heads of other things.
pub(super) fn parse_key(key: &[u8]) -> Option<(OrganizationId, IncidentId)> {
    let (organization, incident) = key.split_at_checked(16)?;
    Some((
        OrganizationId::from_bytes(organization.try_into().ok()?),
        IncidentId::from_bytes(incident.try_into().ok()?),
    ))
}

/// Reads a head and checks that it is what its key says. One that is not is left out of lists and told in the log: it
/// must neither show in the wrong place nor take all lists down.
fn decode_head(organization: OrganizationId, key: &[u8], body: &[u8]) -> Option<IncidentHead> {
    let (owner, id) = parse_key(key)?;
    match row::decode::<IncidentHead>(body) {
        Ok(head) if owner == organization && head.organization == owner && head.id == id => Some(head),
        Ok(head) => {
            metrics::counter!("palisade_api_index_unreadable_rows_total").increment(1);
            tracing::error!(%id, found = %head.id, "the head of an incident is stored under the key of another");
            None
        }
        Err(error) => {
            metrics::counter!("palisade_api_index_unreadable_rows_total").increment(1);
            tracing::error!(%id, %error, "an incident's head cannot be read");
            None
        }
    }
}

//! Redelivery by users: one event again, a range again. Writes rows only; the worker of the partition finds
//! them in its change feed.

use bytes::Bytes;
use common::ids::{OrganizationId, ReceiverId};
use common::partition::Partition;
use common::row::decode;
use common::timestamp::Timestamp;
use ledger::retry::Attempts;
use ledger::{Kind, LedgerId, Op, Range};

use crate::delivery::{Delivery, DeliveryId, DeliveryStatus};
use crate::delivery_log::{DeliveryLog, DeliveryLogError, LoggedDelivery};
use crate::rows::{
    EventNumber, REDELIVERY, Waiting, delivery_key, number_of, put, target_prefix, waiting_key,
};
use crate::target::TargetId;

/// Deliveries that one call of [`DeliveryLog::recover`] asks for again: as many as may wait for a target.
pub const MOST_RECOVERED: usize = 1_000;
/// Times a change is decided anew when the deliverer commits in between, which it does a hundred times a second.
const MAX_ATTEMPTS: u32 = 100;
/// Deliveries asked for again in one commit: three rows each.
const RECOVERED_AT_ONCE: usize = 100;
/// Rows read at once.
const PAGE: usize = 500;

/// Result of [`DeliveryLog::recover`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Deliveries that wait again.
    pub recovered: usize,
    /// Whether there are more in the range: ask again when these are through.
    pub more: bool,
}

impl DeliveryLog {
    /// Sends a delivery again, whatever became of it: the same bytes under the same event id, tried as often as a new
    /// one. One that waits anyhow is left as it is.
    ///
    /// # Errors
    /// `NotFound` without such a delivery in the organization; `Conflict`, `Unavailable`, `Corrupt`.
    pub async fn redeliver(
        &self,
        organization: OrganizationId,
        id: DeliveryId,
    ) -> Result<LoggedDelivery, DeliveryLogError> {
        let mut attempts = self.attempts(id.partition);
        while attempts.next().await? {
            let found = self.get(organization, id).await?.ok_or(DeliveryLogError::NotFound)?;
            let (ops, mut again) = self.again(organization, vec![found]).await?;
            let Some(logged) = again.pop() else { return Err(DeliveryLogError::NotFound) };
            if ops.is_empty() || attempts.commit(ops).await? {
                return Ok(logged);
            }
        }
        Err(DeliveryLogError::Conflict)
    }

    /// Sends again what has failed at a target among the events enqueued from `since` to before `until`, the oldest
    /// first.
    ///
    /// # Errors
    /// `Conflict`, `Unavailable`, `Corrupt`; what was asked for until then stays asked for.
    pub async fn recover(
        &self,
        organization: OrganizationId,
        target: ReceiverId,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Recovered, DeliveryLogError> {
        let mut failed = Vec::new();
        for partition in self.partitions() {
            failed.extend(self.failed(partition, organization, target, since, until).await?);
        }
        failed.sort_by_key(|id| id.number);
        let more = failed.len() > MOST_RECOVERED;
        failed.truncate(MOST_RECOVERED);
        let mut recovered = 0;
        for partition in self.partitions() {
            let ids: Vec<_> = failed.iter().copied().filter(|id| id.partition == partition).collect();
            for ids in ids.chunks(RECOVERED_AT_ONCE) {
                recovered += self.recover_some(organization, partition, ids).await?;
            }
        }
        Ok(Recovered { recovered, more })
    }

    /// Failed deliveries of a target among the events of one partition enqueued from `since` to before `until`, the oldest
    /// first: one more than can be recovered at once, at most.
    async fn failed(
        &self,
        partition: Partition,
        organization: OrganizationId,
        target: ReceiverId,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<DeliveryId>, DeliveryLogError> {
        let target_id = TargetId::Webhook(target);
        let prefix = target_prefix(organization, target_id);
        let mut after: Bytes =
            delivery_key(organization, target_id, EventNumber::first_at(since).before()).into();
        let mut failed = Vec::new();
        loop {
            let range = Range { prefix: &prefix, after: Some(&after), backwards: false };
            let rows = self.ledger.scan(LedgerId::Deliveries(partition), Kind::Head, range, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(failed) };
            after = last.key.clone();
            for row in rows {
                let Some(number) = number_of(&row.key) else { continue };
                if number >= EventNumber::first_at(until) || failed.len() > MOST_RECOVERED {
                    return Ok(failed);
                }
                let delivery: Delivery = decode(&row.body)?;
                if delivery.status == DeliveryStatus::Failed {
                    failed.push(DeliveryId { partition, number, target });
                }
            }
        }
    }

    async fn recover_some(
        &self,
        organization: OrganizationId,
        partition: Partition,
        ids: &[DeliveryId],
    ) -> Result<usize, DeliveryLogError> {
        let mut attempts = self.attempts(partition);
        while attempts.next().await? {
            let mut failed = Vec::new();
            for id in ids {
                let found = self.get(organization, *id).await?;
                failed.extend(found.filter(|logged| logged.delivery.status == DeliveryStatus::Failed));
            }
            let count = failed.len();
            let (ops, _) = self.again(organization, failed).await?;
            if ops.is_empty() || attempts.commit(ops).await? {
                return Ok(count);
            }
        }
        Err(DeliveryLogError::Conflict)
    }

    /// Operations that make deliveries of one partition wait again, and those deliveries.
    async fn again(
        &self,
        organization: OrganizationId,
        mut deliveries: Vec<LoggedDelivery>,
    ) -> Result<(Vec<Op>, Vec<LoggedDelivery>), DeliveryLogError> {
        let now = self.clock.now();
        let waiting = Waiting { organization, attempts: 0, since: now, due: now };
        let mut ops = Vec::new();
        let mut oldest: Option<EventNumber> = None;
        for LoggedDelivery { id, delivery, .. } in &mut deliveries {
            if delivery.status == DeliveryStatus::Pending {
                continue;
            }
            (delivery.status, delivery.reason, delivery.next_attempt_at) =
                (DeliveryStatus::Pending, None, Some(now));
            let target = TargetId::Webhook(id.target);
            ops.push(put(Kind::Head, delivery_key(organization, target, id.number), delivery)?);
            ops.push(put(Kind::Outbox, waiting_key(id.number, target), &waiting)?);
            oldest = Some(oldest.map_or(id.number, |oldest| oldest.min(id.number)));
        }
        if let (Some(oldest), Some(first)) = (oldest, deliveries.first()) {
            let ledger = LedgerId::Deliveries(first.id.partition);
            let noted = self.ledger.get(ledger, Kind::State, REDELIVERY).await?;
            let noted: Option<EventNumber> = noted.map(|body| decode(&body)).transpose()?;
            let oldest = noted.map_or(oldest, |noted| noted.min(oldest));
            ops.push(put(Kind::State, REDELIVERY, &oldest)?);
        }
        Ok((ops, deliveries))
    }

    fn attempts(&self, partition: Partition) -> Attempts<'_> {
        Attempts::of(self.ledger.as_ref(), LedgerId::Deliveries(partition)).at_most(MAX_ATTEMPTS)
    }
}

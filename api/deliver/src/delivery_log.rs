//! Deliveries as users see them: lists, and the events of an incident. Only reads; what people do about them lies in
//! `redelivery`.

use std::sync::Arc;

use bytes::Bytes;
use common::clock::SharedClock;
use common::event::{EventId, EventKind};
use common::ids::{IncidentId, OrganizationId, ReceiverId};
use common::partition::Partition;
use common::row::{BodyError, decode};
use common::timestamp::Timestamp;
use futures_util::{StreamExt, TryStreamExt, stream};
use ledger::{Kind, Ledger, LedgerError, LedgerId, Range, Row};
use thiserror::Error;

use crate::delivery::{Delivery, DeliveryId, DeliveryStatus};
use crate::rows::{StoredEvent, delivery_key, event_key, incident_prefix, number_of, target_prefix};
use crate::target::TargetId;

/// Deliveries to one target, from one partition, that a list reaches back to: more than anybody pages through.
pub const MOST_LISTED: usize = 2_000;
/// Deliveries that one list looks at, all targets and partitions together, unless a page needs more.
const MOST_LOOKED_AT: usize = 10_000;
/// Events of an incident that its detail shows (specification, Limits).
pub const MOST_INCIDENT_EVENTS: usize = 50;
/// Rows read at once.
const PAGE: usize = 500;
/// Partitions asked at once for their latest row: enough that a slow ledger is waited for a few times, not once for each.
const PARTITIONS_AT_ONCE: usize = 8;
/// See the module.
pub struct DeliveryLog {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) clock: SharedClock,
    pub(crate) partitions: u16,
}

/// A delivery with its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// Its id.
    pub id: DeliveryId,
    /// Where it goes.
    pub webhook: ReceiverId,
    /// Its outcome.
    pub delivery: Delivery,
}

/// An event of an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Its id.
    pub id: EventId,
    /// Its kind.
    pub kind: EventKind,
    /// When it happened.
    pub created_at: Timestamp,
    /// Everybody who is told.
    pub deliveries: Vec<LoggedDelivery>,
}

/// Which deliveries to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Only those that stand there.
    pub status: Option<DeliveryStatus>,
    /// Only those of this kind.
    pub event_type: Option<EventKind>,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryPage {
    /// Newest first.
    pub deliveries: Vec<LoggedDelivery>,
    /// Number of all of them, as far back as lists reach.
    pub total: usize,
}

/// Reason why it was not done.
#[derive(Debug, Error)]
pub enum DeliveryLogError {
    /// There is no such delivery in this organization.
    #[error("not found")]
    NotFound,
    /// The deliverer was always first. Trying again is safe.
    #[error("every attempt conflicted with another commit")]
    Conflict,
    /// The ledger did not do its part.
    #[error(transparent)]
    Unavailable(#[from] LedgerError),
    /// A row is not what it should be.
    #[error("a row of the deliveries cannot be read")]
    Corrupt(#[from] BodyError),
}

impl DeliveryLog {
    /// Over the ledgers of all partitions.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, clock: SharedClock, partitions: u16) -> Self {
        Self { ledger, clock, partitions }
    }

    /// Deliveries to some targets of an organization, newest first: the latest of each, fewer the more targets there
    /// are, 2,000 at most. A delivery is listed after its first attempt, or half a minute after
    /// its event was enqueued.
    ///
    /// # Errors
    /// `Unavailable` and `Corrupt`.
    pub async fn list(
        &self,
        organization: OrganizationId,
        targets: &[ReceiverId],
        filter: DeliveryFilter,
        offset: usize,
        limit: usize,
    ) -> Result<DeliveryPage, DeliveryLogError> {
        let ranges = usize::from(self.partitions).saturating_mul(targets.len()).max(1);
        // All of a page may be of one target.
        let most = offset.saturating_add(limit).max(MOST_LOOKED_AT / ranges).min(MOST_LISTED);
        let mut found = Vec::new();
        for partition in self.partitions() {
            for target in targets {
                found.extend(self.of_target(partition, organization, *target, filter, most).await?);
            }
        }
        // Numbers begin with the time, so that those of different partitions compare.
        found
            .sort_by_key(|logged| std::cmp::Reverse((logged.id.number, logged.id.partition, logged.webhook)));
        let total = found.len();
        Ok(DeliveryPage { deliveries: found.into_iter().skip(offset).take(limit).collect(), total })
    }

    /// The latest events of an incident, newest first, with every delivery.
    ///
    /// # Errors
    /// `Unavailable` and `Corrupt`.
    pub async fn of_incident(
        &self,
        organization: OrganizationId,
        incident: IncidentId,
    ) -> Result<Vec<LoggedEvent>, DeliveryLogError> {
        let partition = incident.partition();
        let ledger = LedgerId::Deliveries(partition);
        let prefix = incident_prefix(organization, incident);
        let range = Range { prefix: &prefix, after: None, backwards: true };
        let rows = self.ledger.scan(ledger, Kind::State, range, MOST_INCIDENT_EVENTS).await?;
        let mut events = Vec::new();
        for number in rows.iter().filter_map(|row| number_of(&row.key)) {
            let Some(event) = self.ledger.get(ledger, Kind::History, &event_key(number)).await? else {
                continue;
            };
            let event: StoredEvent = decode(&event)?;
            let mut deliveries = Vec::new();
            for target in event.webhooks() {
                let id = DeliveryId { partition, number, target };
                let known = self.read(organization, id).await?;
                let delivery = known.unwrap_or_else(|| Delivery::new(&event, number));
                deliveries.push(LoggedDelivery { id, webhook: target, delivery });
            }
            events.push(LoggedEvent {
                id: event.id,
                kind: event.kind,
                created_at: event.created_at,
                deliveries,
            });
        }
        Ok(events)
    }

    /// One delivery of the organization, or `None`.
    ///
    /// # Errors
    /// `Unavailable` and `Corrupt`.
    pub async fn get(
        &self,
        organization: OrganizationId,
        id: DeliveryId,
    ) -> Result<Option<LoggedDelivery>, DeliveryLogError> {
        let delivery = self.read(organization, id).await?;
        Ok(delivery.map(|delivery| LoggedDelivery { id, webhook: id.target, delivery }))
    }

    /// Outcome of the latest event for a telemetry endpoint: the delivery, with its last attempt.
    ///
    /// # Errors
    /// `Unavailable` and `Corrupt`.
    pub async fn latest_of_telemetry(
        &self,
        organization: OrganizationId,
        endpoint: ReceiverId,
    ) -> Result<Option<Delivery>, DeliveryLogError> {
        let prefix = target_prefix(organization, TargetId::Telemetry(endpoint));
        let latest_of = |partition: Partition| {
            let range = Range { prefix: &prefix, after: None, backwards: true };
            self.ledger.scan(LedgerId::Deliveries(partition), Kind::Head, range, 1)
        };
        let found = stream::iter(self.partitions()).map(latest_of).buffer_unordered(PARTITIONS_AT_ONCE);
        let rows: Vec<Vec<Row>> = found.try_collect().await?;
        // Keys end with the event's number, which begins with the time.
        let latest = rows.into_iter().flatten().max_by(|one, other| one.key.cmp(&other.key));
        Ok(latest.map(|row| decode(&row.body)).transpose()?)
    }

    /// Those of the latest `most` deliveries to a target in one partition that fit a filter.
    async fn of_target(
        &self,
        partition: Partition,
        organization: OrganizationId,
        target: ReceiverId,
        filter: DeliveryFilter,
        most: usize,
    ) -> Result<Vec<LoggedDelivery>, DeliveryLogError> {
        let prefix = target_prefix(organization, TargetId::Webhook(target));
        let mut after: Option<Bytes> = None;
        let mut left = most;
        let mut found = Vec::new();
        while left > 0 {
            let limit = PAGE.min(left);
            let range = Range { prefix: &prefix, after: after.as_deref(), backwards: true };
            let rows = self.ledger.scan(LedgerId::Deliveries(partition), Kind::Head, range, limit).await?;
            left = if rows.len() < limit { 0 } else { left - rows.len() };
            after = rows.last().map(|row| row.key.clone());
            for row in rows {
                let Some(number) = number_of(&row.key) else { continue };
                let delivery: Delivery = decode(&row.body)?;
                if filter.admits(&delivery) {
                    let id = DeliveryId { partition, number, target };
                    found.push(LoggedDelivery { id, webhook: target, delivery });
                }
            }
        }
        Ok(found)
    }

    async fn read(
        &self,
        organization: OrganizationId,
        id: DeliveryId,
    ) -> Result<Option<Delivery>, DeliveryLogError> {
        let key = delivery_key(organization, TargetId::Webhook(id.target), id.number);
        let body = self.ledger.get(LedgerId::Deliveries(id.partition), Kind::Head, &key).await?;
        Ok(body.map(|body| decode(&body)).transpose()?)
    }

    pub(crate) fn partitions(&self) -> impl Iterator<Item = Partition> + use<> {
        (0..self.partitions).map(Partition)
    }
}

impl DeliveryFilter {
    fn admits(self, delivery: &Delivery) -> bool {
        self.status.is_none_or(|status| status == delivery.status)
            && self.event_type.is_none_or(|kind| kind == delivery.event_type)
    }
}

//! The rows of a partition's ledger of deliveries: how far it is, every event with its bytes, and what became of it at
//! every target. A target is a webhook target or a telemetry endpoint.
//!
//! | kind | key | body |
//! |---|---|---|
//! | state | `cursor` | [`Cursor`] |
//! | state | `incident`, organization, incident, number | empty: which events webhook targets are told of an incident |
//! | state | `health`, target | [`Health`](crate::health::Health) |
//! | state | `redelivery` | number of the oldest event somebody asked for again |
//! | history | number | [`StoredEvent`] |
//! | detail | number | the payload, byte for byte |
//! | head | organization, target, number | [`Delivery`](crate::delivery::Delivery) |
//! | outbox | number, target | [`Waiting`]: while the delivery waits |

use std::collections::BTreeMap;

use bytes::Bytes;
use common::event::{EventId, EventKind, EventSource};
use common::ids::{IncidentId, OrganizationId, ReceiverId};
use common::partition::{Partition, Shard};
use common::row::{BodyError, encode};
use common::timestamp::Timestamp;
use ledger::{Kind, LedgerId, Op};
use serde::{Deserialize, Serialize};

use crate::target::TargetId;

/// Bits below the milliseconds in an event's number.
const SEQUENCE_BITS: u32 = 20;

/// An event's number in its partition: what was enqueued later has the greater one. Its high bits are milliseconds, so
/// that numbers of different partitions can be put into one order of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct EventNumber(pub(crate) u64);

impl EventNumber {
    /// The smallest number of a moment.
    pub(crate) fn first_at(moment: Timestamp) -> Self {
        Self(u64::try_from(moment.as_millis()).unwrap_or(0) << SEQUENCE_BITS)
    }

    /// The number of the next event, which is greater than that of the last one even if the clock was set back.
    pub(crate) fn next(self, now: Timestamp) -> Self {
        Self(self.0.saturating_add(1)).max(Self::first_at(now))
    }

    /// The number before.
    pub(crate) fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// When the event was enqueued.
    pub(crate) fn enqueued_at(self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.0 >> SEQUENCE_BITS).unwrap_or(i64::MAX))
    }
}

/// Progress of a partition's deliveries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cursor {
    /// Raised by every take-over of the partition.
    pub(crate) owner_epoch: u64,
    /// Position in each outbox; one that is not named was never read.
    pub(crate) outboxes: BTreeMap<Outbox, OutboxPosition>,
    /// The last number given.
    pub(crate) last: EventNumber,
    /// Of every event up to this one, each delivery has a row.
    pub(crate) settled: EventNumber,
    /// No delivery of an event before this one waits.
    pub(crate) oldest_waiting: EventNumber,
    /// Every event up to this one is forgotten.
    pub(crate) swept: EventNumber,
    /// Deliveries of events that are not forgotten.
    pub(crate) kept: u64,
}

impl Cursor {
    /// Position in an outbox.
    pub(crate) fn position(&mut self, outbox: Outbox) -> &mut OutboxPosition {
        self.outboxes.entry(outbox).or_default()
    }

    /// The keys through which outboxes are read.
    pub(crate) fn read_through(&self) -> Vec<String> {
        self.outboxes.values().map(|position| position.read_through.clone()).collect()
    }
}

/// The outboxes whose events the owner of a partition delivers. The names are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outbox {
    /// Of the partition's incidents.
    Incidents,
    /// Of the records in the shard of the partition's number.
    Records,
}

impl Outbox {
    /// All of them.
    pub(crate) const ALL: [Self; 2] = [Self::Incidents, Self::Records];

    /// The ledger that it is part of.
    pub(crate) fn ledger(self, partition: Partition) -> LedgerId {
        match self {
            Self::Incidents => LedgerId::Partition(partition),
            Self::Records => LedgerId::Records(Shard(partition.0)),
        }
    }
}

/// Position in an outbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutboxPosition {
    /// Key of the last row that was read, in hexadecimal; empty before the first.
    pub(crate) read_through: String,
    /// Key of the last row that was removed, likewise.
    pub(crate) trimmed_through: String,
}

/// Metadata of an event, beside its payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredEvent {
    pub(crate) id: EventId,
    pub(crate) kind: EventKind,
    pub(crate) organization: OrganizationId,
    pub(crate) incident: Option<IncidentId>,
    pub(crate) created_at: Timestamp,
    /// Its origin.
    pub(crate) source: Option<EventSource>,
    /// The receivers that get it: decided once.
    pub(crate) targets: Vec<TargetId>,
}

impl StoredEvent {
    /// The webhook targets among the receivers.
    pub(crate) fn webhooks(&self) -> impl Iterator<Item = ReceiverId> {
        self.targets.iter().filter_map(|target| match target {
            TargetId::Webhook(id) => Some(*id),
            TargetId::Telemetry(_) => None,
        })
    }
}

/// A delivery that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(crate) organization: OrganizationId,
    /// Attempts of the present round of the schedule.
    pub(crate) attempts: u8,
    /// Since when it waits: one that waited when its target was disabled is cancelled.
    pub(crate) since: Timestamp,
    pub(crate) due: Timestamp,
}

/// Key of the [`Cursor`].
pub(crate) const CURSOR: &[u8] = b"cursor";
/// Key of the number of the oldest event requested again since the last take-over.
pub(crate) const REDELIVERY: &[u8] = b"redelivery";

/// Key of an event and of its payload.
pub(crate) fn event_key(number: EventNumber) -> [u8; 8] {
    number.0.to_be_bytes()
}

/// Prefix of all deliveries to a target.
pub(crate) fn target_prefix(organization: OrganizationId, target: TargetId) -> Vec<u8> {
    [organization.as_bytes().as_slice(), &target.in_key()].concat()
}

/// Key of a delivery.
pub(crate) fn delivery_key(organization: OrganizationId, target: TargetId, number: EventNumber) -> Vec<u8> {
    [target_prefix(organization, target).as_slice(), &event_key(number)].concat()
}

/// Key of a delivery while it waits.
pub(crate) fn waiting_key(number: EventNumber, target: TargetId) -> Vec<u8> {
    [event_key(number).as_slice(), &target.in_key()].concat()
}

/// Number and target in the key of one that waits.
pub(crate) fn waiting_of(key: &[u8]) -> Option<(EventNumber, TargetId)> {
    let (number, target) = key.split_first_chunk::<8>()?;
    Some((EventNumber(u64::from_be_bytes(*number)), TargetId::from_key(target)?))
}

/// The number at the end of a key.
pub(crate) fn number_of(key: &[u8]) -> Option<EventNumber> {
    key.last_chunk::<8>().map(|bytes| EventNumber(u64::from_be_bytes(*bytes)))
}

/// Prefix of an incident's events that are sent to webhook targets.
pub(crate) fn incident_prefix(organization: OrganizationId, incident: IncidentId) -> Vec<u8> {
    [b"incident".as_slice(), organization.as_bytes(), incident.as_bytes()].concat()
}

/// Key that marks an event about an incident as sent to webhook targets.
pub(crate) fn incident_key(
    organization: OrganizationId,
    incident: IncidentId,
    number: EventNumber,
) -> Vec<u8> {
    [incident_prefix(organization, incident).as_slice(), &event_key(number)].concat()
}

/// Key of a target's health.
pub(crate) fn health_key(target: TargetId) -> Vec<u8> {
    [b"health".as_slice(), &target.in_key()].concat()
}

/// The operation that writes a row.
pub(crate) fn put<T: Serialize>(kind: Kind, key: impl AsRef<[u8]>, value: &T) -> Result<Op, BodyError> {
    Ok(Op::Put { kind, key: Bytes::copy_from_slice(key.as_ref()), body: encode(value)?.into() })
}

/// The operation that removes a row.
pub(crate) fn delete(kind: Kind, key: impl AsRef<[u8]>) -> Op {
    Op::Delete { kind, key: Bytes::copy_from_slice(key.as_ref()) }
}

//! Outcome of an event at one target: the delivery, its attempts, and its name.

use std::fmt;
use std::str::FromStr;

use common::event::{EventId, EventKind};
use common::hexadecimal;
use common::ids::ReceiverId;
use common::partition::Partition;
use common::timestamp::Timestamp;
use common::words;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::rows::{EventNumber, StoredEvent};

/// Outcome of an event at a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The event.
    pub event: EventId,
    /// Kind of the event.
    pub event_type: EventKind,
    /// Its status.
    pub status: DeliveryStatus,
    /// Reason why it failed finally.
    pub reason: Option<String>,
    /// When the event was enqueued.
    pub created_at: Timestamp,
    /// When it is tried next, while it is pending.
    pub next_attempt_at: Option<Timestamp>,
    /// The latest attempts, oldest first, at most [`MAX_ATTEMPTS_KEPT`].
    pub attempts: Vec<Attempt>,
}

/// Attempts of a delivery that are kept: a whole schedule and as many that people asked for.
pub const MAX_ATTEMPTS_KEPT: usize = 16;

words!(
    /// Status of a delivery.
    DeliveryStatus {
        /// It will be tried, or is being tried.
        Pending = "pending",
        /// The receiver acknowledged it.
        Succeeded = "succeeded",
        /// It will not be tried any more.
        Failed = "failed",
    }
);

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it began.
    pub at: Timestamp,
    /// Response of the receiver; none when there was none.
    pub status_code: Option<u16>,
    /// Duration in milliseconds.
    pub latency_ms: u64,
    /// The beginning of the answer's body, at most 1,024 bytes, control characters escaped.
    pub reply: Option<String>,
    /// Reason why there is no response.
    pub error: Option<String>,
}

impl Delivery {
    /// One that was not tried yet.
    pub(crate) fn new(event: &StoredEvent, number: EventNumber) -> Self {
        Self {
            event: event.id,
            event_type: event.kind,
            status: DeliveryStatus::Pending,
            reason: None,
            created_at: number.enqueued_at(),
            next_attempt_at: Some(number.enqueued_at()),
            attempts: Vec::new(),
        }
    }

    /// The same, failed for good.
    pub(crate) fn fail(&mut self, reason: impl Into<String>) {
        (self.status, self.next_attempt_at, self.reason) =
            (DeliveryStatus::Failed, None, Some(reason.into()));
    }
}

/// Names a delivery to people: `dlv_` and 52 hexadecimal digits of partition, number and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeliveryId {
    pub(crate) partition: Partition,
    pub(crate) number: EventNumber,
    pub(crate) target: ReceiverId,
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dlv_{:04x}{:016x}{}", self.partition.0, self.number.0, self.target.0.simple())
    }
}

/// A text is not the id of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected dlv_ and 52 hexadecimal digits")]
pub struct NotADeliveryId;

impl FromStr for DeliveryId {
    type Err = NotADeliveryId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("dlv_").and_then(hexadecimal::parse).ok_or(NotADeliveryId)?;
        let bytes: [u8; 26] = digits.try_into().map_err(|_| NotADeliveryId)?;
        let [p0, p1, n @ ..] = bytes;
        let (number, target) = n.split_at(8);
        let id = Self {
            partition: Partition(u16::from_be_bytes([p0, p1])),
            number: EventNumber(u64::from_be_bytes(number.try_into().map_err(|_| NotADeliveryId)?)),
            target: ReceiverId::from_bytes(target.try_into().map_err(|_| NotADeliveryId)?),
        };
        // Only the form that is printed: nothing has two names.
        if id.to_string() == text { Ok(id) } else { Err(NotADeliveryId) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_printed_and_in_no_other_way() {
        let target = ReceiverId::from_bytes([0xab; 16]);
        let id = DeliveryId { partition: Partition(513), number: EventNumber(77), target };
        let printed = id.to_string();
        assert_eq!((printed.len(), printed.parse()), (56, Ok(id)));
        let wrong = [
            printed.to_uppercase(),
            printed.replace("ab", "AB"),
            printed[..55].to_owned(),
            "dlv_é".to_owned(),
        ];
        for text in wrong {
            assert_eq!(text.parse::<DeliveryId>(), Err(NotADeliveryId), "{text}");
        }
    }
}

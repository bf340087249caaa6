//! Events of which not every delivery has a row yet. A delivery gets its row after its first attempt, so that most cost
//! one write; what takes longer than a moment gets it as one that waits. After a crash only these events are looked
//! through again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use common::ids::WebhookTargetId;
use common::timestamp::Timestamp;

use crate::payload_store::Outgoing;
use crate::rows::EventNumber;

/// After so long a delivery gets a row although its first attempt has not ended: people who look for it find it. Longer
/// than what a burst takes, because the further row is work just when there is much.
const MOMENT: Duration = Duration::from_secs(5);
/// Events that may be open: 400 a second at the longest. Further ones wait in the outbox.
const MOST_OPEN: usize = 2_000;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct OpenEvents {
    events: BTreeMap<EventNumber, OpenEvent>,
}

#[derive(Debug)]
struct OpenEvent {
    outgoing: Arc<Outgoing>,
    /// Whose delivery has no row.
    left: BTreeSet<WebhookTargetId>,
    since: Timestamp,
}

impl OpenEvents {
    pub(crate) fn has_room(&self) -> bool {
        self.events.len() < MOST_OPEN
    }

    pub(crate) fn insert(
        &mut self,
        number: EventNumber,
        outgoing: Arc<Outgoing>,
        left: BTreeSet<WebhookTargetId>,
        since: Timestamp,
    ) {
        if !left.is_empty() {
            self.events.insert(number, OpenEvent { outgoing, left, since });
        }
    }

    /// A delivery has a row now; whether it had none.
    pub(crate) fn settle(&mut self, number: EventNumber, target: WebhookTargetId) -> bool {
        let Some(event) = self.events.get_mut(&number) else { return false };
        let had_none = event.left.remove(&target);
        if event.left.is_empty() {
            self.events.remove(&number);
        }
        had_none
    }

    /// Of every event up to this one each delivery has a row, `last` being the last event there is.
    pub(crate) fn settled(&self, last: EventNumber) -> EventNumber {
        self.events.first_key_value().map_or(last, |(number, _)| number.before())
    }

    /// A delivery that is without a row for too long.
    pub(crate) fn overdue(&self, now: Timestamp) -> Option<(EventNumber, WebhookTargetId, Arc<Outgoing>)> {
        let (number, event) = self.events.first_key_value()?;
        if now.since(event.since) < MOMENT {
            return None;
        }
        event.left.first().map(|target| (*number, *target, Arc::clone(&event.outgoing)))
    }
}

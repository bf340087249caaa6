//! Events of which not every delivery has a row yet. A delivery gets its row after its first attempt, so that most cost
//! one write; what takes longer than a moment gets it as one that waits. After a crash only these events are looked
//! through again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use common::timestamp::Timestamp;

use crate::payload_store::Outgoing;
use crate::rows::EventNumber;
use crate::target::TargetId;

/// After so long a delivery to a target that fails gets a row although its first attempt has not ended.
const MOMENT: Duration = Duration::from_secs(5);
/// After so long every one does: people who look for it find it. Much longer, because where there is more to do than can be
/// done, a further row for each would make it worse.
const LONG: Duration = Duration::from_secs(30);
/// Events that may be open. Further ones wait in the outbox; so that they need not, from half of it on every delivery gets
/// its row after a moment.
const MOST_OPEN: usize = 2_000;
/// Deliveries that get a row at once, at most: what fits into a commit beside others.
const AT_ONCE: usize = 200;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct OpenEvents {
    events: BTreeMap<EventNumber, OpenEvent>,
}

#[derive(Debug)]
struct OpenEvent {
    outgoing: Arc<Outgoing>,
    /// Whose delivery has no row.
    left: BTreeSet<TargetId>,
    since: Timestamp,
}

/// A delivery that is to get a row.
#[derive(Debug)]
pub(crate) struct Overdue {
    pub(crate) number: EventNumber,
    pub(crate) target: TargetId,
    pub(crate) outgoing: Arc<Outgoing>,
}

impl OpenEvents {
    pub(crate) fn has_room(&self) -> bool {
        self.events.len() < MOST_OPEN
    }

    pub(crate) fn insert(
        &mut self,
        number: EventNumber,
        outgoing: Arc<Outgoing>,
        left: BTreeSet<TargetId>,
        since: Timestamp,
    ) {
        if !left.is_empty() {
            self.events.insert(number, OpenEvent { outgoing, left, since });
        }
    }

    /// A delivery has a row now; whether it had none.
    pub(crate) fn settle(&mut self, number: EventNumber, target: TargetId) -> bool {
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

    /// Deliveries that are without a row for too long, the oldest first, at most as many as go into one commit.
    pub(crate) fn overdue(&self, now: Timestamp, is_failing: impl Fn(TargetId) -> bool) -> Vec<Overdue> {
        let mut overdue = Vec::new();
        for (number, event) in &self.events {
            let age = now.since(event.since);
            if age < MOMENT || overdue.len() >= AT_ONCE {
                break;
            }
            let all = age >= LONG || self.events.len() > MOST_OPEN / 2;
            for target in event.left.iter().filter(|target| all || is_failing(**target)) {
                overdue.push(Overdue {
                    number: *number,
                    target: *target,
                    outgoing: Arc::clone(&event.outgoing),
                });
            }
        }
        overdue.truncate(AT_ONCE);
        overdue
    }
}

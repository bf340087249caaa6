//! Ticks: messages without records that move the time of an idle partition's log, so that windows that wait there for their end
//! are closed. The clock decides only whether one is appended; the message moves the log's time, in every replay.

use std::time::Duration;

use common::batch::{Batch, BatchHeaders};
use common::ids::{OrganizationId, SourceId};
use common::timestamp::Timestamp;

use super::Worker;
use crate::state::State;
use incidents::finding::Owner;
use incidents::identity::digest;

/// At most one tick in so long: findings at a window's end can wait for a minute, and an idle partition with a thousand windows
/// costs no more than one with a single one.
const TICK_INTERVAL: Duration = Duration::from_secs(60);
/// The clock is read again after so long at the latest: it may have been set meanwhile.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);
/// And after so long at the earliest.
const SHORTEST_SLEEP: Duration = Duration::from_millis(100);

impl Worker {
    /// Time until a tick may be needed; `None` while nothing waits.
    pub(super) fn until_tick(&self, state: &State) -> Option<Duration> {
        let due = self.tick_due(state)?;
        Some(due.since(self.shared.clock.now()).clamp(SHORTEST_SLEEP, LONGEST_SLEEP))
    }

    /// Appends a tick when one is needed: something waits that the clock has passed and the log's time has
    /// not, and no batch is there that would move it.
    pub(super) async fn tick_if_needed(&mut self, state: &State) {
        let now = self.shared.clock.now();
        if self.tick_due(state).is_none_or(|due| now <= due) {
            return;
        }
        self.ticked_at = now;
        let log = self.shared.log.as_ref();
        match log.end(self.partition).await {
            Ok(end) if end < state.progress.position.offset => {}
            // Existing messages move the time when they are folded; and an unreadable log gets no more messages.
            Ok(_) | Err(_) => return,
        }
        match log.append(self.partition, tick(now)).await {
            Ok(_) => metrics::counter!("palisade_analysis_ticks_total").increment(1),
            // A log that accepts nothing reports it itself; the next tick is tried after the interval.
            Err(error) => {
                tracing::debug!(partition = self.partition.0, %error, "a tick message could not be appended")
            }
        }
    }

    /// When a tick will be needed, should nothing arrive.
    fn tick_due(&self, state: &State) -> Option<Timestamp> {
        let first_due = state.fold.accumulated.correlations.first_due()?;
        let last = state.progress.received_through.max(self.ticked_at);
        Some(first_due.max(last.plus(TICK_INTERVAL)))
    }
}

/// A tick belongs to no organization.
fn tick(at: Timestamp) -> Batch {
    let nobody = Owner {
        organization: OrganizationId::from_bytes([0; 16]),
        source: SourceId::from_bytes([0; 16]),
        application_group: String::new(),
        environment: String::new(),
    };
    let digest = digest(&[b"tick", &at.0.to_be_bytes()]);
    let headers = BatchHeaders { digest, ..nobody.headers(at) };
    Batch { headers, payload: bytes::Bytes::new() }
}

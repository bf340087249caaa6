//! Retention: removal of events past their retention or beyond what is kept, and rows of outboxes that were read.

use std::time::Duration;

use common::hexadecimal;
use common::row::decode;
use common::timestamp::Timestamp;
use ledger::retry::Attempts;
use ledger::{Kind, LedgerError, Op, Range};

use super::{Worker, WorkerError};
use crate::journal::Batch;
use crate::rows::{
    EventNumber, Outbox, StoredEvent, delete, delivery_key, event_key, incident_key, number_of, waiting_key,
};

/// Interval of checks of the oldest event.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// Events that are forgotten in one commit, at most.
const SWEEP_PAGE: usize = 16;
/// Rows of an event beside those of its deliveries.
const MOST_ROWS_BESIDE: usize = 3;
/// More than any key of such a row has.
const KEY_BYTES: usize = 64;
/// Interval of trimming outboxes: each time is a commit that the analyzer has to take notice of.
const TRIM_EVERY: Duration = Duration::from_secs(60);
/// Attempts to trim an outbox against other commits to its ledger.
const TRIM_ATTEMPTS: u32 = 4;
/// Rows of an outbox that are removed at once.
const TRIM_PAGE: usize = 500;

impl Worker {
    /// Removes the oldest events with everything that belongs to them.
    pub(super) async fn sweep(&mut self, batch: &mut Batch, now: Timestamp) -> Result<(), WorkerError> {
        let is_full = self.journal.cursor.kept > self.shared.config.kept_deliveries;
        if !self.is_time(|worker| &mut worker.swept_at, SWEEP_EVERY) && !is_full {
            return Ok(());
        }
        let horizon = EventNumber::first_at(now.minus(self.shared.config.retention()));
        let after = event_key(self.journal.cursor.swept);
        let range = Range { after: Some(&after), ..Range::default() };
        for row in self.shared.ledger.scan(self.deliveries(), Kind::History, range, SWEEP_PAGE).await? {
            let Some(number) = number_of(&row.key) else { continue };
            let is_full = self.journal.cursor.kept > self.shared.config.kept_deliveries;
            // Open events are delivered first.
            if number > self.journal.cursor.settled || (number >= horizon && !is_full) {
                break;
            }
            let event: StoredEvent = decode(&row.body)?;
            let most_rows = MOST_ROWS_BESIDE + 2 * event.targets.len();
            if !batch.has_room(most_rows, most_rows * KEY_BYTES) {
                break;
            }
            self.forget(number, &event, batch);
            self.journal.cursor.kept = self.journal.cursor.kept.saturating_sub(event.targets.len() as u64);
            self.journal.cursor.swept = number;
        }
        Ok(())
    }

    fn forget(&mut self, number: EventNumber, event: &StoredEvent, batch: &mut Batch) {
        let key = event_key(number);
        batch.push(delete(Kind::History, key));
        batch.push(delete(Kind::Detail, key));
        if let Some(incident) = event.incident {
            batch.push(delete(Kind::State, incident_key(event.organization, incident, number)));
        }
        for target in event.targets.iter().copied() {
            batch.push(delete(Kind::Head, delivery_key(event.organization, target, number)));
            if self.waiting_rows.remove(&(number, target)) {
                batch.push(delete(Kind::Outbox, waiting_key(number, target)));
            }
        }
    }

    /// Removes rows of outboxes that were read.
    pub(super) async fn trim_outboxes(&mut self) {
        if !self.is_time(|worker| &mut worker.trimmed_at, TRIM_EVERY) {
            return;
        }
        for outbox in Outbox::ALL {
            if let Err(error) = self.trim(outbox).await {
                // An outbox that cannot be read holds up nothing else; it is tried again in a minute.
                let partition = self.partition.0;
                tracing::warn!(partition, ?outbox, %error, "rows of an outbox that were read cannot be removed");
            }
        }
    }

    /// Other writers to that ledger are more important: it is tried a few times.
    async fn trim(&mut self, outbox: Outbox) -> Result<(), LedgerError> {
        let position = self.journal.cursor.position(outbox);
        let (Some(trimmed), Some(read)) =
            (hexadecimal::parse(&position.trimmed_through), hexadecimal::parse(&position.read_through))
        else {
            return Ok(());
        };
        if trimmed == read {
            return Ok(());
        }
        let (ledger, id) = (self.shared.ledger.as_ref(), outbox.ledger(self.partition));
        let mut attempts = Attempts::of(ledger, id).at_most(TRIM_ATTEMPTS);
        while attempts.next().await? {
            let range = Range { after: (!trimmed.is_empty()).then_some(&trimmed), ..Range::default() };
            let mut rows = ledger.scan(id, Kind::Outbox, range, TRIM_PAGE).await?;
            rows.retain(|row| row.key <= read);
            let is_full = rows.len() == TRIM_PAGE;
            let Some(last) = rows.last().map(|row| hexadecimal::print(&row.key)) else { return Ok(()) };
            let ops = rows.into_iter().map(|row| Op::Delete { kind: Kind::Outbox, key: row.key }).collect();
            if !attempts.commit(ops).await? {
                continue;
            }
            position.trimmed_through = last;
            if is_full {
                // More comes in than goes out at that pace.
                self.trimmed_at = None;
            }
            return Ok(());
        }
        Ok(())
    }
}

//! Waiting deliveries, read from the ledger: after a take-over all of it, later what people have asked for again.

use std::collections::BTreeSet;

use bytes::Bytes;
use common::row::decode;
use common::timestamp::Timestamp;
use ledger::{Kind, LedgerId, Range};

use super::{Worker, WorkerError};
use crate::queue::{Job, MOST_TOGETHER};
use crate::rows::{EventNumber, StoredEvent, Waiting, delivery_key, event_key, number_of, waiting_of};

/// Rows read at once.
const PAGE: usize = 1_000;

impl Worker {
    /// Reads everything that waits.
    pub(super) async fn restore(&mut self) -> Result<(), WorkerError> {
        let now = self.shared.clock.now();
        let mut after = Bytes::copy_from_slice(&event_key(self.journal.cursor.oldest_waiting));
        loop {
            let range = Range { after: Some(&after), ..Range::default() };
            let rows = self.shared.ledger.scan(self.deliveries(), Kind::Outbox, range, PAGE).await?;
            let Some(last) = rows.last() else { break };
            after = last.key.clone();
            for row in rows {
                self.restore_waiting(&row.key, decode(&row.body)?, now);
            }
        }
        self.restore_open(now).await
    }

    /// Events of which the last owner may have left deliveries without a row.
    async fn restore_open(&mut self, now: Timestamp) -> Result<(), WorkerError> {
        let mut after = Bytes::copy_from_slice(&event_key(self.journal.cursor.settled));
        loop {
            let range = Range { after: Some(&after), ..Range::default() };
            let rows = self.shared.ledger.scan(self.deliveries(), Kind::History, range, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.key.clone();
            for row in rows {
                if let Some(number) = number_of(&row.key) {
                    self.restore_event(number, &decode(&row.body)?, now).await?;
                }
            }
        }
    }

    async fn restore_event(
        &mut self,
        number: EventNumber,
        event: &StoredEvent,
        now: Timestamp,
    ) -> Result<(), WorkerError> {
        let mut left = BTreeSet::new();
        for target in event.targets.iter().copied() {
            let key = delivery_key(event.organization, target, number);
            if self.shared.ledger.get(self.deliveries(), Kind::Head, &key).await?.is_none() {
                left.insert(target);
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        let Some(outgoing) = self.attempting.store.get(number).await? else { return Ok(()) };
        for target in &left {
            let job = Job::fresh(number, event.organization, *target, now);
            if !self.queue.admit(job, now) {
                self.refused.push_back((number, *target, outgoing.clone()));
            }
        }
        self.open.insert(number, outgoing, left, now);
        Ok(())
    }

    /// Takes in what people have asked for again.
    pub(super) async fn adopt_written_by_others(&mut self, now: Timestamp) -> Result<(), WorkerError> {
        for key in self.journal.written_by_others().await? {
            if let Some(body) = self.shared.ledger.get(self.deliveries(), Kind::Outbox, &key).await? {
                self.restore_waiting(&key, decode(&body)?, now);
            }
        }
        Ok(())
    }

    fn restore_waiting(&mut self, key: &[u8], waiting: Waiting, now: Timestamp) {
        let Some((number, target)) = waiting_of(key) else { return };
        if self.waiting_rows.insert((number, target)) {
            let job = Job { number, target, waiting, has_row: true, together: MOST_TOGETHER };
            self.queue.restore(job, now);
        }
    }

    pub(super) fn deliveries(&self) -> LedgerId {
        LedgerId::Deliveries(self.partition)
    }
}

//! One batch of a partition: folded record by record, and committed whenever enough has gathered, in
//! the middle of it too, because progress is (offset, record).

use std::sync::Arc;

use common::partition::{Offset, Position};

use super::{TurnError, Worker};
use crate::commit::{CommitError, commit};
use crate::detect::{Detected, Detection, Outcome};
use crate::fold::finding::Place;
use crate::fold::incidents::Reader;
use crate::fold::{self, RecordVerdict};
use crate::state::State;

/// A commit is due above this many rows: well below what the ledger takes, because one more record
/// may add many.
const DUE_ROWS: usize = 500;
/// A commit is due above this many bytes, for the same reason.
const DUE_BYTES: usize = 384 * 1024;

impl Worker {
    pub(super) async fn fold(&mut self, state: &mut State, batch: Detected) -> Result<(), TurnError> {
        let headers = &batch.headers;
        let position = state.progress.position;
        if batch.offset < position.offset {
            return Ok(());
        }
        let resume_at = if batch.offset == position.offset { position.record } else { 0 };
        state.advance(&self.shared.plan, headers.received_at);
        let first_time = resume_at == 0;
        if first_time && batch.repeatable && state.deliveries.contains(headers.source, &batch.delivery) {
            count_records("duplicate", u64::from(batch.records));
            self.finish(state, &batch);
            return Ok(());
        }
        if !headers.tick {
            state.heard_of(headers.organization, headers.source, headers.received_at);
        }
        if first_time && batch.repeatable {
            state.deliveries.insert(headers.source, batch.delivery, headers.received_at);
        }
        count_records("unmatched", u64::from(batch.records).saturating_sub(batch.detections.len() as u64));
        for detection in batch.detections.iter().filter(|detection| detection.index >= resume_at) {
            self.fold_record(state, &batch, detection).await?;
            let next = Position { offset: batch.offset, record: detection.index + 1 };
            state.reached(next);
            if self.is_due(state, batch.offset) {
                self.commit(state).await?;
            }
        }
        self.finish(state, &batch);
        if state.deliveries.chunk_is_full() {
            self.commit(state).await?;
        }
        Ok(())
    }

    async fn fold_record(
        &mut self,
        state: &mut State,
        batch: &Detected,
        detection: &Detection,
    ) -> Result<(), TurnError> {
        let position = Position { offset: batch.offset, record: detection.index };
        let place = Place { headers: &batch.headers, position };
        let matched = match &detection.outcome {
            Outcome::Matched(_) if self.set_aside == Some(position) => {
                self.quarantine(state, position, "what follows from the record does not fit into one commit");
                return Ok(());
            }
            Outcome::Matched(matched) => matched,
            Outcome::Quarantined { cause } => {
                self.quarantine(state, position, cause);
                return Ok(());
            }
        };
        let verdict = fold::record(state, &self.shared.plan, self.reader(), &place, matched).await?;
        count_records(
            match verdict {
                RecordVerdict::Routine => "routine",
                RecordVerdict::Inconclusive => "inconclusive",
                RecordVerdict::Qualified => "qualified",
            },
            1,
        );
        Ok(())
    }

    fn quarantine(&self, state: &mut State, position: Position, cause: &str) {
        count_records("quarantined", 1);
        let (partition, offset, record) = (self.partition.0, position.offset.0, position.record);
        tracing::error!(partition, offset, record, cause, "a record was set aside");
        state.quarantine(position, cause.to_owned());
    }

    fn finish(&self, state: &mut State, batch: &Detected) {
        state.reached(Position { offset: batch.offset.next(), record: 0 });
        let lag = self.shared.clock.now().since(batch.headers.received_at);
        let partition = self.partition.0.to_string();
        metrics::gauge!("analysis_lag_seconds", "partition" => partition).set(lag.as_secs_f64());
    }

    fn is_due(&self, state: &State, offset: Offset) -> bool {
        let (rows, bytes) = state.pending_cost();
        rows >= DUE_ROWS || bytes >= DUE_BYTES || offset <= self.careful_through
    }

    pub(super) async fn commit(&mut self, state: &mut State) -> Result<(), TurnError> {
        let shared = Arc::clone(&self.shared);
        let reader = Reader { ledger: shared.ledger.as_ref(), partition: self.partition };
        let position = state.progress.position;
        match commit(state, &shared.plan, reader).await {
            Ok(()) => {
                shared.log.release(self.partition, Offset(position.offset.0.saturating_sub(1)));
                Ok(())
            }
            Err(error) => {
                if matches!(error, CommitError::TooLarge { .. }) {
                    self.take_smaller_steps(position);
                }
                Err(error.into())
            }
        }
    }

    /// After a commit that was too large: every record alone, and the one that is too large even so
    /// is set aside.
    fn take_smaller_steps(&mut self, position: Position) {
        if position.offset > self.careful_through {
            self.careful_through = position.offset;
            return;
        }
        self.set_aside = position.record.checked_sub(1).map(|record| Position { record, ..position });
    }
}

fn count_records(outcome: &'static str, count: u64) {
    metrics::counter!("analysis_records_total", "outcome" => outcome).increment(count);
}

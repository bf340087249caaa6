//! One batch of a partition: folded record by record, and committed whenever enough has gathered, in
//! the middle of it too, because progress is (offset, record).

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use common::partition::{Offset, Position};
use common::row::FoldedBatch;
use futures_util::FutureExt;
use incidents::finding::RecordContext;
use incidents::plan::Plan;

use super::{TurnError, Worker};
use crate::commit::{CommitError, catch_up, commit};
use crate::detect::{Detected, Detection, Metered, Outcome, panic_text};
use crate::fold;
use crate::quarantine;
use crate::state::State;

/// A commit is due above this many rows: well below the limit of the ledger, because one more record may add many.
const DUE_ROWS: usize = 500;
/// The same while too many rows wait to be deleted: then more go than come.
const DUE_ROWS_WHEN_BEHIND: usize = 250;
/// A commit is due above this many bytes, for the same reason.
const DUE_BYTES: usize = 384 * 1024;

impl Worker {
    /// Folds the matches of a batch; `false` where the records behind have to be matched again: the steps of documents decide
    /// that they are matched otherwise, or the batch was not matched.
    pub(super) async fn fold(&mut self, state: &mut State, batch: Detected) -> Result<bool, TurnError> {
        let headers = &batch.headers;
        let position = state.progress.position;
        if batch.offset < position.offset {
            return Ok(true);
        }
        if !batch.detections.is_empty() && !state.has_findings() {
            catch_up(state, self.lookup()).await?;
        }
        let resume_at = if batch.offset == position.offset { position.record } else { 0 };
        state.advance(headers.received_at);
        self.close_windows(state, batch.offset).await?;
        // A tick has moved the log's time, which is all it is for.
        let taken_in =
            if headers.tick { TakenIn::Before } else { self.take_in(state, &batch, resume_at).await? };
        match taken_in {
            TakenIn::Before => self.finish(state, &batch),
            TakenIn::Unmatched => return Ok(false),
            TakenIn::Now if batch.is_whole() => self.finish(state, &batch),
            TakenIn::Now => state.reached(Position { offset: batch.offset, record: batch.through }),
            TakenIn::UpToLimit => {
                let version = state.steps.version(self.catalogue.version());
                state.adopted(version);
                self.commit(state).await?;
                return Ok(false);
            }
        }
        if self.is_due(state, batch.offset) {
            self.commit(state).await?;
        }
        Ok(true)
    }

    /// Folds the matched records of a batch, unless it was folded before.
    async fn take_in(
        &mut self,
        state: &mut State,
        batch: &Detected,
        resume_at: u32,
    ) -> Result<TakenIn, TurnError> {
        let (source, marks) = (batch.headers.source, &batch.delivery.marks);
        if resume_at == 0 && state.deliveries.lock().contains_any(source, marks) {
            count_records("duplicate", u64::from(batch.records));
            return Ok(TakenIn::Before);
        }
        if batch.is_unmatched {
            return Ok(TakenIn::Unmatched);
        }
        if resume_at == 0 {
            begin(state, batch);
        }
        batch.recognised.report(&self.shared.statistics, &batch.headers);
        let records = u64::from(batch.through - batch.from);
        count_records("unmatched", records.saturating_sub(batch.detections.len() as u64));
        self.fold_records(state, batch, resume_at).await
    }

    async fn fold_records(
        &mut self,
        state: &mut State,
        batch: &Detected,
        resume_at: u32,
    ) -> Result<TakenIn, TurnError> {
        let plan = Arc::clone(self.catalogue.plan(batch.headers.organization));
        let mut uncounted = batch.metered.as_slice();
        for detection in batch.detections.iter().filter(|detection| detection.index >= resume_at) {
            if count_steps(state, &plan, batch, &mut uncounted, detection.index) {
                return Ok(TakenIn::UpToLimit);
            }
            self.fold_record(state, batch, detection).await?;
            let behind = detection.index + 1;
            state.reached(Position { offset: batch.offset, record: behind });
            if count_steps(state, &plan, batch, &mut uncounted, behind) {
                return Ok(TakenIn::UpToLimit);
            }
            if self.is_due(state, batch.offset) {
                self.commit(state).await?;
            }
        }
        let decided = count_steps(state, &plan, batch, &mut uncounted, u32::MAX);
        Ok(if decided { TakenIn::UpToLimit } else { TakenIn::Now })
    }

    async fn fold_record(
        &mut self,
        state: &mut State,
        batch: &Detected,
        detection: &Detection,
    ) -> Result<(), TurnError> {
        let position = Position { offset: batch.offset, record: detection.index };
        let context =
            RecordContext { headers: &batch.headers, position, log_time: state.progress.received_through };
        let matched = match &detection.outcome {
            Outcome::Matched(matched) => matched,
            Outcome::Quarantined { cause } => {
                self.quarantine(state, position, cause).await;
                return Ok(());
            }
        };
        if let Some((_, cause)) = self.set_aside.as_ref().filter(|(set_aside, _)| *set_aside == position) {
            self.quarantine(state, position, cause).await;
            return Ok(());
        }
        let lookup = self.shared.lookup(self.partition);
        let catalogue = Arc::clone(&self.catalogue);
        let folding = fold::record(state, &catalogue, lookup, &context, matched);
        let outcome = match AssertUnwindSafe(folding).catch_unwind().await {
            Ok(outcome) => outcome?,
            // The state may be half changed: it is read again.
            Err(panic) => {
                let cause = panic_text(panic.as_ref());
                self.take_smaller_steps(position, &cause);
                return Err(TurnError::Panicked { cause });
            }
        };
        count_records(outcome, 1);
        Ok(())
    }

    async fn quarantine(&self, state: &mut State, position: Position, cause: &str) {
        count_records("quarantined", 1);
        let (partition, offset, record) = (self.partition.0, position.offset.0, position.record);
        tracing::error!(partition, offset, record, cause, "a record was quarantined");
        state.quarantine(
            quarantine::describe(self.shared.log.as_ref(), self.partition, position, cause).await,
        );
    }

    fn finish(&self, state: &mut State, batch: &Detected) {
        state.reached(Position { offset: batch.offset.next(), record: 0 });
        state.progress.last_batch = Some(FoldedBatch::new(batch.offset, &batch.headers));
    }

    pub(super) fn is_due(&self, state: &State, offset: Offset) -> bool {
        self.is_full(state) || offset <= self.careful_through
    }

    /// Whether so much waits to be committed that more might not fit.
    pub(super) fn is_full(&self, state: &State) -> bool {
        let (rows, bytes) = state.pending_cost();
        let due = if state.is_behind_with_deleting() { DUE_ROWS_WHEN_BEHIND } else { DUE_ROWS };
        rows >= due || bytes >= DUE_BYTES
    }

    pub(super) async fn commit(&mut self, state: &mut State) -> Result<(), TurnError> {
        let shared = Arc::clone(&self.shared);
        let lookup = shared.lookup(self.partition);
        let position = state.progress.position;
        match commit(state, lookup).await {
            Ok(()) => {
                self.goes_on();
                shared.log.release(self.partition, Offset(position.offset.0.saturating_sub(1)));
                Ok(())
            }
            Err(error) => {
                if let (CommitError::TooLarge { .. }, Some(key)) = (&error, self.closing) {
                    let cause = "the changes at the end of the window do not fit into one commit";
                    self.close_in_smaller_steps(position.offset, key, cause);
                } else if let (CommitError::TooLarge { .. }, Some(record)) =
                    (&error, position.record.checked_sub(1))
                {
                    let last = Position { record, ..position };
                    self.take_smaller_steps(
                        last,
                        "the changes caused by the record do not fit into one commit",
                    );
                } else if matches!(error, CommitError::TooLarge { .. }) {
                    self.careful_through = self.careful_through.max(position.offset);
                }
                Err(error.into())
            }
        }
    }

    /// After a record could not be folded or committed: every record of its batch alone, and the one
    /// that fails even so is set aside.
    fn take_smaller_steps(&mut self, position: Position, cause: &str) {
        if position.offset > self.careful_through {
            self.careful_through = position.offset;
            return;
        }
        self.set_aside = Some((position, cause.to_owned()));
    }
}

/// Way in which a batch was processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TakenIn {
    /// Its records are folded now, as far as they were matched.
    Now,
    /// It was folded before, or has no records.
    Before,
    /// Not at all: it seemed to be a repeat, and the repeated delivery was forgotten meanwhile.
    Unmatched,
    /// Up to a record from which on documents are suspended or have fewer steps.
    UpToLimit,
}

/// Counts the steps of records before one; returns whether those behind are matched otherwise for them, and then reaches the
/// record behind the one that decided it.
fn count_steps(
    state: &mut State,
    plan: &Plan,
    batch: &Detected,
    uncounted: &mut &[Metered],
    before: u32,
) -> bool {
    let (organization, log_time) = (batch.headers.organization, state.progress.received_through);
    while let Some((metered, rest)) = uncounted.split_first().filter(|(first, _)| first.index < before) {
        *uncounted = rest;
        if state.steps.count(plan, organization, log_time, (metered.class, &metered.spent)) {
            state.reached(Position { offset: batch.offset, record: metered.index + 1 });
            return true;
        }
    }
    false
}

/// Remembers a batch.
fn begin(state: &mut State, batch: &Detected) {
    let source = batch.headers.source;
    state.heard_of(batch.headers.organization, source, batch.headers.received_at);
    let log_time = state.progress.received_through;
    let mut deliveries = state.deliveries.lock();
    for mark in &batch.delivery.marks {
        deliveries.insert(source, *mark, log_time);
    }
}

fn count_records(outcome: &'static str, count: u64) {
    metrics::counter!("palisade_analysis_records_total", "outcome" => outcome).increment(count);
}

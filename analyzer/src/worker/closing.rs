//! Windows whose end the log's time has passed: closed one by one before the batch that moved it, and committed whenever enough
//! has gathered. A closed window is removed from the state by the same commit that holds its findings, so that work continues
//! with the rest after any interruption.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use common::partition::{Offset, Position};
use futures_util::FutureExt;
use incidents::accumulate::correlate::GroupKey;

use super::{TurnError, Worker};
use crate::commit::catch_up;
use crate::detect::panic_text;
use crate::fold;
use crate::state::State;

impl Worker {
    /// Closes every window that is due when the batch at `offset` has moved the log's time.
    pub(super) async fn close_windows(&mut self, state: &mut State, offset: Offset) -> Result<(), TurnError> {
        let log_time = state.progress.received_through;
        if state.fold.accumulated.correlations.next_due(log_time).is_none() {
            return Ok(());
        }
        if !state.has_findings() {
            catch_up(state, self.lookup()).await?;
        }
        if state.progress.position.offset < offset {
            state.reached(Position { offset, record: 0 });
        }
        while let Some(key) = state.fold.accumulated.correlations.next_due(log_time) {
            self.closing = Some(key);
            self.close_window(state, offset, key).await?;
            if self.is_due(state, offset) {
                self.commit(state).await?;
            }
        }
        self.closing = None;
        Ok(())
    }

    async fn close_window(
        &mut self,
        state: &mut State,
        offset: Offset,
        key: GroupKey,
    ) -> Result<(), TurnError> {
        let Some(headers) =
            state.fold.accumulated.correlations.headers(&key, state.progress.received_through)
        else {
            return Ok(());
        };
        let (shared, catalogue) = (Arc::clone(&self.shared), Arc::clone(&self.catalogue));
        if let Some((_, cause)) = self.window_set_aside.take_if(|(set_aside, _)| *set_aside == key) {
            let (partition, source) = (self.partition.0, headers.source);
            tracing::error!(partition, offset = offset.0, %source, cause, "the end of a window could not be evaluated and was skipped");
            state.fold.accumulated.correlations.set_aside(state.progress.received_through, key);
            return Ok(());
        }
        let lookup = shared.lookup(self.partition);
        let folding = fold::window(state, &catalogue, lookup, key, &headers);
        match AssertUnwindSafe(folding).catch_unwind().await {
            Ok(folded) => Ok(folded?),
            // The state may be half changed: it is read again.
            Err(panic) => {
                let cause = panic_text(panic.as_ref());
                self.close_in_smaller_steps(offset, key, &cause);
                Err(TurnError::Panicked { cause })
            }
        }
    }

    /// After a window could not be folded or committed: every one alone, and the one that fails even so is
    /// set aside.
    pub(super) fn close_in_smaller_steps(&mut self, offset: Offset, key: GroupKey, cause: &str) {
        if offset > self.careful_through {
            self.careful_through = offset;
            return;
        }
        self.window_set_aside = Some((key, cause.to_owned()));
    }
}

//! State to ledger in one atomic commit with the position. When another commit came first (a
//! person's triage), its change is merged and the commit tried again; nothing is folded twice.

use common::event::outbox_key;
use common::row::{self, BodyError};
use escalation::{Cause, Change};
use ledger::{Changes, Commit, Kind, LedgerError, Op, Seq};
use thiserror::Error;

use crate::fold::{FoldError, Lookup};
use crate::state::State;

/// Times a commit is tried against other writers before the state is read again: at one conflict for each of 100 changes a
/// second, more than a flush ever has.
const MOST_CONFLICTS: u32 = 1_000;

/// Reason why a commit did not take effect.
#[derive(Debug, Error)]
pub(crate) enum CommitError {
    /// The state in memory can no longer be trusted: read it again and continue from there.
    #[error("the state must be reloaded: {0}")]
    Reload(&'static str),
    /// Another analyzer has raised the epoch: the partition is its own.
    #[error("the partition was taken over")]
    TakenOver,
    /// Larger than a commit may be: continue in smaller steps.
    #[error("the commit is too large: {rows} rows, {bytes} bytes")]
    TooLarge {
        /// Operations in it.
        rows: usize,
        /// Bytes in it.
        bytes: usize,
    },
    /// The ledger could not be read, or a row could not be used.
    #[error(transparent)]
    Fold(#[from] FoldError),
}

/// Commits everything that has changed, and the position.
pub(crate) async fn commit(state: &mut State, lookup: Lookup<'_>) -> Result<(), CommitError> {
    let fixed = state.take_ops().map_err(FoldError::from)?;
    for _ in 0..MOST_CONFLICTS {
        let mut ops: Vec<Op> = fixed.clone();
        state.fold.incidents.write(&mut ops).map_err(FoldError::from)?;
        write_escalations(state, lookup, &mut ops).map_err(FoldError::from)?;
        match lookup.ledger.commit(lookup.ledger_id(), state.seq, ops).await {
            Ok(Commit::Done(seq)) => {
                state.committed(seq);
                return Ok(());
            }
            Ok(Commit::Conflict(_)) => merge(state, lookup).await?,
            Ok(Commit::Unknown) => return Err(CommitError::Reload("the outcome of a commit is unknown")),
            Err(LedgerError::TooLarge { rows, bytes }) => return Err(CommitError::TooLarge { rows, bytes }),
            Err(error) => return Err(CommitError::Fold(error.into())),
        }
    }
    Err(CommitError::Reload("every attempt conflicted with another commit"))
}

/// Appends the events of escalated revisions to the outbox, in the commit that is tried now.
fn write_escalations(state: &State, lookup: Lookup<'_>, ops: &mut Vec<Op>) -> Result<(), BodyError> {
    // Far fewer than a commit has rows.
    for (index, escalated) in (0_u16..).zip(state.fold.incidents.escalated()) {
        let event = lookup.escalation.event(&Change {
            incident: &escalated.incident,
            assessment: &escalated.revision.assessment,
            source_name: escalated.source_name,
            cause: Cause::Revision(escalated.revision.revision),
            at: escalated.revision.created_at,
        })?;
        let key = outbox_key(state.seq.0 + 1, index).into();
        ops.push(Op::Put { kind: Kind::Outbox, key, body: row::encode(&event)?.into() });
    }
    Ok(())
}

/// Merges the commits of others since, while nothing waits to be committed: the next records are folded by the triage
/// as it is now.
pub(crate) async fn catch_up(state: &mut State, lookup: Lookup<'_>) -> Result<(), CommitError> {
    while lookup.ledger.seq(lookup.ledger_id()).await.map_err(FoldError::from)? > state.seq {
        merge(state, lookup).await?;
    }
    Ok(())
}

/// Merges the commits of others: people's part of incidents. A changed position means that
/// the partition has another owner now.
async fn merge(state: &mut State, lookup: Lookup<'_>) -> Result<(), CommitError> {
    let changes = lookup.ledger.changes(lookup.ledger_id(), state.seq).await.map_err(FoldError::from)?;
    let (seq, touched): (Seq, _) = match changes {
        Changes::Touched { seq, rows } => (seq, rows),
        Changes::Gap { .. } => return Err(CommitError::Reload("the change feed has a gap")),
    };
    let progress_key = row::progress_key();
    if touched.iter().any(|(kind, key)| *kind == Kind::State && **key == *progress_key) {
        return Err(CommitError::TakenOver);
    }
    for (_, key) in touched.into_iter().filter(|(kind, _)| *kind == Kind::Head) {
        if let Some(body) = lookup.get(Kind::Head, &key).await.map_err(FoldError::from)? {
            state.fold.incidents.merge_triage(row::decode(&body).map_err(FoldError::from)?);
        }
    }
    state.seq = seq;
    Ok(())
}

//! State to ledger in one atomic commit with the position. When somebody else committed first (a
//! person's triage), their change is merged and the commit tried again; nothing is folded twice.

use common::row;
use ledger::{Changes, Commit, Kind, LedgerError, Op, Seq};
use thiserror::Error;

use crate::catalogue::Catalogue;
use crate::fold::incidents::{FoldError, Reader};
use crate::state::State;

/// Times a commit is tried against other writers before the state is read anew: at one conflict for
/// each of 100 changes a second, more than a flush ever meets.
const MOST_CONFLICTS: u32 = 1_000;

/// Why a commit did not take effect, and what follows.
#[derive(Debug, Error)]
pub(crate) enum CommitError {
    /// The state in memory can no longer be trusted: read it again and go on from there.
    #[error("the state must be reloaded: {0}")]
    Reload(&'static str),
    /// Somebody else has raised the epoch: the partition is theirs.
    #[error("the partition was taken over")]
    TakenOver,
    /// More than one commit may hold: go on in smaller steps.
    #[error("the commit is too large: {rows} rows, {bytes} bytes")]
    TooLarge {
        /// Operations in it.
        rows: usize,
        /// Bytes in it.
        bytes: usize,
    },
    /// The ledger could not be asked, or a row could not be used.
    #[error(transparent)]
    Fold(#[from] FoldError),
}

/// Commits everything that has changed, and the position.
pub(crate) async fn commit(
    state: &mut State,
    catalogue: &Catalogue,
    reader: Reader<'_>,
) -> Result<(), CommitError> {
    let fixed = state.take_ops(catalogue).map_err(FoldError::from)?;
    for _ in 0..MOST_CONFLICTS {
        let mut ops: Vec<Op> = fixed.clone();
        state.incidents.write(reader.escalation, state.seq, &mut ops).map_err(FoldError::from)?;
        match reader.ledger.commit(reader.ledger_id(), state.seq, ops).await {
            Ok(Commit::Done(seq)) => {
                state.committed(seq);
                return Ok(());
            }
            Ok(Commit::Conflict(_)) => merge(state, reader).await?,
            Ok(Commit::Unknown) => return Err(CommitError::Reload("the outcome of a commit is unknown")),
            Err(LedgerError::TooLarge { rows, bytes }) => return Err(CommitError::TooLarge { rows, bytes }),
            Err(error) => return Err(CommitError::Fold(error.into())),
        }
    }
    Err(CommitError::Reload("every attempt conflicted with another commit"))
}

/// Takes over what others have committed since, while nothing waits to be committed: what is folded
/// next is folded as people have said by now.
pub(crate) async fn catch_up(state: &mut State, reader: Reader<'_>) -> Result<(), CommitError> {
    while reader.ledger.seq(reader.ledger_id()).await.map_err(FoldError::from)? > state.seq {
        merge(state, reader).await?;
    }
    Ok(())
}

/// Takes over what others have committed: people's part of incidents. A changed position means that
/// the partition has another owner now.
async fn merge(state: &mut State, reader: Reader<'_>) -> Result<(), CommitError> {
    let changes = reader.ledger.changes(reader.ledger_id(), state.seq).await.map_err(FoldError::from)?;
    let (seq, touched): (Seq, _) = match changes {
        Changes::Touched { seq, rows } => (seq, rows),
        Changes::Gap { .. } => return Err(CommitError::Reload("the change feed has a gap")),
    };
    let progress_key = row::progress_key();
    if touched.iter().any(|(kind, key)| *kind == Kind::State && **key == *progress_key) {
        return Err(CommitError::TakenOver);
    }
    let heads: Vec<_> =
        touched.into_iter().filter(|(kind, _)| *kind == Kind::Head).map(|(_, key)| key).collect();
    state.incidents.merge_heads(reader, &heads).await?;
    state.seq = seq;
    Ok(())
}

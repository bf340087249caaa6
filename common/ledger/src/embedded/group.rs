//! Many commits, one transaction, one sync: writing of a group, and the answers to its members.

use std::collections::BTreeMap;

use rusqlite::{Connection, ErrorCode};

use super::apply::{Verdict, apply};
use super::damage::refused;
use super::file;
use crate::{Commit, LedgerError, LedgerId, Op, Seq};

/// One commit that waits.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) ledger: LedgerId,
    pub(super) at: Seq,
    pub(super) ops: Vec<Op>,
}

/// Answer to a member of a group.
pub(super) type Answer = Result<Commit, LedgerError>;

/// The last step of a group: makes the open transaction durable.
pub(super) type Finish = Box<dyn FnMut(&Connection) -> rusqlite::Result<()> + Send>;

/// The last step of every group outside of tests.
pub(super) fn commit(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("COMMIT")
}

/// Outcome of a group.
pub(super) struct Outcome {
    /// One answer a proposal, in their order.
    pub(super) answers: Vec<Answer>,
    /// Whether the content of the file is certain, see [`settle`].
    pub(super) is_settled: bool,
}

/// Writes a group. No member is answered before all of it is durable, so no answer is ever withdrawn.
pub(super) fn write(
    connection: &Connection,
    proposals: &[Proposal],
    feed_commits: u32,
    finish: &mut Finish,
) -> Outcome {
    let verdicts = match judge(connection, proposals, feed_commits) {
        Ok(verdicts) => verdicts,
        Err(error) => {
            tracing::error!(%error, commits = proposals.len(), "a group of commits was rolled back");
            roll_back(connection);
            return Outcome { answers: all_refused(proposals, &error), is_settled: true };
        }
    };
    match finish(connection) {
        Ok(()) => Outcome { answers: verdicts.into_iter().map(answer).collect(), is_settled: true },
        Err(error) => {
            tracing::error!(%error, commits = proposals.len(), "a group of commits could not be made durable");
            roll_back(connection);
            if is_surely_undone(&error) {
                return Outcome { answers: all_refused(proposals, &error), is_settled: true };
            }
            let answers = verdicts.into_iter().map(|verdict| answer_in_doubt(verdict, &error)).collect();
            Outcome { answers, is_settled: false }
        }
    }
}

/// Removes the uncertainty after a failed sync: the transaction is not visible now, but may be found in the
/// log after a crash. A new transaction takes its place there, and once that is durable the old one can
/// never reappear.
pub(super) fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let written = file::rewrite_header(connection).and_then(|()| connection.execute_batch("COMMIT"));
    if written.is_err() {
        roll_back(connection);
    }
    written
}

/// Applies the members of a group in an open transaction. One that meets damage is refused, and the others are applied again
/// in another transaction: after damage SQLite accepts nothing more in the current one.
fn judge(
    connection: &Connection,
    proposals: &[Proposal],
    feed_commits: u32,
) -> rusqlite::Result<Vec<Verdict>> {
    let mut damaged = BTreeMap::new();
    // Each round but the last refuses one member more, so there are at most as many as members and one.
    'rounds: loop {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut verdicts = BTreeMap::new();
        for (at, proposal) in proposals.iter().enumerate() {
            if damaged.contains_key(&at) {
                continue;
            }
            let verdict = apply(connection, proposal.ledger, proposal.at, &proposal.ops, feed_commits)?;
            if verdict.is_damage() {
                roll_back(connection);
                damaged.insert(at, verdict);
                continue 'rounds;
            }
            verdicts.insert(at, verdict);
        }
        verdicts.extend(damaged);
        return Ok(verdicts.into_values().collect());
    }
}

fn answer(verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Applied(seq) => Ok(Commit::Done(seq)),
        Verdict::Conflict(seq) => Ok(Commit::Conflict(seq)),
        Verdict::Failed(error) => Err(error),
    }
}

/// A conflict may be with a member of the group that was not committed: nothing was changed, and more is not known.
fn answer_in_doubt(verdict: Verdict, error: &rusqlite::Error) -> Answer {
    match verdict {
        Verdict::Applied(_) => Ok(Commit::Unknown),
        Verdict::Conflict(_) | Verdict::Failed(_) => {
            Err(LedgerError::Unavailable { cause: error.to_string() })
        }
    }
}

fn all_refused(proposals: &[Proposal], error: &rusqlite::Error) -> Vec<Answer> {
    proposals.iter().map(|proposal| Err(refused(error, proposal.ledger))).collect()
}

/// A full disk stops the writing of the log before the record that would commit the transaction.
fn is_surely_undone(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
}

fn roll_back(connection: &Connection) {
    if connection.is_autocommit() {
        return;
    }
    if let Err(error) = connection.execute_batch("ROLLBACK") {
        tracing::error!(%error, "a transaction could not be rolled back");
    }
}

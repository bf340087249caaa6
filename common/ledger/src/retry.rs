//! Optimistic concurrency: the one loop that reads at a sequence number, decides, and commits at that number.

use thiserror::Error;

use crate::{Commit, Ledger, LedgerError, LedgerId, Op, Seq};

/// How often a change is decided anew when others commit in between. Enough for dozens of administrators who press the
/// button at once; a ledger busier than that should say so.
pub const MAX_ATTEMPTS: usize = 32;

/// One attempt to change a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The sequence number that the attempt is committed at. It was read before anything that the decision reads.
    pub seq: Seq,
    /// Attempts before this one.
    pub earlier: usize,
    /// Whether the outcome of an earlier attempt is unknown, so that its change may be what is read now.
    pub unknown: bool,
}

/// The result of reading and deciding.
#[derive(Debug)]
pub enum Decision<T> {
    /// Nothing to commit: the ledger is as it should be, or an earlier attempt of unknown outcome took effect.
    Keep(T),
    /// Commit these, then return the value.
    Commit(Vec<Op>, T),
}

/// Other writers committed first in every attempt; nothing was changed, unless the outcome of one attempt is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the ledger changed during every one of {MAX_ATTEMPTS} attempts")]
pub struct Contended {
    /// Whether the outcome of an attempt is unknown.
    pub unknown: bool,
}

/// Changes a ledger: `decide` reads and decides, the result is committed at the sequence number from before it read. On a
/// conflict it decides again, from new reads. After a commit of unknown outcome it decides again too, and must recognise
/// its own change among what it reads, by [`Decision::Keep`]; a decision that leads to the same rows whether or not it is
/// applied twice needs nothing for that. At most [`MAX_ATTEMPTS`] attempts.
///
/// # Errors
/// The first error of `decide`; [`LedgerError`] of the ledger; [`Contended`] after the last attempt.
pub async fn retry<T, E, F>(
    ledger: &dyn Ledger,
    id: LedgerId,
    mut decide: impl FnMut(Attempt) -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<Decision<T>, E>>,
    E: From<LedgerError> + From<Contended>,
{
    let mut unknown = false;
    for earlier in 0..MAX_ATTEMPTS {
        let seq = ledger.seq(id).await?;
        let (ops, value) = match decide(Attempt { seq, earlier, unknown }).await? {
            Decision::Keep(value) => return Ok(value),
            Decision::Commit(ops, value) => (ops, value),
        };
        match ledger.commit(id, seq, ops).await? {
            Commit::Done(_) => return Ok(value),
            Commit::Conflict(_) => {}
            Commit::Unknown => unknown = true,
        }
    }
    Err(Contended { unknown }.into())
}

#[cfg(test)]
mod tests;

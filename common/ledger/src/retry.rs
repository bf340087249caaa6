//! The optimistic loop: read at a sequence number, decide, commit at it, and decide again when another commit came
//! first. Every change of a ledger that is decided from its rows goes through here, except the analyzer's flush, which
//! merges instead of deciding again.
//!
//! ```
//! # use ledger::{Kind, Ledger, LedgerError, LedgerId, Op, retry::Attempts};
//! # async fn count(ledger: &dyn Ledger) -> Result<u8, LedgerError> {
//! let mut attempts = Attempts::of(ledger, LedgerId::Platform);
//! while attempts.next().await? {
//!     let count = ledger.get(LedgerId::Platform, Kind::Head, b"count").await?;
//!     let count = count.and_then(|count| count.first().copied()).unwrap_or(0) + 1;
//!     let op = Op::Put { kind: Kind::Head, key: "count".into(), body: vec![count].into() };
//!     if attempts.commit(vec![op]).await? {
//!         return Ok(count);
//!     }
//! }
//! // Another commit came first in every attempt.
//! # Ok(0)
//! # }
//! ```

use std::time::Duration;

use crate::{Commit, Ledger, LedgerError, LedgerId, Op, Seq};

/// Maximum number of attempts: enough for dozens of concurrent writers. A ledger with more contention should return an error.
pub const MAX_ATTEMPTS: u32 = 32;
/// Attempts without a pause in front: the first conflict is usually one flush, and worth another try at once.
const AT_ONCE: u32 = 2;
/// The pause before another attempt: this, doubled each time up to sixteen times this. 2.2 s over all attempts.
const FIRST_PAUSE: Duration = Duration::from_millis(5);

/// Attempts to change a ledger, at most [`MAX_ATTEMPTS`] unless [`Attempts::at_most`] sets another limit.
#[derive(Clone, Copy)]
pub struct Attempts<'l> {
    ledger: &'l dyn Ledger,
    id: LedgerId,
    most: u32,
    begun: u32,
    seq: Seq,
    after_unknown: bool,
}

impl<'l> Attempts<'l> {
    /// No attempt yet.
    #[must_use]
    pub fn of(ledger: &'l dyn Ledger, id: LedgerId) -> Self {
        Self { ledger, id, most: MAX_ATTEMPTS, begun: 0, seq: Seq(0), after_unknown: false }
    }

    /// Another number of attempts: of a ledger that is committed to hundreds of times a second.
    #[must_use]
    pub fn at_most(self, most: u32) -> Self {
        Self { most, ..self }
    }

    /// Begins the next attempt; `false` when there were too many. Everything that the change is decided from is read
    /// after this, so that the commit fails if any of it has changed since.
    ///
    /// # Errors
    /// The errors of [`Ledger::seq`].
    pub async fn next(&mut self) -> Result<bool, LedgerError> {
        if self.begun == self.most {
            return Ok(false);
        }
        if let Some(pauses) = self.begun.checked_sub(AT_ONCE) {
            tokio::time::sleep(FIRST_PAUSE * 2_u32.pow(pauses.min(4))).await;
        }
        self.begun += 1;
        self.seq = self.ledger.seq(self.id).await?;
        Ok(true)
    }

    /// Whether this is the first attempt: a later one may find the changes of an earlier one of unknown outcome, or of
    /// another writer in between.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.begun <= 1
    }

    /// Whether the effect of an earlier attempt is unknown.
    #[must_use]
    pub fn is_after_unknown(&self) -> bool {
        self.after_unknown
    }

    /// The sequence number of the attempt, at which it commits.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// Commits the change. `false` when another commit came first, or when it is unknown whether this one took
    /// effect: the next attempt reads again, sees whether the change is there, and decides again.
    ///
    /// # Errors
    /// The errors of [`Ledger::commit`].
    pub async fn commit(&mut self, ops: Vec<Op>) -> Result<bool, LedgerError> {
        match self.ledger.commit(self.id, self.seq, ops).await? {
            Commit::Done(seq) => {
                self.seq = seq;
                return Ok(true);
            }
            Commit::Conflict(_) => {}
            Commit::Unknown => self.after_unknown = true,
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests;

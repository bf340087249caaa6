//! A ledger in memory whose commits may fail, or have an unknown outcome.

use std::sync::Mutex;

use async_trait::async_trait;
use bytes::Bytes;
use ledger::memory::MemoryLedger;
use ledger::{Changes, Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq};

/// Fate of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Done,
    /// It takes effect; its answer is lost.
    AnswerLost,
    /// It does not take effect; its answer is lost.
    Lost,
    /// It does not take effect, and the ledger says so.
    Refused,
}

/// Deals with commits as a list says, and with all later ones without trouble.
pub(super) struct Lossy {
    pub(super) memory: MemoryLedger,
    fates: Mutex<Vec<Fate>>,
}

impl Lossy {
    pub(super) fn new() -> Self {
        Self { memory: MemoryLedger::default(), fates: Mutex::default() }
    }

    pub(super) fn expect(&self, fates: &[Fate]) {
        *self.fates.lock().unwrap() = fates.iter().rev().copied().collect();
    }
}

#[async_trait]
impl Ledger for Lossy {
    async fn seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        self.memory.seq(ledger).await
    }

    async fn commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        let fate = self.fates.lock().unwrap().pop().unwrap_or(Fate::Done);
        match fate {
            Fate::Done => self.memory.commit(ledger, at, ops).await,
            Fate::AnswerLost => {
                self.memory.commit(ledger, at, ops).await?;
                Ok(Commit::Unknown)
            }
            Fate::Lost => Ok(Commit::Unknown),
            Fate::Refused => Err(LedgerError::Unavailable { cause: "refused by the test".into() }),
        }
    }

    async fn get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        self.memory.get(ledger, kind, key).await
    }

    async fn scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        self.memory.scan(ledger, kind, range, limit).await
    }

    async fn changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
        self.memory.changes(ledger, after).await
    }
}

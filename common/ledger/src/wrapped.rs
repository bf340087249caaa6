//! Ledgers for tests that fail, count or wait: another ledger, of which some calls are changed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;

use crate::memory::MemoryLedger;
use crate::{Changes, Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq};

/// A ledger on top of another one. Each call is passed on unless its method is overridden. The names differ from those of
/// [`Ledger`], so that both traits can be in scope.
#[async_trait]
pub trait Wrapper: Send + Sync {
    /// The ledger that calls are passed on to.
    fn inner(&self) -> &dyn Ledger;

    /// In place of [`Ledger::seq`].
    async fn on_seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        self.inner().seq(ledger).await
    }

    /// In place of [`Ledger::commit`].
    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        self.inner().commit(ledger, at, ops).await
    }

    /// In place of [`Ledger::get`].
    async fn on_get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        self.inner().get(ledger, kind, key).await
    }

    /// In place of [`Ledger::scan`].
    async fn on_scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        self.inner().scan(ledger, kind, range, limit).await
    }

    /// In place of [`Ledger::changes`].
    async fn on_changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
        self.inner().changes(ledger, after).await
    }
}

#[async_trait]
impl<W: Wrapper> Ledger for W {
    async fn seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        self.on_seq(ledger).await
    }

    async fn commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        self.on_commit(ledger, at, ops).await
    }

    async fn get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        self.on_get(ledger, kind, key).await
    }

    async fn scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        self.on_scan(ledger, kind, range, limit).await
    }

    async fn changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
        self.on_changes(ledger, after).await
    }
}

/// Outcome of a commit, as a test decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// That of the ledger below.
    Done,
    /// It takes effect; its answer is lost.
    AnswerLost,
    /// It does not take effect; its answer is lost.
    Lost,
    /// It does not take effect, and the ledger says so.
    Refused,
    /// It does not take effect; the answer names another commit that came first.
    Conflict,
    /// It does not take effect, because the ledger is damaged.
    Damaged,
}

/// Fates of the next commits, in their order; all later ones are [`Fate::Done`].
#[derive(Debug, Default)]
pub struct Fates(Mutex<VecDeque<Fate>>);

impl Fates {
    /// Replaces the fates that are left.
    pub fn deal(&self, fates: impl IntoIterator<Item = Fate>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = fates.into_iter().collect();
    }

    /// Commits to a ledger as the next fate says.
    ///
    /// # Errors
    /// Those of the fate, and of [`Ledger::commit`].
    pub async fn commit(
        &self,
        inner: &dyn Ledger,
        (ledger, at): (LedgerId, Seq),
        ops: Vec<Op>,
    ) -> Result<Commit, LedgerError> {
        let fate = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        match fate.unwrap_or(Fate::Done) {
            Fate::Done => inner.commit(ledger, at, ops).await,
            Fate::AnswerLost => inner.commit(ledger, at, ops).await.map(|_| Commit::Unknown),
            Fate::Lost => Ok(Commit::Unknown),
            Fate::Refused => Err(LedgerError::Unavailable { cause: "refused by the test".to_owned() }),
            Fate::Conflict => Ok(Commit::Conflict(Seq(at.0.saturating_add(1)))),
            Fate::Damaged => {
                Err(LedgerError::Damaged { ledger, row: None, cause: "damaged by the test".to_owned() })
            }
        }
    }
}

/// The ledger in memory, whose commits end as dealt.
#[derive(Debug, Default)]
pub struct FatedLedger {
    /// The ledger below, for reads without trouble.
    pub memory: Arc<MemoryLedger>,
    /// Fates of its commits.
    pub fates: Fates,
}

impl FatedLedger {
    /// A ledger whose first commits have these fates.
    #[must_use]
    pub fn new(memory: Arc<MemoryLedger>, fates: impl IntoIterator<Item = Fate>) -> Self {
        let ledger = Self { memory, fates: Fates::default() };
        ledger.fates.deal(fates);
        ledger
    }
}

#[async_trait]
impl Wrapper for FatedLedger {
    fn inner(&self) -> &dyn Ledger {
        self.memory.as_ref()
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        self.fates.commit(self.inner(), (ledger, at), ops).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEDGER: LedgerId = LedgerId::Platform;

    #[tokio::test]
    async fn each_commit_ends_as_dealt_and_later_ones_take_effect() {
        let fates = [Fate::AnswerLost, Fate::Lost, Fate::Conflict, Fate::Refused, Fate::Damaged];
        let ledger = FatedLedger::new(Arc::default(), fates);
        assert_eq!(ledger.commit(LEDGER, Seq(0), Vec::new()).await.unwrap(), Commit::Unknown);
        assert_eq!(ledger.commit(LEDGER, Seq(1), Vec::new()).await.unwrap(), Commit::Unknown);
        assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(1), "the second one was lost");
        assert_eq!(ledger.commit(LEDGER, Seq(1), Vec::new()).await.unwrap(), Commit::Conflict(Seq(2)));
        let refused = ledger.commit(LEDGER, Seq(1), Vec::new()).await.unwrap_err();
        assert!(matches!(refused, LedgerError::Unavailable { .. }), "{refused}");
        assert!(ledger.commit(LEDGER, Seq(1), Vec::new()).await.unwrap_err().is_damage());
        assert_eq!(ledger.commit(LEDGER, Seq(1), Vec::new()).await.unwrap(), Commit::Done(Seq(2)));
        assert_eq!(ledger.memory.seq(LEDGER).await.unwrap(), Seq(2));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_wrapper_passes_the_suite_of_ledgers() {
        let memory = Arc::new(MemoryLedger::with_feed_commits(crate::conformance::FEED_COMMITS));
        crate::conformance::run(Arc::new(FatedLedger::new(memory, []))).await;
    }
}

//! A ledger in memory on which others can act at the worst moment.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use ledger::memory::MemoryLedger;
pub(crate) use ledger::wrapped::Fate;
use ledger::wrapped::{Fates, Wrapper};
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq};
use tokio::sync::watch;

/// [`MemoryLedger`] with interruptions.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) memory: MemoryLedger,
    before_commits: Mutex<VecDeque<Option<Vec<Op>>>>,
    before_details: Mutex<VecDeque<Vec<Op>>>,
    fates: Fates,
    panics: AtomicBool,
    partitions_are_away: AtomicBool,
    scans: AtomicUsize,
    state_scans: AtomicUsize,
    commits: watch::Sender<u64>,
}

impl Stage {
    /// Committed by another process before the next commit to a partition's ledger.
    pub(crate) fn interrupt_next_commit(&self, ops: Vec<Op>) {
        self.before_commits.lock().unwrap().push_back(Some(ops));
    }

    /// The next commit to a partition's ledger that nothing was said about is left alone.
    pub(crate) fn spare_next_commit(&self) {
        self.before_commits.lock().unwrap().push_back(None);
    }

    /// Before the next read of an incident's detail, somebody else commits this to the ledger it is read from.
    pub(crate) fn interrupt_next_detail(&self, ops: Vec<Op>) {
        self.before_details.lock().unwrap().push_back(ops);
    }

    /// Fates of the next commits to ledgers of records; later ones take effect.
    pub(crate) fn deal(&self, fates: &[Fate]) {
        self.fates.deal(fates.iter().copied());
    }

    /// The next read of a row panics.
    pub(crate) fn panic_at_next_get(&self) {
        self.panics.store(true, Ordering::SeqCst);
    }

    /// Whether reads of rows in partitions' ledgers fail from now on.
    pub(crate) fn take_partitions_away(&self, away: bool) {
        self.partitions_are_away.store(away, Ordering::SeqCst);
    }

    /// Tells of every commit.
    pub(crate) fn commits(&self) -> watch::Receiver<u64> {
        self.commits.subscribe()
    }

    /// Scans of heads so far.
    pub(crate) fn head_scans(&self) -> usize {
        self.scans.load(Ordering::SeqCst)
    }

    /// Scans of state rows in organizations' ledgers so far.
    pub(crate) fn state_scans(&self) -> usize {
        self.state_scans.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Wrapper for Stage {
    fn inner(&self) -> &dyn Ledger {
        &self.memory
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        if let LedgerId::Partition(_) = ledger {
            let interruption = self.before_commits.lock().unwrap().pop_front();
            if let Some(theirs) = interruption.flatten() {
                let now = self.memory.seq(ledger).await?;
                assert!(matches!(self.memory.commit(ledger, now, theirs).await?, Commit::Done(_)));
            }
        }
        let outcome = match ledger {
            LedgerId::Records(_) => self.fates.commit(&self.memory, (ledger, at), ops).await,
            _ => self.memory.commit(ledger, at, ops).await,
        };
        self.commits.send_modify(|count| *count += 1);
        outcome
    }

    async fn on_get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        assert!(!self.panics.swap(false, Ordering::SeqCst), "a panic that was asked for");
        if matches!(ledger, LedgerId::Partition(_)) && self.partitions_are_away.load(Ordering::SeqCst) {
            return Err(LedgerError::Unavailable { cause: "it was taken away".into() });
        }
        let theirs =
            (kind == Kind::Detail).then(|| self.before_details.lock().unwrap().pop_front()).flatten();
        if let Some(theirs) = theirs {
            let now = self.memory.seq(ledger).await?;
            assert!(matches!(self.memory.commit(ledger, now, theirs).await?, Commit::Done(_)));
        }
        self.memory.get(ledger, kind, key).await
    }

    async fn on_scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        if kind == Kind::Head && matches!(ledger, LedgerId::Partition(_)) {
            self.scans.fetch_add(1, Ordering::SeqCst);
        }
        if kind == Kind::State && matches!(ledger, LedgerId::Organization(_)) {
            self.state_scans.fetch_add(1, Ordering::SeqCst);
        }
        self.memory.scan(ledger, kind, range, limit).await
    }
}

//! Ledgers for tests: one that tells of commits, and one that dies at a given call, as a process does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use ledger::memory::MemoryLedger;
use ledger::wrapped::Wrapper;
use ledger::{Changes, Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq};
use tokio::sync::{Notify, watch};

/// The ledger in memory, which tells of every commit, and counts what is large to read.
pub(crate) struct Watched {
    pub(crate) memory: MemoryLedger,
    pub(crate) commits: watch::Sender<u64>,
    /// Payloads that were read.
    pub(crate) payloads_read: AtomicU64,
    /// Lists of targets that were read.
    pub(crate) target_lists_read: AtomicU64,
    /// Reads of a delivery's row pass it with their answer.
    pub(crate) gate: Gate,
    /// Outboxes of records cannot be read.
    pub(crate) is_records_outbox_damaged: AtomicBool,
}

/// Lets all callers pass, but holds up the next one once it is closed, until it is opened.
#[derive(Default)]
pub(crate) struct Gate {
    is_closed: AtomicBool,
    reached: Notify,
    opened: Notify,
}

impl Gate {
    pub(crate) async fn pass(&self) {
        if self.is_closed.swap(false, Ordering::SeqCst) {
            self.reached.notify_one();
            self.opened.notified().await;
        }
    }

    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }

    /// Waits until a caller is held up.
    pub(crate) async fn reached(&self) {
        self.reached.notified().await;
    }

    pub(crate) fn open(&self) {
        self.opened.notify_one();
    }
}

impl Watched {
    pub(crate) fn new() -> Self {
        Self {
            memory: MemoryLedger::new(),
            commits: watch::Sender::new(0),
            payloads_read: AtomicU64::new(0),
            target_lists_read: AtomicU64::new(0),
            gate: Gate::default(),
            is_records_outbox_damaged: AtomicBool::new(false),
        }
    }
}

#[async_trait]
impl Wrapper for Watched {
    fn inner(&self) -> &dyn Ledger {
        &self.memory
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        let outcome = self.memory.commit(ledger, at, ops).await;
        self.commits.send_modify(|count| *count += 1);
        outcome
    }

    async fn on_get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        if kind == Kind::Detail {
            self.payloads_read.fetch_add(1, Ordering::SeqCst);
        }
        let read = self.memory.get(ledger, kind, key).await;
        if kind == Kind::Head && matches!(ledger, LedgerId::Deliveries(_)) {
            self.gate.pass().await;
        }
        read
    }

    async fn on_scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        if range.prefix == b"receiver/webhook/" {
            self.target_lists_read.fetch_add(1, Ordering::SeqCst);
        }
        let is_records_outbox = kind == Kind::Outbox && matches!(ledger, LedgerId::Records(_));
        if is_records_outbox && self.is_records_outbox_damaged.load(Ordering::SeqCst) {
            return Err(LedgerError::Unavailable { cause: "a damaged row".to_owned() });
        }
        self.memory.scan(ledger, kind, range, limit).await
    }
}

/// A ledger as a process sees it that dies at its `left`th call: just before it, or just after it took effect. The call and
/// all later ones never return.
pub(crate) struct Mortal {
    pub(crate) inner: Arc<Watched>,
    pub(crate) left: AtomicI64,
    pub(crate) after: bool,
    pub(crate) died: watch::Sender<bool>,
}

impl Mortal {
    async fn call<T>(&self, call: impl Future<Output = T> + Send) -> T {
        let left = self.left.fetch_sub(1, Ordering::SeqCst);
        if left > 0 {
            return call.await;
        }
        if left == 0 && self.after {
            call.await;
        }
        self.died.send_replace(true);
        std::future::pending().await
    }
}

#[async_trait]
impl Wrapper for Mortal {
    fn inner(&self) -> &dyn Ledger {
        self.inner.as_ref()
    }

    async fn on_seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        self.call(self.inner.seq(ledger)).await
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        self.call(self.inner.commit(ledger, at, ops)).await
    }

    async fn on_get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        self.call(self.inner.get(ledger, kind, key)).await
    }

    async fn on_scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        self.call(self.inner.scan(ledger, kind, range, limit)).await
    }

    async fn on_changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
        self.call(self.inner.changes(ledger, after)).await
    }
}

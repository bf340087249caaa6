//! The ledger in memory, with faults at chosen commits and a book of all commits.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use common::partition::Position;
use common::row::{self, Progress};
use futures_util::FutureExt;
use ledger::memory::MemoryLedger;
use ledger::wrapped::Wrapper;
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op, Seq};
use tokio::sync::Notify;

use super::PARTITION;

/// Failure of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Its answer is lost; it took effect.
    AnswerLost,
    /// It is lost; its answer is unknown.
    Lost,
    /// The store cannot be reached.
    Unavailable,
    /// The process dies before it.
    DiesBefore,
    /// The process dies before its answer comes.
    DiesAfter,
}

impl Fault {
    pub(crate) const ALL: [Self; 5] =
        [Self::AnswerLost, Self::Lost, Self::Unavailable, Self::DiesBefore, Self::DiesAfter];
}

/// One commit of the analyzer, as it ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Committed {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
    pub(crate) position: Position,
    pub(crate) outcome: Ended,
}

/// Result of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Done,
    Conflict,
    TooLarge,
}

/// A ledger in memory with injected failures.
#[derive(Default)]
pub(crate) struct TestLedger {
    pub(crate) memory: MemoryLedger,
    /// LedgerScript when a commit will never answer.
    pub(crate) hung: Notify,
    /// LedgerScript when a commit with a revision begins, before it takes its time.
    pub(crate) revising: Notify,
    told: Mutex<LedgerScript>,
}

#[derive(Default)]
struct LedgerScript {
    commits: usize,
    faults: BTreeMap<usize, Fault>,
    book: Vec<Committed>,
    most_rows: Option<usize>,
    latency: Duration,
    panics_at: Option<Bytes>,
}

impl TestLedger {
    /// Lets commits fail, by their number from 0.
    pub(crate) fn plan_faults(&self, faults: impl IntoIterator<Item = (usize, Fault)>) {
        self.told.lock().unwrap().faults.extend(faults);
    }

    /// Refuses larger commits than the real bound would.
    pub(crate) fn limit_rows(&self, most: usize) {
        self.told.lock().unwrap().most_rows = Some(most);
    }

    /// Lets every commit take so long.
    pub(crate) fn set_latency(&self, latency: Duration) {
        self.told.lock().unwrap().latency = latency;
    }

    /// Panics when this row is read.
    pub(crate) fn panic_at(&self, key: Bytes) {
        self.told.lock().unwrap().panics_at = Some(key);
    }

    /// The commits so far.
    pub(crate) fn book(&self) -> Vec<Committed> {
        self.told.lock().unwrap().book.clone()
    }

    /// A row's body.
    pub(crate) fn row(&self, kind: Kind, key: &[u8]) -> Option<Bytes> {
        let read = self.memory.get(LedgerId::Partition(PARTITION), kind, key);
        read.now_or_never().unwrap().unwrap()
    }
}

#[async_trait]
impl Wrapper for TestLedger {
    fn inner(&self) -> &dyn Ledger {
        &self.memory
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        let (fault, most_rows, latency) = {
            let mut told = self.told.lock().unwrap();
            let number = told.commits;
            told.commits += 1;
            (told.faults.remove(&number), told.most_rows, told.latency)
        };
        if ops.iter().any(|op| matches!(op, Op::Put { kind: Kind::History, .. })) {
            self.revising.notify_one();
        }
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        match fault {
            Some(Fault::Lost) => return Ok(Commit::Unknown),
            Some(Fault::Unavailable) => return Err(LedgerError::Unavailable { cause: "planned".to_owned() }),
            Some(Fault::DiesBefore) => {
                self.hung.notify_one();
                return pending().await;
            }
            Some(Fault::AnswerLost | Fault::DiesAfter) | None => {}
        }
        let position = position(&ops);
        let (rows, bytes) = (ops.len(), size(&ops));
        let answer = match most_rows.filter(|most| rows > *most) {
            Some(_) => Err(LedgerError::TooLarge { rows, bytes }),
            None => self.memory.commit(ledger, at, ops).await,
        };
        let outcome = match &answer {
            Ok(Commit::Conflict(_)) => Ended::Conflict,
            Err(LedgerError::TooLarge { .. }) => Ended::TooLarge,
            _ => Ended::Done,
        };
        if let Some(position) = position {
            self.told.lock().unwrap().book.push(Committed { rows, bytes, position, outcome });
        }
        match fault {
            Some(Fault::AnswerLost) => Ok(Commit::Unknown),
            Some(_) => {
                self.hung.notify_one();
                pending().await
            }
            None => answer,
        }
    }

    async fn on_get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        let panics = self.told.lock().unwrap().panics_at.as_ref().is_some_and(|at| at == key);
        assert!(!panics, "the store broke on this row");
        self.memory.get(ledger, kind, key).await
    }
}

fn size(ops: &[Op]) -> usize {
    let size = |op: &Op| match op {
        Op::Put { key, body, .. } => key.len() + body.len(),
        Op::Delete { key, .. } => key.len(),
    };
    ops.iter().map(size).sum()
}

/// The position that an analyzer's commit records; no other commit has one.
fn position(ops: &[Op]) -> Option<Position> {
    ops.iter().find_map(|op| match op {
        Op::Put { kind: Kind::State, key, body } if **key == *row::progress_key() => {
            row::decode::<Progress>(body).ok().map(|progress| progress.position)
        }
        _ => None,
    })
}

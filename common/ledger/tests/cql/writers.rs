//! Writers that commit while the server is disturbed, and the rows that must exist afterwards.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use common::partition::Partition;
use ledger::cql::CqlLedger;
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Seq};
use tokio::task::JoinSet;

use crate::server::{PATIENCE_KEPT, say};

const WRITERS: u16 = 4;

/// Answers to one writer.
#[derive(Default)]
struct WriterOutcome {
    done: BTreeSet<u64>,
    unknown: u64,
    failed: u64,
}

/// Writers at work, each on a ledger of its own.
pub(crate) struct Writers {
    ledger: Arc<CqlLedger>,
    stop: Arc<AtomicBool>,
    answers: Arc<AtomicU64>,
    tasks: JoinSet<(u16, WriterOutcome)>,
}

impl Writers {
    pub(crate) fn start(ledger: &Arc<CqlLedger>) -> Self {
        let (stop, answers) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut tasks = JoinSet::new();
        for writer in 0..WRITERS {
            let (ledger, stop, answers) = (Arc::clone(ledger), Arc::clone(&stop), Arc::clone(&answers));
            tasks.spawn(async move { (writer, commit_until(ledger, writer, &stop, &answers).await) });
        }
        Self { ledger: Arc::clone(ledger), stop, answers, tasks }
    }

    /// Waits until this many more commits were answered.
    pub(crate) async fn answered(&self, more: u64) {
        let enough = self.answers.load(Ordering::Relaxed) + more;
        while self.answers.load(Ordering::Relaxed) < enough {
            tokio::task::yield_now().await;
        }
    }

    /// Every answered commit left its row, every row is one commit, and no more than the unknown ones are
    /// there beside them.
    pub(crate) async fn stop_and_verify(self) {
        self.stop.store(true, Ordering::Relaxed);
        for (writer, told) in self.tasks.join_all().await {
            let (done, unknown, failed) = (told.done.len(), told.unknown, told.failed);
            say(&format!("writer {writer}: {done} done, {unknown} unknown, {failed} failed"));
            verify(&self.ledger, writer, &told).await;
        }
    }
}

/// Commits one row at a time until stopped, and continues after every failure as a caller does: by reading
/// the sequence number of the ledger.
async fn commit_until(
    ledger: Arc<CqlLedger>,
    writer: u16,
    stop: &AtomicBool,
    answers: &AtomicU64,
) -> WriterOutcome {
    let id = LedgerId::Partition(Partition(writer));
    let mut told = WriterOutcome::default();
    let mut attempt = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        let Ok(at) = tokio::time::timeout(PATIENCE_KEPT, ledger.seq(id)).await.expect("a read ends in time")
        else {
            tokio::task::yield_now().await;
            continue;
        };
        attempt += 1;
        let body = attempt.to_be_bytes().to_vec().into();
        let ops = vec![Op::Put { kind: Kind::History, key: format!("{attempt:010}").into(), body }];
        let commit = tokio::time::timeout(PATIENCE_KEPT, ledger.commit(id, at, ops)).await;
        match commit.expect("a commit ends in time") {
            Ok(Commit::Done(seq)) => {
                assert_eq!(seq, Seq(at.0 + 1));
                told.done.insert(attempt);
                answers.fetch_add(1, Ordering::Relaxed);
            }
            // There is no other writer; it is an earlier commit of unknown outcome that took effect late.
            Ok(Commit::Conflict(seq)) => assert!(seq > at),
            Ok(Commit::Unknown) => told.unknown += 1,
            Err(error) => {
                assert!(matches!(&error, LedgerError::Unavailable { .. }), "{error}");
                told.failed += 1;
            }
        }
    }
    told
}

async fn verify(ledger: &CqlLedger, writer: u16, told: &WriterOutcome) {
    let id = LedgerId::Partition(Partition(writer));
    let rows = ledger.scan(id, Kind::History, Range::default(), usize::MAX).await.unwrap();
    let found: BTreeSet<u64> =
        rows.iter().map(|row| u64::from_be_bytes(row.body.as_ref().try_into().unwrap())).collect();
    assert!(told.done.is_subset(&found), "what was answered is there");
    assert_eq!(ledger.seq(id).await.unwrap(), Seq(found.len() as u64), "every commit is counted once");
    let unanswered = found.len() - told.done.len();
    assert!(
        unanswered as u64 <= told.unknown,
        "{unanswered} rows nobody was told of, {} unknown",
        told.unknown
    );
}

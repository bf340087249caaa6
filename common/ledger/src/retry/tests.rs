//! The optimistic loop on the ledger in memory.

use bytes::Bytes;
use thiserror::Error;

use super::{Attempt, Contended, Decision, MAX_ATTEMPTS, retry};
use crate::memory::{MemoryLedger, UnknownOutcome};
use crate::{Kind, Ledger, LedgerError, LedgerId, Op, Seq};

const LEDGER: LedgerId = LedgerId::Platform;
const KEY: &[u8] = b"tally";

#[derive(Debug, Error)]
enum Refused {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Contended(#[from] Contended),
    #[error("the caller's own reason")]
    Own,
}

async fn tally(ledger: &MemoryLedger) -> u8 {
    let body = ledger.get(LEDGER, Kind::Head, KEY).await.unwrap();
    body.map_or(0, |body| body[0])
}

fn put(number: u8) -> Vec<Op> {
    vec![Op::Put { kind: Kind::Head, key: Bytes::from_static(KEY), body: Bytes::from(vec![number]) }]
}

/// Adds one, while `rivals` others commit during as many attempts.
async fn add(ledger: &MemoryLedger, rivals: usize) -> Result<Attempt, Refused> {
    retry(ledger, LEDGER, |attempt: Attempt| async move {
        let number = tally(ledger).await;
        if attempt.earlier < rivals {
            ledger.commit(LEDGER, attempt.seq, put(number + 10)).await?;
        }
        Ok(Decision::Commit(put(number + 1), attempt))
    })
    .await
}

#[tokio::test]
async fn a_conflict_is_decided_again_from_new_reads() {
    let ledger = MemoryLedger::default();
    let last = add(&ledger, 3).await.unwrap();
    assert_eq!(last, Attempt { seq: Seq(3), earlier: 3, unknown: false });
    assert_eq!(tally(&ledger).await, 31);
}

#[tokio::test]
async fn every_attempt_lost_is_contended() {
    let ledger = MemoryLedger::default();
    let other = &ledger;
    let lost = retry(&ledger, LEDGER, |attempt: Attempt| async move {
        other.commit(LEDGER, attempt.seq, Vec::new()).await?;
        Ok::<_, Refused>(Decision::Commit(put(1), ()))
    });
    assert!(matches!(lost.await, Err(Refused::Contended(Contended { unknown: false }))));
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(MAX_ATTEMPTS as u64), "as many attempts as documented");
    assert_eq!(tally(&ledger).await, 0);
}

#[tokio::test]
async fn an_unknown_outcome_is_read_back() {
    for (outcome, commits) in [(UnknownOutcome::TookEffect, 1), (UnknownOutcome::WasLost, 1)] {
        let ledger = MemoryLedger::default();
        ledger.make_next_commit_unknown(outcome);
        let read = &ledger;
        let unknown = retry(&ledger, LEDGER, |attempt: Attempt| async move {
            if tally(read).await == 7 {
                return Ok::<_, Refused>(Decision::Keep(attempt.unknown));
            }
            Ok(Decision::Commit(put(7), attempt.unknown))
        });
        assert!(unknown.await.unwrap(), "{outcome:?}");
        assert_eq!((tally(&ledger).await, ledger.seq(LEDGER).await.unwrap()), (7, Seq(commits)));
    }
}

#[tokio::test]
async fn the_callers_error_ends_the_loop() {
    let ledger = MemoryLedger::default();
    let refused = retry(&ledger, LEDGER, |_| async { Err::<Decision<()>, _>(Refused::Own) }).await;
    assert!(matches!(refused, Err(Refused::Own)));
    ledger.set_unavailable(true);
    assert!(matches!(add(&ledger, 0).await, Err(Refused::Ledger(LedgerError::Unavailable { .. }))));
}

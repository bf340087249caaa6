//! The optimistic loop against rivals, unknown outcomes and a ledger that is away.

use std::sync::Arc;

use super::*;
use crate::Kind;
use crate::memory::{MemoryLedger, UnknownOutcome};

const ID: LedgerId = LedgerId::Platform;

fn put(value: u8) -> Op {
    Op::Put { kind: Kind::Head, key: "value".into(), body: vec![value].into() }
}

async fn value(ledger: &dyn Ledger) -> u8 {
    let body = ledger.get(ID, Kind::Head, b"value").await.unwrap();
    body.and_then(|body| body.first().copied()).unwrap_or(0)
}

/// Adds one, while rivals commit before each of the first attempts.
async fn add_one(ledger: &MemoryLedger, rivals: u32) -> Option<u32> {
    let (mut attempts, mut number) = (Attempts::of(ledger, ID), 0);
    while attempts.next().await.unwrap() {
        let before = value(ledger).await;
        if number < rivals {
            let seq = ledger.seq(ID).await.unwrap();
            ledger.commit(ID, seq, vec![put(before + 1)]).await.unwrap();
        }
        number += 1;
        if attempts.commit(vec![put(before + 1)]).await.unwrap() {
            return Some(number);
        }
    }
    None
}

#[tokio::test(start_paused = true)]
async fn a_change_is_decided_anew_until_no_other_commit_comes_first() {
    for rivals in [0, 1, 5, MAX_ATTEMPTS - 1] {
        let ledger = MemoryLedger::new();
        assert_eq!(add_one(&ledger, rivals).await, Some(rivals + 1));
        assert_eq!(u32::from(value(&ledger).await), rivals + 1, "no change is lost");
    }
    let ledger = MemoryLedger::new();
    assert_eq!(add_one(&ledger, MAX_ATTEMPTS).await, None);
    assert_eq!(u32::from(value(&ledger).await), MAX_ATTEMPTS, "nothing but the rivals' changes");
}

/// Adds one, concurrently with others; returns the amount it added.
async fn add_one_beside_others(ledger: Arc<MemoryLedger>) -> u8 {
    let mut attempts = Attempts::of(ledger.as_ref(), ID);
    while attempts.next().await.unwrap() {
        let before = value(ledger.as_ref()).await;
        tokio::task::yield_now().await;
        if attempts.commit(vec![put(before + 1)]).await.unwrap() {
            return 1;
        }
    }
    0
}

#[tokio::test(start_paused = true)]
async fn many_writers_lose_no_change() {
    let ledger = Arc::new(MemoryLedger::new());
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..40 {
        writers.spawn(add_one_beside_others(Arc::clone(&ledger)));
    }
    let written: u8 = writers.join_all().await.into_iter().sum();
    assert_eq!(value(ledger.as_ref()).await, written);
    assert!(written >= MAX_ATTEMPTS as u8, "{written} of 40");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_outcome_is_told_to_the_attempts_after_it() {
    for (outcome, expected) in [(UnknownOutcome::TookEffect, 1), (UnknownOutcome::WasLost, 0)] {
        let ledger = MemoryLedger::new();
        ledger.make_next_commit_unknown(outcome);
        let mut attempts = Attempts::of(&ledger, ID);
        assert!(attempts.next().await.unwrap() && attempts.is_first() && !attempts.is_after_unknown());
        assert!(!attempts.commit(vec![put(1)]).await.unwrap());
        assert!(attempts.next().await.unwrap() && !attempts.is_first() && attempts.is_after_unknown());
        assert_eq!(value(&ledger).await, expected, "the value read shows the outcome of the unknown commit");
        assert!(attempts.commit(vec![put(2)]).await.unwrap());
        assert_eq!((value(&ledger).await, attempts.seq()), (2, ledger.seq(ID).await.unwrap()));
    }
}

#[tokio::test]
async fn a_ledger_that_is_away_ends_the_attempts() {
    let ledger = MemoryLedger::new();
    ledger.set_unavailable(true);
    let refused = Attempts::of(&ledger, ID).next().await;
    assert!(matches!(refused, Err(LedgerError::Unavailable { .. })));
}

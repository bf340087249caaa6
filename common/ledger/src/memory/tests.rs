//! The memory ledger under the conformance suite, and its switches.

use std::sync::Arc;

use super::*;
use crate::conformance;

const LEDGER: LedgerId = LedgerId::Platform;

fn put(key: &'static str) -> Vec<Op> {
    vec![Op::Put {
        kind: Kind::Head,
        key: Bytes::from_static(key.as_bytes()),
        body: Bytes::from_static(b"1"),
    }]
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() {
    let ledger = Arc::new(MemoryLedger::with_feed_commits(conformance::FEED_COMMITS));
    conformance::run(ledger).await;
}

#[tokio::test]
async fn an_unknown_commit_does_what_it_was_told_and_only_once() {
    let ledger = MemoryLedger::new();
    ledger.make_next_commit_unknown(UnknownOutcome::TookEffect);
    assert_eq!(ledger.commit(LEDGER, Seq(0), put("a")).await.unwrap(), Commit::Unknown);
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(1));
    ledger.make_next_commit_unknown(UnknownOutcome::WasLost);
    assert_eq!(ledger.commit(LEDGER, Seq(1), put("b")).await.unwrap(), Commit::Unknown);
    assert_eq!(ledger.get(LEDGER, Kind::Head, b"b").await.unwrap(), None);
    assert_eq!(ledger.commit(LEDGER, Seq(1), put("b")).await.unwrap(), Commit::Done(Seq(2)));
}

#[tokio::test]
async fn nothing_answers_while_switched_off() {
    let ledger = MemoryLedger::new();
    ledger.set_unavailable(true);
    assert!(ledger.seq(LEDGER).await.is_err());
    assert!(ledger.commit(LEDGER, Seq(0), put("a")).await.is_err());
    assert!(ledger.get(LEDGER, Kind::Head, b"a").await.is_err());
    assert!(ledger.scan(LEDGER, Kind::Head, Range::default(), 1).await.is_err());
    assert!(ledger.changes(LEDGER, Seq(0)).await.is_err());
    ledger.set_unavailable(false);
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(0));
}

#[tokio::test]
async fn a_truncated_feed_is_a_gap_for_those_behind_it_only() {
    let ledger = MemoryLedger::new();
    for seq in 0..4 {
        ledger.commit(LEDGER, Seq(seq), put("a")).await.unwrap();
    }
    ledger.truncate_feed(LEDGER, Seq(2));
    assert_eq!(ledger.changes(LEDGER, Seq(1)).await.unwrap(), Changes::Gap { seq: Seq(4) });
    assert!(matches!(
        ledger.changes(LEDGER, Seq(2)).await.unwrap(),
        Changes::Touched { seq: Seq(4), rows } if rows.len() == 1
    ));
}

//! Many concurrent commits to one ledger.

use std::sync::Arc;

use super::put;
use crate::{Commit, Kind, Ledger, LedgerId, Seq};

/// Tasks that race, spread over the handles.
const TASKS: u64 = 8;
/// Commits each of them has to win.
const COMMITS: u64 = 15;

/// Tasks on all of `handles`, which must use the same store, count in one row of an unused ledger: each
/// reads, adds one, and commits at the sequence number read. Every win must be counted, and counted once.
pub async fn race(handles: Vec<Arc<dyn Ledger>>, id: LedgerId) {
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..TASKS {
        let handle = &handles[usize::try_from(number).unwrap_or(0) % handles.len()];
        tasks.spawn(win(Arc::clone(handle), id, number));
    }
    while let Some(ended) = tasks.join_next().await {
        ended.expect("no task panics");
    }
    let ledger = &handles[0];
    assert_eq!(ledger.seq(id).await.expect("readable"), Seq(TASKS * COMMITS), "every win is one commit");
    assert_eq!(count(ledger, id).await, TASKS * COMMITS, "nobody overwrote what another had counted");
    let wins = ledger.scan(id, Kind::History, crate::Range::default(), usize::MAX).await.expect("readable");
    assert_eq!(wins.len() as u64, TASKS * COMMITS, "who lost left nothing behind");
}

async fn win(ledger: Arc<dyn Ledger>, id: LedgerId, task: u64) {
    let mut won = 0;
    let mut tried = 0_u64;
    while won < COMMITS {
        let at = ledger.seq(id).await.expect("readable");
        let counted = count(&ledger, id).await;
        tried += 1;
        let ops = vec![
            put(Kind::State, "count", (counted + 1).to_be_bytes()),
            put(Kind::History, format!("{task} {tried}"), ""),
        ];
        match ledger.commit(id, at, ops).await.expect("available") {
            Commit::Done(seq) => {
                assert_eq!(seq, Seq(at.0 + 1));
                won += 1;
            }
            Commit::Conflict(seq) => assert!(seq > at, "a conflict is with a later commit"),
            Commit::Unknown => panic!("nothing failed, so every outcome is known"),
        }
    }
}

async fn count(ledger: &Arc<dyn Ledger>, id: LedgerId) -> u64 {
    let body = ledger.get(id, Kind::State, b"count").await.expect("readable");
    body.map_or(0, |body| u64::from_be_bytes(body.as_ref().try_into().expect("eight bytes")))
}

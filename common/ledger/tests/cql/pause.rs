//! The server freezes in the middle of commits: connections stay open without answers. Every call ends in
//! time, and the same session continues when the server does.

use std::sync::Arc;
use std::time::Duration;

use ledger::cql::CqlLedger;
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Seq};
use tokio::time::Instant;

use crate::server::{PATIENCE_KEPT, Server, returned, say};
use crate::writers::Writers;

/// Longer than it takes the driver to leave a node that does not answer.
const LONG_PAUSE: Duration = Duration::from_secs(14);
/// When a freeze has certainly taken effect.
const SETTLED: Duration = Duration::from_millis(500);

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_freezes_holds_nobody_longer_than_agreed() {
    let Some(server) = Server::take("pause").await else { return };
    let ledger = Arc::new(server.connect().await);
    let writers = Writers::start(&ledger);
    for pause in [Duration::ZERO, LONG_PAUSE] {
        writers.answered(50).await;
        server.run("pause").await;
        let began = Instant::now();
        loop {
            // Requests in flight when the server froze may still be answered.
            every_call_ends(&ledger, began.elapsed() >= SETTLED).await;
            tokio::task::yield_now().await;
            if began.elapsed() >= pause {
                break;
            }
        }
        server.run("resume").await;
        say(&format!("paused for {:?}", began.elapsed()));
        returned(&ledger, LedgerId::Platform).await;
    }
    writers.answered(50).await;
    writers.stop_and_verify().await;
}

/// Every call ends in time; once the server is `frozen` none of them with an answer.
async fn every_call_ends(ledger: &CqlLedger, frozen: bool) {
    let id = LedgerId::Platform;
    let put = Op::Put { kind: Kind::Head, key: "k".into(), body: "1".into() };
    let (seq, get, scan, changes, commit) = tokio::time::timeout(PATIENCE_KEPT, async {
        tokio::join!(
            ledger.seq(id),
            ledger.get(id, Kind::Head, b"k"),
            ledger.scan(id, Kind::Head, Range::default(), 10),
            ledger.changes(id, Seq(0)),
            // No one has committed here: at 7 there is only refusal, should it ever arrive.
            ledger.commit(id, Seq(7), vec![put]),
        )
    })
    .await
    .expect("every call ends in time");
    if !frozen {
        return;
    }
    let reads = [seq.map(|_| ()), get.map(|_| ()), scan.map(|_| ()), changes.map(|_| ())];
    for read in reads {
        assert!(matches!(&read, Err(LedgerError::Unavailable { .. })), "{read:?}");
    }
    let ended = matches!(&commit, Ok(Commit::Unknown) | Err(LedgerError::Unavailable { .. }));
    assert!(ended, "{commit:?}");
}

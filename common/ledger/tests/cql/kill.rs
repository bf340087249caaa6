//! The server is killed in the middle of commits; acknowledged ones must exist when it is back, and the
//! session reconnects by itself.

use std::sync::Arc;

use ledger::{Kind, Ledger, LedgerError, LedgerId, Op, Range, Seq};

use crate::server::{PATIENCE_KEPT, Server, returned};
use crate::writers::Writers;

const KILLS: u64 = 2;

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_survives_a_kill_of_the_server() {
    let Some(server) = Server::take("kill").await else { return };
    let ledger = Arc::new(server.connect().await);
    let writers = Writers::start(&ledger);
    for _ in 0..KILLS {
        writers.answered(100).await;
        server.run("kill").await;
        server.run("start").await;
        returned(&ledger, LedgerId::Platform).await;
    }
    writers.answered(100).await;
    writers.stop_and_verify().await;
}

/// Nothing is sent to a server that is known to be down, so no outcome can be unknown either.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_is_unavailable() {
    let Some(server) = Server::take("away").await else { return };
    let (ledger, id) = (server.connect().await, LedgerId::Platform);
    let put = Op::Put { kind: Kind::Head, key: "k".into(), body: "1".into() };
    ledger.commit(id, Seq(0), vec![put.clone()]).await.unwrap();
    server.run("kill").await;
    // The first one notices.
    let _ = tokio::time::timeout(PATIENCE_KEPT, ledger.seq(id)).await.expect("it ends in time");
    let calls = async {
        [
            ledger.seq(id).await.map(|_| ()),
            ledger.get(id, Kind::Head, b"k").await.map(|_| ()),
            ledger.scan(id, Kind::Head, Range::default(), 10).await.map(|_| ()),
            ledger.changes(id, Seq(0)).await.map(|_| ()),
            ledger.commit(id, Seq(1), vec![put]).await.map(|_| ()),
        ]
    };
    for answer in tokio::time::timeout(PATIENCE_KEPT, calls).await.expect("they end in time") {
        assert!(matches!(&answer, Err(LedgerError::Unavailable { .. })), "{answer:?}");
    }
    server.run("start").await;
    assert_eq!(returned(&ledger, id).await, Seq(1));
    assert_eq!(ledger.get(id, Kind::Head, b"k").await.unwrap().unwrap(), "1");
}

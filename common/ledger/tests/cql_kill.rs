//! The server is killed in the middle of commits, several times; what it had answered must be there when it
//! is back. Needs `PALISADE_TEST_CQL`, the server's address, and `PALISADE_TEST_CQL_CONTROL`, a command that
//! understands `kill` and `start`.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use common::partition::Partition;
use ledger::cql::{self, Config, CqlLedger};
use ledger::{Commit, Kind, Ledger, LedgerId, Op, Range, Seq};
use uuid::Uuid;

const WRITERS: u16 = 4;
const KILLS: u64 = 2;

/// What one writer was told.
#[derive(Default)]
struct Told {
    done: BTreeSet<u64>,
    unknown: u64,
    failed: u64,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_survives_a_kill_of_the_server() {
    let (Ok(node), Ok(control)) =
        (std::env::var("PALISADE_TEST_CQL"), std::env::var("PALISADE_TEST_CQL_CONTROL"))
    else {
        let required = std::env::var("PALISADE_REQUIRE_SERVERS").is_ok_and(|value| value == "1");
        assert!(!required, "no server or no command to kill it, and PALISADE_REQUIRE_SERVERS is 1");
        println!("skipped: PALISADE_TEST_CQL or PALISADE_TEST_CQL_CONTROL is not set");
        return;
    };
    let config = Config {
        nodes: vec![node],
        keyspace: format!("test_kill_{}", Uuid::new_v4().as_u64_pair().0),
        create_schema: true,
        replication_factor: 1,
        ..Config::default()
    };
    let ledger = Arc::new(cql::connect(&config).await.unwrap());
    let (stop, answers) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let (ledger, stop, answers) = (Arc::clone(&ledger), Arc::clone(&stop), Arc::clone(&answers));
        writers.spawn(async move { (writer, commit_until(ledger, writer, &stop, &answers).await) });
    }
    for _ in 0..KILLS {
        answered(&answers, 100).await;
        run(&control, "kill").await;
        run(&control, "start").await;
    }
    answered(&answers, 100).await;
    stop.store(true, Ordering::Relaxed);
    for (writer, told) in writers.join_all().await {
        println!(
            "writer {writer}: {} done, {} unknown, {} failed",
            told.done.len(),
            told.unknown,
            told.failed
        );
        verify(&ledger, writer, &told).await;
    }
}

/// Commits one row at a time until told to stop, and goes on behind every failure the way a caller does: by
/// reading where the ledger stands.
async fn commit_until(ledger: Arc<CqlLedger>, writer: u16, stop: &AtomicBool, answers: &AtomicU64) -> Told {
    let id = LedgerId::Partition(Partition(writer));
    let mut told = Told::default();
    let mut attempt = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        let Ok(at) = ledger.seq(id).await else {
            tokio::task::yield_now().await;
            continue;
        };
        attempt += 1;
        let body = attempt.to_be_bytes().to_vec().into();
        let ops = vec![Op::Put { kind: Kind::History, key: format!("{attempt:010}").into(), body }];
        match ledger.commit(id, at, ops).await {
            Ok(Commit::Done(seq)) => {
                assert_eq!(seq, Seq(at.0 + 1));
                told.done.insert(attempt);
                answers.fetch_add(1, Ordering::Relaxed);
            }
            // Another writer there is none; it is an earlier commit of unknown outcome that came late.
            Ok(Commit::Conflict(seq)) => assert!(seq > at),
            Ok(Commit::Unknown) => told.unknown += 1,
            Err(_) => told.failed += 1,
        }
    }
    told
}

/// Every answered commit left its row, every row is one commit, and no more than the unknown ones are
/// there beside them.
async fn verify(ledger: &CqlLedger, writer: u16, told: &Told) {
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

/// Waits until so many more commits were answered.
async fn answered(answers: &AtomicU64, more: u64) {
    let enough = answers.load(Ordering::Relaxed) + more;
    while answers.load(Ordering::Relaxed) < enough {
        tokio::task::yield_now().await;
    }
}

/// A killed process holds its port for a moment longer, so a start may have to be asked for again.
async fn run(control: &str, command: &'static str) {
    const TRIES: u32 = 50;
    for _ in 0..TRIES {
        let control = control.to_owned();
        let ran = tokio::task::spawn_blocking(move || Command::new(control).arg(command).status());
        if ran.await.unwrap().unwrap().success() {
            return;
        }
    }
    panic!("{command} failed {TRIES} times");
}

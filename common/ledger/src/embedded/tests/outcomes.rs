//! Answers to callers when a group cannot be made durable, and number of commits that share one sync.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;

use rusqlite::ffi;

use super::*;

fn failure(code: i32) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
}

/// A ledger whose first group ends in `first`, and all others normally.
fn open_failing_once(
    directory: &Path,
    mut first: impl FnMut(&rusqlite::Connection) -> rusqlite::Result<()> + Send + 'static,
) -> EmbeddedLedger {
    let mut is_first = true;
    let finish = move |connection: &rusqlite::Connection| {
        if std::mem::take(&mut is_first) { first(connection) } else { group::commit(connection) }
    };
    open_finishing(directory, &config(), Box::new(finish)).unwrap()
}

#[tokio::test]
async fn an_answer_lost_after_the_commit_is_unknown_and_found_by_reading() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open_failing_once(directory.path(), |connection| {
        group::commit(connection)?;
        Err(failure(ffi::SQLITE_IOERR_FSYNC))
    });
    assert_eq!(ledger.commit(LEDGER, Seq(0), vec![put("a", "1")]).await.unwrap(), Commit::Unknown);
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(1));
    assert_eq!(ledger.get(LEDGER, Kind::Head, b"a").await.unwrap().unwrap(), "1");
    assert_eq!(ledger.commit(LEDGER, Seq(1), Vec::new()).await.unwrap(), Commit::Done(Seq(2)));
}

#[tokio::test]
async fn a_failed_sync_is_unknown_and_what_is_read_then_is_final() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open_failing_once(directory.path(), |_| Err(failure(ffi::SQLITE_IOERR_FSYNC)));
    assert_eq!(ledger.commit(LEDGER, Seq(0), vec![put("a", "1")]).await.unwrap(), Commit::Unknown);
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(0));
    assert_eq!(ledger.commit(LEDGER, Seq(0), vec![put("b", "1")]).await.unwrap(), Commit::Done(Seq(1)));
    drop(ledger);
    let ledger = open_at(directory.path());
    assert_eq!(ledger.get(LEDGER, Kind::Head, b"a").await.unwrap(), None);
}

#[tokio::test]
async fn a_full_disk_is_surely_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open_failing_once(directory.path(), |_| Err(failure(ffi::SQLITE_FULL)));
    let answer = ledger.commit(LEDGER, Seq(0), vec![put("a", "1")]).await;
    assert!(matches!(answer, Err(LedgerError::Unavailable { .. })), "got {answer:?}");
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(0));
    assert_eq!(ledger.commit(LEDGER, Seq(0), vec![put("a", "1")]).await.unwrap(), Commit::Done(Seq(1)));
}

/// While the uncertainty remains, no caller is given a state that a crash may change.
#[tokio::test]
async fn nothing_is_read_while_in_doubt() {
    let directory = tempfile::tempdir().unwrap();
    let impatient = Config { busy_timeout_ms: 1, ..config() };
    let path = directory.path().join(FILE_NAME);
    let (hold, held) = mpsc::sync_channel::<rusqlite::Connection>(1);
    let mut is_first = true;
    let finish = move |connection: &rusqlite::Connection| {
        if !std::mem::take(&mut is_first) {
            return group::commit(connection);
        }
        // Another process takes the write lock before the writer can settle.
        connection.execute_batch("ROLLBACK")?;
        let other = rusqlite::Connection::open(&path)?;
        other.execute_batch("BEGIN IMMEDIATE")?;
        hold.send(other).unwrap();
        Err(failure(ffi::SQLITE_IOERR_FSYNC))
    };
    let ledger = open_finishing(directory.path(), &impatient, Box::new(finish)).unwrap();
    assert_eq!(ledger.commit(LEDGER, Seq(0), vec![put("a", "1")]).await.unwrap(), Commit::Unknown);
    let other = held.recv().unwrap();
    assert!(ledger.seq(LEDGER).await.is_err());
    assert!(ledger.get(LEDGER, Kind::Head, b"a").await.is_err());
    assert!(ledger.commit(LEDGER, Seq(0), Vec::new()).await.is_err());
    drop(other);
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(0));
    assert_eq!(ledger.commit(LEDGER, Seq(0), Vec::new()).await.unwrap(), Commit::Done(Seq(1)));
}

/// Commits that wait for a sync share the next one; each is compared separately.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_commits_share_a_sync() {
    let directory = tempfile::tempdir().unwrap();
    let syncs = Arc::new(AtomicU32::new(0));
    let (entered, inside) = mpsc::sync_channel::<()>(1);
    let (release, released) = mpsc::sync_channel::<()>(1);
    let finish = {
        let syncs = Arc::clone(&syncs);
        move |connection: &rusqlite::Connection| {
            if syncs.fetch_add(1, Ordering::SeqCst) == 0 {
                entered.send(()).unwrap();
                released.recv().unwrap();
            }
            group::commit(connection)
        }
    };
    let ledger = Arc::new(open_finishing(directory.path(), &config(), Box::new(finish)).unwrap());
    let mut tasks = tokio::task::JoinSet::new();
    let first = Arc::clone(&ledger);
    tasks.spawn(async move { first.commit(LEDGER, Seq(0), Vec::new()).await.unwrap() });
    tokio::task::spawn_blocking(move || inside.recv().unwrap()).await.unwrap();
    // The first sync is in progress. These submit their commits on first poll, and wait.
    let mut waiting = Vec::new();
    for number in 0..20 {
        let partition = LedgerId::Partition(common::partition::Partition(number / 2));
        let mut commit = {
            let ledger = Arc::clone(&ledger);
            Box::pin(async move { ledger.commit(partition, Seq(0), vec![put("k", "v")]).await.unwrap() })
        };
        assert!(poll_once(commit.as_mut()).await.is_none());
        waiting.push(commit);
    }
    release.send(()).unwrap();
    let mut answers = Vec::new();
    for commit in waiting {
        answers.push(commit.await);
    }
    assert_eq!(tasks.join_next().await.unwrap().unwrap(), Commit::Done(Seq(1)));
    let pairs: Vec<_> = answers.chunks(2).map(<[_]>::to_vec).collect();
    assert_eq!(pairs, vec![vec![Commit::Done(Seq(1)), Commit::Conflict(Seq(1))]; 10]);
    assert_eq!(syncs.load(Ordering::SeqCst), 2, "twenty commits shared the second sync");
}

/// Polls once; `None` when it is not ready.
async fn poll_once<T>(future: std::pin::Pin<&mut (impl Future<Output = T> + Send)>) -> Option<T> {
    let mut future = future;
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match future.as_mut().poll(context) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

//! The embedded ledger under the conformance suite, and the particular behaviour of a file: reopening,
//! several openers, and a disk that fails.

mod damage;
mod opening;
mod outcomes;

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::conformance;
use crate::memory::MemoryLedger;

const LEDGER: LedgerId = LedgerId::Platform;

fn config() -> Config {
    Config { feed_commits: conformance::FEED_COMMITS, ..Config::default() }
}

fn open_at(directory: &Path) -> EmbeddedLedger {
    open(directory, &config()).unwrap()
}

fn put(key: impl Into<Bytes>, body: impl Into<Bytes>) -> Op {
    Op::Put { kind: Kind::Head, key: key.into(), body: body.into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() {
    let directory = tempfile::tempdir().unwrap();
    conformance::run(Arc::new(open_at(directory.path()))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_openers_compare_with_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let first: Arc<dyn Ledger> = Arc::new(open_at(directory.path()));
    let second: Arc<dyn Ledger> = Arc::new(open_at(directory.path()));
    first.commit(LEDGER, Seq(0), vec![put("a", "1")]).await.unwrap();
    assert_eq!(second.get(LEDGER, Kind::Head, b"a").await.unwrap().unwrap(), "1");
    assert_eq!(second.commit(LEDGER, Seq(0), Vec::new()).await.unwrap(), Commit::Conflict(Seq(1)));
    let organization = common::ids::OrganizationId::from_bytes([9; 16]);
    conformance::race(vec![first, second], LedgerId::Organization(organization)).await;
}

#[tokio::test]
async fn the_feed_of_statistics_which_nobody_follows_is_short() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open_at(directory.path());
    let partition = common::partition::Partition(1);
    let (followed, unfollowed) = (LedgerId::Partition(partition), LedgerId::Statistics(partition));
    for id in [followed, unfollowed] {
        for seq in 0..40 {
            ledger.commit(id, Seq(seq), vec![put(format!("{seq}"), "")]).await.unwrap();
        }
    }
    assert!(matches!(ledger.changes(followed, Seq(0)).await.unwrap(), Changes::Touched { seq: Seq(40), .. }));
    assert_eq!(ledger.changes(unfollowed, Seq(20)).await.unwrap(), Changes::Gap { seq: Seq(40) });
    let last = ledger.changes(unfollowed, Seq(24)).await.unwrap();
    assert!(matches!(last, Changes::Touched { seq: Seq(40), .. }), "{last:?}");
    let rows = ledger.scan(unfollowed, Kind::Head, Range::default(), 100).await.unwrap();
    assert_eq!(rows.len(), 40, "the rows themselves stay");
}

#[tokio::test]
async fn what_was_committed_is_there_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open_at(directory.path());
    for seq in 0..10 {
        ledger.commit(LEDGER, Seq(seq), vec![put(format!("{seq}"), format!("body {seq}"))]).await.unwrap();
    }
    let before = ledger.changes(LEDGER, Seq(0)).await.unwrap();
    drop(ledger);
    let ledger = open_at(directory.path());
    assert_eq!(ledger.seq(LEDGER).await.unwrap(), Seq(10));
    assert_eq!(ledger.scan(LEDGER, Kind::Head, Range::default(), 100).await.unwrap().len(), 10);
    assert_eq!(ledger.changes(LEDGER, Seq(0)).await.unwrap(), before);
    assert_eq!(ledger.commit(LEDGER, Seq(10), Vec::new()).await.unwrap(), Commit::Done(Seq(11)));
}

/// A kill at any moment leaves a prefix of the log file. Whatever its length, the state found is that after a
/// whole number of commits, and as late a one as the log allows.
#[tokio::test]
async fn a_log_cut_anywhere_holds_whole_commits() {
    const COMMITS: u64 = 12;
    let directory = tempfile::tempdir().unwrap();
    let ledger = open_at(directory.path());
    for seq in 0..COMMITS {
        let body = format!("{}{}", seq + 1, " ".repeat(3000));
        let ops = vec![put("x", body.clone()), put("y", body.clone()), put(format!("row {seq}"), body)];
        ledger.commit(LEDGER, Seq(seq), ops).await.unwrap();
    }
    let main = std::fs::read(directory.path().join(FILE_NAME)).unwrap();
    let log = std::fs::read(directory.path().join(format!("{FILE_NAME}-wal"))).unwrap();
    let mut last = Seq(0);
    for cut in (0..=log.len()).step_by(1999).chain([log.len()]) {
        let copy = tempfile::tempdir().unwrap();
        std::fs::write(copy.path().join(FILE_NAME), &main).unwrap();
        std::fs::write(copy.path().join(format!("{FILE_NAME}-wal")), &log[..cut]).unwrap();
        let reopened = open_at(copy.path());
        let seq = reopened.seq(LEDGER).await.unwrap();
        assert!(seq >= last, "a longer log holds no less");
        last = seq;
        let rows = reopened.scan(LEDGER, Kind::Head, Range::default(), 100).await.unwrap();
        let expected_rows = if seq.0 == 0 { 0 } else { seq.0 + 2 };
        assert_eq!(rows.len() as u64, expected_rows, "at {seq:?}");
        for key in [b"x", b"y"] {
            let body = reopened.get(LEDGER, Kind::Head, key).await.unwrap();
            let number = body.map(|body| String::from_utf8_lossy(&body).trim().parse::<u64>().unwrap());
            assert_eq!(number.unwrap_or(0), seq.0);
        }
    }
    assert_eq!(last, Seq(COMMITS), "the whole log holds every commit that was answered");
}

/// Random commits and scans give the same on both implementations.
#[test]
fn agrees_with_the_ledger_in_memory() {
    use proptest::prelude::*;
    let key = || prop::collection::vec(prop::sample::select(vec![0_u8, 1, 127, 128, 255]), 1..4);
    let op = (key(), prop::option::of(0_u8..3)).prop_map(|(key, body)| match body {
        Some(body) => put(key, vec![body]),
        None => Op::Delete { kind: Kind::Head, key: key.into() },
    });
    let commits = prop::collection::vec(prop::collection::vec(op, 0..6), 0..5);
    let scan =
        (prop::collection::vec(prop::sample::select(vec![0_u8, 1, 255]), 0..3), prop::option::of(key()));
    let scans = prop::collection::vec((scan, any::<bool>(), 1_usize..5), 1..6);

    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let embedded = open_at(directory.path());
    let cases = std::cell::Cell::new(0_u128);
    proptest!(ProptestConfig::with_cases(64), |(commits in commits, scans in scans)| {
        cases.set(cases.get() + 1);
        let id = LedgerId::Organization(common::ids::OrganizationId::from_bytes(cases.get().to_be_bytes()));
        let memory = MemoryLedger::new();
        runtime.block_on(async {
            for (seq, ops) in commits.into_iter().enumerate() {
                let at = Seq(seq as u64);
                memory.commit(id, at, ops.clone()).await.unwrap();
                embedded.commit(id, at, ops).await.unwrap();
            }
            for ((prefix, after), backwards, limit) in scans {
                let range = Range { prefix: &prefix, after: after.as_deref(), backwards };
                let expected = memory.scan(id, Kind::Head, range, limit).await.unwrap();
                assert_eq!(embedded.scan(id, Kind::Head, range, limit).await.unwrap(), expected);
            }
            for after in 0..=memory.seq(id).await.unwrap().0 {
                let expected = memory.changes(id, Seq(after)).await.unwrap();
                assert_eq!(embedded.changes(id, Seq(after)).await.unwrap(), expected);
            }
        });
    });
}

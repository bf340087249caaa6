//! Rows that reads return, their order, and rows that they never return.

use std::sync::Arc;

use common::partition::{Partition, Shard};

use super::{Subject, organization, put};
use crate::{Kind, Ledger, LedgerId, Range, Row, Seq};

/// Keys of rows, for comparison.
fn keys(rows: &[Row]) -> Vec<&[u8]> {
    rows.iter().map(|row| row.key.as_ref()).collect()
}

/// Prefix, after, backwards, limit, and the keys to be found.
type ScanCase = (&'static str, Option<&'static str>, bool, usize, &'static [&'static str]);

pub(super) async fn scans(subject: Subject) {
    let all = ["a", "b", "b1", "b2", "b3", "c"];
    subject
        .append(all.iter().rev().map(|key| put(Kind::Head, key, format!("body of {key}"))).collect())
        .await;

    let rows = subject.scan(Kind::Head, Range::default(), 100).await;
    assert_eq!(keys(&rows), all.map(str::as_bytes), "an empty prefix covers every row, in order");
    assert!(rows.iter().all(|row| row.body == format!("body of {}", String::from_utf8_lossy(&row.key))));

    let cases: [ScanCase; 14] = [
        ("b", None, false, 100, &["b", "b1", "b2", "b3"]),
        ("b", None, true, 100, &["b3", "b2", "b1", "b"]),
        ("b", None, false, 2, &["b", "b1"]),
        ("b", None, true, 2, &["b3", "b2"]),
        ("b", Some("b1"), false, 100, &["b2", "b3"]),
        ("b", Some("b2"), true, 100, &["b1", "b"]),
        ("b", Some("b15"), false, 1, &["b2"]),
        ("b", Some("a"), false, 100, &["b", "b1", "b2", "b3"]),
        ("b", Some("a"), true, 100, &[]),
        ("b", Some("c"), false, 100, &[]),
        ("b", Some("c"), true, 100, &["b3", "b2", "b1", "b"]),
        ("", Some("b3"), false, 100, &["c"]),
        ("", Some("a"), true, 100, &[]),
        ("nothing", None, false, 100, &[]),
    ];
    for (prefix, after, backwards, limit, expected) in cases {
        let range = Range { prefix: prefix.as_bytes(), after: after.map(str::as_bytes), backwards };
        let rows = subject.scan(Kind::Head, range, limit).await;
        let expected: Vec<&[u8]> = expected.iter().map(|key| key.as_bytes()).collect();
        assert_eq!(keys(&rows), expected, "{prefix:?} after {after:?}, backwards {backwards}, limit {limit}");
    }
    let one = subject.scan(Kind::Head, Range::default(), 0).await;
    assert_eq!(one.len(), 1, "a limit of 0 is taken as 1");
    page_by_page(&subject, &all).await;
}

/// Passing the last key as `after` shows every row once, in both directions.
async fn page_by_page(subject: &Subject, all: &[&str]) {
    for backwards in [false, true] {
        let mut seen: Vec<Row> = Vec::new();
        loop {
            let after = seen.last().map(|row| row.key.clone());
            let range = Range { prefix: b"", after: after.as_deref(), backwards };
            let page = subject.scan(Kind::Head, range, 4).await;
            if page.is_empty() {
                break;
            }
            seen.extend(page);
        }
        if backwards {
            seen.reverse();
        }
        assert_eq!(keys(&seen), all.iter().map(|key| key.as_bytes()).collect::<Vec<_>>());
    }
}

/// The requested number of rows, each once: around the sizes of pages that back ends read, and beyond the existing rows.
pub(super) async fn limits(subject: Subject) {
    let all: Vec<String> = (0..300).map(|number| format!("row {number:03}")).collect();
    subject.append(all.iter().map(|key| put(Kind::State, key, "body")).collect()).await;
    for limit in [1, 15, 16, 17, 50, 64, 65, 79, 80, 81, 90, 200, 256, 257, 299, 300, 301, 1_000] {
        for backwards in [false, true] {
            for (after, skipped) in [(None, 0), (Some(if backwards { "row 290" } else { "row 009" }), 10)] {
                let range = Range { prefix: b"row", after: after.map(str::as_bytes), backwards };
                let rows = subject.scan(Kind::State, range, limit).await;
                let in_order: Vec<&String> =
                    if backwards { all.iter().rev().collect() } else { all.iter().collect() };
                let expected = in_order.iter().skip(skipped).take(limit).map(|key| key.as_bytes());
                assert!(
                    keys(&rows).into_iter().eq(expected),
                    "limit {limit}, after {after:?}, backwards {backwards}: {} rows",
                    rows.len()
                );
            }
        }
    }
}

pub(super) async fn unsigned_order(subject: Subject) {
    let ordered: [&[u8]; 9] =
        [&[0], &[0, 0], &[0, 255], &[1], &[127], &[128], &[255], &[255, 0], &[255, 255]];
    subject.append(ordered.iter().rev().map(|key| put(Kind::State, key, "")).collect()).await;
    let rows = subject.scan(Kind::State, Range::default(), 100).await;
    assert_eq!(keys(&rows), ordered, "keys compare as unsigned bytes");
    // A prefix of 0xff has no successor that could bound the scan.
    let rows = subject.scan(Kind::State, Range { prefix: &[255], ..Range::default() }, 100).await;
    assert_eq!(keys(&rows), [&[255][..], &[255, 0], &[255, 255]]);
    let range = Range { prefix: &[255], after: Some(&[255, 255]), backwards: true };
    assert_eq!(keys(&subject.scan(Kind::State, range, 100).await), [&[255, 0][..], &[255]]);
    let rows = subject.scan(Kind::State, Range { prefix: &[0], ..Range::default() }, 100).await;
    assert_eq!(keys(&rows), [&[0][..], &[0, 0], &[0, 255]]);
}

pub(super) async fn kinds_do_not_mix(subject: Subject) {
    let kinds = [Kind::Head, Kind::History, Kind::Outbox, Kind::State, Kind::Detail];
    subject.append(kinds.iter().map(|kind| put(*kind, "same key", [kind.number()])).collect()).await;
    for kind in kinds {
        let expected = [kind.number()];
        assert_eq!(subject.get(kind, b"same key").await.as_deref(), Some(expected.as_slice()));
        for backwards in [false, true] {
            let rows = subject.scan(kind, Range { backwards, ..Range::default() }, 100).await;
            assert_eq!(rows.len(), 1, "{kind:?} shows its own row only");
            assert_eq!(rows.first().map(|row| row.body.as_ref()), Some(expected.as_slice()));
        }
    }
}

pub(super) async fn ledgers_do_not_see_each_other(ledger: &Arc<dyn Ledger>) {
    let ids = [
        LedgerId::Platform,
        LedgerId::Partition(Partition(0)),
        LedgerId::Partition(Partition(1)),
        LedgerId::Partition(Partition(u16::MAX)),
        LedgerId::Organization(organization(0)),
        LedgerId::Organization(organization(255)),
        LedgerId::Deliveries(Partition(0)),
        LedgerId::Statistics(Partition(0)),
        LedgerId::Statistics(Partition(1)),
        LedgerId::Records(Shard(0)),
        LedgerId::Records(Shard(1)),
        LedgerId::Shared(Shard(0)),
        LedgerId::Shared(Shard(u16::MAX)),
    ];
    let subjects = ids.map(|id| Subject { ledger: Arc::clone(ledger), id });
    for (number, subject) in subjects.iter().enumerate() {
        assert_eq!(subject.seq().await, Seq(0), "commits elsewhere do not count in {:?}", subject.id);
        assert_eq!(subject.get(Kind::Head, b"k").await, None);
        for _ in 0..=number {
            subject.append(vec![put(Kind::Head, "k", format!("{number}"))]).await;
        }
    }
    for (number, subject) in subjects.iter().enumerate() {
        assert_eq!(subject.seq().await, Seq(number as u64 + 1));
        let rows = subject.scan(Kind::Head, Range::default(), 100).await;
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].body, format!("{number}"));
    }
}

/// While one task writes three rows at a time, another never reads rows of different commits.
pub(super) async fn never_half_a_commit(subject: Subject) {
    const COMMITS: u32 = 100;
    let writing = {
        let subject = subject.clone();
        async move {
            for number in 0..COMMITS {
                let body = number.to_be_bytes();
                let ops = ["x", "y", "z"].iter().map(|key| put(Kind::Head, key, body)).collect();
                subject.append(ops).await;
            }
        }
    };
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(writing);
    loop {
        let rows = subject.scan(Kind::Head, Range::default(), 10).await;
        assert!(rows.is_empty() || rows.len() == 3, "half a commit is visible");
        assert!(rows.windows(2).all(|pair| pair[0].body == pair[1].body), "rows of two commits are visible");
        if let Some(ended) = tasks.try_join_next() {
            ended.expect("the writer does not panic");
            return;
        }
        tokio::task::yield_now().await;
    }
}

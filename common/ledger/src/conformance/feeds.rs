//! Contents of the change feed, and its report of expired changes.

use bytes::Bytes;

use super::{FEED_COMMITS, Subject, delete, put};
use crate::{Changes, Commit, Kind, MAX_CHANGES, Seq};

fn touched(seq: u64, rows: &[(Kind, &'static str)]) -> Changes {
    let rows = rows.iter().map(|(kind, key)| (*kind, Bytes::from_static(key.as_bytes()))).collect();
    Changes::Touched { seq: Seq(seq), rows }
}

pub(super) async fn follows(subject: Subject) {
    assert_eq!(subject.changes(Seq(0)).await, touched(0, &[]), "nothing has happened yet");
    subject.append(vec![put(Kind::Head, "b", "1"), put(Kind::History, "a", "1")]).await;
    subject.append(vec![delete(Kind::Head, "b"), put(Kind::Head, "c", "1"), put(Kind::Head, "c", "2")]).await;
    subject.append(Vec::new()).await;
    subject.append(vec![delete(Kind::Head, "never there"), put(Kind::History, "a", "2")]).await;

    let all = [(Kind::Head, "b"), (Kind::History, "a"), (Kind::Head, "c"), (Kind::Head, "never there")];
    assert_eq!(
        subject.changes(Seq(0)).await,
        touched(4, &all),
        "each row once, in the order of first changes"
    );
    let later = [(Kind::Head, "b"), (Kind::Head, "c"), (Kind::Head, "never there"), (Kind::History, "a")];
    assert_eq!(subject.changes(Seq(1)).await, touched(4, &later));
    let last = [(Kind::Head, "never there"), (Kind::History, "a")];
    assert_eq!(subject.changes(Seq(2)).await, touched(4, &last), "an empty commit touches nothing");
    assert_eq!(subject.changes(Seq(3)).await, touched(4, &last));
    assert_eq!(subject.changes(Seq(4)).await, touched(4, &[]), "who has seen all is told of nothing");

    let conflict = subject.commit(Seq(0), vec![put(Kind::Head, "late", "")]).await;
    assert!(matches!(conflict, Ok(Commit::Conflict(_))));
    assert_eq!(subject.changes(Seq(4)).await, touched(4, &[]), "what did not happen is not told of");
}

pub(super) async fn pages(subject: Subject) {
    let commits = MAX_CHANGES as u64 + 20;
    for number in 0..commits {
        subject.append(vec![put(Kind::State, format!("{number:05}"), "")]).await;
    }
    let mut reached = Seq(0);
    let mut told = Vec::new();
    while reached.0 < commits {
        let Changes::Touched { seq, rows } = subject.changes(reached).await else {
            panic!("the feed reaches back {FEED_COMMITS} commits");
        };
        assert!(seq > reached, "every call gets further");
        assert!(seq.0 - reached.0 <= MAX_CHANGES as u64, "a call tells of at most {MAX_CHANGES} commits");
        assert_eq!(rows.len() as u64, seq.0 - reached.0);
        told.extend(rows);
        reached = seq;
    }
    let expected: Vec<_> =
        (0..commits).map(|number| (Kind::State, Bytes::from(format!("{number:05}")))).collect();
    assert_eq!(told, expected, "page by page, every commit once");
}

pub(super) async fn gap(subject: Subject) {
    let kept = u64::from(FEED_COMMITS);
    let commits = kept + 10;
    for _ in 0..commits {
        subject.append(vec![put(Kind::State, "k", "")]).await;
    }
    let oldest = commits - kept;
    for after in [0, 1, oldest - 1] {
        assert_eq!(subject.changes(Seq(after)).await, Changes::Gap { seq: Seq(commits) }, "after {after}");
    }
    for after in [oldest, oldest + 1, commits - 1] {
        let Changes::Touched { rows, .. } = subject.changes(Seq(after)).await else {
            panic!("commits after {after} are still known");
        };
        assert_eq!(rows, [(Kind::State, Bytes::from_static(b"k"))]);
    }
}

/// A reader that is ahead has followed a ledger that was restored to an earlier state since.
pub(super) async fn ahead_is_a_gap(subject: Subject) {
    assert_eq!(subject.changes(Seq(3)).await, Changes::Gap { seq: Seq(0) });
    subject.append(Vec::new()).await;
    assert_eq!(subject.changes(Seq(2)).await, Changes::Gap { seq: Seq(1) });
    assert_eq!(subject.changes(Seq(u64::MAX)).await, Changes::Gap { seq: Seq(1) });
}

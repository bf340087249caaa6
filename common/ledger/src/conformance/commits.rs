//! Effects of a commit, and the commits that are refused.

use super::{Subject, delete, put};
use crate::{Commit, Kind, LedgerError, MAX_COMMIT_BYTES, MAX_COMMIT_ROWS, MAX_KEY_BYTES, Op, Seq};

pub(super) async fn compare_and_append(subject: Subject) {
    assert_eq!(subject.seq().await, Seq(0), "a ledger nobody has written stands at 0");
    for early in [1, 7, u64::MAX / 2] {
        let answer = subject.commit(Seq(early), vec![put(Kind::Head, "a", "early")]).await;
        assert!(matches!(answer, Ok(Commit::Conflict(Seq(0)))), "nobody can commit ahead, got {answer:?}");
    }
    assert_eq!(subject.append(vec![put(Kind::Head, "a", "1")]).await, Seq(1));
    assert_eq!(subject.get(Kind::Head, b"a").await.as_deref(), Some(b"1".as_slice()), "reads see own writes");
    assert_eq!(subject.append(vec![put(Kind::Head, "a", "2"), put(Kind::State, "b", "")]).await, Seq(2));
    assert_eq!(subject.get(Kind::State, b"b").await.as_deref(), Some(b"".as_slice()), "a body may be empty");

    let before = subject.everything().await;
    for late in [0, 1] {
        let ops = vec![put(Kind::Head, "a", "late"), delete(Kind::State, "b"), put(Kind::Head, "c", "late")];
        let answer = subject.commit(Seq(late), ops).await;
        assert!(matches!(answer, Ok(Commit::Conflict(Seq(2)))), "a late commit conflicts, got {answer:?}");
    }
    assert_eq!(subject.everything().await, before, "a conflict changes nothing");

    assert_eq!(subject.append(Vec::new()).await, Seq(3), "an empty commit is a commit");
    assert_eq!(subject.everything().await.1, before.1, "an empty commit changes no row");
}

pub(super) async fn later_operations_win(subject: Subject) {
    let ops = vec![
        put(Kind::Head, "twice", "first"),
        put(Kind::Head, "twice", "second"),
        put(Kind::Head, "gone", "x"),
        delete(Kind::Head, "gone"),
        delete(Kind::Head, "back"),
        put(Kind::Head, "back", "y"),
    ];
    subject.append(ops).await;
    assert_eq!(subject.get(Kind::Head, b"twice").await.as_deref(), Some(b"second".as_slice()));
    assert_eq!(subject.get(Kind::Head, b"gone").await, None);
    assert_eq!(subject.get(Kind::Head, b"back").await.as_deref(), Some(b"y".as_slice()));
}

pub(super) async fn all_or_nothing(subject: Subject) {
    subject.append(vec![put(Kind::Head, "a", "1")]).await;
    let before = subject.everything().await;
    let key_too_long = vec![b'k'; MAX_KEY_BYTES + 1];
    let bad_ends = [put(Kind::Feed, "x", ""), put(Kind::Head, "", ""), put(Kind::Head, key_too_long, "")];
    for bad_end in bad_ends {
        let ops = vec![put(Kind::Head, "a", "2"), put(Kind::History, "new", "2"), bad_end];
        let answer = subject.commit(Seq(1), ops).await;
        assert!(matches!(answer, Err(LedgerError::NotAllowed { .. })), "got {answer:?}");
    }
    assert_eq!(subject.everything().await, before, "a refused commit changes nothing");
}

pub(super) async fn bounds(subject: Subject) {
    let rows = |count: usize| -> Vec<Op> {
        (0..count).map(|number| put(Kind::Head, format!("row{number:08}"), "x")).collect()
    };
    subject.append(rows(MAX_COMMIT_ROWS)).await;
    let answer = subject.commit(Seq(1), rows(MAX_COMMIT_ROWS + 1)).await;
    assert!(matches!(answer, Err(LedgerError::TooLarge { rows, .. }) if rows == MAX_COMMIT_ROWS + 1));

    // Keys count, deleted ones too.
    let filled = |body: usize| {
        vec![
            put(Kind::Detail, "big", vec![7_u8; body]),
            delete(Kind::Detail, "gone"),
            put(Kind::Head, "k", ""),
        ]
    };
    let overhead = "big".len() + "gone".len() + "k".len();
    let answer = subject.commit(Seq(1), filled(MAX_COMMIT_BYTES - overhead + 1)).await;
    assert!(matches!(answer, Err(LedgerError::TooLarge { bytes, .. }) if bytes == MAX_COMMIT_BYTES + 1));
    assert_eq!(subject.seq().await, Seq(1), "a commit that is too large changes nothing");
    subject.append(filled(MAX_COMMIT_BYTES - overhead)).await;
    let body = subject.get(Kind::Detail, b"big").await.expect("the largest commit is kept");
    assert_eq!(body.len(), MAX_COMMIT_BYTES - overhead);
}

pub(super) async fn not_allowed(subject: Subject) {
    let refused = [
        put(Kind::Feed, "f", "x"),
        delete(Kind::Feed, "f"),
        put(Kind::Head, "", "x"),
        delete(Kind::Head, ""),
        put(Kind::Head, vec![0; MAX_KEY_BYTES + 1], "x"),
        delete(Kind::Head, vec![0; MAX_KEY_BYTES + 1]),
    ];
    for op in refused {
        let answer = subject.commit(Seq(0), vec![op.clone()]).await;
        assert!(matches!(answer, Err(LedgerError::NotAllowed { .. })), "{op:?} got {answer:?}");
    }
    let feed_row = subject.ledger.get(subject.id, Kind::Feed, b"f").await;
    assert!(matches!(feed_row, Err(LedgerError::NotAllowed { .. })), "the feed is not read row by row");
    let feed_rows = subject.ledger.scan(subject.id, Kind::Feed, crate::Range::default(), 1).await;
    assert!(matches!(feed_rows, Err(LedgerError::NotAllowed { .. })), "the feed is not scanned");

    let longest = vec![u8::MAX; MAX_KEY_BYTES];
    subject.append(vec![put(Kind::Head, &longest, "x"), put(Kind::Head, [0], "y")]).await;
    assert!(subject.get(Kind::Head, &longest).await.is_some(), "a key of the greatest length is kept");
    assert!(subject.get(Kind::Head, &[0]).await.is_some(), "a key of one byte is kept");
    assert_eq!(subject.get(Kind::Head, &[]).await, None, "no row has an empty key");
}

pub(super) async fn deletes(subject: Subject) {
    subject.append(vec![put(Kind::Head, "a", "1"), put(Kind::Head, "b", "2")]).await;
    subject.append(vec![delete(Kind::Head, "a"), delete(Kind::Head, "never there")]).await;
    assert_eq!(subject.get(Kind::Head, b"a").await, None);
    let rows = subject.scan(Kind::Head, crate::Range::default(), 10).await;
    assert_eq!(rows.len(), 1, "a scan does not see what is deleted");
    subject.append(vec![put(Kind::Head, "a", "3")]).await;
    assert_eq!(subject.get(Kind::Head, b"a").await.as_deref(), Some(b"3".as_slice()));
}

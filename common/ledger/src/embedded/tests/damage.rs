//! Damage that a real file may suffer: reported as such, for the ledger it is in, without effect on the others.

use common::partition::Partition;

use super::*;

const SOUND: LedgerId = LedgerId::Partition(Partition(1));
const HURT: LedgerId = LedgerId::Partition(Partition(2));

/// Changes the file without the ledger.
fn tamper(directory: &Path, sql: &str) {
    let file = rusqlite::Connection::open(directory.join(FILE_NAME)).unwrap();
    assert!(file.execute(sql, []).unwrap() > 0, "{sql}");
}

/// Rows of each of two partitions: several pages of them.
const ROWS: usize = 100;

/// A ledger in which each of two partitions has rows, closed.
async fn filled(directory: &Path) {
    let ledger = open_at(directory);
    for (id, letter) in [(SOUND, "s"), (HURT, "h")] {
        let rows = (0..ROWS).map(|n| put(format!("row {n}"), letter.repeat(300))).collect();
        ledger.commit(id, Seq(0), rows).await.unwrap();
    }
}

fn is_damage_of(error: &LedgerError, expected: LedgerId) -> bool {
    matches!(error, LedgerError::Damaged { ledger, .. } if *ledger == expected)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_was_changed_or_moved_is_damage_of_its_ledger() {
    for sql in [
        "UPDATE entries SET body = x'00' WHERE CAST(key AS TEXT) = 'row 3' AND body LIKE 'h%'",
        "UPDATE entries SET checksum = checksum + 4294967296 WHERE CAST(key AS TEXT) = 'row 3' AND body LIKE 'h%'",
        "UPDATE entries SET body = (SELECT max(body) FROM entries WHERE kind = 0),
             checksum = (SELECT checksum FROM entries WHERE kind = 0 ORDER BY body DESC LIMIT 1)
         WHERE CAST(key AS TEXT) = 'row 3' AND body LIKE 'h%'",
    ] {
        let directory = tempfile::tempdir().unwrap();
        filled(directory.path()).await;
        let sound = inspect(directory.path(), &config()).unwrap();
        assert!(sound.findings.is_empty() && sound.sound_rows == 202, "{sound:?}");
        tamper(directory.path(), sql);

        let ledger = open_at(directory.path());
        let refused = ledger.get(HURT, Kind::Head, b"row 3").await.unwrap_err();
        let LedgerError::Damaged { ledger: HURT, row: Some((Kind::Head, key)), .. } = &refused else {
            panic!("{refused}")
        };
        assert!(key == "row 3" && refused.to_string().contains("expected the checksum"), "{refused}");
        let scanned = ledger.scan(HURT, Kind::Head, Range::default(), ROWS).await.unwrap_err();
        assert!(is_damage_of(&scanned, HURT), "{scanned}");
        assert!(ledger.get(HURT, Kind::Head, b"row 4").await.unwrap().is_some());
        assert_eq!(ledger.scan(SOUND, Kind::Head, Range::default(), ROWS).await.unwrap().len(), ROWS);
        let found = inspect(directory.path(), &config()).unwrap();
        assert!(found.findings.len() == 1 && found.sound_rows == 201, "{found:?}");
        // After rewriting it is sound again.
        assert_eq!(
            ledger.commit(HURT, Seq(1), vec![put("row 3", "new")]).await.unwrap(),
            Commit::Done(Seq(2))
        );
        assert_eq!(ledger.get(HURT, Kind::Head, b"row 3").await.unwrap().unwrap(), "new");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_of_another_type_is_damage_and_the_inspection_goes_on_behind_it() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path()).await;
    // One bit in the header of a row turns bytes into text, which SQLite itself writes into no such column.
    let declare = |from: &str, to: &str| {
        let sql = format!(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '{from}', '{to}') WHERE name = 'entries'"
        );
        rusqlite::Connection::open(directory.path().join(FILE_NAME)).unwrap().execute_batch(&sql).unwrap();
    };
    declare("body BLOB", "body ANY");
    let sql =
        "UPDATE entries SET body = CAST(body AS TEXT) WHERE CAST(key AS TEXT) = 'row 3' AND body LIKE 'h%'";
    tamper(directory.path(), sql);
    declare("body ANY", "body BLOB");
    let found = inspect(directory.path(), &config()).unwrap();
    // SQLite notices it, too.
    assert!(found.findings.len() == 2 && found.sound_rows == 201, "{found:?}");
    let ledger = open_at(directory.path());
    let refused = ledger.get(HURT, Kind::Head, b"row 3").await.unwrap_err();
    assert!(is_damage_of(&refused, HURT), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_row_that_was_changed_is_damage() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path()).await;
    tamper(directory.path(), "UPDATE entries SET body = x'' WHERE kind = 1");
    let ledger = open_at(directory.path());
    let refused = ledger.changes(HURT, Seq(0)).await.unwrap_err();
    assert!(is_damage_of(&refused, HURT), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_overwritten_is_damage_and_the_rest_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path()).await;
    let path = directory.path().join(FILE_NAME);
    let mut bytes = std::fs::read(&path).unwrap();
    // A leaf of the tree (its first byte is 10) that holds rows of the one partition only.
    let has = |page: &[u8], letter| page.windows(64).any(|window| window.iter().all(|byte| *byte == letter));
    let mut leaves =
        bytes.chunks_mut(4_096).filter(|page| page[0] == 10 && has(page, b'h') && !has(page, b's'));
    leaves.next().unwrap().fill(0xFF);
    std::fs::write(&path, bytes).unwrap();

    let found = inspect(directory.path(), &config()).unwrap();
    assert!(!found.findings.is_empty(), "{found:?}");
    let ledger = open_at(directory.path());
    let refused = ledger.scan(HURT, Kind::Head, Range::default(), ROWS).await.unwrap_err();
    assert!(is_damage_of(&refused, HURT), "{refused}");
    assert_eq!(ledger.scan(SOUND, Kind::Head, Range::default(), ROWS).await.unwrap().len(), ROWS);

    // In one group with commits of others, and alone.
    let all = (0..ROWS).map(|n| put(format!("row {n}"), "new")).collect();
    let (hurt, sound) =
        tokio::join!(ledger.commit(HURT, Seq(1), all), ledger.commit(SOUND, Seq(1), vec![put("a", "b")]));
    let hurt = hurt.unwrap_err();
    assert!(is_damage_of(&hurt, HURT), "{hurt}");
    assert_eq!(sound.unwrap(), Commit::Done(Seq(2)));
    assert_eq!(ledger.seq(HURT).await.unwrap(), Seq(1));
}

#[test]
fn whether_a_server_ended_in_order_is_told_to_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let lock = ServerLock::acquire(directory.path()).unwrap();
    assert!(lock.begin().unwrap(), "there was none before");
    drop(lock);
    let lock = ServerLock::acquire(directory.path()).unwrap();
    assert!(!lock.begin().unwrap());
    lock.end().unwrap();
    drop(lock);
    assert!(ServerLock::acquire(directory.path()).unwrap().begin().unwrap());
}

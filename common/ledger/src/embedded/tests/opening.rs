//! Files that are opened, and messages for those that are refused.

use super::*;
use crate::FORMATS;

#[test]
fn another_format_is_refused_and_the_file_left_alone() {
    for (version, words) in [
        (FORMATS.newest + 1, format!("format version {}, this build reads up to", FORMATS.newest + 1)),
        (FORMATS.oldest - 1, "before the first release".to_owned()),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE_NAME);
        drop(open_at(directory.path()));
        let file = rusqlite::Connection::open(&path).unwrap();
        file.pragma_update(None, "user_version", version).unwrap();
        drop(file);
        let before = std::fs::read(&path).unwrap();
        let refused = open(directory.path(), &config()).unwrap_err();
        assert!(matches!(refused, OpenError::Format { .. }), "{refused}");
        assert!(refused.to_string().contains(&words), "{refused}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_stranger_s_file_is_refused_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(FILE_NAME);
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(file);
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(open(directory.path(), &config()), Err(OpenError::NotALedger { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn what_is_no_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(FILE_NAME), "not a database, but long enough to look".repeat(50))
        .unwrap();
    assert!(matches!(open(directory.path(), &config()), Err(OpenError::Sqlite { .. })));
}

#[test]
fn values_out_of_bounds_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let bad = Config { feed_commits: 255, ..config() };
    let refused = open(directory.path(), &bad).unwrap_err();
    assert_eq!(refused.to_string(), "ledger.feed_commits is 255, expected 256 to 1000000");
    assert!(open(directory.path(), &Config { read_connections: 0, ..config() }).is_err());
    assert!(open(directory.path(), &Config { busy_timeout_ms: 60_001, ..config() }).is_err());
}

#[test]
fn many_may_create_it_at_once() {
    for _ in 0..20 {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| open_at(directory.path()));
            }
        });
    }
}

#[test]
fn one_server_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let lock = ServerLock::acquire(directory.path()).unwrap();
    let refused = ServerLock::acquire(directory.path()).unwrap_err();
    assert!(refused.to_string().contains("another server is running"), "{refused}");
    // A command may open the ledger all the same.
    drop(open_at(directory.path()));
    drop(lock);
    ServerLock::acquire(directory.path()).unwrap();
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let ledger = open_at(directory.path());
    for name in [FILE_NAME.to_owned(), format!("{FILE_NAME}-wal"), format!("{FILE_NAME}-shm")] {
        let mode = std::fs::metadata(directory.path().join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    drop(ledger);
}

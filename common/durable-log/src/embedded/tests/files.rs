//! Real directories: opened again, locked, damaged.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::*;

/// Files of the log whose names begin with this, in order.
fn files(directory: &TempDir, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with(prefix));
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn flip_byte(path: &Path, position: u64) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, position).unwrap();
    file.write_all_at(&[byte[0] ^ 0x40], position).unwrap();
}

/// Appends one batch after the other, each in a group of its own, so each at a block of its own.
async fn append(log: &EmbeddedLog, numbers: std::ops::Range<u32>, size: usize) {
    for number in numbers {
        log.append(Partition((number % 3) as u16), batch(number, size)).await.unwrap();
    }
}

#[tokio::test]
async fn what_was_acknowledged_is_there_when_the_log_is_opened_again() {
    let directory = TempDir::new().unwrap();
    for round in 0..5 {
        let log = open_small(directory.path()).unwrap();
        append(&log, round * 30..round * 30 + 30, 3_000).await;
        for partition in 0..3 {
            let found = read_all(&log, partition).await;
            assert_eq!(found.len(), (round + 1) as usize * 10);
            assert!(found.iter().all(|entry| entry.batch == batch(entry.batch.headers.record_count, 3_000)));
        }
    }
    let log = open_small(directory.path()).unwrap();
    assert_eq!(log.append(Partition(0), batch(1, 1)).await, Ok(Offset(151)), "offsets go on");
}

#[tokio::test]
async fn a_file_with_a_number_that_no_log_reaches_is_refused_by_name() {
    for prefix in ["segment", "spare"] {
        let directory = TempDir::new().unwrap();
        let log = open_small(directory.path()).unwrap();
        append(&log, 0..3, 100).await;
        drop(log);
        let stranger = directory.path().join(format!("{prefix}-{}", u64::MAX));
        fs::write(&stranger, []).unwrap();
        let refused = open_small(directory.path()).err().unwrap();
        assert!(refused.to_string().contains(&u64::MAX.to_string()), "{refused}");
        fs::remove_file(stranger).unwrap();
        assert_eq!(read_all(&open_small(directory.path()).unwrap(), 0).await.len(), 1, "nothing was touched");
    }
}

#[tokio::test]
async fn ends_are_known_when_everything_was_released() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    append(&log, 0..50, 3_000).await;
    for partition in 0..3 {
        log.release(Partition(partition), Offset(50));
    }
    append(&log, 51..52, 60_000).await;
    drop(log);
    let log = open_small(directory.path()).unwrap();
    let ends = [log.end(Partition(0)).await, log.end(Partition(1)).await, log.end(Partition(2)).await];
    assert_eq!(ends, [Ok(Offset(51)), Ok(Offset(50)), Ok(Offset(48))]);
    let trimmed = log.fetch(Partition(1), Offset(1), 1, std::time::Duration::ZERO).await;
    assert!(matches!(trimmed, Err(crate::FetchError::Trimmed { oldest: 51, .. })), "{trimmed:?}");
}

#[tokio::test]
async fn released_segments_are_used_again() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    for round in 0..40 {
        append(&log, round * 20..round * 20 + 20, 3_000).await;
        for partition in 0..3 {
            log.release(Partition(partition), Offset(u64::MAX));
        }
    }
    drop(log);
    let bytes: u64 = files(&directory, "s").iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(bytes <= 5 * 64 * 1024, "{bytes} bytes are left on the disk");
}

#[tokio::test]
async fn opening_often_takes_no_room() {
    let directory = TempDir::new().unwrap();
    for number in 0..30 {
        append(&open_small(directory.path()).unwrap(), number..number + 1, 100).await;
    }
    let bytes: u64 = files(&directory, "s").iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(bytes <= 30 * 8192 + 4 * 64 * 1024, "{bytes} bytes for 30 small batches");
}

#[test]
fn a_second_opening_is_refused() {
    let directory = TempDir::new().unwrap();
    let first = open_small(directory.path()).unwrap();
    assert!(matches!(open_small(directory.path()), Err(OpenError::Locked { .. })));
    drop(first);
    open_small(directory.path()).unwrap();
}

#[test]
fn another_number_of_partitions_is_refused_in_words() {
    let directory = TempDir::new().unwrap();
    drop(open_small(directory.path()).unwrap());
    let error = open(directory.path(), &Config { partitions: 4, ..small() }, clock()).err().unwrap();
    let expected = "the log has 3 partitions, 4 are configured: the number is fixed for the life of a log";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn damage_below_what_was_synced_is_refused_and_named() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    append(&log, 0..5, 3_000).await;
    drop(log);
    let segment = files(&directory, "segment-").remove(0);
    // The third group: after the header's block and two others.
    flip_byte(&segment, 3 * 4096 + 100);
    let found = open_small(directory.path()).err().unwrap();
    let OpenError::Corrupt { segment: named, offset, .. } = &found else { panic!("{found}") };
    assert_eq!((named, *offset), (&name(&segment), 3));
    assert!(found.to_string().contains("offset 4 says that it had been synced"), "{found}");
    flip_byte(&segment, 3 * 4096 + 100);
    assert_eq!(read_all(&open_small(directory.path()).unwrap(), 0).await.len(), 2, "it was left as it was");
}

#[tokio::test]
async fn damage_before_a_later_segment_is_refused_and_named() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    append(&log, 0..60, 3_000).await;
    drop(log);
    let segments = files(&directory, "segment-");
    assert!(segments.len() > 3, "{segments:?}");
    flip_byte(&segments[1], 15 * 4096 + 100);
    let found = open_small(directory.path()).err().unwrap();
    let OpenError::Corrupt { segment, offset, .. } = &found else { panic!("{found}") };
    assert_eq!((segment, *offset), (&name(&segments[1]), 30));
}

#[tokio::test]
async fn a_missing_segment_is_refused() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    append(&log, 0..60, 3_000).await;
    drop(log);
    fs::remove_file(&files(&directory, "segment-")[1]).unwrap();
    let found = open_small(directory.path()).err().unwrap();
    assert!(matches!(found, OpenError::Corrupt { offset: 16, .. }), "{found}");
}

#[tokio::test]
async fn a_destroyed_header_is_refused_where_frames_behind_it_were_synced() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    append(&log, 0..3, 3_000).await;
    drop(log);
    flip_byte(&files(&directory, "segment-")[0], 20);
    let found = open_small(directory.path()).err().unwrap();
    assert!(matches!(found, OpenError::Corrupt { offset: 1, .. }), "{found}");
}

#[tokio::test]
async fn a_destroyed_header_of_the_oldest_segment_is_refused_and_named() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    append(&log, 0..60, 3_000).await;
    drop(log);
    let oldest = files(&directory, "segment-").remove(0);
    flip_byte(&oldest, 20);
    let found = open_small(directory.path()).err().unwrap();
    let OpenError::Corrupt { segment, offset, cause } = &found else { panic!("{found}") };
    assert_eq!((segment, *offset), (&name(&oldest), 1));
    assert!(cause.contains("goes on at offset 16"), "{cause}");

    flip_byte(&oldest, 4096 + 100);
    let found = open_small(directory.path()).err().unwrap();
    assert!(matches!(found, OpenError::Corrupt { offset: 15, .. }), "no frame says where it began: {found}");

    flip_byte(&oldest, 20);
    flip_byte(&oldest, 4096 + 100);
    assert_eq!(read_all(&open_small(directory.path()).unwrap(), 0).await.len(), 20, "it was left as it was");
}

#[tokio::test]
async fn a_destroyed_header_is_refused_where_there_is_no_other() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    append(&log, 0..1, 3_000).await;
    drop(log);
    flip_byte(&files(&directory, "segment-")[0], 20);
    let found = open_small(directory.path()).err().unwrap();
    assert!(matches!(found, OpenError::Corrupt { offset: 1, .. }), "{found}");
}

#[test]
fn a_missing_manifest_is_refused() {
    let directory = TempDir::new().unwrap();
    drop(open_small(directory.path()).unwrap());
    fs::remove_file(directory.path().join("manifest")).unwrap();
    let found = open_small(directory.path()).err().unwrap();
    assert_eq!(
        found.to_string(),
        "the manifest of the log cannot be read: there are segments but no manifest"
    );
}

#[tokio::test]
async fn a_torn_tail_is_cut_off() {
    for torn in [1, 36, 100, 2_999, 3_200] {
        let directory = TempDir::new().unwrap();
        let log = open_small(directory.path()).unwrap();
        append(&log, 0..5, 3_000).await;
        drop(log);
        let segment = files(&directory, "segment-").remove(0);
        OpenOptions::new().write(true).open(&segment).unwrap().set_len(5 * 4096 + torn).unwrap();
        let log = open_small(directory.path()).unwrap();
        assert_eq!(read_all(&log, 0).await.len(), 2, "torn after {torn} bytes");
        assert_eq!(read_all(&log, 1).await.len(), if torn > 3_199 { 2 } else { 1 }, "after {torn} bytes");
        append(&log, 5..6, 3_000).await;
    }
}

#[test]
fn only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a/log");
    drop(open_small(&path).unwrap());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    for entry in fs::read_dir(&path).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn the_number_of_a_spare_file_is_not_used_again() {
    let directory = TempDir::new().unwrap();
    drop(open_small(directory.path()).unwrap());
    let prepared = files(&directory, "segment-").pop().unwrap();
    fs::rename(prepared, directory.path().join("spare-00000000000000000042")).unwrap();
    drop(open_small(directory.path()).unwrap());
    let newest = name(files(&directory, "segment-").last().unwrap());
    assert!(*newest > *"segment-00000000000000000042", "{newest} may hold frames of its own number");
}

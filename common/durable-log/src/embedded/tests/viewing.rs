//! A view beside the process that writes: it shows the same batches, changes nothing, and outlives segments that are freed.

use super::super::view;
use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_view_shows_the_log_of_a_running_process_and_changes_nothing() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    let empty = view(directory.path()).unwrap();
    assert_eq!(empty.end(Partition(0)).await, Ok(Offset(0)));
    // Several segments, in two of three partitions.
    for number in 0..60_u16 {
        log.append(Partition(number % 2), batch(number.into(), 4000)).await.unwrap();
    }
    // The writer prepares files for later in the background: there may be more afterwards, but these stay as they are.
    let before = files(directory.path());
    let seen = view(directory.path()).unwrap();
    let after = files(directory.path());
    assert!(before.iter().all(|file| is_spare(file) || after.contains(file)), "{before:?} became {after:?}");
    for partition in 0..3 {
        assert_eq!(seen.end(Partition(partition)).await, log.end(Partition(partition)).await);
        let entries =
            seen.fetch(Partition(partition), Offset(1), usize::MAX, std::time::Duration::ZERO).await;
        assert_eq!(entries.unwrap(), read_all(&log, partition).await);
    }
    assert_eq!(seen.last_assigned(Partition(2)).await, Ok(Offset(60)));
    assert!(seen.append(Partition(0), batch(100, 10)).await.is_err());

    // Released batches are freed by the writer, and no longer requested in a later view.
    for partition in 0..2 {
        log.release(Partition(partition), Offset(60));
    }
    log.append(Partition(0), batch(61, 10)).await.unwrap();
    let later = view(directory.path()).unwrap();
    assert_eq!(later.end(Partition(0)).await, Ok(Offset(61)));
    assert_eq!(later.end(Partition(1)).await, log.end(Partition(1)).await);
    log.append(Partition(1), batch(62, 10)).await.unwrap();

    // Without a writer, a view leaves everything as it is.
    drop((empty, seen, later, log));
    let before = files(directory.path());
    let alone = view(directory.path()).unwrap();
    assert_eq!(alone.end(Partition(0)).await, Ok(Offset(61)));
    assert_eq!(files(directory.path()), before);
}

/// Names and sizes, sorted by name.
fn files(directory: &Path) -> Vec<(String, u64)> {
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        // The writer may rename a spare file between listing and asking for its size.
        .filter_map(|entry| Some((entry.file_name().into_string().unwrap(), entry.metadata().ok()?.len())))
        .collect();
    files.sort();
    files
}

/// Whether it is a file that the writer made for a later segment, and may rename at any time.
fn is_spare((name, _): &(String, u64)) -> bool {
    name.starts_with("spare-")
}

#[test]
fn where_there_is_no_log_none_is_made() {
    let directory = TempDir::new().unwrap();
    let missing = directory.path().join("log");
    assert!(view(&missing).is_err());
    assert!(!missing.try_exists().unwrap());
    assert!(matches!(view(directory.path()), Err(OpenError::Manifest { .. })));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

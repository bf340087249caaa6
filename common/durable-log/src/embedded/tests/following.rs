//! Reading closely behind the appends, from memory, and further behind, from the files.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::FetchError;

async fn fetch(log: &EmbeddedLog, from: u64) -> Result<Vec<u32>, FetchError> {
    let found = log.fetch(Partition(0), Offset(from), usize::MAX, Duration::ZERO).await?;
    Ok(found.iter().map(|entry| entry.batch.headers.record_count).collect())
}

/// Overwrites everything after the header of the first segment; the next one may be there already.
fn spoil(directory: &TempDir) {
    let files = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
    let segments = files.filter(|path| path.to_string_lossy().contains("segment-"));
    let file = OpenOptions::new().write(true).open(segments.min().unwrap()).unwrap();
    file.write_all_at(&[0x55; 32 * 1024], 4096).unwrap();
}

#[tokio::test]
async fn who_follows_closely_reads_nothing_from_the_disk() {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    log.append(Partition(0), batch(1, 3_000)).await.unwrap();
    assert_eq!(fetch(&log, 1).await, Ok(vec![1]));
    for number in 2..5 {
        log.append(Partition(0), batch(number, 3_000)).await.unwrap();
    }
    spoil(&directory);
    assert_eq!(fetch(&log, 2).await, Ok(vec![2, 3, 4]));
    assert_eq!(fetch(&log, 3).await, Ok(vec![3, 4]));
    assert!(matches!(fetch(&log, 1).await, Err(FetchError::Corrupt { .. })));
    assert!(matches!(fetch(&log, 2).await, Err(FetchError::Corrupt { .. })), "who has read on is behind it");
}

/// Operations on one partition of three.
#[derive(Clone, Debug)]
enum Step {
    Append {
        size: usize,
    },
    /// Continues reading, this many bytes.
    Read {
        bytes: usize,
    },
    /// Goes back by this many batches, as a restarted reader does.
    GoBack {
        batches: usize,
    },
    /// Releases the batches read.
    Release,
}

fn step() -> impl Strategy<Value = (u16, Step)> {
    let step = prop_oneof![
        4 => prop_oneof![0..600_usize, 15_000..20_000_usize].prop_map(|size| Step::Append { size }),
        4 => prop_oneof![Just(0), 0..40_000_usize, Just(usize::MAX)].prop_map(|bytes| Step::Read { bytes }),
        1 => (1..5_usize).prop_map(|batches| Step::GoBack { batches }),
        1 => Just(Step::Release),
    ];
    (0..3_u16, step)
}

/// Batches appended to a partition, those of them read, and those of them released.
#[derive(Default)]
struct Expected {
    entries: Vec<Entry>,
    read: usize,
    released: usize,
}

impl Expected {
    /// The offset after the one that was read last.
    fn next(&self) -> Offset {
        let last = self.read.checked_sub(1).and_then(|last| self.entries.get(last));
        last.map_or(Offset(1), |last| last.offset.next())
    }
}

async fn follow(steps: Vec<(u16, Step)>) {
    let directory = TempDir::new().unwrap();
    let log = open_small(directory.path()).unwrap();
    let mut partitions = [(); 3].map(|()| Expected::default());
    for (number, (partition, step)) in steps.into_iter().enumerate() {
        let expected = &mut partitions[usize::from(partition)];
        let partition = Partition(partition);
        match step {
            Step::Append { size } => {
                let batch = batch(number as u32, size);
                let offset = log.append(partition, batch.clone()).await.unwrap();
                expected.entries.push(Entry { offset, batch });
            }
            Step::Read { bytes } => {
                let found = log.fetch(partition, expected.next(), bytes, Duration::ZERO).await.unwrap();
                assert_eq!(found.is_empty(), expected.read == expected.entries.len());
                assert_eq!(found, expected.entries[expected.read..expected.read + found.len()]);
                expected.read += found.len();
            }
            Step::GoBack { batches } => {
                expected.read = expected.read.saturating_sub(batches).max(expected.released);
            }
            Step::Release => {
                let through = Offset(expected.next().0 - 1);
                log.release(partition, through);
                expected.released = expected.read;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wherever_it_is_read_from_it_is_what_was_appended(steps in prop::collection::vec(step(), 1..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(follow(steps));
    }
}

//! The embedded log over a damaged directory: opening refuses with an error, or yields only batches
//! that check. If the damage can only lose data, the content is a run of the content before, and
//! nothing is missing unless the last segment is damaged. A log that opens goes on, and data it
//! acknowledges is there when it is opened again.

#![no_main]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use arbitrary::Arbitrary;
use common::batch::Batch;
use common::clock::ManualClock;
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use durable_log::disk::simulated::SimulatedDisk;
use durable_log::embedded::{EmbeddedLog, OpenError, open_on};
use durable_log::{AppendError, DurableLog, FetchError};
use libfuzzer_sys::fuzz_target;
use palisade_fuzz::log_image::{Damage, IMAGES, Image, batch, config};
use tokio::runtime::{Builder, Runtime};

#[derive(Arbitrary, Debug)]
struct Input {
    image: u8,
    damage: Vec<Damage>,
    /// Whether power is lost before the log is opened again; else only the process ends.
    power_fails: bool,
}

/// Partition and batch by offset.
type Batches = BTreeMap<u64, (u16, Batch)>;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread().enable_time().max_blocking_threads(1).build().expect("a runtime")
});

/// Content of each image.
static WHOLE: LazyLock<Vec<Batches>> = LazyLock::new(|| {
    let read = |image: &Image| {
        let log = open(&disk_of(image)).expect("an image without damage opens");
        batches(&log, true)
    };
    IMAGES.iter().map(read).collect()
});

fuzz_target!(|input: Input| {
    let chosen = usize::from(input.image) % IMAGES.len();
    let whole = &WHOLE[chosen];
    let mut image = IMAGES[chosen].clone();
    let only_loses = input.damage.iter().all(Damage::only_loses);
    let last = image.headed_segments().next_back().cloned();
    let mut spares_the_last = true;
    for damage in &input.damage {
        let hit = image.name(damage.file());
        spares_the_last &= hit.is_some_and(|name| name.starts_with("segment-") && Some(name) != last);
        image.suffer(damage);
    }
    let disk = disk_of(&image);
    let Ok(log) = open(&disk) else { return };

    let found = batches(&log, only_loses);
    if only_loses {
        for (offset, found) in &found {
            assert_eq!(Some(found), whole.get(offset), "offset {offset} is not what was appended");
        }
        assert!(is_run(&found), "offsets are missing: {:?}", found.keys());
        if spares_the_last {
            assert_eq!(found.len(), whole.len(), "synced batches are gone without a word");
        }
    }
    go_on(log, &disk, found, input.power_fails, only_loses);
});

fn disk_of(image: &Image) -> SimulatedDisk {
    image.to_disk().expect("the simulated disk works")
}

fn open(disk: &SimulatedDisk) -> Result<EmbeddedLog, OpenError> {
    let clock = Arc::new(ManualClock::new(Timestamp(1_783_512_000_000_000_000)));
    open_on(Arc::new(disk.clone()), &config(), clock)
}

/// Everything in a log. Data forged with a valid checksum may still be refused by the fetch.
fn batches(log: &EmbeddedLog, all_must_check: bool) -> Batches {
    let mut found = Batches::new();
    for partition in 0..log.partitions() {
        let mut from = Offset(1);
        loop {
            match RUNTIME.block_on(log.fetch(Partition(partition), from, usize::MAX, Duration::ZERO)) {
                Ok(entries) => {
                    let fresh = entries.into_iter().map(|entry| (entry.offset.0, (partition, entry.batch)));
                    found.extend(fresh);
                    break;
                }
                Err(FetchError::Trimmed { oldest, .. }) if oldest > from.0 => from = Offset(oldest),
                Err(FetchError::Corrupt { .. }) if !all_must_check => break,
                Err(error) => panic!("what was opened cannot be read: {error}"),
            }
        }
    }
    found
}

fn is_run(found: &Batches) -> bool {
    found.keys().zip(found.keys().skip(1)).all(|(one, next)| one + 1 == *next)
}

/// A log that opens takes batches, and has them and all others when it is opened again.
fn go_on(
    log: EmbeddedLog,
    disk: &SimulatedDisk,
    mut expected: Batches,
    power_fails: bool,
    all_must_check: bool,
) {
    for partition in 0..log.partitions() {
        let fresh = batch(1000 + u32::from(partition), 700);
        match RUNTIME.block_on(log.append(Partition(partition), fresh.clone())) {
            Ok(offset) => {
                let held = expected.insert(offset.0, (partition, fresh));
                assert!(held.is_none(), "offset {offset:?} was given twice");
            }
            Err(AppendError::Full { .. }) => {}
            Err(error) => panic!("an open log does not take a batch: {error}"),
        }
    }
    drop(log);
    if power_fails {
        disk.lose_power();
    } else {
        disk.resume();
    }
    let log = open(disk).expect("a log that was opened opens again");
    assert_eq!(batches(&log, all_must_check), expected, "opening again changed what is there");
}

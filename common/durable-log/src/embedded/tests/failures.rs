//! Failures one at a time, with the commit stage stepped by hand.

use super::super::answer::Receiver;
use super::super::commit::Committer;
use super::super::shared::Shared;
use super::*;
use crate::AppendError;
use crate::disk::Disk;
use crate::disk::simulated::SimulatedDisk;

fn assemble(disk: &SimulatedDisk, config: &Config) -> (Arc<Shared>, Committer) {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    super::super::assemble(&disk, config, clock()).unwrap()
}

fn push(log: &Shared, number: u32, size: usize) -> Receiver {
    log.enqueue(Partition(0), batch(number, size)).unwrap()
}

fn answered(mut answer: Receiver) -> Result<Offset, AppendError> {
    answer.try_outcome().expect("an answer")
}

fn read(log: &Shared) -> Vec<u32> {
    let entries = log.read(Partition(0), Offset(1), u64::MAX).unwrap();
    entries.into_iter().map(|entry| entry.batch.headers.record_count).collect()
}

#[test]
fn what_waits_becomes_durable_together() {
    let (log, mut committer) = assemble(&SimulatedDisk::new(1), &small());
    let answers: Vec<_> = (1..=3).map(|number| push(&log, number, 100)).collect();
    assert_eq!(read(&log), [0_u32; 0], "nothing is readable before it is durable");
    committer.step();
    assert_eq!(read(&log), [1, 2, 3]);
    let offsets: Vec<_> = answers.into_iter().map(answered).collect();
    assert_eq!(offsets, [Ok(Offset(1)), Ok(Offset(2)), Ok(Offset(3))]);
}

#[test]
fn after_a_failed_sync_nothing_is_acknowledged() {
    let disk = SimulatedDisk::new(1);
    let config = Config { group_bytes: 1, ..small() };
    let (log, mut committer) = assemble(&disk, &config);
    let first = push(&log, 1, 100);
    committer.step();
    assert_eq!(answered(first), Ok(Offset(1)));

    disk.fail_next_sync();
    let (failed, behind) = (push(&log, 2, 100), push(&log, 3, 100));
    committer.step();
    committer.step();
    let cause = "the sync failed".to_owned();
    assert_eq!(answered(failed), Err(AppendError::Unknown { cause: cause.clone() }));
    assert_eq!(answered(behind), Err(AppendError::Poisoned { cause: cause.clone() }));
    let refused = log.enqueue(Partition(0), batch(4, 100)).err();
    assert_eq!(refused, Some(AppendError::Poisoned { cause }));
    assert!(!log.usage().writable);
    assert_eq!(read(&log), [1], "what was durable can be read");
}

#[test]
fn what_only_the_page_cache_holds_is_made_durable_before_it_is_read() {
    let mut found_again = 0;
    for seed in 0..50 {
        let disk = SimulatedDisk::new(seed);
        let (log, mut committer) = assemble(&disk, &small());
        disk.fail_next_sync();
        let _unknown = push(&log, 1, 3_000);
        committer.step();
        disk.resume();
        let (log, _) = assemble(&disk, &small());
        assert_eq!(read(&log), [1], "the page cache still has it");
        disk.lose_power();
        let (log, _) = assemble(&disk, &small());
        found_again += read(&log).len();
    }
    assert_eq!(found_again, 50, "what was read once stays");
}

#[test]
fn a_full_disk_refuses_and_poisons_nothing() {
    let disk = SimulatedDisk::new(1);
    let (log, mut committer) = assemble(&disk, &small());
    log.supply.work();
    disk.set_capacity(disk.used_bytes() + 64 * 1024);
    let mut taken = 0;
    let refused = loop {
        let answer = push(&log, taken, 30_000);
        committer.step();
        match answered(answer) {
            Ok(_) => taken += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, AppendError::Full { .. }), "{refused:?}");
    assert_eq!(taken, 2, "the segment in use and the one prepared, less than half of each wasted");
    assert!(log.usage().writable);

    disk.set_capacity(u64::MAX);
    let answer = push(&log, 9, 30_000);
    committer.step();
    assert_eq!(answered(answer), Ok(Offset(3)));
    disk.lose_power();
    let (log, _) = assemble(&disk, &small());
    assert_eq!(read(&log), [0, 1, 9]);
}

#[test]
fn below_its_floor_the_disk_is_left_to_others_until_there_is_room_again() {
    let disk = SimulatedDisk::new(1);
    let floor = 100_000;
    let (log, mut committer) = assemble(&disk, &Config { least_free_bytes: floor, ..small() });
    let before = push(&log, 1, 100);
    log.supply.work();
    disk.set_capacity(disk.used_bytes() + floor - 1);
    assert!(!log.usage().disk_low, "nobody has looked yet");
    log.look_at_disk();
    assert!(log.usage().disk_low && log.usage().writable);
    let refused = log.enqueue(Partition(0), batch(2, 100)).err();
    assert_eq!(refused, Some(AppendError::DiskLow { free: floor - 1, floor }));
    committer.step();
    assert_eq!(answered(before), Ok(Offset(1)), "what was let in before is written");

    disk.set_capacity(disk.used_bytes() + floor);
    log.look_at_disk();
    assert!(!log.usage().disk_low);
    let again = push(&log, 2, 100);
    committer.step();
    assert_eq!(answered(again), Ok(Offset(2)));
    assert_eq!(read(&log), [1, 2]);
}

#[test]
fn below_its_floor_the_log_gives_up_its_own_empty_files_first() {
    let disk = SimulatedDisk::new(1);
    let floor = 100_000;
    let (log, mut committer) = assemble(&disk, &Config { least_free_bytes: floor, ..small() });
    for number in 0..8 {
        let _ = push(&log, number, 30_000);
        committer.step();
        log.supply.work();
    }
    log.release(Partition(0), Offset(u64::MAX));
    log.supply.work();
    let spares = || disk.list().unwrap().iter().filter(|name| name.starts_with("spare")).count();
    assert_eq!(spares(), 2);
    disk.set_capacity(disk.used_bytes() + floor - 1);
    log.look_at_disk();
    assert_eq!(spares(), 0);
    assert!(!log.usage().disk_low, "there is room again");
    let answer = push(&log, 9, 100);
    committer.step();
    assert_eq!(answered(answer), Ok(Offset(9)));
}

#[test]
fn the_queue_is_bounded_with_what_is_being_written() {
    let (log, mut committer) = assemble(&SimulatedDisk::new(1), &Config { queue_bytes: 1_000, ..small() });
    let large = push(&log, 1, 5_000);
    let refused = log.enqueue(Partition(0), batch(2, 10)).err();
    assert!(
        matches!(refused, Some(AppendError::QueueFull { queued: 5_000.., capacity: 1_000 })),
        "{refused:?}"
    );
    committer.step();
    assert!(answered(large).is_ok());
    assert_eq!(log.usage().queued_bytes, 0);
}

#[test]
fn the_number_of_batches_is_bounded() {
    let (log, mut committer) = assemble(&SimulatedDisk::new(1), &Config { max_batches: 2, ..small() });
    let _answers = [push(&log, 1, 10), push(&log, 2, 10)];
    committer.step();
    let refused = log.enqueue(Partition(0), batch(3, 10)).err();
    assert_eq!(refused, Some(AppendError::Full { used: 2, capacity: 2 }));
    log.release(Partition(0), Offset(1));
    push(&log, 3, 10);
}

#[test]
fn a_batch_larger_than_a_segment_gets_one_of_its_own() {
    let disk = SimulatedDisk::new(1);
    let (log, mut committer) = assemble(&disk, &small());
    for (number, size) in [(1, 100), (2, 500_000), (3, 100)] {
        let answer = push(&log, number, size);
        committer.step();
        assert!(answered(answer).is_ok());
    }
    disk.lose_power();
    let (log, _) = assemble(&disk, &small());
    assert_eq!(read(&log), [1, 2, 3]);
}

#[test]
fn a_damaged_batch_is_named_when_it_is_read() {
    let disk = SimulatedDisk::new(1);
    let (log, mut committer) = assemble(&disk, &small());
    for number in 1..=2 {
        drop(push(&log, number, 100));
        committer.step();
    }
    let segments: Vec<_> =
        disk.list().unwrap().into_iter().filter(|name| name.starts_with("segment")).collect();
    disk.flip_bit(&segments[0], 2 * 4096 + 200).unwrap();
    assert_eq!(read(&log), [1], "what is good is handed out first");
    let found = log.read(Partition(0), Offset(2), u64::MAX).unwrap_err();
    assert!(
        matches!(&found, crate::FetchError::Corrupt { segment, offset: 2, .. } if *segment == segments[0])
    );
}

/// A log of five batches to a segment: the last segment begun, number 4, is the newest.
fn four_segments() -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    let (log, mut committer) = assemble(&disk, &Config { segment_bytes: 24 * 1024, ..small() });
    for number in 1..=18 {
        drop(push(&log, number, 3_000));
        committer.step();
        log.supply.work();
    }
    disk
}

#[test]
fn damage_that_spares_the_newest_segment_loses_nothing_without_a_word() {
    let config = Config { segment_bytes: 24 * 1024, ..small() };
    let mut refused = Vec::new();
    // The fifth is prepared and empty: damage to it has no effect.
    for sequence in [1, 2, 3, 5] {
        for block in 0..6 {
            let disk = four_segments();
            let name = super::super::segment::segment_name(sequence);
            disk.flip_bit(&name, block * 4096 + 20).unwrap();
            let disk: Arc<dyn Disk> = Arc::new(disk);
            match super::super::assemble(&disk, &config, clock()) {
                Ok((log, _)) => assert_eq!(read(&log), Vec::from_iter(1..=18), "{name}, block {block}"),
                Err(OpenError::Corrupt { .. }) => refused.push((sequence, block)),
                Err(error) => panic!("{name}, block {block}: {error}"),
            }
        }
    }
    let expected = (1..=3).flat_map(|sequence| (0..6).map(move |block| (sequence, block)));
    assert_eq!(refused, Vec::from_iter(expected));
}

#[test]
fn a_destroyed_header_of_a_segment_that_held_nothing_is_nothing_lost() {
    let disk = SimulatedDisk::new(1);
    drop(assemble(&disk, &small()));
    let (log, mut committer) = assemble(&disk, &small());
    drop(push(&log, 1, 100));
    committer.step();
    disk.flip_bit("segment-00000000000000000001", 20).unwrap();
    let (log, _) = assemble(&disk, &small());
    assert_eq!(read(&log), [1]);
}

#[test]
fn a_batch_on_its_way_whose_segment_was_used_again_is_trimmed_not_corrupt() {
    let disk = SimulatedDisk::new(1);
    let (log, mut committer) = assemble(&disk, &small());
    for number in 0..40 {
        drop(push(&log, number, 6_000));
        committer.step();
        log.supply.work();
    }
    let located = log.locate(Partition(0), Offset(1), 1).unwrap().remove(0);
    log.release(Partition(0), Offset(40));
    for number in 0..40 {
        log.supply.work();
        drop(push(&log, number, 6_100));
        committer.step();
    }
    let found = log.read_frame(Partition(0), &located).unwrap_err();
    assert_eq!(found, crate::FetchError::Trimmed { partition: 0, from: 1, oldest: 2 });
}

#[test]
fn a_failure_behind_the_scenes_poisons_the_next_segment_and_ends_the_work() {
    let disk = SimulatedDisk::new(1);
    let (log, mut committer) = assemble(&disk, &small());
    log.supply.work();
    for number in 0..20 {
        drop(push(&log, number, 6_000));
        committer.step();
    }
    log.release(Partition(0), Offset(u64::MAX));
    disk.stop_after(0);
    log.supply.work();
    disk.resume();
    log.supply.stop();
    assert!(!log.supply.wait(std::time::Duration::MAX), "nothing is left to do");
    let answers: Vec<_> = (0..20).map(|number| push(&log, number, 6_000)).collect();
    while log.usage().writable {
        committer.step();
    }
    let last = answers.into_iter().map(answered).last();
    assert!(matches!(last, Some(Err(AppendError::Poisoned { .. }))), "{last:?}");
}

#[test]
fn a_log_on_a_nearly_full_disk_opens_and_can_be_drained() {
    let disk = SimulatedDisk::new(1);
    let config = Config { capacity_bytes: Some(16 * 1024 * 1024), ..small() };
    let (log, mut committer) = assemble(&disk, &config);
    log.supply.work();
    for (number, size) in [(1, 100), (2, 500_000)] {
        drop(push(&log, number, size));
        committer.step();
    }
    log.supply.work();
    disk.lose_power();
    // Enough to make the spare file as long as the large batch, not for another of that length.
    disk.set_capacity(disk.used_bytes() + 470_000);
    let (log, mut committer) = assemble(&disk, &config);
    assert_eq!(read(&log), [1, 2]);
    log.release(Partition(0), Offset(2));
    let answer = push(&log, 3, 10_000);
    committer.step();
    assert_eq!(answered(answer), Ok(Offset(3)));
}
